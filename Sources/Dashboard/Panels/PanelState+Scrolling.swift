import ObservationEngine

/// Moving through the rows, which need not be loaded.
extension PanelState {
  mutating func setFilter(_ filter: String) {
    guard filter != self.filter else { return }
    changeLook { $0.filter = filter }
  }

  mutating func setSort(_ sort: RowSort?) {
    guard sort != self.sort else { return }
    changeLook { $0.sort = sort }
  }

  /// Cycles from the query's own order through every visible column, in their order, and back.
  mutating func cycleSort() {
    let columns = columnChoice.visible
    let place = sort.flatMap { columns.firstIndex(of: $0.column) }
    let next = place.map { $0 + 1 } ?? 0
    let descending = sort?.isDescending ?? false
    setSort(
      next < columns.count ? RowSort(column: columns[next], isDescending: descending) : nil)
  }

  mutating func reverseSort() {
    guard let first = columnChoice.visible.first else { return }
    var sort = sort ?? RowSort(column: first)
    sort.isDescending.toggle()
    setSort(sort)
  }

  private mutating func changeLook(_ change: (inout Viewport) -> Void) {
    leaveHome()
    let chosen = cursor.flatMap(row(at:))
    change(&viewport)
    if !isPart {
      rearrange(following: chosen)
    } else if lens.isRecorded {
      lookAmongRecorded()
    }
    // Otherwise the requested rows will show it.
  }

  mutating func clearCursor() {
    viewport.list = ScrollingList()
    viewport.cell = nil
    showHeld()
  }

  /// Moves the cursor by rows; the first movement only shows it. The view follows as far as
  /// necessary.
  mutating func moveCursor(by rows: Int, visible: Int) {
    guard rowCount > 0 else { return }
    let isTail = kind.has(.tail) && growsAtBottom
    let first = isTail ? rowCount - 1 : top
    let start = cursor ?? (abs(rows) == 1 ? first - rows : first)
    moveCursor(to: start + rows, visible: visible)
  }

  mutating func moveCursor(to row: Int, visible: Int) {
    guard rowCount > 0 else { return }
    viewport.list.choose(row, of: rowCount, visible: visible)
  }

  mutating func moveColumns(by columns: Int) {
    viewport.leftColumn = min(max(leftColumn + columns, 0), max(0, movableColumns.count - 1))
  }

  /// The columns that scroll: all visible ones except the key, which identifies the row.
  var movableColumns: [Int] {
    let visible = columnChoice.visible
    guard let result, !definition.key.isEmpty else { return visible }
    let key = definition.key.compactMap { RowKey.index(ofColumn: $0, in: result.columns) }
    let others = visible.filter { !key.contains($0) }
    return others.isEmpty ? visible : others
  }

  /// The columns from the left end of the view on, including the key.
  var columnsInView: [Int] {
    guard leftColumn > 0 else { return columnChoice.visible }
    let movable = movableColumns
    // Columns were hidden, or became part of the key, after it was scrolled.
    let passed = movable.prefix(min(leftColumn, max(0, movable.count - 1)))
    return columnChoice.visible.filter { !passed.contains($0) }
  }

  /// Moves the view by rows; the cursor, if there is one, stays in it.
  mutating func scroll(by rows: Int, visible: Int) {
    viewport.list.scroll(by: rows, of: rowCount, visible: visible)
    // A log keeps following its newest rows unless a row is chosen.
    if cursor == nil, kind.has(.tail), growsAtBottom, rowCount > 0 {
      viewport.list.cursor = rowCount - 1
    }
    viewport.list.keepCursorInView(visible: visible)
  }

  /// Keeps the last rows in view when the panel or the result shrinks, and the newest ones of a log
  /// that is not scrolled.
  mutating func clampTop(visible: Int) {
    if cursor == nil, kind.has(.tail), growsAtBottom { viewport.list.top = rowCount }
    viewport.list.clamp(of: rowCount, visible: visible)
  }
}
