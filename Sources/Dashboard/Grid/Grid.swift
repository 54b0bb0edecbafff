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

/// What stands in a cell: a base scalar with at most four combining marks, as many as ncurses keeps
/// in one (`CCHARW_MAX`).
///
/// It holds no reference, as a `Character` may: a screen of cells is filled, copied and compared
/// as numbers are.
package struct CellText: Sendable, Hashable {
  /// The base and its first two marks, of 21 bits each from the lowest on; no mark is U+0000.
  private var first: UInt64
  /// The other two.
  private var last: UInt64 = 0

  private static let bits: UInt64 = 21
  private static let scalar: UInt64 = 0x1f_ffff

  package init(_ scalar: Unicode.Scalar) { first = UInt64(scalar.value) }

  /// A character; what it has beyond its fourth mark is left out.
  package init(_ character: Character) {
    var scalars = character.unicodeScalars.makeIterator()
    first = UInt64(scalars.next()?.value ?? 0x20)
    guard let mark = scalars.next() else { return }
    first |= UInt64(mark.value) << Self.bits
    first |= UInt64(scalars.next()?.value ?? 0) << (2 * Self.bits)
    last = UInt64(scalars.next()?.value ?? 0)
    last |= UInt64(scalars.next()?.value ?? 0) << Self.bits
  }

  package static let blank: CellText = " "

  package var base: Unicode.Scalar { Self.unpacked(first) }

  /// The marks, in their order.
  package var marks: [Unicode.Scalar] {
    guard first > Self.scalar else { return [] }
    return [first >> Self.bits, first >> (2 * Self.bits), last, last >> Self.bits]
      .map(Self.unpacked).filter { $0 != "\0" }
  }

  package var character: Character {
    guard first > Self.scalar else { return Character(base) }
    var text = String(Character(base))
    text.unicodeScalars.append(contentsOf: marks)
    return Character(text)
  }

  private static func unpacked(_ bits: UInt64) -> Unicode.Scalar {
    Unicode.Scalar(UInt32(bits & scalar)) ?? "\u{fffd}"
  }
}

extension CellText: ExpressibleByUnicodeScalarLiteral {
  package init(unicodeScalarLiteral scalar: Unicode.Scalar) { self.init(scalar) }
}
