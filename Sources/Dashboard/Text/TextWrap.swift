import ObservationEngine

/// Breaks text into lines that fit a width, at blanks if possible.
enum TextWrap {
  /// Returns at most `limit` lines of sanitized text; newlines in the text end lines.
  ///
  /// - Complexity: O(length) to find line ends, O(width · limit) beyond.
  static func lines(
    _ text: String, width: Int, limit: Int = .max, glyphs: GlyphSet = .unicode
  ) -> [String] {
    guard width > 0 else { return [] }
    var lines: [String] = []
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    while lines.count < limit {
      let end = scalars[start...].firstIndex(of: "\n") ?? scalars.endIndex
      var contentEnd = end
      if end > start, end < scalars.endIndex, scalars[scalars.index(before: end)] == "\r" {
        contentEnd = scalars.index(before: end)
      }
      append(
        String(scalars[start..<contentEnd]), to: &lines, width: width, limit: limit, glyphs: glyphs)
      guard end < scalars.endIndex else { break }
      start = scalars.index(after: end)
    }
    return Array(lines.prefix(limit))
  }

  /// The same, with an ellipsis at the end of the last line where there is more.
  static func cut(
    _ text: String, width: Int, limit: Int, glyphs: GlyphSet = .unicode
  ) -> [String] {
    guard limit > 0, width > 0 else { return [] }
    var found = lines(text, width: width, limit: limit + 1, glyphs: glyphs)
    guard found.count > limit else { return found }
    found.removeLast(found.count - limit)
    // The mark of a text that is cut, at its end or in place of its last characters.
    let last = found[limit - 1]
    let mark = DisplayText.cut("--", width: 1, glyphs: glyphs)
    found[limit - 1] =
      DisplayText.width(last, glyphs: glyphs) < width
      ? last + mark : DisplayText.cut(last + "-", width: width, glyphs: glyphs)
    return found
  }

  /// Returns the lines of a text in two columns, a term and its description, which is indented
  /// below itself.
  ///
  ///     :read FILE        run the statements of a file, up to the
  ///                       first error, after asking
  ///
  /// Two or more blanks end the term. If too little room is left next to it, or without a term, the
  /// lines have the full width.
  static func note(_ text: String, width: Int, glyphs: GlyphSet = .unicode) -> [String] {
    guard let gap = text.place(of: "  ") else {
      return lines(text, width: width, glyphs: glyphs)
    }
    let rest = text[gap.upperBound...].drop { $0 == " " }
    let head = String(text[..<rest.startIndex])
    let indent = DisplayText.width(head, glyphs: glyphs)
    guard width - indent >= leastColumn else { return lines(text, width: width, glyphs: glyphs) }
    let wrapped = lines(String(rest), width: width - indent, glyphs: glyphs)
    return wrapped.enumerated().map { index, line in
      (index == 0 ? head : String(repeating: " ", count: indent)) + line
    }
  }

  /// A narrower column would have a single word per line.
  private static let leastColumn = 20

  /// Appends the lines of a text without newlines.
  private static func append(
    _ paragraph: String, to lines: inout [String], width: Int, limit: Int, glyphs: GlyphSet
  ) {
    var line: [Glyph] = []
    var used = 0
    /// Where the line may be broken: the index after its last blank.
    var breakable = 0
    var iterator = GlyphIterator(paragraph, glyphs: glyphs)
    while lines.count < limit, let glyph = iterator.next() {
      if used + glyph.width > width, !line.isEmpty {
        let end = breakable > 0 ? breakable : line.count
        lines.append(String(line[..<end].map(\.character)))
        line.removeFirst(end)
        used = line.reduce(0) { $0 + $1.width }
        breakable = 0
      }
      line.append(glyph)
      used += glyph.width
      if glyph.character == " " { breakable = line.count }
    }
    lines.append(String(line.map(\.character)))
  }
}
