import ObservationEngine

/// What a panel holds of a long result, and what it asks for.
///
///     look wanted ──▶ asked for ──▶ answered: shown
///                          └─ wanted no more: left unshown, and the next one asked for
///
/// Nothing in a part of a result says for which filter and order it was made, and one that equals the
/// last one is not delivered at all. So windows of different looks differ in length, by which the answer is
/// known, and one look is asked for at a time. Few rows that pass a filter fill no window; from those the
/// way to another filter leads through the plain result, which always does.
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

  /// How many rows are held at least, when there are so many; lengths of windows are this plus a remainder.
  private static let least = 1_024
  private static let remainders = 256

  /// What the rows that are shown were made with.
  private(set) var shown = RowRequest.Look()
  /// What the observation reads.
  private(set) var current = RowRequest()
  /// Counts the looks that were asked for.
  private var number = 0
  /// The last of them of which rows came, what it was, and whether those were all of its rows.
  private var answered = 0
  private var answeredLook = RowRequest.Look()
  private var isEntire = false

  /// Whether rows of a look are on their way.
  var isUnderWay: Bool { number != answered }

  /// Takes note of a result that came.
  mutating func take(_ rows: RowSet, wanted: RowRequest.Look) -> Arrival {
    guard let part = rows.part else {
      // Whoever has all rows filters them; the order is that which was asked for.
      shown = RowRequest.Look(sort: current.look.sort)
      return .sameLook
    }
    if isUnderWay, current.fits(rows, part) {
      answered = number
      answeredLook = current.look
    }
    isEntire = rows.rows.count == part.total
    if answeredLook == shown { return .sameLook }
    guard answeredLook == wanted else { return .unwanted }
    shown = wanted
    return .newLook
  }

  /// The panel is observed anew, and what was asked for is forgotten.
  mutating func restart() {
    number += 1
    current = RowRequest()
  }

  /// What is to be asked for so that the rows of a view are at hand; nil when nothing is.
  ///
  /// - Parameters:
  ///   - wanted: The look of the view.
  ///   - view: The positions in view, in the order of the result.
  ///   - isAtEnd: Whether the view is to follow the last rows.
  ///   - held: The positions of the rows at hand; of the look that is shown.
  ///   - total: How many rows that look has.
  ///   - isStuck: Whether what was asked for may not come for long.
  mutating func ask(
    for wanted: RowRequest.Look, view: Range<Int>, isAtEnd: Bool, held: Range<Int>, total: Int,
    isStuck: Bool
  ) -> RowRequest? {
    var next = current
    if shown == wanted, answeredLook == wanted, !isUnderWay {
      let asked =
        current.first == RowRequest.end
        ? held : min(total, current.first)..<min(total, current.first + current.count)
      next.count = length(for: view, number)
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
    } else {
      guard !isUnderWay || isStuck && current.look != wanted else { return nil }
      // What is stuck is not waited for: better the right rows without knowing it at once.
      let isDetour = isEntire && !wanted.isPlain && !isUnderWay
      let look = isDetour ? RowRequest.Look() : wanted
      number += 1
      next = RowRequest(count: length(for: view, number), look: look)
      next.first = isAtEnd ? RowRequest.end : first(around: view, count: next.count, total: .max)
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
    number += 1
    current = RowRequest(count: length(for: 0..<0, number))
    return current
  }

  /// Whether the panel asked for something.
  var hasAsked: Bool { current != RowRequest() }

  private func length(for view: Range<Int>, _ number: Int) -> Int {
    // Some pages on both sides of the largest screens.
    let pages = (view.count * 5 + Self.least - 1) / Self.least
    return Self.least * max(1, pages) + number % Self.remainders
  }

  private func first(around view: Range<Int>, count: Int, total: Int) -> Int {
    let middle = view.lowerBound + view.count / 2
    return max(0, min(middle - count / 2, total == .max ? .max : total - count))
  }
}
