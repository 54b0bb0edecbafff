/// A screenful of cells, which views draw, tests compare and drivers write.
package struct Grid: Sendable, Equatable {
  package let size: Size
  /// Row by row, `size.width * size.height` cells.
  package private(set) var cells: [Cell]
  /// Where the terminal's cursor is shown, if anywhere.
  package var cursor: (x: Int, y: Int)?

  package init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank, count: size.width * size.height)
  }

  package subscript(x: Int, y: Int) -> Cell {
    _read { yield cells[y * size.width + x] }
    _modify { yield &cells[y * size.width + x] }
  }

  package static func == (left: Grid, right: Grid) -> Bool {
    left.size == right.size && left.cells == right.cells
      && left.cursor?.x == right.cursor?.x && left.cursor?.y == right.cursor?.y
  }

  /// The text of the screen, line by line, without trailing blanks.
  package var text: String {
    var lines: [String] = []
    for y in 0..<size.height {
      var line = ""
      for x in 0..<size.width where !self[x, y].isContinuation {
        line.append(self[x, y].character)
      }
      while line.last == " " { line.removeLast() }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}

/// One cell of the screen: a base scalar with its combining marks, and its style.
package struct Cell: Sendable, Hashable {
  /// What stands in it; blank in the second half of a wide character.
  package var text: CellText
  package var style: Style
  /// True for the second cell of a wide character, whose first cell is to the left.
  package var isContinuation: Bool

  package init(_ text: CellText, _ style: Style = Style(), isContinuation: Bool = false) {
    self.text = text
    self.style = style
    self.isContinuation = isContinuation
  }

  package init(_ character: Character, _ style: Style = Style()) {
    self.init(CellText(character), style)
  }

  package var character: Character { text.character }

  package static let blank = Cell(CellText.blank)
}
