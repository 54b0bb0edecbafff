/// An image of dots, two by four per cell, drawn with Braille characters.
struct BrailleCanvas {
  /// How many dots a cell has vertically.
  static let dotsPerRow = 4

  private let size: Size
  /// The dots of each cell in the low byte, and in the high byte the series that last drew there,
  /// from 1.
  private var cells: [UInt16]

  init(_ size: Size) {
    self.size = size
    cells = Array(repeating: 0, count: size.width * size.height)
  }

  var dotWidth: Int { size.width * 2 }
  var dotHeight: Int { size.height * Self.dotsPerRow }

  mutating func dot(x: Int, y: Int, series: Int) { line(from: (x, y), to: (x, y), series: series) }

  /// Draws a straight line; parts outside are omitted.
  ///
  /// - Complexity: O(distance).
  mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int), series: Int) {
    let owner = UInt16(UInt8(clamping: series + 1)) << 8
    let (width, dotWidth, dotHeight) = (size.width, dotWidth, dotHeight)
    // A chart has tens of thousands of dots, so the array is accessed once per line.
    cells.withUnsafeMutableBufferPointer { cells in
      forEachPoint(from: start, to: end) { x, y in
        guard x >= 0, y >= 0, x < dotWidth, y < dotHeight else { return }
        let cell = (y >> 2) * width + (x >> 1)
        let bit = Self.bits >> UInt64(truncatingIfNeeded: (y & 3) << 4 | (x & 1) << 3)
        cells[cell] = owner | (cells[cell] & 0xff) | UInt16(truncatingIfNeeded: bit & 0xff)
      }
    }
  }

  /// Puts the dots on a canvas.
  ///
  /// - Parameter glows: Whether dots are the brighter the higher they are; several series need their
  ///   own colours.
  func draw(x: Int, y: Int, roles: [Style.Role], glows: Bool = false, on canvas: inout Canvas) {
    let characters = Self.characters
    var cell = 0
    for row in 0..<size.height {
      let tint = glows ? Tint(.glow, row: row, of: size.height) : nil
      for column in 0..<size.width {
        defer { cell += 1 }
        let (mask, owner) = (Int(cells[cell] & 0xff), Int(cells[cell] >> 8))
        guard mask != 0 else { continue }
        canvas.put(
          characters[mask], x: x + column, y: y + row, 
          Style(roles[(owner - 1) % roles.count], tint: tint))
      }
    }
  }

  /// The bits of a cell's eight dots, one byte each, row by row: Braille numbers the lowest row
  /// last.
  private static var bits: UInt64 { 0x8040_2004_1002_0801 }

  /// The character for each combination of dots.
  private static let characters: [Character] = (0...255 as ClosedRange<UInt32>).map {
    Character(Unicode.Scalar(0x2800 + $0) ?? " ")
  }
}

/// The points of a straight line on a grid (Bresenham's).
///
/// - Complexity: O(distance).
@inline(__always)
func forEachPoint(
  from start: (x: Int, y: Int), to end: (x: Int, y: Int), _ body: (_ x: Int, _ y: Int) -> Void
) {
  let dx = abs(end.x - start.x)
  let dy = -abs(end.y - start.y)
  let stepX = start.x < end.x ? 1 : -1
  let stepY = start.y < end.y ? 1 : -1
  var (x, y) = start
  var error = dx + dy
  while true {
    body(x, y)
    if x == end.x, y == end.y { return }
    let twice = 2 * error
    if twice >= dy {
      error += dy
      x += stepX
    }
    if twice <= dx {
      error += dx
      y += stepY
    }
  }
}
