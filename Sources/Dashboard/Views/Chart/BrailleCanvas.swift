/// A picture of dots, two by four to a cell, in the characters that Braille has for them.
struct BrailleCanvas {
  private let size: Size
  private var masks: [UInt8]
  /// Which series drew last in a cell, from 1.
  private var owners: [UInt8]

  init(_ size: Size) {
    self.size = size
    masks = Array(repeating: 0, count: size.width * size.height)
    owners = masks
  }

  var dotWidth: Int { size.width * 2 }
  var dotHeight: Int { size.height * 4 }

  mutating func dot(x: Int, y: Int, series: Int) {
    guard x >= 0, y >= 0, x < dotWidth, y < dotHeight else { return }
    let cell = y / 4 * size.width + x / 2
    masks[cell] |= Self.bits[y % 4 * 2 + x % 2]
    owners[cell] = UInt8(clamping: series + 1)
  }

  /// Puts the dots on a canvas.
  func draw(x: Int, y: Int, roles: [Style.Role], on canvas: inout Canvas) {
    for (cell, mask) in masks.enumerated() where mask != 0 {
      guard let scalar = Unicode.Scalar(0x2800 + UInt32(mask)) else { continue }
      let role = roles[(Int(owners[cell]) - 1) % roles.count]
      canvas.put(
        Character(scalar), x: x + cell % size.width, y: y + cell / size.width, Style(role))
    }
  }

  /// The bits of the dots, row by row: Braille numbers the lowest row last.
  private static let bits: [UInt8] = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
}

/// The points of a straight line on a grid (Bresenham's).
///
/// - Complexity: O(distance).
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
