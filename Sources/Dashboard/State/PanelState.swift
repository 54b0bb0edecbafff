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
  /// Why the result is shown as a table although another view is meant; nil when nothing is wrong.
  private(set) var misfit: String?
  /// How long its query took last.
  package internal(set) var duration: Duration?
  /// The newest commit that changed the result.
  package private(set) var ordinal = 0
  private(set) var marks = RowMarks()
  /// What the single number of the panel was before.
  private(set) var previousNumber: Value?
  private(set) var columns: [ColumnSummary] = []
  /// The column of the number that a gauge or a sparkline shows, and whose course ``history`` is; nil
  /// for the first one of a row that is a number.
  private(set) var numberColumn: Int?
  /// What the numbers were in earlier results.
  package internal(set) var history = PanelHistory()
  /// What a chart draws; nil for other views.
  private(set) var chart: ChartData?
  /// Which columns are shown, and in which order.
  var columnChoice = ColumnChoice()
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
  /// The view that is meant; ``kind`` differs when it cannot show the result.
  private var wantedKind: ViewKind
  private var widths = ColumnWidths()

  package init(definition: PanelDefinition) {
    self.definition = definition
    wantedKind = definition.view ?? .table
    kind = wantedKind
  }

  /// The index of the ranked column.
  var rankColumn: Int? {
    guard let rank = definition.rank, let result else { return nil }
    return result.columns.firstIndex { $0.lowercased() == rank.lowercased() }
  }

  /// The index of the column whose history each row shows.
  var sparkColumn: Int? {
    guard let spark = definition.spark, let result else { return nil }
    return RowKey.index(ofColumn: spark, in: result.columns)
  }

  /// The row under the cursor, or the first in view.
  var chosenRow: [Value]? {
    let index = cursor ?? top
    guard let result, order.indices.contains(index) else { return nil }
    return result.rows[order[index]]
  }

  mutating func receive(_ new: RowSet, ordinal: Int, at moment: Moment) {
    let isFirst = result == nil || result?.columns != new.columns || (result?.rows.isEmpty ?? true)
    if isFirst { wantedKind = SuggestedView.kind(of: new, definition: definition) }
    kind = wantedKind
    let key = keyColumns(of: new)
    let diff = ResultDiff(from: result, to: new, key: key, rank: definition.rank)
    marks.update(with: diff, ranked: definition.rank != nil, at: moment.monotonic)
    let former = result
    let chosen = cursor.flatMap { order.indices.contains($0) ? order[$0] : nil }
    result = new
    error = nil
    self.ordinal = ordinal
    summarize(new, isReset: diff.isReset)
    if diff.isReset {
      sort = nil
      leftColumn = 0
      columnChoice = ColumnChoice(columns)
      history.reset()
      numberColumn = nil
    }
    settleKind(for: new)
    settleNumber(of: new)
    if kind == .number || kind == .gauge {
      let old = diff.isReset ? nil : former?.rows.first.flatMap(shownNumber)
      previousNumber = old == new.rows.first.flatMap(shownNumber) ? nil : old
    }
    history.append(
      new, value: numberColumn, key: RowKey(columns: sparkKey(of: new), of: new),
      spark: sparkColumn,
      ordinal: ordinal)
    rearrange(following: chosen.flatMap { old in diff.rows.firstIndex { $0.oldIndex == old } })
  }

  /// Draws what is meant, or a table when that cannot show the result.
  private mutating func settleKind(for result: RowSet) {
    misfit = ViewFit.obstacle(wantedKind, result, columns, options: definition.options)
    kind = misfit == nil ? wantedKind : .table
  }

  /// Chooses the column of numbers; what was counted of another column is forgotten.
  private mutating func settleNumber(of result: RowSet) {
    let former = numberColumn
    numberColumn = NumberColumn.index(
      of: wantedKind, result, columns, options: definition.options, former: former)
    if let former, former != numberColumn { history.reset() }
  }

  /// The number of a row that a number or a gauge shows.
  private func shownNumber(_ row: [Value]) -> Value? {
    numberColumn.map { row[$0] } ?? Self.firstNumber(row)
  }

  /// In which column that number stands.
  private func shownPlace(of result: RowSet) -> Int? {
    numberColumn ?? result.rows.first?.firstIndex { ColumnSummary.number($0) != nil }
  }

  /// Measures the columns; their widths do not follow every change of a value.
  private mutating func summarize(_ new: RowSet, isReset: Bool) {
    columns = ColumnSummary.summaries(
      of: new, key: definition.key, formats: definition.formats)
    let settled = widths.settle(columns.map(\.width), isReset: isReset)
    for index in columns.indices { columns[index].width = settled[index] }
  }

  /// The key that the panel names. A bar, a gauge and a category are known by their label, when nobody
  /// says otherwise.
  func keyColumns(of result: RowSet) -> [String] {
    guard definition.key.isEmpty, [.bar, .gauge, .histogram].contains(wantedKind),
      result.columns.count > 1 || wantedKind == .bar
    else { return definition.key }
    return Array(result.columns.prefix(1))
  }

  /// What tells which history belongs to which row: without a key, the first column.
  private func sparkKey(of result: RowSet) -> [String] {
    definition.key.isEmpty ? Array(result.columns.prefix(1)) : definition.key
  }

  /// The history of a row's number, oldest first.
  func spark(of row: [Value], _ count: Int) -> [Double] {
    guard let result else { return [] }
    return history.samples(of: row, key: RowKey(columns: sparkKey(of: result), of: result), count)
  }

  /// The first number of a row, or else its first value: what a number shows.
  static func firstNumber(_ row: [Value]) -> Value? {
    row.first { ColumnSummary.number($0) != nil } ?? row.first
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
      wantedKind = new.view ?? .table
      kind = wantedKind
      return
    }
    let formerKind = wantedKind
    if former.view != new.view { wantedKind = SuggestedView.kind(of: result, definition: new) }
    if former.spark != new.spark { history.reset() }
    if former.key != new.key || former.formats != new.formats { summarize(result, isReset: true) }
    if former.formats != new.formats { columnChoice = ColumnChoice(columns) }
    settleKind(for: result)
    if formerKind != wantedKind || former.options.y != new.options.y {
      let place = shownPlace(of: result)
      numberColumn = nil
      settleNumber(of: result)
      if place != shownPlace(of: result) {
        history.reset()
        previousNumber = nil
      }
    }
    rearrange(following: cursor.flatMap { order.indices.contains($0) ? order[$0] : nil })
  }

  /// What a frame keeps of the panel: everything but what can be made again from the result, and from
  /// the history of the newest state.
  func withoutDerived() -> PanelState {
    var panel = self
    panel.chart = nil
    panel.history = history.placeholder
    return panel
  }

  /// The panel of a frame as it was, with the history that the newest state has of that time.
  func restored(from newest: PanelState) -> PanelState {
    var panel = self
    panel.history = newest.history.restored(at: history)
    panel.rearrange(following: cursor.flatMap { order.indices.contains($0) ? order[$0] : nil })
    return panel
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
    let isTail = kind == .log && growsAtBottom
    let first = isTail ? order.count - 1 : top
    let start = cursor ?? (abs(rows) == 1 ? first - rows : first)
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
    leftColumn = min(max(leftColumn + columns, 0), max(0, columnChoice.visible.count - 1))
  }

  /// Moves the view by rows; the cursor, if there is one, stays in it.
  mutating func scroll(by rows: Int, visible: Int) {
    top = min(max(0, top + rows), max(0, order.count - max(visible, 1)))
    // A log goes on to follow its newest rows unless a row is chosen.
    if cursor == nil, kind == .log, growsAtBottom, !order.isEmpty { cursor = order.count - 1 }
    if let cursor, visible > 0 { self.cursor = min(max(cursor, top), top + visible - 1) }
  }

  /// Keeps the last rows in view when the panel or the result became smaller, and the newest ones of a
  /// log that nobody scrolls.
  mutating func clampTop(visible: Int) {
    if cursor == nil, kind == .log, growsAtBottom { top = order.count }
    top = min(top, max(0, order.count - max(visible, 1)))
    if let cursor, visible > 0, cursor >= top + visible { top = cursor - visible + 1 }
  }

  /// Finds the rows to show; the cursor stays on the row `followed`, and that row on its line.
  private mutating func rearrange(following followed: Int?) {
    guard let result else { return }
    order = RowOrder.rows(of: result, filter: filter, sort: sort)
    if kind.isChart {
      // A line goes from left to right, however a table of its points would be sorted.
      let rows = sort == nil ? order : RowOrder.rows(of: result, filter: filter, sort: nil)
      chart = ChartData(kind, result, columns, rows: rows, options: definition.options)
    } else {
      chart = nil
    }
    if kind == .log, sort == nil, LogOrder.isTurned(result, self) { order.reverse() }
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
