/// A position in the write-ahead log, as the server writes it: `16/B374D848`.
enum LogPosition {
  static func number(_ text: String) -> UInt64? {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let high = UInt64(parts[0], radix: 16),
      let low = UInt64(parts[1], radix: 16), high <= 0xFFFF_FFFF, low <= 0xFFFF_FFFF
    else { return nil }
    return high << 32 | low
  }

  static func text(_ position: UInt64) -> String {
    String(position >> 32, radix: 16, uppercase: true) + "/"
      + String(position & 0xFFFF_FFFF, radix: 16, uppercase: true)
  }
}
