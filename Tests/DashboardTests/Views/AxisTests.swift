import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

/// The vertical scales of charts.
@Suite struct AxisTests {
  /// The rows of the ticks in a drawn panel, from the top.
  private func ticks(_ panel: PanelState, height: Int, glyphs: GlyphSet) -> [Int] {
    let grid = drawn(panel, width: 60, height: height, glyphs: glyphs)
    let axis = (1..<20).first { x in
      (1..<height - 1).contains { grid[x, $0].character == Symbols(glyphs).axis.origin }
    }
    guard let axis else { return [] }
    let tick: Set<Character> = glyphs == .ascii ? ["+"] : ["┤", "┼"]
    return (1..<height - 1).filter { y in
      tick.contains(grid[axis, y].character) && grid[axis - 1, y].character.isNumber
    }
  }

  @Test(arguments: ["line", "line min=0", "line min=0 max=100%", "line min=10 max=70"])
  func `neighbouring ticks are the same number of rows apart, at every height`(_ view: String) {
    var random = SeededRandom(seed: 11)
    for height in 7...60 {
      let top = Double.random(in: 1...1e6, using: &random)
      let values = (0..<20).map { _ in Double.random(in: 0...top, using: &random) }
      let options = view.dropFirst(4).replacing("100%", with: "100")
      let panel = panel(
        Sample.panel("p", .line, String(options)), Sample.minutes(["v": values]))
      for glyphs in [GlyphSet.unicode, .ascii] {
        let rows = ticks(panel, height: height, glyphs: glyphs)
        #expect(rows.count >= 2, "\(view) at \(height), \(glyphs)")
        let steps = Set(zip(rows, rows.dropFirst()).map { $1 - $0 })
        #expect(steps.count == 1, "\(view) at \(height), \(glyphs): \(rows)")
        #expect(steps.allSatisfy { $0 >= 2 }, "\(view) at \(height), \(glyphs): \(rows)")
      }
    }
  }
}
