/// A list's chosen line, and the part of the list that is in view.
///
/// How many lines there are, and how many of them are visible, is known to its owner alone: both
/// change without it.
struct ScrollingList: Sendable, Equatable {
  /// The chosen line; nil for none.
  var cursor: Int?
  /// The first line in view.
  var top = 0

  /// Chooses a line; the view follows as far as necessary.
  ///
  /// - Parameter visible: 0 for a list that is not on the screen.
  mutating func choose(_ line: Int, of count: Int, visible: Int) {
    let line = min(max(0, line), max(0, count - 1))
    cursor = line
    if line < top { top = line }
    if visible > 0, line >= top + visible { top = line - visible + 1 }
    top = min(top, Self.lastTop(of: count, visible: visible))
  }

  /// Chooses another line; while none is chosen, it counts from the first.
  mutating func choose(by step: Int, of count: Int, visible: Int) {
    choose((cursor ?? 0) + step, of: count, visible: visible)
  }

  /// Moves the view; the chosen line stays where it is.
  mutating func scroll(by lines: Int, of count: Int, visible: Int) {
    top = min(max(0, top + lines), Self.lastTop(of: count, visible: visible))
  }

  /// Chooses the nearest line in view, if one is chosen.
  mutating func keepCursorInView(visible: Int) {
    guard let cursor, visible > 0 else { return }
    self.cursor = min(max(cursor, top), top + visible - 1)
  }

  /// Keeps the last lines and the chosen one in view when list or screen shrink.
  mutating func clamp(of count: Int, visible: Int) {
    top = min(top, Self.lastTop(of: count, visible: visible))
    if let cursor, visible > 0, cursor >= top + visible { top = cursor - visible + 1 }
  }

  /// Chooses the first line, and shows it.
  mutating func moveToStart() { self = ScrollingList(cursor: cursor.map { _ in 0 }) }

  /// A line was added before all others: a view that is not at the start stays on its lines.
  mutating func prepend() {
    if let line = cursor, line > 0 { cursor = line + 1 }
    if top > 0 { top += 1 }
  }

  /// The first line in view when the last one is.
  private static func lastTop(of count: Int, visible: Int) -> Int {
    max(0, count - max(1, visible))
  }

  /// The first line in view of a short list that always begins at its start, and scrolls as far as
  /// the chosen line requires.
  static func top(showing line: Int, of count: Int, visible: Int) -> Int {
    min(max(0, line - visible + 1), max(0, count - visible))
  }
}
