/// How dates are stored in a database, chosen once for all of them in
/// ``Configuration/dateFormat``.
///
///     var configuration = Configuration()
///     configuration.dateFormat = .unixSeconds
///
/// Only writing follows the format strictly. Reading takes a value of its storage class: text in any
/// form of SQLite's date functions, numbers in the unit of the format.
public enum DateFormat: Sendable {
  /// Text, `2024-05-06 07:08:09.123`: ISO 8601 with a blank for the T, in UTC, to the millisecond.
  ///
  /// This is the text of SQLite's own `CURRENT_TIMESTAMP` and `datetime()`, so it is read by SQLite's
  /// date functions, and sorts in the order of time. Digits beyond the millisecond are rounded
  /// towards the past.
  case iso8601
  /// An integer: seconds since 1970-01-01T00:00:00Z, rounded towards the past.
  case unixSeconds
  /// An integer: milliseconds since 1970-01-01T00:00:00Z, rounded towards the past.
  case unixMilliseconds
  /// A real number: days since noon in Greenwich on November 24, 4714 BC, as SQLite's `julianday()`
  /// has it; exact to about 0.05 milliseconds.
  case julianDay
  /// As the two functions have it; `decode` returns `nil` for what it does not understand.
  case custom(
    encode: @Sendable (Timestamp) -> Value, decode: @Sendable (Value) -> Timestamp?)
}

extension DateFormat {
  /// The type with which a column of dates is declared.
  package var columnType: String {
    switch self {
    case .iso8601: "TEXT"
    case .unixSeconds, .unixMilliseconds: "INTEGER"
    case .julianDay: "REAL"
    // No affinity: what the function returns is stored as it is.
    case .custom: "BLOB"
    }
  }

  /// The value that stands for a moment.
  ///
  /// - Throws: `DatabaseError` with code `mismatch` when the format has none.
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
    case .julianDay: return .real(Double(moment.microseconds) / 86_400e6 + Self.julianEpoch)
    case .custom(let encode, _):
      let value = encode(moment)
      guard case .date = value else { return value }
      throw DatabaseError(
        code: .mismatch,
        message: "DateFormat.custom encodes a date as a date; return a number, text or a BLOB")
    }
  }

  /// The moment that a value stands for; `nil` when it is none.
  package func moment(of value: Value) -> Timestamp? {
    switch (self, value) {
    case (_, .date(let moment)): moment
    case (.custom(_, let decode), _): decode(value)
    case (_, .text(let text)): Timestamp(text: text)
    case (.julianDay, .real(let days)): Timestamp(scaling: days - Self.julianEpoch, by: 86_400e6)
    case (.julianDay, .integer(let days)):
      Timestamp(scaling: Double(days) - Self.julianEpoch, by: 86_400e6)
    case (.unixMilliseconds, .integer(let number)): Timestamp(scaling: number, by: 1_000)
    case (.unixMilliseconds, .real(let number)): Timestamp(scaling: number, by: 1_000)
    // SQLite's unixepoch() and strftime('%s') make numbers of seconds, whatever the format.
    case (.iso8601, .integer(let number)), (.unixSeconds, .integer(let number)):
      Timestamp(scaling: number, by: 1_000_000)
    case (.iso8601, .real(let number)), (.unixSeconds, .real(let number)):
      Timestamp(scaling: number, by: 1_000_000)
    case (_, .null), (_, .blob): nil
    }
  }

  /// 1970-01-01T00:00:00Z as a Julian day.
  private static let julianEpoch = 2_440_587.5
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
}

extension Int64 {
  func flooredQuotient(_ divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
