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
