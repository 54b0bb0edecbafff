/// The columns of a panel, for showing, hiding and moving them.
///
///     ┏━┫columns┣━━━━━━━━━━━━┫3 of 4┣━┓
///     ┃ [x] player                    ┃
///     ┃ [ ] wins            thousands ┃
enum ColumnChooserView {
  static func draw(
    _ state: DashboardState, cursor: Int, in body: Rect, on canvas: inout Canvas
  ) {
    guard let panel = state.focusedTable?.panel else { return }
    let choice = panel.columnChoice
    let frame = OverlayView.frame(
      Size(width: 56, height: choice.order.count + 3), in: body,
      title: "columns of \(panel.definition.displayTitle)",
      info: "\(choice.visible.count) of \(choice.order.count)", on: &canvas)
    let area = frame.inset(by: 1)
    guard area.height > 0 else { return }
    // The keys are shown if there is a line for them.
    let height = area.height > 1 ? area.height - 1 : area.height
    let cursor = min(cursor, max(0, choice.order.count - 1))
    let top = min(max(0, cursor - height / 2), max(0, choice.order.count - height))
    for (line, column) in choice.order.dropFirst(top).prefix(height).enumerated() {
      draw(panel, column, x: area.x + 1, y: area.y + line, width: area.width - 2, on: &canvas)
      if top + line == cursor {
        canvas.highlight(line: area.y + line, of: area)
      }
    }
    if area.height > 1 {
      canvas.write(
        hint(state.keyMap), x: area.x + 1, y: area.y + area.height - 1, width: area.width - 2,
        Style(.keyHint))
    }
  }

  private static func hint(_ map: KeyMap) -> String {
    let keys = ["toggle-column", "column-left", "column-right", "reset-columns", "leave-popup"]
      .map(map.mention)
    return "\(keys[0]) show/hide   \(keys[1]) \(keys[2]) move   \(keys[3]) reset   \(keys[4])"
  }

  private static func draw(
    _ panel: PanelState, _ column: Int, x: Int, y: Int, width: Int, on canvas: inout Canvas
  ) {
    guard panel.columns.indices.contains(column) else { return }
    let isHidden = panel.columnChoice.hidden.contains(column)
    let style = Style(isHidden ? .muted : .text)
    canvas.write(isHidden ? "[ ]" : "[x]", x: x, y: y, width: width, style)
    let format = panel.columns[column].format?.summary ?? ""
    let formatWidth = DisplayText.width(format)
    canvas.write(
      panel.columns[column].name, x: x + 4, y: y, width: width - 6 - formatWidth, style)
    canvas.write(
      format, x: x + width - formatWidth, y: y, width: formatWidth, Style(.muted))
  }
}
