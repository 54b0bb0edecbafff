package import ObservationEngine

/// A time as calendars and clocks show it.
package struct CivilTime: Sendable, Equatable {
  package let year: Int
  package let month: Int
  package let day: Int
  package let hour: Int
  package let minute: Int
  package let second: Int
  package let microsecond: Int

  /// The civil time of a timestamp, this many seconds east of UTC.
  package init(_ timestamp: Timestamp, utcOffsetSeconds: Int = 0) {
    // Floor division, so that days start at midnight even before 1970.
    let (seconds, microsecond) = Self.floorDivision(Int(timestamp.microseconds), by: 1_000_000)
    let (days, secondOfDay) = Self.floorDivision(seconds + utcOffsetSeconds, by: 86_400)
    self.microsecond = microsecond
    hour = secondOfDay / 3600
    minute = secondOfDay / 60 % 60
    second = secondOfDay % 60

    // Years that start in March have their leap day at the end, and 400 of them always have the
    // same number of days (Howard Hinnant, "chrono-compatible low-level date algorithms").
    let (era, dayOfEra) = Self.floorDivision(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// ISO 8601 with microseconds, for times in UTC: `2026-11-20T18:00:00.123456Z`.
  package var iso8601: String {
    "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
      + ".\(padded(microsecond, 6))Z"
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.utf8.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }

  private static func floorDivision(_ value: Int, by divisor: Int) -> (Int, Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
