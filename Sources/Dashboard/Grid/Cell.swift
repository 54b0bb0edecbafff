/// One cell of the screen: a base scalar with its combining marks, and its style.
package struct Cell: Sendable, Hashable {
  /// The character in it. The second half of a wide character is ``continuation``.
  package var character: Character
  package var style: Style
  /// True for the second cell of a wide character, whose first cell is to the left.
  package var isContinuation: Bool

  package init(_ character: Character, _ style: Style = Style(), isContinuation: Bool = false) {
    self.character = character
    self.style = style
    self.isContinuation = isContinuation
  }

  package static let blank = Cell(" ")
}
