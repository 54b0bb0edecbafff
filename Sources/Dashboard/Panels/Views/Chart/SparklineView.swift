import ObservationEngine

/// One or several numbers over time, as high as the panel allows, with the last of each as text.
///
///     players  1 204   min 1 180   max 1 204
///     ▁▁▂▂▂▃▃▄▄▅▅▅▆▆▇▇██
enum SparklineView {
  private struct Track {
    var name: String
    var numbers: [Double]
    var column: ColumnSummary
  }

  static func draw(
    _ panel: PanelState, _ result: RowSet, in area: Rect, on canvas: inout Canvas
  ) {
    guard case .series(let set) = panel.chart, area.width > 4, area.height > 0 else { return }
    let tracks = tracks(panel, result, set)
    guard !tracks.isEmpty else {
      if !panel.order.isEmpty {
        PanelView.note(set.remark ?? "no numbers", in: area, on: &canvas)
      }
      return
    }
    let shown = tracks.prefix(max(1, area.height))
    let height = area.height / shown.count
    for (index, track) in shown.enumerated() {
      // The last one gets the remaining lines.
      let top = area.y + index * height
      let end = index == shown.count - 1 ? area.y + area.height : top + height
      draw(
        track, panel.definition.options, role: LineView.roles[index % LineView.roles.count],
        in: Rect(x: area.x + 1, y: top, width: area.width - 2, height: end - top), on: &canvas)
    }
  }

  /// The series of the result; for a single row, its values in earlier results.
  private static func tracks(
    _ panel: PanelState, _ result: RowSet, _ set: SeriesSet
  ) -> [Track] {
    if result.rows.count == 1, let column = panel.numberColumn {
      // Former values must not pass for a current one.
      guard ColumnSummary.number(result.rows[0][column]) != nil else { return [] }
      let count = panel.history.values.count
      return [
        Track(
          name: result.columns[column], numbers: panel.history.values.suffix(count),
          column: panel.columns[column])
      ]
    }
    return set.series.enumerated().compactMap { index, series in
      guard !series.points.isEmpty else { return nil }
      let column = index < set.columns.count ? set.columns[index] : set.columns[0]
      return Track(
        name: series.name, numbers: series.points.map(\.y), column: panel.columns[column])
    }
  }

  private static func draw(
    _ track: Track, _ options: ViewOptions, role: Style.Role, in area: Rect,
    on canvas: inout Canvas
  ) {
    guard
      let range = ColumnsView.range(
        of: track.numbers, minimum: options.minimum, maximum: options.maximum)
    else { return PanelView.note("no numbers", in: area, on: &canvas) }
    let last = track.numbers.last { $0.isFinite } ?? .nan
    func text(_ number: Double) -> String {
      ScaleText.text(number, decimals: track.column.decimals, column: track.column)
    }
    guard area.height >= 2 else {
      let value = text(last)
      let width = min(DisplayText.width(value), area.width)
      canvas.write(
        value, x: area.x + area.width - width, y: area.y, width: width, Style(.text, bold: true))
      let room = Rect(x: area.x, y: area.y, width: area.width - width - 2, height: 1)
      let numbers = ColumnsView.reduced(track.numbers, to: room.width)
      ColumnsView.draw(numbers, range: range, in: room, role: role, on: &canvas)
      return
    }
    var x = area.x
    let end = area.x + area.width
    x += canvas.write(
      DisplayText.cut(track.name, width: 20, glyphs: canvas.glyphs), x: x, y: area.y,
      width: end - x, Style(.muted))
    x += 2
    x += canvas.write(text(last), x: x, y: area.y, width: end - x, Style(.accent, bold: true))
    let finite = track.numbers.filter(\.isFinite)
    let facts = "   min \(text(finite.min() ?? 0))   max \(text(finite.max() ?? 0))"
    if x + DisplayText.width(facts) <= end {
      canvas.write(facts, x: x, y: area.y, width: end - x, Style(.muted))
    }
    let plot = Rect(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
    let numbers = ColumnsView.reduced(track.numbers, to: plot.width)
    ColumnsView.draw(numbers, range: range, in: plot, role: role, on: &canvas)
  }
}
