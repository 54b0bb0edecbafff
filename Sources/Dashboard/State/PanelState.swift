package import ObservationEngine

/// One panel: its newest result, what changed in it, and how the person looks at it.
package struct PanelState: Sendable {
  /// The order that the person asked for.
  struct Sort: Sendable, Hashable {
    var column: Int
    var isDescending = false
  }

  package private(set) var definition: PanelDefinition
  package private(set) var result: RowSet?
  /// Why there is no newer result.
  package private(set) var error: DatabaseError?
  package internal(set) var staleness: Staleness?
  /// How it is drawn; settled by the first result with rows, so that the screen does not jump.
  package private(set) var kind: ViewKind = .table
  /// How long its query took last.
  package internal(set) var duration: Duration?
  /// The newest commit that changed the result.
  package private(set) var ordinal = 0
  private(set) var marks = RowMarks()
  /// What the single number of the panel was before.
  private(set) var previousNumber: Value?
  private(set) var columns: [ColumnSummary] = []
  /// Which rows are shown, by index, in the order shown.
  private(set) var order: [Int] = []
  /// The chosen row, as an index into ``order``; nil until the person moves.
  private(set) var cursor: Int?
  /// The first row in view, as an index into ``order``.
  private(set) var top = 0
  /// The first column in view.
  private(set) var leftColumn = 0
  private(set) var filter = ""
  private(set) var sort: Sort?

  package init(definition: PanelDefinition) {
    self.definition = definition
    kind = definition.view.map { $0.isDrawn ? $0 : .table } ?? .table
  }

  /// The index of the ranked column.
  var rankColumn: Int? {
    guard let rank = definition.rank, let result else { return nil }
    return result.columns.firstIndex { $0.lowercased() == rank.lowercased() }
  }

  /// The row under the cursor, or the first in view.
  var chosenRow: [Value]? {
    let index = cursor ?? top
    guard let result, order.indices.contains(index) else { return nil }
    return result.rows[order[index]]
  }

  /// The columns that tell which row is which.
  func keyColumns(of result: RowSet) -> [String] {
    // A bar is known by its label when nobody says otherwise.
    definition.key.isEmpty && kind == .bar ? Array(result.columns.prefix(1)) : definition.key
  }

  mutating func receive(_ new: RowSet, ordinal: Int, at moment: Moment) {
    if result == nil || result?.columns != new.columns || (result?.rows.isEmpty ?? true) {
      kind = SuggestedView.kind(of: new, definition: definition)
    }
    let diff = ResultDiff(
      from: result, to: new, key: keyColumns(of: new), rank: definition.rank)
    marks.update(with: diff, ranked: definition.rank != nil, at: moment.monotonic)
    if kind == .number {
      let old = result?.rows.first?.first
      previousNumber = diff.isReset || old == new.rows.first?.first ? nil : old
    }
    if diff.isReset {
      sort = nil
      leftColumn = 0
    }
    let chosen = cursor.flatMap { order.indices.contains($0) ? order[$0] : nil }
    result = new
    error = nil
    self.ordinal = ordinal
    columns = ColumnSummary.summaries(of: new, key: definition.key)
    rearrange(following: chosen.flatMap { old in diff.rows.firstIndex { $0.oldIndex == old } })
  }

  mutating func receive(_ error: DatabaseError) { self.error = error }

  /// Takes over what the dashboard says of the panel now; what the person sees in it stays until the
  /// next result.
  mutating func adopt(_ new: PanelDefinition) {
    let former = definition
    definition = new
    // What is wrong with another query says nothing about this one.
    if former.sql != new.sql {
      error = nil
      duration = nil
    }
    staleness = nil
    guard let result else {
      kind = new.view.map { $0.isDrawn ? $0 : .table } ?? .table
      return
    }
    if former.view != new.view { kind = SuggestedView.kind(of: result, definition: new) }
    if former.key != new.key { columns = ColumnSummary.summaries(of: result, key: new.key) }
  }

  mutating func setFilter(_ filter: String) {
    guard filter != self.filter else { return }
    let chosen = cursor.flatMap { order.indices.contains($0) ? order[$0] : nil }
    self.filter = filter
    rearrange(following: chosen)
  }

  mutating func setSort(_ sort: Sort?) {
    let chosen = cursor.flatMap { order.indices.contains($0) ? order[$0] : nil }
    self.sort = sort
    rearrange(following: chosen)
  }

  mutating func clearCursor() {
    cursor = nil
    top = 0
  }

  /// Moves the cursor by rows; the first movement only shows it. The view follows as far as needed.
  mutating func moveCursor(by rows: Int, visible: Int) {
    guard !order.isEmpty else { return }
    let start = cursor ?? (abs(rows) == 1 ? top - rows : top)
    moveCursor(to: start + rows, visible: visible)
  }

  mutating func moveCursor(to row: Int, visible: Int) {
    guard !order.isEmpty else { return }
    let row = min(max(row, 0), order.count - 1)
    cursor = row
    if row < top { top = row }
    if visible > 0, row >= top + visible { top = row - visible + 1 }
    top = min(top, max(0, order.count - max(visible, 1)))
  }

  mutating func moveColumns(by columns: Int) {
    leftColumn = min(max(leftColumn + columns, 0), max(0, (result?.columns.count ?? 0) - 1))
  }

  /// Keeps the last rows in view when the panel or the result became smaller.
  mutating func clampTop(visible: Int) {
    top = min(top, max(0, order.count - max(visible, 1)))
    if let cursor, visible > 0, cursor >= top + visible { top = cursor - visible + 1 }
  }

  /// Finds the rows to show; the cursor stays on the row `followed`, and that row on its line.
  private mutating func rearrange(following followed: Int?) {
    guard let result else { return }
    order = RowOrder.rows(of: result, filter: filter, sort: sort)
    guard let cursor else {
      top = min(top, max(0, order.count - 1))
      return
    }
    guard !order.isEmpty else {
      clearCursor()
      return
    }
    // A row that is gone leaves the cursor where it was.
    let position = followed.flatMap { order.firstIndex(of: $0) } ?? min(cursor, order.count - 1)
    top = min(max(0, top + position - cursor), position)
    self.cursor = position
  }
}
