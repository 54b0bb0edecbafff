/// Numbers drawn large, of pixels five high, with their currency, percent sign and unit.
///
///     ▄█    ▀▀█   █▄█▄█
///      █    ▄▄█   █ ▀ █
///     ▀▀▀ ▀ ▀▀▀   ▀   ▀
enum BigDigits {
  /// Rows of pixels from the top, the leftmost pixel in the highest bit.
  private static let shapes: [Character: (width: Int, rows: [UInt8])] = [
    "0": (3, [0b111, 0b101, 0b101, 0b101, 0b111]),
    "1": (3, [0b010, 0b110, 0b010, 0b010, 0b111]),
    "2": (3, [0b111, 0b001, 0b111, 0b100, 0b111]),
    "3": (3, [0b111, 0b001, 0b111, 0b001, 0b111]),
    "4": (3, [0b101, 0b101, 0b111, 0b001, 0b001]),
    "5": (3, [0b111, 0b100, 0b111, 0b001, 0b111]),
    "6": (3, [0b111, 0b100, 0b111, 0b101, 0b111]),
    "7": (3, [0b111, 0b001, 0b001, 0b010, 0b010]),
    "8": (3, [0b111, 0b101, 0b111, 0b101, 0b111]),
    "9": (3, [0b111, 0b101, 0b111, 0b001, 0b111]),
    "-": (3, [0b000, 0b000, 0b111, 0b000, 0b000]),
    "+": (3, [0b000, 0b010, 0b111, 0b010, 0b000]),
    "e": (3, [0b000, 0b111, 0b111, 0b100, 0b111]),
    ".": (1, [0b0, 0b0, 0b0, 0b0, 0b1]),
    ",": (2, [0b00, 0b00, 0b00, 0b01, 0b10]),
    ":": (1, [0b0, 0b1, 0b0, 0b1, 0b0]),
    // With the pixels on both sides, a gap that separates groups of digits and nothing more.
    " ": (0, [0, 0, 0, 0, 0]),
    "%": (3, [0b101, 0b001, 0b010, 0b100, 0b101]),
    "$": (5, [0b01111, 0b10100, 0b01110, 0b00101, 0b11110]),
    "€": (5, [0b00111, 0b01000, 0b11110, 0b01000, 0b00111]),
    "£": (4, [0b0011, 0b0100, 0b1110, 0b0100, 0b1111]),
    "¥": (3, [0b101, 0b101, 0b010, 0b111, 0b010]),
    "k": (3, [0b100, 0b101, 0b110, 0b101, 0b101]),
    "M": (5, [0b10001, 0b11011, 0b10101, 0b10001, 0b10001]),
    "G": (4, [0b0111, 0b1000, 0b1011, 0b1001, 0b0111]),
    "T": (3, [0b111, 0b010, 0b010, 0b010, 0b010]),
  ]

  /// Large only by themselves: the M of `5 MB` is not.
  private static let signs: Set<String> = ["%", "$", "€", "£", "¥", "k", "M", "G", "T"]

  /// The size of a pixel.
  struct Scale: Comparable {
    /// Cells from left to right.
    let columns: Int
    /// Halves of a line; a whole line where there are no characters for halves.
    private let halves: Int
    let isASCII: Bool

    private init(_ size: Int, isASCII: Bool = false) {
      columns = size
      halves = isASCII ? 2 : size
      self.isASCII = isASCII
    }

    /// One half cell: three lines in total.
    static let half = Scale(1)
    /// Two cells: five lines.
    static let double = Scale(2)
    /// One cell with a `#`: five lines, for terminals without blocks.
    static let ascii = Scale(1, isASCII: true)

    /// All sizes, the largest first.
    static func all(_ glyphs: GlyphSet) -> [Scale] {
      glyphs == .ascii ? [.ascii] : [Scale(6), Scale(4), Scale(3), .double, .half]
    }

    /// Lines in total.
    var height: Int { (5 * halves + 1) / 2 }
    /// Free cells that the size needs around it, on each side and in total from top to bottom.
    var margin: (columns: Int, lines: Int) { columns == 1 ? (0, 0) : columns == 2 ? (4, 2) : (6, 4) }

    /// The row of pixels at a half of a line.
    fileprivate func row(_ half: Int) -> Int { half / halves }

    static func < (left: Scale, right: Scale) -> Bool { left.columns < right.columns }
  }

  /// A part of a text.
  private enum Piece {
    case large(String)
    /// A unit, as plain text on the base line.
    case small(String)
  }

  /// The parts of a text; empty for one without digits.
  private static func pieces(_ text: String) -> [Piece] {
    guard text.contains(where: \.isNumber) else { return [] }
    var pieces: [Piece] = []
    var rest = Substring(text)
    while let first = rest.first {
      let isLarge = isDigit(first) || first == " "
      let end = rest.firstIndex { (isDigit($0) || $0 == " ") != isLarge } ?? rest.endIndex
      let part = String(rest[..<end])
      rest = rest[end...]
      if isLarge {
        pieces.append(.large(part))
      } else {
        pieces.append(signs.contains(part) ? .large(part) : .small(part))
      }
    }
    return pieces
  }

  private static func isDigit(_ character: Character) -> Bool {
    switch character {
    case "0"..."9", "-", "+", ".", ",", ":": true
    default: false
    }
  }

  /// Returns the cells that `text` takes, or nil when it has no digits.
  static func width(_ text: String, scale: Scale, glyphs: GlyphSet = .unicode) -> Int? {
    // Powers of ten keep their e.
    let pieces = pieces(text)
    guard !pieces.isEmpty else { return nil }
    return pieces.reduce(-scale.columns) { total, piece in
      switch piece {
      case .large(let text): total + pixels(text) * scale.columns
      case .small(let text): total + DisplayText.width(text, glyphs: glyphs) + scale.columns
      }
    }
  }

  /// The pixels of a text with one after each character.
  private static func pixels(_ text: String) -> Int {
    text.reduce(0) { $0 + (shapes[$1].map { $0.width + 1 } ?? 0) }
  }

  static func draw(
    _ text: String, x: Int, y: Int, scale: Scale, _ style: Style, on canvas: inout Canvas
  ) {
    var x = x
    for piece in pieces(text) {
      switch piece {
      case .large(let text):
        for character in text {
          guard let shape = shapes[character] else { continue }
          draw(shape, x: x, y: y, scale, style, on: &canvas)
          x += (shape.width + 1) * scale.columns
        }
      case .small(let text):
        x += canvas.write(
          text, x: x, y: y + scale.height - 1, width: canvas.grid.size.width - x, style)
        x += scale.columns
      }
    }
  }

  private static func draw(
    _ shape: (width: Int, rows: [UInt8]), x: Int, y: Int, _ scale: Scale, _ style: Style,
    on canvas: inout Canvas
  ) {
    for column in 0..<shape.width {
      func isSet(_ half: Int) -> Bool {
        let row = scale.row(half)
        return row < 5 && shape.rows[row] >> (shape.width - 1 - column) & 1 == 1
      }
      for line in 0..<scale.height {
        let symbol: Character? =
          switch (isSet(line * 2), isSet(line * 2 + 1)) {
          case (true, true): scale.isASCII ? "#" : "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): nil
          }
        guard let symbol else { continue }
        for part in 0..<scale.columns {
          canvas.put(symbol, x: x + column * scale.columns + part, y: y + line, style)
        }
      }
    }
  }
}
