/// Text from a database, made fit for the cells of a terminal.
///
/// This is the only place that sanitizes cell text: its output has no control characters, nothing
/// that changes the direction of text and nothing invisible.
///
///     DisplayText.sanitize("a\u{1b}[31mb")        // a␛[31mb
///     DisplayText.fit("barbara", width: 5)        // barb…
///
/// ## Guarantees
/// - Widths agree with glibc's `wcwidth`, which ncurses uses too.
/// - A text is read only as far as it is shown: a cell of a megabyte costs as much as a short one.
package enum DisplayText {
  /// The alignment of a text in its column.
  package enum Alignment: Sendable, Hashable {
    case leading
    case trailing
  }

  /// Returns `text` with everything invisible or dangerous replaced by visible symbols.
  package static func sanitize(_ text: String, glyphs: GlyphSet = .unicode) -> String {
    if isPlain(text) { return text }
    var result = ""
    var iterator = GlyphIterator(text, glyphs: glyphs)
    while let glyph = iterator.next() { result.append(glyph.character) }
    return result
  }

  /// Returns how many cells the sanitized `text` takes.
  ///
  /// - Complexity: O(length), or O(limit) when `limit` is given; the answer is then at most
  ///   `limit`.
  package static func width(_ text: String, limit: Int = .max, glyphs: GlyphSet = .unicode) -> Int {
    let bytes = text.utf8.count
    if bytes <= 256, isPlain(text) { return min(bytes, limit) }
    var width = 0
    var iterator = GlyphIterator(text, glyphs: glyphs)
    while width < limit, let glyph = iterator.next() { width += glyph.width }
    return min(width, limit)
  }

  /// Returns how many cells `scalar` takes: 0, 1 or 2.
  ///
  /// A scalar that can't be printed counts as the one cell of its stand-in, U+FFFD.
  package static func width(of scalar: Unicode.Scalar) -> Int {
    switch widthClass(of: scalar) {
    case .zero: 0
    case .single, .unprintable: 1
    case .double: 2
    }
  }

  /// Returns the sanitized `text` in exactly `width` cells: padded, or cut with `…`.
  package static func fit(
    _ text: String, width: Int, alignment: Alignment = .leading, glyphs: GlyphSet = .unicode
  ) -> String {
    guard width > 0 else { return "" }
    var fitting = FittedText(text, width: width, glyphs: glyphs)
    let padding = String(repeating: " ", count: width - fitting.width)
    if alignment == .trailing {
      fitting.text = padding + fitting.text
    } else {
      fitting.text += padding
    }
    return fitting.text
  }

  /// Returns the sanitized `text` in at most `width` cells, cut with `…` when it is longer.
  package static func cut(_ text: String, width: Int, glyphs: GlyphSet = .unicode) -> String {
    guard width > 0 else { return "" }
    return FittedText(text, width: width, glyphs: glyphs).text
  }

  /// The end of the longest prefix of a text that fits `width` cells; at least one character.
  ///
  /// - Complexity: O(width) for ASCII, otherwise O(length of the prefix).
  static func end(of text: Substring, width: Int, glyphs: GlyphSet) -> String.Index {
    let bytes = text.utf8
    // One more: a mark that follows would belong to the last letter.
    if bytes.prefix(width + 1).allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
      return bytes.index(
        bytes.startIndex, offsetBy: max(1, width), limitedBy: bytes.endIndex) ?? bytes.endIndex
    }
    var used = 0
    var index = text.startIndex
    while index < text.endIndex {
      used += Self.width(String(text[index]), glyphs: glyphs)
      guard used <= width || index == text.startIndex else { break }
      index = text.index(after: index)
    }
    return index
  }

  /// The mark of a cut text.
  package static func ellipsis(_ glyphs: GlyphSet) -> Character { glyphs == .ascii ? ">" : "…" }

  /// Whether `text` is printable ASCII only, so that it needs no further check.
  private static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f }
  }
}

/// The start of a text that fits a width, with the mark of being cut.
private struct FittedText {
  var text = ""
  private(set) var width = 0

  init(_ source: String, width limit: Int, glyphs: GlyphSet) {
    var iterator = GlyphIterator(source, glyphs: glyphs)
    // The end of the part that fits even if an ellipsis has to follow.
    var safeEnd = text.endIndex
    var safeWidth = 0
    while let glyph = iterator.next() {
      guard width + glyph.width <= limit else {
        text.removeSubrange(safeEnd...)
        text.append(DisplayText.ellipsis(glyphs))
        width = safeWidth + 1
        return
      }
      text.append(glyph.character)
      width += glyph.width
      if width < limit {
        safeEnd = text.endIndex
        safeWidth = width
      }
    }
  }
}
