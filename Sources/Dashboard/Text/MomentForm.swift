import ObservationEngine

/// The form of the times in a column.
enum MomentForm: Sendable, Equatable, CaseIterable {
  case text
  case julianDay
  /// Of the Unix epoch, like those below.
  case seconds
  case milliseconds
  case microseconds
  case nanoseconds

  /// How many values are examined.
  private static let sample = 100

  /// The form of most values of a column; nil when they aren't times.
  ///
  /// Numbers are times only if the column's name suggests it, because any number could be one.
  ///
  /// - Parameter isAsked: Whether the user said that the column has times.
  /// - Complexity: O(1): up to a hundred values are examined.
  init?(of values: some Sequence<Value>, column: String, isAsked: Bool = false) {
    let mayBeNumbers = isAsked || Self.isMoment(name: column)
    var counts: [MomentForm: Int] = [:]
    var total = 0
    for value in values.prefix(Self.sample) where value != .null {
      total += 1
      if let form = Self.form(of: value, mayBeNumber: mayBeNumbers) {
        counts[form, default: 0] += 1
      }
    }
    // A few broken dates do not change the form of the others.
    guard let best = counts.max(by: { $0.value < $1.value }), best.value * 10 >= total * 6 else {
      return nil
    }
    self = best.key
  }

  /// How many values of a column are times in any form, and how many are something else; zero of
  /// both when nothing suggests that it has times.
  ///
  /// - Complexity: O(values) if there are times among the first hundred, O(1) otherwise.
  static func count(
    in values: some Sequence<Value>, column: String, isAsked: Bool = false
  ) -> (moments: Int, others: Int) {
    let mayBeNumbers = isAsked || isMoment(name: column)
    var counts = (moments: 0, others: 0)
    for (index, value) in values.enumerated() where value != .null {
      if index >= sample, counts.moments == 0 { break }
      if form(of: value, mayBeNumber: mayBeNumbers) == nil {
        counts.others += 1
      } else {
        counts.moments += 1
      }
    }
    return counts.moments > 0 ? counts : (0, 0)
  }

  /// The seconds since the Unix epoch that a value in this form means; nil if it means no time.
  func seconds(_ value: Value) -> Double? {
    switch value {
    case .text(let text): self == .text ? SQLMoment.seconds(text) : nil
    case .integer(let number): seconds(Double(number))
    case .real(let number): seconds(number)
    case .null, .blob, .date: nil
    }
  }

  func seconds(_ number: Double) -> Double? {
    guard let range = numbers, range.contains(number) else { return nil }
    switch self {
    case .text: return nil
    case .julianDay: return (number - 2_440_587.5) * 86_400
    case .seconds: return number
    case .milliseconds: return number / 1e3
    case .microseconds: return number / 1e6
    case .nanoseconds: return number / 1e9
    }
  }

  /// The seconds that a value means in any form, where a time is expected.
  static func seconds(_ value: Value) -> Double? { form(of: value)?.seconds(value) }

  /// Which numbers count as times: those from 1973 to 2286, and days from 1800 to 2199.
  private var numbers: Range<Double>? {
    switch self {
    case .text: nil
    case .julianDay: 2_378_496.5..<2_524_593.5
    case .seconds: 1e8..<1e10
    case .milliseconds: 1e11..<1e13
    case .microseconds: 1e14..<1e16
    case .nanoseconds: 1e17..<9.3e18
    }
  }

  private static func form(of value: Value, mayBeNumber: Bool = true) -> MomentForm? {
    switch value {
    case .text(let text): SQLMoment.seconds(text) == nil ? nil : .text
    case .integer(let number): mayBeNumber ? form(of: Double(number)) : nil
    case .real(let number): mayBeNumber ? form(of: number) : nil
    case .null, .blob, .date: nil
    }
  }

  private static func form(of number: Double) -> MomentForm? {
    allCases.first { $0.numbers?.contains(number) ?? false }
  }

  /// Whether a column has a typical name for times: `started_at`, `createdAt`, `ts`, `day`.
  static func isMoment(name: String) -> Bool {
    if name.hasSuffix("At") || name.hasSuffix("Time") || name.hasSuffix("Date") { return true }
    return name.lowercased().split { !$0.isLetter }.contains { words.contains($0) }
  }

  private static let words: Set<Substring> = [
    "at", "time", "date", "datetime", "timestamp", "ts", "when", "day", "hour", "minute", "second",
    "week", "month", "epoch", "unixepoch", "julian", "julianday", "created", "updated", "modified",
    "started", "ended", "finished", "seen", "t",
  ]
}
