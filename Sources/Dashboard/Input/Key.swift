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
  /// No key, but it comes the same way, and keeps its place among the keys.
  case mouse(MouseEvent)
}
