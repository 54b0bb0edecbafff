internal import ObservationEngine

/// A message of the replication protocol while a stream runs.
///
/// See https://www.postgresql.org/docs/current/protocol-replication.html
enum StreamMessage: Equatable {
  /// Bytes of the log, and the server's time when it sent them, in microseconds since 2000-01-01 UTC.
  case data(start: UInt64, sent: Int64, ArraySlice<UInt8>)
  case keepalive(end: UInt64, asksForReply: Bool)

  /// - Returns: nil for a message of another kind, or one that is too short.
  init?(_ bytes: [UInt8]) {
    func number(at start: Int) -> UInt64 {
      bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    switch bytes.first {
    case UInt8(ascii: "w") where bytes.count >= 25:
      self = .data(
        start: number(at: 1), sent: Int64(bitPattern: number(at: 17)), bytes.dropFirst(25))
    case UInt8(ascii: "k") where bytes.count >= 18:
      self = .keepalive(end: number(at: 1), asksForReply: bytes[17] != 0)
    default: return nil
    }
  }

  /// Now, in microseconds since 2000-01-01 UTC.
  static func now() -> Int64 { SystemClock.now().microseconds - 946_684_800_000_000 }

  /// The message that reports to the server how far the log was read.
  ///
  /// - Parameter flushed: What the server need not keep for a slot; 0 without one: a server with
  ///   `synchronous_standby_names = '*'` would otherwise take this program for a standby that commits must wait for.
  static func status(read position: UInt64, flushed: UInt64, at time: Int64) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(ascii: "r")]
    func append(_ number: UInt64) {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(number >> UInt64(shift) & 0xFF))
      }
    }
    append(position)
    append(flushed)
    append(0)
    append(UInt64(bitPattern: time))
    // The server answers immediately, so that its silence is noticed.
    return bytes + [1]
  }
}
