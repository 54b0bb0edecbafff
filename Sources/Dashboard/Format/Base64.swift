/// Bytes as text of 64 characters: RFC 4648, section 4, with padding.
enum Base64 {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var bits: UInt32 = 0
      for byte in group { bits = bits << 8 | UInt32(byte) }
      bits <<= 8 * UInt32(3 - group.count)
      for place in 0..<4 {
        // n bytes fill n + 1 characters.
        text.append(
          place > group.count
            ? UInt8(ascii: "=") : alphabet[Int(bits >> (18 - 6 * UInt32(place)) & 63)])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
