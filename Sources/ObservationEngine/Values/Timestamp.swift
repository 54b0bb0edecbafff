/// A point in civil time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Microseconds since the Unix epoch.
  public let microseconds: Int64

  /// The point in time `microseconds` after the Unix epoch.
  public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// The number of seconds since 2001-01-01T00:00:00Z that is Foundation's `Date` of this point in
  /// time: that of `Date(timeIntervalSince1970:)`, which a program is likely to compare it with.
  package var secondsSince2001: Double {
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Double(seconds) + Double(fraction) / 1e6 - 978_307_200
  }

  /// Whether `left` is earlier.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension Timestamp: CustomStringConvertible {
  /// The text of ``DateFormat/iso8601``; outside the years 0 to 9999, the number of microseconds.
  public var description: String { text ?? "\(microseconds) µs" }
}
