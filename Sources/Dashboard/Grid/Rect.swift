/// A size in cells; never negative.
package struct Size: Sendable, Hashable {
  package var width: Int
  package var height: Int

  package init(width: Int, height: Int) {
    self.width = max(0, width)
    self.height = max(0, height)
  }
}

/// A rectangle of cells: `x` to the right, `y` downwards, from the upper left corner 0,0.
package struct Rect: Sendable, Hashable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = max(0, width)
    self.height = max(0, height)
  }

  package var size: Size { Size(width: width, height: height) }
  package var isEmpty: Bool { width == 0 || height == 0 }

  /// The rectangle without a margin of `by` cells on each side; empty if nothing remains.
  package func inset(by: Int) -> Rect {
    Rect(x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by)
  }

  /// The middle of the rectangle, of at most `size`.
  func middle(_ size: Size) -> Rect {
    let width = min(size.width, width)
    let height = min(size.height, height)
    return Rect(
      x: x + (self.width - width) / 2, y: y + (self.height - height) / 2, width: width,
      height: height)
  }

  /// The cells from left to right and from top to bottom, counted from the edge of the screen.
  package var columns: Range<Int> { x..<x + width }
  package var rows: Range<Int> { y..<y + height }

  package func contains(x: Int, y: Int) -> Bool { columns.contains(x) && rows.contains(y) }
}
