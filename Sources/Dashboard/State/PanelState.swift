package import ObservationEngine

/// One panel: its newest result, the changes in it, and the user's view of it.
package struct PanelState: Sendable {
  package private(set) var definition: PanelDefinition
  /// All rows, or the loaded ones of a long result.
  package internal(set) var result: RowSet?
  /// Why there is no newer result.
  package private(set) var error: DatabaseError?
  package internal(set) var staleness: Staleness?
  /// How it is drawn; fixed by the first result with rows, so that the screen does not jump.
  package private(set) var kind: ViewKind = .table
  /// Why the result is shown as a table instead of the intended view; nil when it isn't.
  private(set) var misfit: String?
  /// How long its query last took.
  package internal(set) var duration: Duration?
  /// The newest commit that changed the result.
  package private(set) var ordinal = 0
  private(set) var marks = RowMarks()
  /// The previous value of the panel's single number.
  private(set) var previousNumber: Value?
  private(set) var columns: [ColumnSummary] = []
  /// The column of the number that a gauge or a sparkline shows, recorded in ``history``; nil for
  /// the first number of a row.
  private(set) var numberColumn: Int?
  /// The numbers in earlier results.
  package internal(set) var history = PanelHistory()
  /// The data of a chart; nil for other views.
  private(set) var chart: ChartData?
  /// Which columns are shown, and in which order.
  var columnChoice = ColumnChoice()
  /// Which rows of ``result`` are shown, by index, in the order shown; see ``row(at:)``.
  var order: [Int] = []
  /// The chosen row, as a position among those that can be scrolled through; nil until the user
  /// moves.
  var cursor: Int?
  /// The position of the first row in view.
  var top = 0
  /// How many columns are scrolled out of view to the left; see ``movableColumns``.
  var leftColumn = 0
  var filter = ""
  /// The order that the user chose.
  var sort: RowSort?
  /// Which part of a long result is loaded, and which was requested.
  var lens = RowLens()
  /// Where the user was before a long result was filtered or sorted.
  var home: Home?
  /// The cursor of a log whose recorded rows are not the newest, while the user has chosen no row.
  var ledCursor: Int?
  /// Whether a log reverses the rows, once that is known; a part does not always show it.
  var isLogTurned: Bool?
  /// The newest commit that the last result could reflect.
  private var seenOrdinal: Int?
  /// The intended view; ``kind`` differs when it cannot show the result.
  private var wantedKind: ViewKind
  private var widths = ColumnWidths()

  /// A position in the rows.
  struct Home: Sendable, Hashable {
    var top: Int
    var cursor: Int?
  }

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

  /// What the layout of the screen depends on.
  var layoutInput: LayoutInput.Panel {
    LayoutInput.Panel(
      kind: kind, misfit: misfit, rowCount: misfit == nil ? 0 : rowCount,
      hasChanges: !marks.latest.isEmpty || !marks.latestRemoved.isEmpty)
  }

  /// The index of the column whose history each row shows.
  var sparkColumn: Int? {
    guard let spark = definition.spark, let result else { return nil }
    return RowKey.index(ofColumn: spark, in: result.columns)
  }

  /// The row under the cursor, or the first in view; nil while it is not loaded.
  var chosenRow: [Value]? {
    guard let result, let index = row(at: cursor ?? top) else { return nil }
    return result.rows[index]
  }

  /// Receives a result.
  ///
  /// - Parameters:
  ///   - recorded: The parameters of a recorded window; nil when no recording plays.
  ///   - ordinal: The newest commit that it reflects.
  /// - Returns: Whether it contains a change, and not merely other rows of the same state.
  @discardableResult
  mutating func receive(
    _ new: RowSet, recorded: RowRequest.Look? = nil, ordinal: Int, at moment: Moment
  ) -> Bool {
    if cursor == ledCursor { cursor = nil }
    guard let arrival = classify(new, recorded: recorded, ordinal: ordinal) else { return false }
    let chosen = cursor.flatMap(row(at:))
    if isFirst(new) { wantedKind = SuggestedView.kind(of: new, definition: definition) }
    kind = wantedKind
    let diff = ResultDiff(
      from: result, to: new, key: keyColumns(of: new), rank: definition.rank,
      isSameView: arrival.isSameView)
    let isQuiet = arrival.isQuiet(isSame: diff.isEmpty, isReset: diff.isReset)
    mark(diff, isQuiet: isQuiet, ordinal: ordinal, at: moment)
    let former = diff.isReset ? nil : result?.rows.first
    result = new
    // In a recording, the former position belongs to a different filter or order.
    if new.part == nil || (lens.isRecorded && arrival.isNewLook) { home = nil }
    summarize(new, isReset: diff.isReset)
    if diff.isReset { forgetColumns() }
    settleKind(for: new)
    settleNumber(of: new)
    comparePrevious(former, new.rows.first)
    if !isQuiet { remember(new, ordinal: ordinal) }
    let isHome = arrival.isNewLook && !diff.isReset && goHome()
    rearrange(
      following: isHome
        ? nil : chosen.flatMap { old in diff.rows.firstIndex { $0.oldIndex == old } })
    showHeld()
    return arrival.isChange(isQuiet: isQuiet)
  }

  // MARK: Steps of receiving a result, in order

  /// What arrives; nil for rows of an outdated filter or order.
  private mutating func classify(
    _ new: RowSet, recorded: RowRequest.Look?, ordinal: Int
  ) -> ResultArrival? {
    let formerLook = lens.shown
    let arrival =
      recorded.map { lens.play(new, look: $0) }
      ?? lens.take(new, wanted: result == nil ? RowRequest.Look() : look)
    error = nil
    guard arrival != .unwanted else { return nil }
    defer { seenOrdinal = ordinal }
    return ResultArrival(
      wasPart: isPart, isNewLook: arrival == .newLook, hasSameLook: formerLook == lens.shown,
      isNewer: seenOrdinal != ordinal, isOtherPart: isOtherPart(new))
  }

  /// Marks what changed.
  private mutating func mark(
    _ diff: ResultDiff, isQuiet: Bool, ordinal: Int, at moment: Moment
  ) {
    guard !isQuiet else { return marks.move(with: diff) }
    marks.update(with: diff, ranked: definition.rank != nil, at: moment.monotonic)
    self.ordinal = ordinal
  }

  /// Other columns: what the user chose among the former ones has no meaning.
  private mutating func forgetColumns() {
    sort = nil
    leftColumn = 0
    columnChoice = ColumnChoice(columns)
    history.reset()
    numberColumn = nil
    isLogTurned = nil
  }

  /// Keeps the number before, if it was another one.
  private mutating func comparePrevious(_ former: [Value]?, _ new: [Value]?) {
    guard kind.has(.oneNumber) else { return }
    let old = former.flatMap(shownNumber)
    previousNumber = old == new.flatMap(shownNumber) ? nil : old
  }

  /// Adds the numbers to the histories.
  private mutating func remember(_ new: RowSet, ordinal: Int) {
    history.append(
      new, value: numberColumn, key: RowKey(columns: sparkKey(of: new), of: new),
      spark: sparkColumn, ordinal: ordinal)
  }

  /// Whether a result is another window with the same number of rows.
  private func isOtherPart(_ new: RowSet) -> Bool {
    guard let old = result?.part, let part = new.part else { return false }
    return old.all == part.all && old.total == part.total
      && (old.first != part.first || result?.rows.count != new.rows.count)
  }

  /// Whether a result determines how it is drawn.
  private func isFirst(_ new: RowSet) -> Bool {
    guard let result, result.columns == new.columns else { return true }
    return result.part == nil && result.rows.isEmpty
  }

  /// Whether the drawn view is not the intended one.
  var isSubstitute: Bool { kind != wantedKind }

  /// Uses the intended view, or a table when that cannot show the result.
  private mutating func settleKind(for result: RowSet) {
    misfit =
      partObstacle(wantedKind, result)
      ?? wantedKind.obstacle(result, columns, definition.options)
    kind = misfit == nil ? wantedKind : .table
  }

  /// Chooses the column of numbers; the history of another column is dropped.
  private mutating func settleNumber(of result: RowSet) {
    let former = numberColumn
    numberColumn = wantedKind.numberColumn(result, columns, definition.options, former: former)
    if let former, former != numberColumn { history.reset() }
  }

  /// The number of a row that a number or a gauge shows.
  private func shownNumber(_ row: [Value]) -> Value? {
    numberColumn.map { row[$0] } ?? Self.firstNumber(row)
  }

  /// The column of that number.
  private func shownPlace(of result: RowSet) -> Int? {
    numberColumn ?? result.rows.first?.firstIndex { ColumnSummary.number($0) != nil }
  }

  /// Measures the columns; their widths do not follow every change of a value.
  private mutating func summarize(_ new: RowSet, isReset: Bool) {
    let former = isReset || new.part == nil ? [] : columns
    columns = ColumnSummary.summaries(
      of: new, key: definition.key, formats: definition.formats, colors: definition.colors)
    for index in columns.indices where new.part != nil {
      columns[index].beOfPart(index < former.count ? former[index] : nil)
    }
    let settled = widths.settle(columns.map(\.width), isReset: isReset)
    for index in columns.indices { columns[index].width = settled[index] }
  }

  /// The key that the panel names. Without one, a label identifies a bar, a gauge or a category.
  func keyColumns(of result: RowSet) -> [String] {
    guard definition.key.isEmpty, wantedKind.has(.labelled),
      result.columns.count > 1 || wantedKind == .bar
    else { return definition.key }
    return Array(result.columns.prefix(1))
  }

  /// The key for the histories of rows: without a key, the first column.
  private func sparkKey(of result: RowSet) -> [String] {
    definition.key.isEmpty ? Array(result.columns.prefix(1)) : definition.key
  }

  /// The history of a row's number, oldest first.
  func spark(of row: [Value], _ count: Int) -> [Double] {
    guard let result else { return [] }
    return history.samples(of: row, key: RowKey(columns: sparkKey(of: result), of: result), count)
  }

  /// The first number of a row, or else its first value: the value of a number panel.
  static func firstNumber(_ row: [Value]) -> Value? {
    row.first { ColumnSummary.number($0) != nil } ?? row.first
  }

  mutating func receive(_ error: DatabaseError) { self.error = error }

  /// Applies a new definition of the panel; what the user sees stays until the next result.
  mutating func adopt(_ new: PanelDefinition) {
    let former = definition
    definition = new
    // An error of another query does not apply to this one.
    if former.sql != new.sql {
      error = nil
      duration = nil
    }
    staleness = nil
    lens.restart()
    isLogTurned = nil
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
    rearrange(following: cursor.flatMap(row(at:)))
  }

  /// The panel as stored in a frame: without everything that can be derived from the result, and
  /// from the history of the newest state.
  func withoutDerived() -> PanelState {
    var panel = self
    panel.chart = nil
    panel.history = history.placeholder
    return panel
  }

  /// The approximate memory of its rows and their marks.
  ///
  /// - Complexity: O(rows · columns).
  var estimatedBytes: Int {
    (result?.estimatedBytes ?? 0) + order.count * MemoryLayout<Int>.stride + marks.estimatedBytes
  }

  /// The panel of a frame as it was, with the newest state's history of that time.
  func restored(from newest: PanelState) -> PanelState {
    var panel = self
    panel.history = newest.history.restored(at: history)
    panel.rearrange(following: cursor.flatMap(row(at:)))
    return panel
  }

  /// Determines the rows to show; the cursor stays on the row `followed`, and that row on its line.
  mutating func rearrange(following followed: Int?) {
    guard let result else { return }
    if result.part != nil {
      chart = nil
      // It is already filtered and sorted, except for what the user does among recorded rows.
      order =
        isAmongRecorded
        ? RowOrder.rows(of: result, filter: filter, sort: sort) : Array(result.rows.indices)
    } else {
      order = RowOrder.rows(of: result, filter: filter, sort: sort)
      if kind.has(.chart) {
        // A line goes from left to right, however a table of its points would be sorted.
        let rows = sort == nil ? order : RowOrder.rows(of: result, filter: filter, sort: nil)
        chart = kind.type.chart(result, columns, rows: rows, definition.options)
      } else {
        chart = nil
      }
    }
    settleTurn(of: result)
    if isTurned { order.reverse() }
    guard let cursor else {
      top = min(top, max(0, rowCount - 1))
      return
    }
    guard rowCount > 0 else {
      clearCursor()
      return
    }
    // If the row is gone, the cursor stays where it was.
    let place = followed.flatMap { order.firstIndex(of: $0) }.map { firstPosition + $0 }
    let position = place ?? min(cursor, rowCount - 1)
    top = min(max(0, top + position - cursor), position)
    self.cursor = position
  }
}
