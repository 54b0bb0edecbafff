/// One key press, or what stands in for one.
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
  /// A paste of so many bytes, more than ``pasteLimit``: nothing is there of it.
  case longPaste(bytes: Int)
  /// No key, but it comes the same way, and keeps its place among the keys.
  case mouse(MouseEvent)

  /// As many bytes are taken of one paste: enough for any statement. Of a longer one nothing is, since half
  /// a script is another script.
  package static let pasteLimit = 1 << 20
}
