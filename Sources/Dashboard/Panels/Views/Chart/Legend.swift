/// Names the series of a chart, and reports what is not drawn: in the title if it fits, otherwise
/// where it hides nothing.
///
///     ╭─┤4 games per minute  ● ranked  ○ casual├───────
struct Legend {
  /// The frame of a panel, whose lower border has room for text.
  struct Border {
    var frame: Rect
    var isFocused: Bool
  }

  private struct Item {
    var sign: String
    var name: String
    /// The width of the name, up to the widest that is shown.
    var width: Int
    var role: Style.Role
  }

  private static let nameWidths = [16, 12, 10, 8, 7, 6, 5, 4, 3, 2]
  private static let gap = 2

  /// Empty for a single series.
  private let items: [Item]
  private let glyphs: GlyphSet
  /// What is not drawn, unless the frame shows it; it precedes the series.
  var warning: String?

  init(_ panel: PanelState, glyphs: GlyphSet) {
    self.glyphs = glyphs
    guard panel.kind == .line, case .series(let set) = panel.chart, set.series.count > 1 else {
      items = []
      return
    }
    let signs = Symbols(glyphs).series
    items = set.series.enumerated().map { index, series in
      Item(
        sign: String(signs[index % signs.count]), name: series.name,
        width: DisplayText.width(series.name, limit: Self.nameWidths[0], glyphs: glyphs),
        role: LineView.roles[index % LineView.roles.count])
    }
  }

  private typealias Word = (text: String, width: Int, role: Style.Role)

  /// The series, with names of at most this width.
  private func words(_ nameWidth: Int, hasWarning: Bool = true) -> [Word] {
    let series = items.map { item in
      word(item.sign + " " + cut(item.name, nameWidth), item.role)
    }
    guard hasWarning, let warning else { return series }
    return [word("! " + warning, .warning)] + series
  }

  /// Two letters of a name are more useful than one and an ellipsis.
  private func cut(_ name: String, _ width: Int) -> String {
    guard width <= 3, DisplayText.width(name, limit: width + 1, glyphs: glyphs) > width else {
      return DisplayText.cut(name, width: width, glyphs: glyphs)
    }
    return String(DisplayText.cut(name, width: width + 1, glyphs: glyphs).dropLast())
  }

  private func word(_ text: String, _ role: Style.Role) -> Word {
    (text, DisplayText.width(text, glyphs: glyphs), role)
  }

  private func width(_ words: [Word]) -> Int {
    words.reduce(-Self.gap) { $0 + $1.width + Self.gap }
  }

  /// The maximum width of all words with names of this width, or of the first ones.
  ///
  /// - Complexity: O(series), without measuring a name.
  private func width(ofNames nameWidth: Int, count: Int = .max) -> Int {
    var widths = items.map { 2 + min($0.width, nameWidth) }
    if let warning { widths.insert(2 + DisplayText.width(warning, glyphs: glyphs), at: 0) }
    return widths.prefix(count).reduce(-Self.gap) { $0 + $1 + Self.gap }
  }

  /// The words that fit, with the longest names that let all fit; the first words if not all fit.
  private func fitting(_ width: Int) -> (words: [Word], isWhole: Bool) {
    if let nameWidth = Self.nameWidths.first(where: { self.width(ofNames: $0) <= width }) {
      return (words(nameWidth), true)
    }
    let shortest = Self.nameWidths.last ?? 1
    var count = items.count + (warning == nil ? 0 : 1)
    while count > 0, self.width(ofNames: shortest, count: count) > width { count -= 1 }
    let nameWidth =
      Self.nameWidths.first { self.width(ofNames: $0, count: count) <= width } ?? shortest
    return (Array(words(nameWidth).prefix(count)), false)
  }

  // MARK: In the title

  /// The legend as part of a title.
  var title: String {
    words(Self.nameWidths[0], hasWarning: false).map { "  " + $0.text }.joined()
  }

  /// Whether a frame of this width has room for a title with the legend.
  func fits(title: String, width: Int) -> Bool {
    guard !items.isEmpty else { return false }
    let room = width - 6
    return DisplayText.width(title, limit: room + 1, glyphs: glyphs) <= room
  }

  /// Colours the symbols of the legend in the title.
  func colour(x: Int, y: Int, on canvas: inout Canvas) {
    var x = x
    for word in words(Self.nameWidths[0], hasWarning: false) {
      canvas.restyle(Rect(x: x + 2, y: y, width: 1, height: 1)) { $0.role = word.role }
      x += 2 + word.width
    }
  }

  // MARK: In the panel

  /// Takes the first line of a panel that is high enough.
  func takeLine(of area: inout Rect) -> Rect? {
    guard !items.isEmpty || warning != nil, area.height >= 6, area.width >= 8 else { return nil }
    let line = Rect(x: area.x + 1, y: area.y, width: area.width - 2, height: 1)
    area.y += 1
    area.height -= 1
    return line
  }

