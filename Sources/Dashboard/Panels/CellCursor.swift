import ObservationEngine

/// The cell under the cursor of a table: a row and a column.
///
/// The column stays chosen while the rows change; ``Viewport/cell`` is its index in the result.
extension PanelState {
  /// The column under the cursor; nil until the user moves sideways, and without rows or columns.
  var cellColumn: Int? {
    guard kind == .table, cursor != nil, let cell = viewport.cell,
      columnChoice.visible.contains(cell)
    else { return nil }
    return cell
  }

  /// The value under the cursor; nil without a cursor, and while its row is not loaded.
  var cellValue: Value? {
    guard let cellColumn, let row = cursorRow, row.indices.contains(cellColumn) else { return nil }
    return row[cellColumn]
  }

  /// Moves to another column; the first movement only shows the cursor.
  ///
  /// - Parameter isInView: Whether a column of the table is in view.
  mutating func moveCell(
    by step: Int, visible: Int, isInView: (PanelState, Int) -> Bool
  ) {
    let columns = columnChoice.visible
    guard rowCount > 0, !columns.isEmpty else { return }
    if cursor == nil { moveCursor(to: top, visible: visible) }
    if let place = cellColumn.flatMap({ columns.firstIndex(of: $0) }) {
      viewport.cell = columns[min(max(place + step, 0), columns.count - 1)]
    } else {
      viewport.cell = columns.first { isInView(self, $0) } ?? columns[0]
    }
    guard let cell = viewport.cell else { return }
    bring(cell, intoViewBy: step, isInView: isInView)
  }

  /// Scrolls by whole columns until a column is in view: in a direction, or else in the other one,
  /// where a key that yielded to the columns next to it has room again.
  private mutating func bring(
    _ cell: Int, intoViewBy step: Int, isInView: (PanelState, Int) -> Bool
  ) {
    let start = leftColumn
    for direction in step > 0 ? [1, -1] : [-1, 1] {
      viewport.leftColumn = start
      while !isInView(self, cell) {
        let former = leftColumn
        moveColumns(by: direction)
        if leftColumn == former { break }
      }
      if isInView(self, cell) { return }
    }
    viewport.leftColumn = start
  }

  /// Chooses the column that was clicked.
  mutating func chooseCell(_ column: Int?) { if let column { viewport.cell = column } }

  /// Orders the rows by the column under the cursor: ascending, descending, as the query has them.
  mutating func cycleSortOfCell() {
    guard let cell = cellColumn else { return }
    switch sort {
    case RowSort(column: cell): setSort(RowSort(column: cell, isDescending: true))
    case RowSort(column: cell, isDescending: true): setSort(nil)
    default: setSort(RowSort(column: cell))
    }
  }

  /// Hides the column under the cursor, unless it is the last one; the cursor goes to the next one.
  ///
  /// - Returns: Whether it was hidden.
  mutating func hideCell() -> Bool {
    let visible = columnChoice.visible
    guard let cell = cellColumn, visible.count > 1, let place = visible.firstIndex(of: cell),
      let entry = columnChoice.order.firstIndex(of: cell)
    else { return false }
    viewport.columnChoice.toggle(at: entry)
    viewport.cell = visible[place + 1 < visible.count ? place + 1 : place - 1]
    moveColumns(by: 0)
    return true
  }
}
