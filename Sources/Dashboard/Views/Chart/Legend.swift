/// Which series of a chart is which: in the title if it fits there, or else over the plot.
///
///     ╭─┤4 games per minute  ● ranked  ○ casual├───────
enum Legend {
  private struct Item {
    var text: String
    var role: Style.Role
  }

  private static let nameWidth = 16

  /// The legend as part of a title; empty for a single series.
  static func title(_ panel: PanelState, glyphs: GlyphSet) -> String {
    items(panel, glyphs: glyphs).map { "  " + $0.text }.joined()
  }

  /// Whether a frame of this width has room for the title with the legend.
  static func fits(_ panel: PanelState, title: String, width: Int, glyphs: GlyphSet) -> Bool {
    let legend = self.title(panel, glyphs: glyphs)
    return !legend.isEmpty && DisplayText.width(title + legend, glyphs: glyphs) <= width - 6
  }

  /// Colours the signs of the legend where it stands in the title.
  static func colour(_ panel: PanelState, x: Int, y: Int, on canvas: inout Canvas) {
    var x = x
    for item in items(panel, glyphs: canvas.glyphs) {
      canvas.restyle(Rect(x: x + 2, y: y, width: 1, height: 1)) { $0.role = item.role }
      x += 2 + DisplayText.width(item.text, glyphs: canvas.glyphs)
    }
  }

  /// Draws the legend over the upper right of a plot, as far as it fits.
  static func draw(_ panel: PanelState, in plot: Rect, on canvas: inout Canvas) {
    let items = items(panel, glyphs: canvas.glyphs)
    let width = items.reduce(0) { $0 + DisplayText.width($1.text, glyphs: canvas.glyphs) + 2 }
    var x = max(plot.x, plot.x + plot.width - width)
    if width > 0 {
      canvas.fill(Rect(x: x, y: plot.y, width: plot.x + plot.width - x, height: 1))
    }
    for item in items {
      let room = plot.x + plot.width - x
      x += canvas.write(item.text, x: x, y: plot.y, width: room, Style(item.role)) + 2
    }
  }

  private static func items(_ panel: PanelState, glyphs: GlyphSet) -> [Item] {
    guard panel.kind == .line, case .series(let set) = panel.chart, set.series.count > 1 else {
      return []
    }
    let signs = Symbols(glyphs).series
    return set.series.enumerated().map { index, series in
      Item(
        text: "\(signs[index % signs.count]) "
          + DisplayText.cut(series.name, width: nameWidth, glyphs: glyphs),
        role: LineView.roles[index % LineView.roles.count])
    }
  }
}
