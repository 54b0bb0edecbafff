import ObservationEngine

/// Panels whose result is too long to be held: positions are those of the whole result, and only some of
/// its rows are at hand.
extension PanelState {
  /// Which rows the person wants to see, and in which order.
  var look: RowRequest.Look { RowRequest.Look(filter: filter, sort: sort) }

  /// Whether only some rows are at hand.
  var isPart: Bool { result?.part != nil }

  /// The part whose positions are scrolled through; nil where those of the rows at hand are.
  private var shownPart: RowSet.Part? { isAmongRecorded ? nil : result?.part }

  /// How many rows can be scrolled through.
  var rowCount: Int { shownPart?.total ?? order.count }

  /// How many rows there are, filtered or not.
  var allRowCount: Int { shownPart?.all ?? result?.rows.count ?? 0 }

  /// Whether the rows of another filter or order are on their way.
  var isLookPending: Bool { isPart && !lens.isRecorded && lens.shown != look }

  /// Whether some rows are left out by a filter.
  var isFiltered: Bool { shownPart.map { $0.total < $0.all } ?? !filter.isEmpty }

  /// The position of the first row at hand.
  var firstPosition: Int {
    guard let result, let part = shownPart else { return 0 }
    return isTurned ? part.total - part.first - result.rows.count : part.first
  }

  /// The positions of the rows at hand.
  var heldPositions: Range<Int> { firstPosition..<firstPosition + order.count }

  /// The row at a position, as an index into the result; nil while it is not at hand.
  func row(at position: Int) -> Int? {
    let index = position - firstPosition
    return order.indices.contains(index) ? order[index] : nil
  }

  /// The rows in view, as indexes into the result, nil for those that are not at hand; and the position of
  /// the first.
  ///
  /// - Complexity: O(rows in view).
  func rowsInView(_ visible: Int) -> (top: Int, rows: [Int?]) {
    let top = max(0, min(self.top, rowCount - visible))
    return (top, (top..<min(top + visible, rowCount)).map(row(at:)))
  }

  /// The place of a row in the query's result, from 1; nil where a filter or an order hides it.
  func rank(ofRow row: Int) -> Int? {
    guard let part = result?.part else { return row + 1 }
    return lens.shown.isPlain && part.total == part.all ? part.first + row + 1 : nil
  }

  /// Whether a log stands upside down.
  var isTurned: Bool {
    let sort = isPart && !lens.isRecorded ? lens.shown.sort : shownSort
    return kind == .log && sort == nil && isLogTurned ?? false
  }

  /// Finds out in which direction a log runs.
  mutating func settleTurn(of result: RowSet) {
    guard kind == .log else { return isLogTurned = nil }
    // Whatever rows are at hand, they run as those before.
    if result.part != nil, isLogTurned != nil || result.rows.count < 2 { return }
    isLogTurned = LogOrder.isTurned(result, self)
  }

  /// Whether nobody has scrolled away from the newest rows of a log.
  var isFollowingEnd: Bool { cursor == nil && kind == .log && growsAtBottom }

  // MARK: Asking

  /// What to ask the observation for now, so that the rows in view come.
  mutating func rowRequest(visible: Int) -> RowRequest? {
    guard let part = result?.part else {
      return result != nil && lens.hasAsked ? lens.askForWhole() : nil
    }
    var view = top..<max(top, min(top + visible, rowCount))
    var isAtEnd = isFollowingEnd && look.sort == nil
    if isLookPending {
      let place = look.isPlain ? home?.top ?? 0 : 0
      view = place..<place + visible
      if isLogTurned == true { (view, isAtEnd) = (0..<visible, false) }
    } else if isTurned {
      view = part.total - view.upperBound..<part.total - view.lowerBound
      isAtEnd = false
    }
    let held = part.first..<part.first + order.count
    return lens.ask(
      for: look, view: view, isAtEnd: isAtEnd, held: held, total: part.total)
  }

  /// Whether rows in view are on their way.
  func isWaiting(visible: Int) -> Bool {
    guard isPart, !lens.isRecorded, error == nil, staleness == nil else { return false }
    return isLookPending || rowsInView(visible).rows.contains(nil)
  }

  /// Remembers the place in the result as the query has it.
  mutating func leaveHome() {
    if isPart, look.isPlain, !isLookPending { home = Home(top: top, cursor: cursor) }
  }

  /// Goes where a new look begins, or where the person was before in the plain one.
  ///
  /// - Returns: Whether that is known.
  mutating func goHome() -> Bool {
    guard look.isPlain, let place = home else {
      top = 0
      cursor = cursor.map { _ in 0 }
      return false
    }
    home = nil
    top = place.top
    cursor = place.cursor
    return true
  }

  // MARK: Views

  /// Why a part of a result is not shown as the panel means it; nil when it is.
  func partObstacle(_ kind: ViewKind, _ result: RowSet) -> String? {
    guard let part = result.part else { return nil }
    if kind != .table, kind != .log {
      return "no \(kind.rawValue): \(NumberText.grouped(part.all)) rows are too many to be held"
    }
    let measured = definition.formats.first { $0.format.isMeasuredByAll }
    guard kind == .table, let measured else { return nil }
    return "no bars of \(measured.column): they are measured by all rows, and not all are held"
  }
}
