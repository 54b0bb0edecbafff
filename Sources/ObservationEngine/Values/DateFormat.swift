/// How dates are stored in a database, chosen once for all of them in
/// ``Configuration/dateFormat``.
///
///     var configuration = Configuration()
///     configuration.dateFormat = .unixSeconds
///
/// Only writing follows the format strictly. Reading accepts any value of the format's storage
/// class: a text with a date (`2024-05-06`), optionally followed by a time of day (up to
/// `23:59:59`), a fraction, and `Z` or an offset; numbers in the unit of the format. Other texts
/// that SQLite's date functions understand don't fit: `10:00`, `now`, `2460000.5`.
///
/// Records, columns and rows are read in the format of their database. A ``Value`` alone, as in a
/// row that is a dictionary, doesn't know it: pass the format to
/// ``ValueConvertible/fromValue(_:in:)``.
///
///     let row = try await database.read { try $0.fetchOne(from: "task", key: 7) }
///     let due = row?["due"].flatMap { Date.fromValue($0, in: .unixSeconds) }
public enum DateFormat: Sendable {
  /// Text, `2024-05-06 07:08:09.123`: ISO 8601 with a space for the T, in UTC, to the millisecond.
  ///
  /// It has the form of SQLite's own `CURRENT_TIMESTAMP` and `datetime()`, so SQLite's date
  /// functions read it and it sorts chronologically. Digits beyond the millisecond are rounded
  /// towards the past.
  case iso8601
  /// An integer: seconds since 1970-01-01T00:00:00Z, rounded towards the past.
  case unixSeconds
  /// An integer: milliseconds since 1970-01-01T00:00:00Z, rounded towards the past.
  case unixMilliseconds
  /// A real number: days since noon in Greenwich on November 24, 4714 BC, as in SQLite's
  /// `julianday()`; exact to about 0.05 milliseconds.
  case julianDay
  /// Two functions that convert; `decode` returns `nil` for a value that it does not understand.
  // Indirect, because each row has a format, which then is one word.
  indirect case custom(
    encode: @Sendable (Timestamp) -> Value, decode: @Sendable (Value) -> Timestamp?)
}

extension DateFormat {
  /// The declared type of a column of dates.
  package var columnType: String {
    switch self {
    case .iso8601: "TEXT"
    case .unixSeconds, .unixMilliseconds: "INTEGER"
    case .julianDay: "REAL"
    // No affinity: SQLite stores what the function returns as it is.
    case .custom: "BLOB"
    }
  }

  /// The value that stores a point in time.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when the format can't express it.
  package func value(of moment: Timestamp) throws(DatabaseError) -> Value {
    switch self {
    case .iso8601:
      guard let text = moment.text else {
        throw DatabaseError(
          code: .mismatch,
          message: "a date outside of the years 0 to 9999 has no ISO 8601 text; store a number")
      }
      return .text(text)
    case .unixSeconds: return .integer(moment.microseconds.flooredQuotient(1_000_000))
    case .unixMilliseconds: return .integer(moment.microseconds.flooredQuotient(1_000))
    case .julianDay:
      // Of all points in time that are the same `Date`, one has to stand for them.
      let seconds = moment.secondsSince2001
      let days = (seconds / 86_400).rounded(.down)
      // Only the last sum is rounded.
      return .real(days + Self.julianDayOf2001 + (seconds - days * 86_400) / 86_400)
    case .custom(let encode, _):
      let value = encode(moment)
      guard case .date = value else { return value }
      throw DatabaseError(
        code: .mismatch,
        message: "DateFormat.custom encodes a date as a date; return a number, text or a BLOB")
    }
  }

  /// The point in time that a value stores; `nil` when it stores none.
  package func moment(of value: Value) -> Timestamp? {
    switch (self, value) {
    case (_, .date(let moment)): moment
    case (.custom(_, let decode), _): decode(value)
    case (_, .text(let text)): Timestamp(text: text)
    case (.julianDay, .real(let days)): Timestamp(julianDay: days)
    case (.julianDay, .integer(let days)): Timestamp(julianDay: Double(days))
    case (.unixMilliseconds, .integer(let number)): Timestamp(scaling: number, by: 1_000)
    case (.unixMilliseconds, .real(let number)): Timestamp(scaling: number, by: 1_000)
    // SQLite's unixepoch() and strftime('%s') produce seconds, whatever the format.
    case (.iso8601, .integer(let number)), (.unixSeconds, .integer(let number)):
      Timestamp(scaling: number, by: 1_000_000)
    case (.iso8601, .real(let number)), (.unixSeconds, .real(let number)):
      Timestamp(scaling: number, by: 1_000_000)
    case (_, .null), (_, .blob): nil
    }
  }

  /// 2001-01-01T00:00:00Z as a Julian day.
  private static let julianDayOf2001 = 2_451_910.5
  /// 1970-01-01T00:00:00Z as a Julian day.
  fileprivate static let julianEpoch = 2_440_587.5
  /// In microseconds.
  fileprivate static let dayLength: Int64 = 86_400_000_000
}

extension Timestamp {
  /// `number` times `unit` microseconds; `nil` beyond what 64 bits hold.
  fileprivate init?(scaling number: Int64, by unit: Int64) {
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    guard !overflow else { return nil }
    self.init(microseconds: product)
  }

  fileprivate init?(scaling number: Double, by unit: Double) {
    guard let microseconds = Int64(exactly: (number * unit).rounded()) else { return nil }
    self.init(microseconds: microseconds)
  }

  /// The nearest microsecond; `nil` beyond what 64 bits hold.
  fileprivate init?(julianDay: Double) {
    let days = julianDay - DateFormat.julianEpoch
    let whole = days.rounded(.down)
    // A product of the whole number would round by several microseconds.
    guard
      let midnight = Int64(exactly: whole).flatMap({
        Timestamp(scaling: $0, by: DateFormat.dayLength)
      })
    else { return nil }
    let ofDay = Int64(((days - whole) * Double(DateFormat.dayLength)).rounded())
    let (sum, overflow) = midnight.microseconds.addingReportingOverflow(ofDay)
    guard !overflow else { return nil }
    self.init(microseconds: sum)
  }
}

extension Int64 {
  func flooredQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
