/// The text last cut, to be inserted elsewhere.
struct KillRing: Sendable, Equatable {
  private(set) var text = ""
  /// Whether the last key also cut: then the next cut adds to it.
  private var isContinuing = false

  /// Stores the cut text.
  ///
  /// - Parameter isBackward: Whether it was before the cursor.
  mutating func keep(_ cut: String, isBackward: Bool) {
    if !isContinuing {
      text = cut
    } else if isBackward {
      text = cut + text
    } else {
      text += cut
    }
    isContinuing = true
  }

  /// Another key was pressed: the next cut starts a new text.
  mutating func pause() { isContinuing = false }
}
