package import ObservationEngine

/// One panel: its newest result, the changes in it, and the user's view of it.
package struct PanelState: Sendable, Equatable {
  /// Shared: every frame that is kept, and every look at a panel, copies its state.
  private var shared: SharedDefinition
  package var definition: PanelDefinition {
    _read { yield shared.value }
  }
  package internal(set) var data = PanelData()
  private(set) var fit: PanelFit
  var viewport = Viewport()
  var window = LongResultWindow()

  package init(definition: PanelDefinition) {
    shared = SharedDefinition(definition)
    fit = PanelFit(definition)
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
    if cursor == window.ledCursor { viewport.list.cursor = nil }
    guard let arrival = classify(new, recorded: recorded, ordinal: ordinal) else { return false }
    let chosen = cursor.flatMap(row(at:))
    if data.isFirst(new) { fit.wanted = SuggestedView.kind(of: new, definition: definition) }
    fit.intend(fit.wanted)
    let diff = ResultDiff(
      from: result, to: new, key: keyColumns(of: new), rank: definition.rank,
      isSameView: arrival.isSameView)
    let isQuiet = arrival.isQuiet(isSame: diff.isEmpty, isReset: diff.isReset)
    data.mark(
      diff, isQuiet: isQuiet, ranked: definition.rank != nil, ordinal: ordinal, at: moment)
    let former = diff.isReset ? nil : result?.rows.first
    data.result = new
    // In a recording, the former position belongs to a different filter or order.
    if new.part == nil || (lens.isRecorded && arrival.isNewLook) { window.home = nil }
    data.summarize(new, for: definition, isReset: diff.isReset)
    if diff.isReset { forgetColumns() }
    settleKind(for: new)
    settleNumber(of: new)
    if kind.has(.oneNumber) { data.comparePrevious(former, new.rows.first) }
    if !isQuiet { remember(new, ordinal: ordinal) }
    let isHome = arrival.isNewLook && !diff.isReset && goHome()
    rearrange(
      following: isHome
        ? nil : chosen.flatMap { old in diff.rows.firstIndex { $0.oldIndex == old } })
    showHeld()
    return arrival.isChange(isQuiet: isQuiet)
  }

  mutating func receive(_ error: DatabaseError) { data.error = error }

  // MARK: Steps of receiving a result, in order

  /// What arrives; nil for rows of an outdated filter or order.
  private mutating func classify(
    _ new: RowSet, recorded: RowRequest.Look?, ordinal: Int
  ) -> ResultArrival? {
    let formerLook = lens.shown
    let arrival =
      recorded.map { window.lens.play(new, look: $0) }
      ?? window.lens.take(new, wanted: result == nil ? RowRequest.Look() : look)
    data.error = nil
    guard arrival != .unwanted else { return nil }
    return ResultArrival(
      wasPart: isPart, isNewLook: arrival == .newLook, hasSameLook: formerLook == lens.shown,
      isNewer: data.see(ordinal), isOtherPart: data.isOtherPart(new))
  }

  /// Other columns: what is known and chosen of the former ones has no meaning.
  private mutating func forgetColumns() {
    viewport.forgetColumns(columns)
    data.forgetNumbers()
    window.isLogTurned = nil
  }

  /// Uses the intended view, or a table when that cannot show the result.
  private mutating func settleKind(for result: RowSet) {
    fit.settle(
      obstacle: partObstacle(fit.wanted, result)
        ?? fit.wanted.obstacle(result, columns, definition.options))
  }

  /// Chooses the column of numbers.
  private mutating func settleNumber(of result: RowSet) {
    data.settleNumber(
      fit.wanted.numberColumn(result, columns, definition.options, former: numberColumn))
  }

  /// Adds the numbers to the histories.
  private mutating func remember(_ new: RowSet, ordinal: Int) {
    data.history.append(
      new, value: numberColumn, key: RowKey(columns: sparkKey(of: new), of: new),
      spark: sparkColumn, ordinal: ordinal)
  }

  /// Determines the rows to show; the cursor stays on the row `followed`, and that row on its line.
  mutating func rearrange(following followed: Int?) {
    guard let result else { return }
    fit.chart = nil
    if result.part != nil, !isAmongRecorded {
      // It is already filtered and sorted, except for what the user does among recorded rows.
      viewport.order = Array(result.rows.indices)
    } else {
      viewport.order = RowOrder.rows(of: result, filter: filter, sort: sort)
    }
    if result.part == nil, kind.has(.chart) {
      // A line goes from left to right, however a table of its points would be sorted.
      let rows = sort == nil ? order : RowOrder.rows(of: result, filter: filter, sort: nil)
      fit.chart = kind.type.chart(result, columns, rows: rows, definition.options)
    }
    settleTurn(of: result)
    if isTurned { viewport.order.reverse() }
    let place = cursor == nil ? nil : followed.flatMap { order.firstIndex(of: $0) }
    viewport.follow(place.map { firstPosition + $0 }, of: rowCount)
  }

  // MARK: Keys of rows

  /// The key that the panel names. Without one, a label identifies a bar, a gauge or a category.
  func keyColumns(of result: RowSet) -> [String] {
    guard definition.key.isEmpty, fit.wanted.has(.labelled),
      result.columns.count > 1 || fit.wanted == .bar
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

  // MARK: Another definition

  /// Applies a new definition of the panel; what the user sees stays until the next result.
  mutating func adopt(_ new: PanelDefinition) {
    let former = definition
    shared = SharedDefinition(new)
    // An error of another query does not apply to this one.
    if !former.sql.isExactly(new.sql) {
      data.error = nil
      data.duration = nil
    }
    data.staleness = nil
    window.lens.restart()
    window.isLogTurned = nil
    guard let result else {
      fit = PanelFit(new)
      return
    }
    let formerKind = fit.wanted
    if former.view != new.view { fit.wanted = SuggestedView.kind(of: result, definition: new) }
    if former.spark != new.spark { data.history.reset() }
    if former.key != new.key || former.formats != new.formats {
      data.summarize(result, for: new, isReset: true)
    }
    if former.formats != new.formats { viewport.columnChoice = ColumnChoice(columns) }
    settleKind(for: result)
    if formerKind != fit.wanted || former.options.y != new.options.y {
      let place = data.shownPlace(of: result)
      data.numberColumn = nil
      data.settleNumber(fit.wanted.numberColumn(result, columns, new.options, former: nil))
      if place != data.shownPlace(of: result) {
        data.history.reset()
        data.previousNumber = nil
      }
    }
    rearrange(following: cursor.flatMap(row(at:)))
  }

  // MARK: Frames

  /// The panel as stored in a frame: without everything that can be derived from the result, and
  /// from the history of the newest state.
  func withoutDerived() -> PanelState {
    var panel = self
    panel.fit.chart = nil
    panel.data.history = history.placeholder
    return panel
  }

  /// The panel of a frame as it was, with the newest state's history of that time.
  func restored(from newest: PanelState) -> PanelState {
    var panel = self
    panel.data.history = newest.history.restored(at: history)
    panel.rearrange(following: cursor.flatMap(row(at:)))
    return panel
  }

  /// The approximate memory of its rows and their marks.
  ///
  /// - Complexity: O(rows · columns).
  var estimatedBytes: Int {
    (result?.estimatedBytes ?? 0) + order.count * MemoryLayout<Int>.stride + marks.estimatedBytes
  }
}

// MARK: What views read

extension PanelState {
  package var result: RowSet? { data.result }
  package var error: DatabaseError? { data.error }
  package var staleness: Staleness? { data.staleness }
  package var duration: Duration? { data.duration }
  package var ordinal: Int { data.ordinal }
  package var kind: ViewKind { fit.kind }
  package var history: PanelHistory { data.history }
  var marks: RowMarks { data.marks }
  var columns: [ColumnSummary] { data.columns }
  var numberColumn: Int? { data.numberColumn }
  var previousNumber: Value? { data.previousNumber }
  var misfit: String? { fit.misfit }
  var isSubstitute: Bool { fit.isSubstitute }
  var chart: ChartData? { fit.chart }
  var cursor: Int? { viewport.list.cursor }
  var top: Int { viewport.list.top }
  var leftColumn: Int { viewport.leftColumn }
  var filter: String { viewport.filter }
  var sort: RowSort? { viewport.sort }
  var columnChoice: ColumnChoice { viewport.columnChoice }
  var order: [Int] { viewport.order }
  var look: RowRequest.Look { viewport.look }
  var lens: RowLens { window.lens }
  var isLogTurned: Bool? { window.isLogTurned }

  /// What the layout of the screen depends on.
  var layoutInput: LayoutInput.Panel {
    LayoutInput.Panel(
      kind: kind, misfit: misfit, rowCount: misfit == nil ? 0 : rowCount,
      hasChanges: !marks.latest.isEmpty || !marks.latestRemoved.isEmpty)
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

  /// The row under the cursor, or the first in view; nil while it is not loaded.
  var chosenRow: [Value]? {
    guard let result, let index = row(at: cursor ?? top) else { return nil }
    return result.rows[index]
  }

  /// The rows that pass the filter, in the order shown, whether visible or not; nil when not all of
  /// them are loaded.
  var shownRows: RowSet? {
    guard let result, !isLookPending, order.count == rowCount else { return nil }
    // A filter among some recorded rows can't find all matches.
    if isAmongRecorded, let part = result.part, result.rows.count < part.total { return nil }
    return RowSet(columns: result.columns, rows: order.map { result.rows[$0] })
  }

  /// The row under the cursor; nil while there is no cursor.
  var cursorRow: [Value]? {
    guard let result, let row = cursor.flatMap(row(at:)) else { return nil }
    return result.rows[row]
  }
}

/// A definition, by reference: it has more parts than the rest of its panel's state.
private final class SharedDefinition: Sendable, Equatable {
  let value: PanelDefinition

  init(_ value: PanelDefinition) { self.value = value }

  static func == (left: SharedDefinition, right: SharedDefinition) -> Bool {
    left === right || left.value == right.value
  }
}
