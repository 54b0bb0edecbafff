extension TerminalEmulator {
  /// What happened between the beginning of a synchronized update and its end.
  struct Frame {
    /// The screen before and after.
    var before: [TerminalCell]
    var after: [TerminalCell] = []
    /// Each value that was put into a cell, in order.
    var writes: [(cell: Int, value: TerminalCell)] = []
    var bytes: [UInt8] = []
    /// Whether the whole screen was erased.
    var clears = false
    /// How often the cursor moved, or something was written, while the cursor could be seen.
    var visibleMoves = 0
  }
}

extension TerminalEmulator.Frame {
  /// What a person would see flicker while this frame arrives byte by byte, on a terminal that shows
  /// each of them: a cell with a value of neither the frame before nor the frame after, or a cursor that
  /// jumps about.
  ///
  /// - Complexity: O(bytes written).
  func flickers(width: Int) -> [String] {
    var found: [String] = []
    for (index, value) in writes where index < before.count && index < after.count {
      let seen = value.visible
      let (former, next) = (before[index].visible, after[index].visible)
      // A wide character loses both halves with one, and a mark comes after its letter: no order of
      // writing avoids that.
      let isHalf =
        seen.text == " "
        && (former.text.isEmpty || index + 1 < before.count && before[index + 1].text.isEmpty)
      let isLetter = next.text.unicodeScalars.starts(with: seen.text.unicodeScalars)
      if seen != former, seen != next, !isHalf, !isLetter || seen.look != next.look {
        found.append(
          "\(index % width),\(index / width): \(before[index]), \(value), \(after[index])")
      }
    }
    if visibleMoves > 0 { found.append("the cursor is seen to move \(visibleMoves) times") }
    if clears { found.append("the screen is cleared") }
    return found
  }
}