  func draw(in line: Rect, on canvas: inout Canvas) {
    let (words, isWhole) = fitting(line.width)
    let end = write(words, x: line.x, y: line.y, on: &canvas)
    if !isWhole {
      canvas.write(
        canvas.symbols.ellipsis, x: end + 1, y: line.y, width: line.x + line.width - end - 1,
        Style(.muted))
    }
  }

  /// Draws the legend where nothing is drawn yet: in a line of the plot, in the lower border, or as
  /// much of it as fits.
  func draw(beside plot: Rect, _ border: Border?, on canvas: inout Canvas) {
    guard !items.isEmpty || warning != nil else { return }
    let widest = blanks(in: plot, on: canvas).max { $0.width < $1.width }
    let lines = items.count + (warning == nil ? 0 : 1)
    for nameWidth in Self.nameWidths.filter({ $0 >= 4 }) {
      let words = words(nameWidth)
      if let widest, width(words) <= widest.width {
        write(words, x: widest.x + widest.width - width(words), y: widest.y, on: &canvas)
        return
      }
      let block = Size(width: words.map(\.width).max() ?? 0, height: lines)
      if let corner = corner(block, in: plot, on: canvas) {
        for (line, word) in words.enumerated() {
          canvas.write(
            word.text, x: corner.x, y: corner.y + line, width: word.width, Style(word.role))
        }
        return
      }
      if let border, draw(words, in: border, on: &canvas) { return }
    }
    for nameWidth in Self.nameWidths where nameWidth < 4 {
      if let border, draw(words(nameWidth), in: border, on: &canvas) { return }
    }
    let room = max((border?.frame.width ?? 0) - 6, widest?.width ?? 0)
    let words = fitting(room).words
    if let widest, width(words) <= widest.width {
      write(words, x: widest.x + widest.width - width(words), y: widest.y, on: &canvas)
    } else if let border {
      _ = draw(words, in: border, on: &canvas)
    }
  }

  /// Writes words next to each other; returns where they end.
  @discardableResult
  private func write(_ words: [Word], x: Int, y: Int, on canvas: inout Canvas) -> Int {
    var x = x
    for word in words {
      canvas.write(word.text, x: x, y: y, width: word.width, Style(word.role))
      x += word.width + Self.gap
    }
    return words.isEmpty ? x : x - Self.gap
  }

  /// `╰─┤● ranked  ○ casual├─────╯`; false when it does not fit.
  private func draw(_ words: [Word], in border: Border, on canvas: inout Canvas) -> Bool {
    let (frame, width) = (border.frame, width(words))
    guard !words.isEmpty,
      let room = FrameView.room(for: width, in: frame, isTrailing: false, on: canvas)
    else { return false }
    let lines = border.isFocused ? canvas.symbols.focusedFrame : canvas.symbols.frame
    let style = Style(border.isFocused ? .focusedBorder : .border)
    let (x, y) = room
    canvas.fill(Rect(x: x, y: y, width: width, height: 1))
    canvas.put(lines.open, x: x - 1, y: y, style)
    canvas.put(lines.close, x: x + width, y: y, style)
    write(words, x: x, y: y, on: &canvas)
    return true
  }

  /// The longest run of blank cells in each line, excluding those next to drawn ones; the first and
  /// the last line first.
  private func blanks(in plot: Rect, on canvas: Canvas) -> [Rect] {
    var lines = Array(plot.y..<plot.y + plot.height)
    if lines.count > 2 { lines.insert(lines.removeLast(), at: 1) }
    return lines.map { y in
      var longest = Rect(x: plot.x, y: y, width: 0, height: 1)
      var start = plot.x
      for x in plot.x...plot.x + plot.width {
        let isEnd = x == plot.x + plot.width
        guard isEnd || !isBlank(x, y, on: canvas) else { continue }
        let end = isEnd ? x : x - 1
        if end - start >= longest.width {
          (longest.x, longest.width) = (start, max(0, end - start))
        }
        start = x + 2
      }
      return longest
    }
  }

  /// The first empty corner of a plot.
  private func corner(_ size: Size, in plot: Rect, on canvas: Canvas) -> Rect? {
    guard size.width < plot.width, size.height <= plot.height else { return nil }
    let ends = (x: plot.x + plot.width - size.width, y: plot.y + plot.height - size.height)
    let places = [(ends.x, plot.y), (plot.x, plot.y), (ends.x, ends.y), (plot.x, ends.y)]
    return places.lazy.map { Rect(x: $0, y: $1, width: size.width, height: size.height) }
      .first { corner in
        // With a column between it and the line.
        let columns =
          max(plot.x, corner.x - 1)..<min(corner.x + corner.width + 1, ends.x + size.width)
        return (corner.y..<corner.y + corner.height).allSatisfy { y in
          columns.allSatisfy { isBlank($0, y, on: canvas) }
        }
      }
  }

  private func isBlank(_ x: Int, _ y: Int, on canvas: Canvas) -> Bool {
    let grid = canvas.grid
    guard x >= 0, y >= 0, x < grid.size.width, y < grid.size.height else { return false }
    return grid[x, y].character == " " && !grid[x, y].isContinuation
  }
}
