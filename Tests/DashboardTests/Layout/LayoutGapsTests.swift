import Testing

@testable import Dashboard

@Suite struct LayoutGapsTests {
  private func closed(_ rows: String..., without hidden: String...) -> [String] {
    let layout = rows.map { row in
      row.split(separator: " ").map { $0 == "." ? nil : String($0) }
    }
    return LayoutGaps.closed(layout, without: hidden)
      .map { $0.map { $0 ?? "." }.joined(separator: " ") }
  }

  @Test func `a neighbour whose side is as long takes over the room`() {
    #expect(closed("a b", "c b", without: "b") == ["a", "c"])
    #expect(closed("a b", "c d", without: "b") == ["a a", "c d"])
    #expect(closed("b a", "c c", without: "b") == ["a a", "c c"])
    #expect(closed("a b c", "d b e", without: "b") == ["a c", "d e"])
    // Both a and d end where b does.
    #expect(closed("a b c", "d b e", "f f f", without: "b") == ["a a c", "d d e", "f f f"])
    // To the left, a reaches further down than b; above there is nothing, and d is wider.
    #expect(closed("a b c", "a d d", without: "b") == ["a c c", "a d d"])
    // Its row is all of it.
    #expect(closed("a a", "b b", without: "b") == ["a a"])
    #expect(closed("b b", "a c", "d d", without: "b") == ["a c", "d d"])
  }

  @Test func `a row or a column that is left empty disappears`() {
    #expect(closed("a", "b", without: "a", "b") == [])
    #expect(closed("a . b", without: "b") == ["a ."])
    #expect(closed("a a", ". b", without: "b") == ["a a"])
    #expect(closed("a .", without: "x") == ["a ."])
  }

  @Test func `a pinwheel keeps a free cell in its middle`() {
    let pinwheel = ["a a b", "d x b", "d c c"]
    #expect(
      closed(pinwheel[0], pinwheel[1], pinwheel[2], without: "x") == ["a a b", "d . b", "d c c"])
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `what is left is rectangles`(_ seed: UInt64) {
    var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ limit: Int) -> Int {
      random ^= random << 13
      random ^= random >> 7
      random ^= random << 17
      return Int(random % UInt64(limit))
    }
    // Halve rectangles at random until there are some.
    var layout = Array(repeating: Array<Int?>(repeating: 0, count: 4), count: 4)
    for name in 1...6 {
      let cell = layout[next(4)][next(4)]
      let rows = layout.indices.filter { layout[$0].contains(cell) }
      let columns = (0..<4).filter { column in rows.contains { layout[$0][column] == cell } }
      if next(2) == 0, rows.count > 1 {
        let cut = rows[1 + next(rows.count - 1)]
        for row in rows where row >= cut { for column in columns { layout[row][column] = name } }
      } else if columns.count > 1 {
        let cut = columns[1 + next(columns.count - 1)]
        for row in rows { for column in columns where column >= cut { layout[row][column] = name } }
      }
    }
    let all = Set(layout.joined().compactMap { $0 })
    let hidden = all.filter { _ in next(3) == 0 }.sorted()
    let left = LayoutGaps.closed(layout, without: hidden)
    #expect(Set(left.joined().compactMap { $0 }) == all.subtracting(hidden), "seed \(seed)")
    for cell in all.subtracting(hidden) {
      let rows = left.indices.filter { left[$0].contains(cell) }
      let columns = left[rows[0]].indices.filter { left[rows[0]][$0] == cell }
      let count = left.joined().count { $0 == cell }
      #expect(count == rows.count * columns.count, "seed \(seed)")
    }
  }
}
