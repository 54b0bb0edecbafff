/// Which series of a chart is which: in the title if it fits there, or else over the plot.
///
///     ╭─┤4 games per minute  ● ranked  ○ casual├───────
struct Legend {
  private struct Item {
    var text: String
    var role: Style.Role
  }

  private static let nameWidth = 16

  /// Empty for a single series.
  private let items: [Item]
  private let glyphs: GlyphSet

  init(_ panel: PanelState, glyphs: GlyphSet) {
    self.glyphs = glyphs
    guard panel.kind == .line, case .series(let set) = panel.chart, set.series.count > 1 else {
      items = []
      return
    }
    let signs = Symbols(glyphs).series
    items = set.series.enumerated().map { index, series in
      Item(
        text: "\(signs[index % signs.count]) "
          + DisplayText.cut(series.name, width: Self.nameWidth, glyphs: glyphs),
        role: LineView.roles[index % LineView.roles.count])
    }
  }

  /// The legend as part of a title.
  var title: String { items.map { "  " + $0.text }.joined() }

  /// Whether a frame of this width has room for the title with the legend.
  func fits(beside title: String, width: Int) -> Bool {
    guard !items.isEmpty else { return false }
    let room = width - 6
    return DisplayText.width(title + self.title, limit: room + 1, glyphs: glyphs) <= room
  }

  /// Colours the signs of the legend where it stands in the title.
  func colour(x: Int, y: Int, on canvas: inout Canvas) {
    var x = x
    for item in items {
      canvas.restyle(Rect(x: x + 2, y: y, width: 1, height: 1)) { $0.role = item.role }
      x += 2 + DisplayText.width(item.text, glyphs: glyphs)
    }
  }

  /// Draws the legend over the upper right of a plot, as far as it fits.
  func draw(in plot: Rect, on canvas: inout Canvas) {
    let width = items.reduce(0) { $0 + DisplayText.width($1.text, glyphs: glyphs) + 2 }
    var x = max(plot.x, plot.x + plot.width - width)
    if width > 0 {
      canvas.fill(Rect(x: x, y: plot.y, width: plot.x + plot.width - x, height: 1))
    }
    for item in items {
      let room = plot.x + plot.width - x
      x += canvas.write(item.text, x: x, y: plot.y, width: room, Style(item.role)) + 2
    }
  }
}
