/// One key press, or an equivalent input.
package enum Key: Sendable, Hashable {
  /// A character as typed, without control; `Character` because marks may combine.
  case character(Character)
  /// Ctrl with a lowercase letter.
  case control(Character)
  /// Alt (or Escape before) with a character.
  case alt(Character)
  case enter, altEnter, tab, backTab, escape, backspace, delete, insert
  case up, down, left, right, home, end, pageUp, pageDown
  case wordLeft, wordRight
  case function(Int)
  /// Text pasted in one piece (bracketed paste).
  case paste(String)
  /// A paste of this many bytes, more than ``pasteLimit``: none of it is delivered.
  case longPaste(bytes: Int)
  /// Not a key, but it arrives the same way, and keeps its place among the keys.
  case mouse(MouseEvent)

  /// The maximum bytes of one paste: enough for any statement. A longer one is dropped completely,
  /// since half a script is a different script.
  package static let pasteLimit = 1 << 20
}

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

/// A movement through lines, whatever they are lines of.
enum Motion: Sendable {
  case down, up, pageDown, pageUp, halfDown, halfUp, first, last

  /// How many lines it goes down: more than there are for the ends.
  func lines(page: Int, half: Int) -> Int {
    switch self {
    case .down: 1
    case .up: -1
    case .pageDown: max(1, page)
    case .pageUp: -max(1, page)
    case .halfDown: max(1, half)
    case .halfUp: -max(1, half)
    case .first: -(1 << 40)
    case .last: 1 << 40
    }
  }

  /// The same through a view of so many lines: a page leaves one line in view.
  func lines(visible: Int) -> Int { lines(page: visible - 1, half: visible / 2) }
}
