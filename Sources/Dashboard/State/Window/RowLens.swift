import ObservationEngine

/// What a panel holds of a long result, and what it asks for.
///
///     look wanted ──▶ asked for, with a number ──▶ rows with that number: shown
///                          └─ wanted no more: the next one is asked for, and rows of other numbers are
///                             passed over
struct RowLens: Sendable, Equatable {
  /// What has become known with rows that arrived.
  enum Arrival: Equatable {
    /// Rows of the look that was shown.
    case sameLook
    /// The first rows of another look.
    case newLook
    /// Rows of a look that nobody wants to see.
    case unwanted
  }

  /// How many rows are held at least, when there are so many.
  private static let least = 1_024

  /// What the rows that are shown were made with.
  private(set) var shown = RowRequest.Look()
  /// What the observation reads.
  private(set) var current = RowRequest()
  /// The number of the last look that was asked for.
  private var lastNumber = 0
  /// The number of the rows that are shown; nil when they are of an observation that has ended.
  private var shownNumber: Int? = 0
  /// A new observation has told nothing yet: it may not be there to be asked.
  private var isBeginning = false
  /// Rows of the last look that was asked for came when another one was wanted.
  private var isPassedOver = false
  /// The rows are of a recording, which is asked for nothing: another look is one at the rows at hand.
  private(set) var isRecorded = false

  /// Takes note of a result that came.
  mutating func take(_ rows: RowSet, wanted: RowRequest.Look) -> Arrival {
    isBeginning = false
    guard let part = rows.part else {
      // It comes as the query has it; whoever has all rows can filter and sort them.
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

  /// Takes note of a result of a recording.
  ///
  /// - Parameter look: What it was read with.
  mutating func play(_ rows: RowSet, look: RowRequest.Look) -> Arrival {
    isRecorded = true
    let former = shown
    shown = rows.part == nil ? RowRequest.Look() : look
    return rows.part == nil || shown == former ? .sameLook : .newLook
  }

  /// The panel is observed anew, and what was asked for is forgotten.
  mutating func restart() {
    current = RowRequest()
    shownNumber = nil
    isBeginning = true
    isPassedOver = false
  }

  /// What is to be asked for so that the rows of a view are at hand; nil when nothing is.
  ///
  /// - Parameters:
  ///   - wanted: The look of the view.
  ///   - view: The positions in view, in the order of the result.
  ///   - isAtEnd: Whether the view is to follow the last rows.
  ///   - held: The positions of the rows at hand; of the look that is shown.
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
      // The positions of a look are known with its first rows.
      guard shown == wanted, shownNumber == current.number else { return nil }
      let asked =
        current.first == RowRequest.end
        ? held : min(total, current.first)..<min(total, current.first + current.count)
      next.count = length(for: view)
      next.first =
        isAtEnd ? RowRequest.end : first(around: view, count: next.count, total: total)
      if Self.covers(asked, view, margin: max(1, view.count), total: total) {
        // Rows that are inserted above push the view on. Before they push it out of the window the window
        // is moved, but not with each of them.
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

  /// Whether the rows of a view are among those asked for, and so many before and behind them.
  private static func covers(
    _ asked: Range<Int>, _ view: Range<Int>, margin: Int, total: Int
  ) -> Bool {
    let end = min(total, view.upperBound + margin)
    return max(0, min(end, view.lowerBound - margin)) >= asked.lowerBound && end <= asked.upperBound
  }

  /// What is to be asked for once the whole result is at hand: its own order.
  mutating func askForWhole() -> RowRequest? {
    guard !current.look.isPlain || current.first != 0 else { return nil }
    lastNumber += 1
    current = RowRequest(count: length(for: 0..<0), number: lastNumber)
    shownNumber = lastNumber
    return current
  }

  /// Whether the panel asked for something.
  var hasAsked: Bool { current != RowRequest() }

  private func length(for view: Range<Int>) -> Int {
    // Some pages on both sides of the largest screens.
    let pages = (view.count * 5 + Self.least - 1) / Self.least
    return Self.least * max(1, pages)
  }

  private func first(around view: Range<Int>, count: Int, total: Int) -> Int {
    let middle = view.lowerBound + view.count / 2
    return max(0, min(middle - count / 2, total == .max ? .max : total - count))
  }
}
