import TestSupport
import Testing

@testable import Dashboard

@Suite struct BrailleCanvasTests {
  /// The numbers of the dots of a cell, as Braille has them.
  private static let numbers = [[1, 4], [2, 5], [3, 6], [7, 8]]

  private struct Shown {
    var numbers: Set<Int> = []
    var series = 0
  }

  @Test(arguments: [
    Size(width: 1, height: 1), Size(width: 7, height: 3), Size(width: 40, height: 12),
  ])
  func `each cell has the character of its dots, and the role of the last one`(_ size: Size) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let roles: [Style.Role] = [.bar, .changed, .inserted]
    for _ in 0..<20 {
      var dots = BrailleCanvas(size)
      var shown: [Int: Shown] = [:]
      for _ in 0..<Int.random(in: 0...size.width * size.height * 4, using: &random) {
        // Some lie outside.
        let x = Int.random(in: -2...size.width * 2 + 1, using: &random)
        let y = Int.random(in: -2...size.height * 4 + 1, using: &random)
        let series = Int.random(in: 0..<5, using: &random)
        dots.dot(x: x, y: y, series: series)
        guard (0..<size.width * 2).contains(x), (0..<size.height * 4).contains(y) else { continue }
        let cell = y / 4 * size.width + x / 2
        shown[cell, default: Shown()].numbers.insert(Self.numbers[y % 4][x % 2])
        shown[cell]?.series = series
      }
      var canvas = Canvas(
        size: Size(width: size.width + 2, height: size.height + 3), glyphs: .unicode)
      dots.draw(x: 1, y: 2, roles: roles, on: &canvas)
      for y in 0..<canvas.grid.size.height {
        for x in 0..<canvas.grid.size.width {
          let isInside = (1...size.width).contains(x) && (2..<size.height + 2).contains(y)
          let dots = isInside ? shown[(y - 2) * size.width + x - 1] : nil
          let expected = dots.map { dots in
            let mask = dots.numbers.reduce(0) { $0 | 1 << ($1 - 1) }
            let scalar = Unicode.Scalar(0x2800 + UInt32(mask)) ?? " "
            return Cell(Character(scalar), Style(roles[dots.series % roles.count]))
          }
          #expect(canvas.grid[x, y] == expected ?? .blank, "\(x),\(y) of seed \(seed)")
        }
      }
    }
  }
}
