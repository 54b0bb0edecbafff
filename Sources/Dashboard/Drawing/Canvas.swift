/// A grid being drawn. All text is sanitized when it is written and cut at its limit; nothing is
/// drawn outside the grid.
struct Canvas {
  private(set) var grid: Grid
  let glyphs: GlyphSet
  let symbols: Symbols
  /// The frames that share lines; nil when each is alone.
  var mesh: FrameMesh?

  init(size: Size, glyphs: GlyphSet) {
    grid = Grid(size: size)
    self.glyphs = glyphs
    symbols = Symbols(glyphs)
  }

  var cursor: (x: Int, y: Int)? {
    get { grid.cursor }
    set {
      guard let newValue, newValue.x >= 0, newValue.x < grid.size.width, newValue.y >= 0,
        newValue.y < grid.size.height
      else { return }
      grid.cursor = newValue
    }
  }

  /// Writes `text` into at most `width` cells from `x`, cut with `…`; returns how many it took.
  ///
  /// Trailing text ends at `x + width`.
  @discardableResult
  mutating func write(
    _ text: String, x: Int, y: Int, width: Int, _ style: Style = Style(),
    alignment: DisplayText.Alignment = .leading
  ) -> Int {
    guard width > 0, y >= 0, y < grid.size.height else { return 0 }
    var start = x
    if alignment == .trailing {
      start += width - DisplayText.width(text, limit: width, glyphs: glyphs)
    }
    let end = min(x + width, grid.size.width)
    var position = start
    var iterator = GlyphIterator(text, glyphs: glyphs)
    while let glyph = iterator.next() {
      guard position + glyph.width <= end else {
        if end > start { put(DisplayText.ellipsis(glyphs), x: end - 1, y: y, style) }
        return end - start
      }
      var style = style
      if glyph.isEscaped { style.role = .escaped }
      put(glyph.text, x: position, y: y, style, width: glyph.width)
      position += glyph.width
    }
    return position - start
  }

  /// Puts one character of one cell.
  mutating func put(_ character: Character, x: Int, y: Int, _ style: Style) {
    put(CellText(character), x: x, y: y, style)
  }

  /// Puts one character of one or two cells.
  mutating func put(_ text: CellText, x: Int, y: Int, _ style: Style, width: Int = 1) {
    guard x >= 0, y >= 0, x + width <= grid.size.width, y < grid.size.height else { return }
    // Half of a wide character can't stay.
    if grid[x, y].isContinuation, x > 0 { grid[x - 1, y].text = .blank }
    let after = x + width
    if after < grid.size.width, grid[after, y].isContinuation { grid[after, y] = .blank }
    grid[x, y] = Cell(text, style)
    if width == 2 { grid[x + 1, y] = Cell(.blank, style, isContinuation: true) }
  }

  /// Fills `rect` with one character of one cell.
  mutating func fill(_ rect: Rect, _ character: Character = " ", _ style: Style = Style()) {
    let text = CellText(character)
    for y in rect.y..<rect.y + rect.height {
      for x in rect.x..<rect.x + rect.width { put(text, x: x, y: y, style) }
    }
  }

  /// Shows that a line of `rect` is chosen.
  mutating func highlight(line y: Int, of rect: Rect) {
    restyle(Rect(x: rect.x, y: y, width: rect.width, height: 1)) {
      $0.isSelected = true
    }
  }

  /// Changes the style of the cells of `rect`, not their text.
  mutating func restyle(_ rect: Rect, _ change: (inout Style) -> Void) {
    for y in max(0, rect.y)..<max(0, min(rect.y + rect.height, grid.size.height)) {
      for x in max(0, rect.x)..<max(0, min(rect.x + rect.width, grid.size.width)) {
        change(&grid[x, y].style)
      }
    }
  }
}
