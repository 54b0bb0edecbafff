import Testing

@testable import Dashboard

@Suite struct CanvasTests {
  private func canvas(_ width: Int, _ height: Int = 1) -> Canvas {
    Canvas(size: Size(width: width, height: height), glyphs: .unicode)
  }

  @Test func `text is cut at its width and at the edge`() {
    var canvas = canvas(6, 2)
    #expect(canvas.write("abcdef", x: 1, y: 0, width: 3) == 3)
    #expect(canvas.write("abcdef", x: 3, y: 1, width: 9) == 3)
    #expect(canvas.grid.text == " ab…\n   ab…")
  }

  @Test func `trailing text ends where its column does`() {
    var canvas = canvas(6)
    canvas.write("12", x: 1, y: 0, width: 4, alignment: .trailing)
    #expect(canvas.grid.text == "   12")
  }

  @Test func `half of a wide character never stays`() {
    var canvas = canvas(4)
    canvas.write("日本", x: 0, y: 0, width: 4)
    canvas.put("x", x: 1, y: 0, Style())
    #expect(canvas.grid.text == " x本")
    canvas.put("y", x: 2, y: 0, Style())
    #expect(canvas.grid.text == " xy")
    #expect((0..<4).allSatisfy { !canvas.grid[$0, 0].isContinuation })
  }

  @Test func `an ellipsis over the middle of a wide character leaves no half`() {
    var canvas = canvas(4)
    canvas.write("a日本", x: 0, y: 0, width: 3)
    #expect(canvas.grid.text == "a …")
    #expect(!canvas.grid[2, 0].isContinuation)
  }

  @Test func `what stands in for a control character looks like it`() {
    var canvas = canvas(3)
    canvas.write("a\u{1b}b", x: 0, y: 0, width: 3, Style(.title))
    #expect(canvas.grid[0, 0].style.role == .title)
    #expect(canvas.grid[1, 0] == Cell("␛", Style(.escaped)))
  }

  @Test func `nothing is drawn outside`() {
    var canvas = canvas(2, 2)
    canvas.fill(Rect(x: -3, y: -3, width: 20, height: 20), "#")
    canvas.put("x", x: 2, y: 0, Style())
    canvas.put("日", x: 1, y: 0, Style(), width: 2)
    canvas.write("abc", x: 0, y: 7, width: 3)
    canvas.restyle(Rect(x: -1, y: -1, width: 9, height: 9)) { $0.bold = true }
    canvas.cursor = (5, 5)
    #expect(canvas.grid.text == "##\n##")
    #expect(canvas.cursor == nil)
  }

  @Test func `a little history stands on its ground`() {
    #expect(Symbols(.unicode).sparkline([0, 1, 2, 4]) == "▁▃▅█")
    #expect(Symbols(.ascii).sparkline([0, 0]) == "__")
  }

  /// What screens of all sizes are checked by finds what it is for.
  @Test func `a glyph that is cut, or half of one, is noticed`() {
    let wide = Cell("\u{65e5}")
    let second = Cell(" ", isContinuation: true)
    let narrow = Cell("a")
    func isWhole(_ cells: Cell...) -> Bool {
      var grid = Grid(size: Size(width: cells.count, height: 1))
      for (x, cell) in cells.enumerated() { grid[x, 0] = cell }
      return grid.hasWholeGlyphs
    }
    #expect(isWhole(narrow, wide, second, wide, second))
    #expect(!isWhole(narrow, wide))
    #expect(!isWhole(wide, narrow))
    #expect(!isWhole(wide, wide, second))
    #expect(!isWhole(second, narrow))
    #expect(!isWhole(narrow, second))
    #expect(!isWhole(wide, second, second))
  }
}
