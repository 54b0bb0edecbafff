import ObservationEngine

/// Panels whose result is too long to load: positions are those of the whole result, and only some
/// of its rows are loaded.
extension PanelState {
  /// Whether only some rows are loaded.
  var isPart: Bool { result?.part != nil }

  /// The part whose positions are scrolled through; nil if those of the loaded rows are.
  private var shownPart: RowSet.Part? { isAmongRecorded ? nil : result?.part }

  /// How many rows can be scrolled through.
  var rowCount: Int { shownPart?.total ?? order.count }

  /// How many rows there are, filtered or not.
  var allRowCount: Int { shownPart?.all ?? result?.rows.count ?? 0 }

  /// Whether the rows of another filter or order are being loaded.
  var isLookPending: Bool { isPart && !lens.isRecorded && lens.shown != look }

  /// Whether a filter hides some rows.
  var isFiltered: Bool { shownPart.map { $0.total < $0.all } ?? !filter.isEmpty }

  /// The position of the first loaded row.
  var firstPosition: Int {
    guard let result, let part = shownPart else { return 0 }
    return isTurned ? part.total - part.first - result.rows.count : part.first
  }

  /// The positions of the loaded rows.
  var heldPositions: Range<Int> { firstPosition..<firstPosition + order.count }

  /// The row at a position, as an index into the result; nil while it is not loaded.
  func row(at position: Int) -> Int? {
    let index = position - firstPosition
    return order.indices.contains(index) ? order[index] : nil
  }

  /// The rows in view, as indexes into the result, nil for those that are not loaded; and the
  /// position of the first.
  ///
  /// - Complexity: O(rows in view).
  func rowsInView(_ visible: Int) -> (top: Int, rows: [Int?]) {
    let top = max(0, min(self.top, rowCount - visible))
    return (top, (top..<min(top + visible, rowCount)).map(row(at:)))
  }

  /// The position of a row in the query's result, from 1; nil if a filter or an order hides it.
  func rank(ofRow row: Int) -> Int? {
    guard let part = result?.part else { return row + 1 }
    return lens.shown.isPlain && part.total == part.all ? part.first + row + 1 : nil
  }

  /// Whether a log is reversed.
  var isTurned: Bool {
    let sort = isPart && !lens.isRecorded ? lens.shown.sort : shownSort
    return kind.has(.tail) && sort == nil && isLogTurned ?? false
  }

  /// Determines the direction of a log.
  mutating func settleTurn(of result: RowSet) {
    guard kind.has(.tail) else { return window.isLogTurned = nil }
    // Any loaded rows have the direction of the earlier ones.
    if result.part != nil, isLogTurned != nil || result.rows.count < 2 { return }
    window.isLogTurned = LogOrder.isTurned(result, self)
  }

  /// Whether the user has not scrolled away from the newest rows of a log.
  var isFollowingEnd: Bool { cursor == nil && kind.has(.tail) && growsAtBottom }

  // MARK: Asking

  /// The request to the observation, if any, that loads the rows in view.
  mutating func rowRequest(visible: Int) -> RowRequest? {
    guard let result, let part = result.part else {
      return self.result != nil && lens.hasAsked ? window.lens.askForWhole() : nil
    }
    var view = top..<max(top, min(top + visible, rowCount))
    var isAtEnd = isFollowingEnd && look.sort == nil
    if isLookPending {
      let place = look.isPlain ? window.home?.top ?? 0 : 0
      view = place..<place + visible
      if isLogTurned == true { (view, isAtEnd) = (0..<visible, false) }
    } else if isTurned {
      view = part.total - view.upperBound..<part.total - view.lowerBound
      isAtEnd = false
    }
    let held = part.first..<part.first + order.count
    var request = window.lens.ask(
      for: look, view: view, isAtEnd: isAtEnd, held: held, total: part.total)
    if !look.filter.isEmpty { request?.columns = result.columns }
    return request
  }

  /// Whether rows in view are being loaded.
  func isWaiting(visible: Int) -> Bool {
    guard isPart, !lens.isRecorded, error == nil, staleness == nil else { return false }
    return isLookPending || rowsInView(visible).rows.contains(nil)
  }

  /// Stores the position in the unfiltered, unsorted result.
  mutating func leaveHome() {
    if isPart, look.isPlain, !isLookPending { window.home = viewport.list }
  }

  /// Goes to the start of a filtered or sorted view, or to the stored position in the plain one.
  ///
  /// - Returns: Whether that is known.
  mutating func goHome() -> Bool {
    guard look.isPlain, let place = window.home else {
      viewport.list.moveToStart()
      return false
    }
    window.home = nil
    viewport.list = place
    return true
  }

  // MARK: Views

  /// Why a part of a result is not shown in the intended view; nil when it is.
  func partObstacle(_ kind: ViewKind, _ result: RowSet) -> String? {
    guard let part = result.part else { return nil }
    if !kind.has(.partial) {
      return "no \(kind.rawValue): \(NumberText.grouped(part.all)) rows are too many to be held"
    }
    let measured = definition.formats.first { $0.format.isMeasuredByAll }
    guard kind == .table, let measured else { return nil }
    return "no bars of \(measured.column): they are measured by all rows, and not all are held"
  }
}
