/// Numbers drawn large, three pixels wide and five high.
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
    " ": (1, [0b0, 0b0, 0b0, 0b0, 0b0]),
  ]

  /// The size of a pixel.
  enum Scale {
    /// Half a cell: three lines in total.
    case half
    /// Two cells: five lines.
    case double
    /// One cell with a `#`: five lines, for terminals without blocks.
    case ascii

    var height: Int { self == .half ? 3 : 5 }
    var columns: Int { self == .double ? 2 : 1 }
  }

  /// Returns the cells that `text` takes, or nil when it has characters without a shape.
  static func width(_ text: String, scale: Scale) -> Int? {
    var pixels = 0
    for character in text {
      guard let shape = shapes[character] else { return nil }
      pixels += shape.width + 1
    }
    return max(0, pixels - 1) * scale.columns
  }

  static func draw(
    _ text: String, x: Int, y: Int, scale: Scale, _ style: Style, on canvas: inout Canvas
  ) {
    var x = x
    for character in text {
      guard let shape = shapes[character] else { continue }
      for column in 0..<shape.width {
        func isSet(_ row: Int) -> Bool {
          row < 5 && shape.rows[row] >> (shape.width - 1 - column) & 1 == 1
        }
        for line in 0..<scale.height {
          for part in 0..<scale.columns {
            let cell = x + column * scale.columns + part
            switch scale {
            case .half:
              let symbol: Character? =
                switch (isSet(line * 2), isSet(line * 2 + 1)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): nil
                }
              if let symbol { canvas.put(symbol, x: cell, y: y + line, style) }
            case .double: if isSet(line) { canvas.put("█", x: cell, y: y + line, style) }
            case .ascii: if isSet(line) { canvas.put("#", x: cell, y: y + line, style) }
            }
          }
        }
      }
      x += (shape.width + 1) * scale.columns
    }
  }
}
