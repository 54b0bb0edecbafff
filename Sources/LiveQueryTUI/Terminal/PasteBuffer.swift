/// Gathers the text of a bracketed paste until its end.
struct PasteBuffer {
  /// Enough for any statement; the rest of a longer paste is dropped.
  static let limit = 1 << 20
  private static let terminator = Array("\u{1b}[201~".utf8)

  /// What came after the end.
  private(set) var rest: [UInt8] = []
  private var bytes: [UInt8] = []

  /// Takes more bytes; the text once the paste has ended.
  ///
  /// - Complexity: O(new bytes).
  mutating func append(_ more: ArraySlice<UInt8>) -> String? {
    // The end may have begun with the bytes before.
    var start = max(0, bytes.count - Self.terminator.count + 1)
    bytes += more
    while let escape = bytes[start...].firstIndex(of: Self.terminator[0]) {
      guard bytes[escape...].starts(with: Self.terminator) else {
        start = escape + 1
        continue
      }
      rest = Array(bytes[(escape + Self.terminator.count)...])
      bytes.removeSubrange(min(escape, Self.limit)...)
      return text
    }
    // Kept short from the middle, so that the end is found all the same.
    let end = bytes.count - Self.terminator.count
    if end > Self.limit { bytes.removeSubrange(Self.limit..<end) }
    return nil
  }

  /// Line ends are \n, whatever the terminal made of them. Other controls are dropped: a paste
  /// must not be able to press keys.
  private var text: String {
    var text = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\r": text.append("\n")
      case "\n": if previous != "\r" { text.append("\n") }
      case "\t": text.append("\t")
      default: if scalar.properties.generalCategory != .control { text.append(scalar) }
      }
      previous = scalar
    }
    return String(text)
  }
}
