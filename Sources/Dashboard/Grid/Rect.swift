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
}
