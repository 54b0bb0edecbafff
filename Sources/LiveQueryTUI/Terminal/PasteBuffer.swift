import Dashboard

/// Gathers the text of a bracketed paste until its end.
struct PasteBuffer {
  static let terminator = Array("\u{1b}[201~".utf8)

  /// The bytes after the end.
  private(set) var rest: [UInt8] = []
  private var bytes: [UInt8] = []
  /// How many bytes of an overlong paste were counted and dropped.
  private var dropped = 0

  /// Takes more bytes; returns the key once the paste has ended.
  ///
  /// - Complexity: O(new bytes).
  mutating func append(_ more: ArraySlice<UInt8>) -> Key? {
    // The terminator may have started in earlier bytes.
    var start = max(0, bytes.count - Self.terminator.count + 1)
    bytes += more
    while let escape = bytes[start...].firstIndex(of: Self.terminator[0]) {
      guard bytes[escape...].starts(with: Self.terminator) else {
        start = escape + 1
        continue
      }
      rest = Array(bytes[(escape + Self.terminator.count)...])
      bytes.removeSubrange(escape...)
      let count = dropped + bytes.count
      return count > Key.pasteLimit ? .longPaste(bytes: count) : .paste(text)
    }
    // Of an overlong paste only its end is kept, where the terminator may have started.
    let end = bytes.count - Self.terminator.count
    if dropped + end > Key.pasteLimit {
      bytes.removeSubrange(..<end)
      dropped += end
    }
    return nil
  }

  /// Newlines are \n, whatever the terminal made of them. Other control characters are dropped: a
  /// paste must not be able to press keys.
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
