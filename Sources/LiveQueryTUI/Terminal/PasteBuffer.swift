/// Gathers the text of a bracketed paste until its end.
struct PasteBuffer {
  /// Enough for any statement; the rest of a longer paste is dropped.
  static let limit = 1 << 20
  private static let terminator = Array("\u{1b}[201~".utf8)

  /// What came after the end.
  private(set) var rest: [UInt8] = []
  private var bytes: [UInt8] = []

  /// Takes more bytes; the text once the paste has ended.
  mutating func append(_ more: ArraySlice<UInt8>) -> String? {
    for (offset, byte) in more.enumerated() {
      bytes.append(byte)
      if byte == Self.terminator.last, bytes.suffix(Self.terminator.count) == Self.terminator[...] {
        bytes.removeLast(Self.terminator.count)
        rest = Array(more.dropFirst(offset + 1))
        return text
      }
      // Kept short from the middle, so that the terminator is found at the end all the same.
      if bytes.count > Self.limit + Self.terminator.count { bytes.remove(at: Self.limit) }
    }
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
