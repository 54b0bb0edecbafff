/// A text in front of the panels: a table's declaration, for example.
enum StatementText {
  private static let maximumLines = 2_000

  /// The text in lines for a screen of this width, so that it can't be scrolled past the end.
  static func lines(_ text: String, width: Int, glyphs: GlyphSet) -> [String] {
    TextWrap.lines(text, width: max(1, width - 8), limit: maximumLines, glyphs: glyphs)
  }
}
