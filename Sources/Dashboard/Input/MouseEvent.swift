/// A mouse action at a cell of the screen.
package struct MouseEvent: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// The left button went down.
    case press
    /// The mouse moved while the button was down.
    case drag
    case release
    case wheelUp, wheelDown
    /// A horizontal wheel.
    case wheelLeft, wheelRight
  }

  package var kind: Kind
  /// The cell, from 0; it may be outside the screen.
  package var x: Int
  package var y: Int

  package init(_ kind: Kind, x: Int, y: Int) {
    self.kind = kind
    self.x = x
    self.y = y
  }
}
