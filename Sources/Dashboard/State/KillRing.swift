/// What was cut out of the line last, to be put in again elsewhere.
struct KillRing: Sendable, Equatable {
  private(set) var text = ""
  /// Whether the last key cut too: then the next cut adds to it.
  private var isContinuing = false

  /// Keeps what was cut.
  ///
  /// - Parameter isBackward: Whether it stood before the cursor.
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

  /// Another key came: the next cut begins anew.
  mutating func pause() { isContinuing = false }
}
