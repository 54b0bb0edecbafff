import ObservationEngine

/// Which rows of a long result are loaded, and where the user was in it.
struct LongResultWindow: Sendable, Equatable {
  /// Which part of a long result is loaded, and which was requested.
  var lens = RowLens()
  /// Where the user was before a long result was filtered or sorted.
  var home: ScrollingList?
  /// The cursor of a log whose recorded rows are not the newest, while the user has chosen no row.
  var ledCursor: Int?
  /// Whether a log reverses the rows, once that is known; a part does not always show it.
  var isLogTurned: Bool?
}

/// The loaded part of a long result, and the requests for it.
///
///     look wanted ──▶ requested, with a number ──▶ rows with that number: shown
///                          └─ outdated: the next one is requested, and rows of other numbers are
///                             ignored
struct RowLens: Sendable, Equatable {
  /// What arrived with new rows.
  enum Arrival: Equatable {
    /// Rows of the shown look.
    case sameLook
    /// The first rows of another look.
    case newLook
    /// Rows of an outdated look.
    case unwanted
  }

  /// The minimum number of loaded rows, if there are as many.
  private static let least = 1_024

  /// The filter and order of the shown rows.
  private(set) var shown = RowRequest.Look()
  /// What the observation reads.
  private(set) var current = RowRequest()
  /// The number of the last requested look.
  private var lastNumber = 0
  /// The number of the shown rows; nil when they belong to an observation that has ended.
  private var shownNumber: Int? = 0
  /// A new observation has not delivered yet, and may not accept requests.
  private var isBeginning = false
  /// Rows of the last requested look arrived when it was outdated.
  private var isPassedOver = false
  /// The rows are from a recording, which accepts no requests: another look applies to the loaded
  /// rows.
  private(set) var isRecorded = false

  /// Handles an arrived result.
  mutating func take(_ rows: RowSet, wanted: RowRequest.Look) -> Arrival {
    isBeginning = false
    guard let part = rows.part else {
      // It arrives unfiltered and unsorted; with all rows loaded, the panel filters and sorts them
      // itself.
      shown = RowRequest.Look()
      shownNumber = current.look.isPlain ? current.number : nil
      return .sameLook
    }
    if part.window == shownNumber { return .sameLook }
    guard part.window == current.number else { return .unwanted }
    guard current.look != shown else {
      shownNumber = part.window
      return .sameLook
    }
    guard current.look == wanted else {
      isPassedOver = true
      return .unwanted
    }
    (shown, shownNumber) = (wanted, part.window)
    return .newLook
  }

  /// Handles a result of a recording.
  ///
  /// - Parameter look: Its filter and order.
  mutating func play(_ rows: RowSet, look: RowRequest.Look) -> Arrival {
    isRecorded = true
    let former = shown
    shown = rows.part == nil ? RowRequest.Look() : look
    return rows.part == nil || shown == former ? .sameLook : .newLook
  }

  /// The panel is observed again, and earlier requests are dropped.
  mutating func restart() {
    current = RowRequest()
    shownNumber = nil
    isBeginning = true
    isPassedOver = false
  }

  /// The request that loads the rows of a view; nil when none is necessary.
  ///
  /// - Parameters:
  ///   - wanted: The look of the view.
  ///   - view: The positions in view, in the order of the result.
  ///   - isAtEnd: Whether the view follows the last rows.
  ///   - held: The positions of the loaded rows, in the shown look.
  ///   - total: How many rows that look has.
  mutating func ask(
    for wanted: RowRequest.Look, view: Range<Int>, isAtEnd: Bool, held: Range<Int>, total: Int
  ) -> RowRequest? {
    guard !isBeginning else { return nil }
    var next = current
    if current.look != wanted || isPassedOver {
      isPassedOver = false
      lastNumber += 1
      next = RowRequest(count: length(for: view), look: wanted, number: lastNumber)
      next.first = isAtEnd ? RowRequest.end : first(around: view, count: next.count, total: .max)
    } else {
      // The first rows of the new look determine its positions.
      guard shown == wanted, shownNumber == current.number else { return nil }
      let asked =
        current.first == RowRequest.end
        ? held : min(total, current.first)..<min(total, current.first + current.count)
      next.count = length(for: view)
      next.first =
        isAtEnd ? RowRequest.end : first(around: view, count: next.count, total: total)
      if Self.covers(asked, view, margin: max(1, view.count), total: total) {
        // Rows inserted above push the view on. The window moves before they push the view out of
        // it, but not with each of them.
        let isFar = abs(next.first - current.first) >= Self.least / 8
        guard isFar, !Self.covers(asked, view, margin: Self.least / 4, total: total) else {
          return nil
        }
      }
    }
    guard next != current else { return nil }
    current = next
    return next
  }

  /// Whether the rows of a view are among the requested ones, with this many before and after them.
  private static func covers(
    _ asked: Range<Int>, _ view: Range<Int>, margin: Int, total: Int
  ) -> Bool {
    let end = min(total, view.upperBound + margin)
    return max(0, min(end, view.lowerBound - margin)) >= asked.lowerBound && end <= asked.upperBound
  }

  /// The request once the whole result is loaded: its own order.
  mutating func askForWhole() -> RowRequest? {
    guard !current.look.isPlain || current.first != 0 else { return nil }
    lastNumber += 1
    current = RowRequest(count: length(for: 0..<0), number: lastNumber)
    shownNumber = lastNumber
    return current
  }

  /// Whether the panel has requested something.
  var hasAsked: Bool { current != RowRequest() }

  private func length(for view: Range<Int>) -> Int {
    // A few pages on both sides of the largest screens.
    let pages = (view.count * 5 + Self.least - 1) / Self.least
    return Self.least * max(1, pages)
  }

  private func first(around view: Range<Int>, count: Int, total: Int) -> Int {
    let middle = view.lowerBound + view.count / 2
    return max(0, min(middle - count / 2, total == .max ? .max : total - count))
  }
}
