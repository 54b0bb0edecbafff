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
    return row.withUnsafeBytes { bits in
      former.withUnsafeBytes { formerBits in
        let offset = row.startIndex
        let isSame = { (index: Int) in
          hasSameBits(bits, formerBits, at: index)
            || row[offset + index] == former[offset + index]
        }
        guard let first = row.indices.lazy.map({ $0 - offset }).first(where: { !isSame($0) }),
          let last = row.indices.lazy.map({ $0 - offset }).last(where: { !isSame($0) })
        else { return nil }
        return max(0, first - 1)..<min(row.count, last + 2)
      }
    }
  }

  /// Whether two cells are bitwise equal, which proves that they are equal. Most cells of a frame
  /// are, and comparing characters by Unicode's rules would take most of the frame's time.
  @inline(__always)
  private static func hasSameBits(
    _ cells: UnsafeRawBufferPointer, _ others: UnsafeRawBufferPointer, at index: Int
  ) -> Bool {
    // The padding at the end may contain anything.
    memcmp(
      cells.baseAddress! + index * MemoryLayout<Cell>.stride,
      others.baseAddress! + index * MemoryLayout<Cell>.stride, MemoryLayout<Cell>.size) == 0
  }

  /// One base scalar and up to four marks, exactly as wide as the grid says.
  ///
  /// A glyph that ncurses could not lay out becomes U+FFFD: it must not move the cells next to it.
  /// The views have sanitized the text already; this holds even if one forgets to.
  static func glyph(for cell: Cell, columns: Int, isUnicode: Bool) -> lq_glyph {
    var glyph = lq_glyph()
    glyph.scalars.0 = cell.isContinuation ? 0x20 : isUnicode ? 0xfffd : 0x3f
    guard !cell.isContinuation else { return glyph }
    // A letter without its mark would be another letter.
    guard isUnicode || cell.character.unicodeScalars.allSatisfy(\.isASCII) else { return glyph }
    var scalars = cell.character.unicodeScalars.makeIterator()
    guard let base = scalars.next() else { return glyph }
    if base.isASCII {
      guard (0x20..<0x7f).contains(base.value) else { return glyph }
    } else {
      guard (1...columns).contains(Int(lq_width(base.value))) else { return glyph }
    }
    glyph.scalars.0 = base.value
    var marks: [UInt32] = []
    while marks.count < 4, let mark = scalars.next() {
      // A zero width joiner would join what ncurses lays out as two.
      if mark != "\u{200d}", lq_width(mark.value) == 0 { marks.append(mark.value) }
    }
    if marks.count > 0 { glyph.scalars.1 = marks[0] }
    if marks.count > 1 { glyph.scalars.2 = marks[1] }
    if marks.count > 2 { glyph.scalars.3 = marks[2] }
    if marks.count > 3 { glyph.scalars.4 = marks[3] }
    return glyph
  }
}
