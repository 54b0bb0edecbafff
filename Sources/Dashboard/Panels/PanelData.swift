package import ObservationEngine

/// What a panel knows of its query: the newest result, the changes in it, and its numbers so far.
package struct PanelData: Sendable, Equatable {
  /// All rows, or the loaded ones of a long result.
  package internal(set) var result: RowSet?
  /// Why there is no newer result.
  package internal(set) var error: DatabaseError?
  package internal(set) var staleness: Staleness?
  /// How long the query last took.
  package internal(set) var duration: Duration?
  /// The newest commit that changed the result.
  package internal(set) var ordinal = 0
  /// The newest commit that the last result could reflect.
  private var seenOrdinal: Int?
  private(set) var marks = RowMarks()
  private(set) var columns: [ColumnSummary] = []
  private var widths = ColumnWidths()
  /// The column of the number that a gauge or a sparkline shows, recorded in ``history``; nil for
  /// the first number of a row.
  var numberColumn: Int?
  /// The previous value of that number.
  var previousNumber: Value?
  /// The numbers in earlier results.
  package internal(set) var history = PanelHistory()

  // MARK: Steps of receiving a result

  /// Notes which commit a result reflects, whether or not it is shown.
  ///
  /// - Returns: Whether no earlier result reflected it.
  mutating func see(_ ordinal: Int) -> Bool {
    defer { seenOrdinal = ordinal }
    return seenOrdinal != ordinal
  }

  /// Whether a result is another window with the same number of rows.
  func isOtherPart(_ new: RowSet) -> Bool {
    guard let old = result?.part, let part = new.part else { return false }
    return old.all == part.all && old.total == part.total
      && (old.first != part.first || result?.rows.count != new.rows.count)
  }

  /// Whether a result determines how it is drawn.
  func isFirst(_ new: RowSet) -> Bool {
    guard let result, result.columns == new.columns else { return true }
    return result.part == nil && result.rows.isEmpty
  }

  /// Marks what changed; without a change, marks move with their rows.
  mutating func mark(
    _ diff: ResultDiff, isQuiet: Bool, ranked: Bool, ordinal: Int, at moment: Moment
  ) {
    guard !isQuiet else { return marks.move(with: diff) }
    marks.update(with: diff, ranked: ranked, at: moment.monotonic)
    self.ordinal = ordinal
  }

  /// Measures the columns; their widths do not follow every change of a value.
  mutating func summarize(_ new: RowSet, for definition: PanelDefinition, isReset: Bool) {
    let former = isReset || new.part == nil ? [] : columns
    columns = ColumnSummary.summaries(
      of: new, key: definition.key, formats: definition.formats, colors: definition.colors)
    for index in columns.indices where new.part != nil {
      columns[index].beOfPart(index < former.count ? former[index] : nil)
    }
    let settled = widths.settle(columns.map(\.width), isReset: isReset)
    for index in columns.indices { columns[index].width = settled[index] }
  }

  /// Other columns: the numbers of the former ones have no meaning.
  mutating func forgetNumbers() {
    history.reset()
    numberColumn = nil
  }

  /// Chooses the column of numbers; the history of another column is dropped.
  mutating func settleNumber(_ column: Int?) {
    let former = numberColumn
    numberColumn = column
    if let former, former != column { history.reset() }
  }

  /// Keeps the number before, if it was another one.
  mutating func comparePrevious(_ former: [Value]?, _ new: [Value]?) {
    let old = former.flatMap(shownNumber)
    previousNumber = old == new.flatMap(shownNumber) ? nil : old
  }

  // MARK: Numbers

  /// The number of a row that a number or a gauge shows.
  private func shownNumber(_ row: [Value]) -> Value? {
    numberColumn.map { row[$0] } ?? Self.firstNumber(row)
  }

  /// The column of that number.
  func shownPlace(of result: RowSet) -> Int? {
    numberColumn ?? result.rows.first?.firstIndex { ColumnSummary.number($0) != nil }
  }

  /// The first number of a row, or else its first value: the value of a number panel.
  static func firstNumber(_ row: [Value]) -> Value? {
    row.first { ColumnSummary.number($0) != nil } ?? row.first
  }
}

/// What is known of a result that arrives, before it is compared with the one before.
///
/// A long result is loaded in parts: what arrives may be a commit, other rows after a scroll, or
/// the rows of another filter or order. Only commits are changes.
struct ResultArrival: Sendable, Equatable {
  /// Whether only a part of the former result was loaded.
  var wasPart: Bool
  /// Whether they are the first rows of another filter or order.
  var isNewLook: Bool
  /// Whether filter and order are those of the rows shown before.
  var hasSameLook: Bool
  /// Whether it reflects a commit that the former one doesn't: rows that arrive without a commit
  /// existed before.
  var isNewer: Bool
  /// Whether it is another part of a result with the same number of rows.
  var isOtherPart: Bool

  /// Whether the user moved through the result: its rows are others, but none has changed.
  var isMove: Bool { wasPart && (isNewLook || !isNewer) }

  /// Whether a row that is not among them was removed, and a row that was not, inserted.
  var isSameView: Bool { !isMove && hasSameLook }

  /// Whether nothing changed, so that marks and histories stay.
  ///
  /// A commit that concerns other panels may have been reported since: for it, another part changes
  /// nothing either.
  func isQuiet(isSame: Bool, isReset: Bool) -> Bool {
    (isMove || isOtherPart && isSame && hasSameLook) && !isReset
  }

  /// Whether frames from now on show something else than those before: the rows of another filter
  /// may be of another state, and earlier frames keep theirs.
  func isChange(isQuiet: Bool) -> Bool { !isQuiet || isNewLook && isNewer }
}

/// How a panel's result is drawn.
struct PanelFit: Sendable, Equatable {
  /// The intended view; fixed by the first result with rows, so that the screen does not jump.
  var wanted: ViewKind
  /// The drawn one: a table when the intended one cannot show the result.
  private(set) var kind: ViewKind
  /// Why the result is shown as a table instead of the intended view; nil when it isn't.
  private(set) var misfit: String?
  /// The data of a chart; nil for other views.
  var chart: ChartData?

  init(_ definition: PanelDefinition) {
    wanted = definition.view ?? .table
    kind = wanted
  }

  /// Intends a view, and draws it until a result proves that unfit.
  mutating func intend(_ kind: ViewKind) {
    wanted = kind
    self.kind = kind
  }

  /// Draws the intended view, or a table if there is an obstacle.
  mutating func settle(obstacle: String?) {
    misfit = obstacle
    kind = obstacle == nil ? wanted : .table
  }

  /// Whether the drawn view is not the intended one.
  var isSubstitute: Bool { kind != wanted }
}
