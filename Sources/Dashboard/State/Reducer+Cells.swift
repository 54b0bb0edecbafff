import ObservationEngine

/// The cell under the cursor of the focused table.
extension DashboardState {
  /// Whether keys for a cell have one.
  var hasCell: Bool { focusedTable?.panel.cellColumn != nil }

  /// Moves the cursor sideways: by a cell in a table, by a column in the view of anything else.
  mutating func moveCell(by step: Int) {
    guard let panel = focusedTable?.panel, panel.kind == .table,
      let geometry = geometryOfFocusedTable
    else {
      changeFocusedTable { $0.moveColumns(by: step) }
      return
    }
    let visible = visibleRowsOfFocus
    let layout = layout
    let now = (timeline.shownFrame?.moment ?? now).civil
    let glyphs = glyphs
    changeFocusedTable { table in
      table.moveCell(by: step, visible: visible) { table, column in
        TableContent(
          table, geometry, showsDelta: layout.showsDelta, showsSparklines: layout.showsSparklines,
          now: now, glyphs: glyphs)?.columns.columns.contains { $0.content == .value(column) }
          ?? true
      }
    }
  }

  private var geometryOfFocusedTable: PanelGeometry? {
    if focus == .console { return layout.console.map { PanelGeometry(.table, frame: $0) } }
    guard let index = focusedPanel else { return nil }
    return layout.panels.first { $0.index == index }
      .map { PanelGeometry(panels[index].layoutInput, frame: $0.frame) }
  }

  /// Copies the value under the cursor.
  mutating func copyCell() -> [Effect] {
    guard let panel = focusedTable?.panel, let column = panel.cellColumn,
      let name = panel.result?.columns[column]
    else { return refuseWithoutCell() }
    guard let value = panel.cellValue else {
      tellMissingRow()
      return []
    }
    return [
      .copy(
        ClipboardText(value, subject: DisplayText.cut(name, width: 20, glyphs: glyphs)))
    ]
  }

  /// Keeps the rows with the value under the cursor.
  mutating func filterByCell() -> [Effect] {
    guard let panel = focusedTable?.panel, let column = panel.cellColumn,
      let name = panel.result?.columns[column]
    else { return refuseWithoutCell() }
    guard !refuseOtherLookOfFocus() else { return [] }
    let same = panel.result?.columns.count { $0.lowercased() == name.lowercased() } ?? 0
    guard same < 2 else {
      message = Message("several columns are called \(name): rename one with AS to filter by it")
      return []
    }
    guard let value = panel.cellValue else {
      tellMissingRow()
      return []
    }
    guard let filter = RowFilter.text(value, in: name) else {
      message = Message("rows can't be found by a BLOB")
      return []
    }
    changeFocusedTable { $0.setFilter(filter) }
    return []
  }

  /// Hides the column under the cursor.
  mutating func hideColumnOfCell() -> [Effect] {
    guard let panel = focusedTable?.panel, let column = panel.cellColumn,
      let name = panel.result?.columns[column]
    else { return refuseWithoutCell() }
    var isHidden = false
    changeFocusedTable { isHidden = $0.hideCell() }
    message = Message(
      isHidden
        ? "\(name) is hidden; \(keyMap.mention("columns")) chooses columns"
        : "a table needs a visible column")
    return []
  }

  private mutating func refuseWithoutCell() -> [Effect] {
    let isTable = focusedTable?.panel.kind == .table
    message = Message(
      isTable ? "no cell is chosen: \(cellKeys) choose one" : "only tables have cells")
    return []
  }

  /// The keys that move the cursor by a cell.
  var cellKeys: String { "\(keyMap.mention("left")) and \(keyMap.mention("right"))" }
}
