import CNcurses
import Dashboard
import Glibc

/// Turns cells into glyphs that ncurses can lay out without moving their neighbours.
enum GlyphLayout {
  /// The changed cells of a row from first to last, and one more on either side: ncurses blanks the
  /// other half of a wide character when one half is overwritten.
  static func changedRange(
    _ row: ArraySlice<Cell>, _ former: ArraySlice<Cell>?
  ) -> Range<Int>? {
    guard let former else { return row.isEmpty ? nil : 0..<row.count }
    let distance = former.startIndex - row.startIndex
    guard let first = row.indices.first(where: { row[$0] != former[$0 + distance] }),
      let last = row.indices.last(where: { row[$0] != former[$0 + distance] })
    else { return nil }
    return max(0, first - row.startIndex - 1)..<min(row.count, last - row.startIndex + 2)
  }

  /// One base scalar and up to four marks, exactly as wide as the grid says.
  ///
  /// A glyph that ncurses could not lay out becomes U+FFFD: it must not move the cells next to it.
  /// The views have sanitized the text already; this holds even if one forgets to.
  static func glyph(for cell: Cell, columns: Int, isUnicode: Bool) -> lq_glyph {
    var glyph = lq_glyph()
    glyph.scalars.0 = cell.isContinuation ? 0x20 : isUnicode ? 0xfffd : 0x3f
    guard !cell.isContinuation else { return glyph }
    let base = cell.text.base
    let marks = cell.text.marks
    // A letter without its mark would be another letter.
    guard isUnicode || base.isASCII && marks.isEmpty else { return glyph }
    if base.isASCII {
      guard (0x20..<0x7f).contains(base.value) else { return glyph }
    } else {
      guard (1...columns).contains(Int(lq_width(base.value))) else { return glyph }
    }
    glyph.scalars.0 = base.value
    guard !marks.isEmpty else { return glyph }
    // A zero width joiner would join what ncurses lays out as two.
    let combining = marks.filter { $0 != "\u{200d}" && lq_width($0.value) == 0 }.map(\.value)
    if combining.count > 0 { glyph.scalars.1 = combining[0] }
    if combining.count > 1 { glyph.scalars.2 = combining[1] }
    if combining.count > 2 { glyph.scalars.3 = combining[2] }
    if combining.count > 3 { glyph.scalars.4 = combining[3] }
    return glyph
  }
}
