import Testing

@testable import Dashboard

@Suite struct ArrangementTests {
  private let area = Rect(x: 0, y: 1, width: 80, height: 11)

  @Test func `a layout matrix divides the area and repeated names span`() throws {
    var arrangement = Arrangement()
    let arranged = arrangement.matrix([[0, 0, 1], [0, 0, 2]], in: area)
    let frames = try #require(arranged)
    #expect(
      frames == [
        0: Rect(x: 0, y: 1, width: 54, height: 11), 1: Rect(x: 54, y: 1, width: 26, height: 6),
        2: Rect(x: 54, y: 7, width: 26, height: 5),
      ])
  }

  @Test func `a layout with panels too small to use is not followed`() {
    var arrangement = Arrangement()
    #expect(arrangement.matrix([[0, 1, 2, 3, 4]], in: area) == nil)
    #expect(arrangement.matrix([[Int?]](), in: area) == nil)
    #expect(arrangement.dividers == [])
  }

  @Test func `tables stand left, numbers and bars beside them`() {
    var arrangement = Arrangement()
    #expect(
      arrangement.automatic([.number, .table, .bar], in: area) == [
        Rect(x: 50, y: 1, width: 30, height: 6), Rect(x: 0, y: 1, width: 50, height: 11),
        Rect(x: 50, y: 7, width: 30, height: 5),
      ])
  }

  @Test func `tables that would be low stand next to each other, if they are wide enough`() {
    let kinds = Array(repeating: ViewKind.table, count: 7) + [.number]
    func tables(in area: Rect) -> [Rect]? {
      var arrangement = Arrangement()
      return arrangement.automatic(kinds, in: area)?.dropLast()
    }
    let wide = tables(in: Rect(x: 0, y: 1, width: 120, height: 38))
    #expect(wide?.map(\.width) == [38, 37, 38, 37, 38, 37, 75])
    #expect(wide?.map(\.height) == [10, 10, 9, 9, 10, 10, 9])
    let high = tables(in: Rect(x: 0, y: 1, width: 120, height: 49))
    #expect(high?.map(\.width) == Array(repeating: 75, count: 7))
    let narrow = tables(in: Rect(x: 0, y: 1, width: 95, height: 38))
    #expect(narrow?.map(\.width) == Array(repeating: 59, count: 7))
  }

  @Test(arguments: 1...12)
  func `panels cover the area and do not overlap`(_ count: Int) throws {
    let large = Rect(x: 0, y: 1, width: 200, height: 50)
    let kinds = (0..<count).map { [ViewKind.table, .table, .number, .bar][$0 % 4] }
    var arrangement = Arrangement()
    let arranged = arrangement.automatic(kinds, in: large)
    let frames = try #require(arranged)
    var covered: Set<[Int]> = []
    var cells = 0
    for frame in frames {
      for y in frame.y..<frame.y + frame.height {
        for x in frame.x..<frame.x + frame.width {
          covered.insert([x, y])
          cells += 1
        }
      }
    }
    #expect(cells == 200 * 50)
    #expect(covered.count == cells)
  }
}
