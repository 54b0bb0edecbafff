import CNcurses
import Dashboard

/// Writes a grid: the difference from the last one goes to ncurses, which sends the difference from
/// the terminal's content to the terminal.
extension Terminal {
  /// Shows `grid`, as much of it as fits; cells beyond it are blank.
  ///
  /// - Complexity: O(cells) comparisons; work and output only for the changed parts of lines.
  func draw(_ grid: Grid) {
    let previous = shown?.size == grid.size ? shown : nil
    if previous == nil { lq_screen_erase() }
    let width = min(grid.size.width, size.width)
    for y in 0..<min(grid.size.height, size.height) {
      let start = y * grid.size.width
      let row = grid.cells[start..<start + width]
      let former = previous?.cells[start..<start + width]
      guard let changed = GlyphLayout.changedRange(row, former) else { continue }
      writeRun(row, changed, y: y)
    }
    shown = grid
    let cursor = grid.cursor.flatMap { cursor in
      (0..<size.width).contains(cursor.x) && (0..<size.height).contains(cursor.y) ? cursor : nil
    }
    lq_screen_update(Int32(cursor?.x ?? -1), Int32(cursor?.y ?? -1))
  }

  private func writeRun(_ row: ArraySlice<Cell>, _ range: Range<Int>, y: Int) {
    // The run starts at a character's first half, if it has one.
    var x = range.lowerBound
    while x > 0, row[row.startIndex + x].isContinuation { x -= 1 }
    let start = x
    var glyphs: [lq_glyph] = []
    glyphs.reserveCapacity(range.upperBound - start)
    while x < range.upperBound {
      let cell = row[row.startIndex + x]
      let next = x + 1 < row.count ? row[row.startIndex + x + 1] : nil
      let columns = next?.isContinuation == true && !cell.isContinuation ? 2 : 1
      var glyph = GlyphLayout.glyph(for: cell, columns: columns, isUnicode: isUnicode)
      (glyph.attributes, glyph.pair) = appearance(of: cell.style)
      glyphs.append(glyph)
      x += 1
      guard columns == 2 else { continue }
      if lq_width(glyph.scalars.0) != 2 {
        // A narrow character where a wide one was announced: the second half becomes a blank.
        glyph.scalars = (0x20, 0, 0, 0, 0)
        glyphs.append(glyph)
      }
      x += 1
    }
    lq_screen_write(Int32(y), Int32(start), glyphs, Int32(glyphs.count))
  }

  private func appearance(of style: Style) -> (attributes: UInt32, pair: Int32) {
    let look: Palette.Look
    if let known = looks[style] {
      look = known
    } else {
      look = palette.look(of: style)
      looks[style] = look
    }
    return (look.attributes, pair(look.foreground, look.background))
  }

  /// The number of a colour pair, defined on first use; 0, the terminal's own colours, when none
  /// are left.
  private func pair(_ foreground: Int32, _ background: Int32) -> Int32 {
    if foreground == -1, background == -1 { return 0 }
    let key = Int64(foreground) << 32 | Int64(background) & 0xffff_ffff
    if let known = pairs[key] { return known }
    var pair = Int32(pairs.count + 1)
    if pair >= lq_screen_pair_limit() || lq_screen_define_pair(pair, foreground, background) != 0 {
      pair = 0
    }
    pairs[key] = pair
    return pair
  }
}
