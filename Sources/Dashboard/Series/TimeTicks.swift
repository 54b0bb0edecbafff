import ObservationEngine

/// Round times along a time axis, and their labels.
struct TimeTicks: Sendable, Equatable {
  struct Tick: Sendable, Equatable {
    /// Seconds since the Unix epoch.
    var seconds: Double
    var label: String
  }

  private(set) var ticks: [Tick]

  /// Steps in seconds; months and years follow the calendar.
  private enum Step: Equatable {
    case seconds(Double)
    case months(Int)
  }

  /// Round times within `span`, at most `limit` of them.
  ///
  /// - Parameter now: The current time: the first date of another year has its year.
  /// - Complexity: O(limit).
  init(_ span: ClosedRange<Double>, limit: Int, now: Timestamp? = nil) {
    self.init(span, limit: limit)
    guard let now else { return }
    let year = CivilTime(now).year
    if let first = ticks.firstIndex(where: { $0.label.utf8.count == 5 && $0.label.contains("-") }) {
      let time = CivilTime(seconds: ticks[first].seconds)
      if time.year != year { ticks[first].label = time.date }
    }
  }

  private init(_ span: ClosedRange<Double>, limit: Int) {
    // CivilTime counts microseconds in 64 bits: times far outside any calendar have no ticks.
    guard limit > 0, span.lowerBound > -6.2e10, span.upperBound < 2.5e11 else {
      ticks = []
      return
    }
    let length = span.upperBound - span.lowerBound
    guard length > 0 else {
      ticks = [Tick(seconds: span.lowerBound, label: Self.moment(span.lowerBound))]
      return
    }
    let step =
      Self.fixed.first { length / $0 <= Double(limit) }.map(Step.seconds)
      ?? Step.months(
        Self.months.first { length / (Double($0) * 2_629_746) <= Double(limit) } ?? 12_000)
    switch step {
    case .seconds(let step): ticks = Self.ticks(span, step: step, limit: limit)
    case .months(let step): ticks = Self.ticks(span, months: step, limit: limit)
    }
  }

  private static let minute = 60.0
  private static let hour = 3600.0
  private static let day = 86_400.0

  private static let fixed: [Double] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, minute, 2 * minute,
    5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour,
    12 * hour, day, 2 * day, 7 * day, 14 * day,
  ]
  private static let months = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000]

  private static func ticks(_ span: ClosedRange<Double>, step: Double, limit: Int) -> [Tick] {
    var ticks: [Tick] = []
    // Weeks start on Mondays: 1970-01-05 was one.
    let origin = step >= 7 * day ? 4 * day : 0
    var index = ((span.lowerBound - origin) / step).rounded(.up)
    while ticks.count <= limit, origin + index * step <= span.upperBound {
      let seconds = origin + index * step
      ticks.append(Tick(seconds: seconds, label: label(seconds, step: step)))
      index += 1
    }
    return ticks
  }

  private static func ticks(_ span: ClosedRange<Double>, months step: Int, limit: Int) -> [Tick] {
    let start = CivilTime(seconds: span.lowerBound)
    var month = (start.year * 12 + start.month - 1) / step * step
    var ticks: [Tick] = []
    while ticks.count <= limit {
      let year = month / 12
      let seconds = Double(SQLMoment.days(year: year, month: month % 12 + 1, day: 1)) * day
      if seconds > span.upperBound { break }
      if seconds >= span.lowerBound {
        let label = step % 12 == 0 ? "\(year)" : "\(year)-" + CivilTime.two(month % 12 + 1)
        ticks.append(Tick(seconds: seconds, label: label))
      }
      month += step
    }
    return ticks
  }

  private static func label(_ seconds: Double, step: Double) -> String {
    let time = CivilTime(seconds: seconds)
    let date = CivilTime.two(time.month) + "-" + CivilTime.two(time.day)
    if step >= day { return date }
    if step >= minute {
      // At midnight the day is the useful label.
      return time.hour == 0 && time.minute == 0 ? date : String(time.clock.prefix(5))
    }
    if step >= 1 { return time.clock }
    let thousandths = (time.microsecond + 500) / 1000
    return ":" + CivilTime.two(time.second) + "."
      + String(String(1000 + min(thousandths, 999)).dropFirst())
  }

  private static func moment(_ seconds: Double) -> String {
    let time = CivilTime(seconds: seconds)
    let isDay = time.hour == 0 && time.minute == 0 && time.second == 0
    return isDay ? time.date : time.date + " " + time.clock
  }
}
