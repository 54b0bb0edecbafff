import ObservationEngine
import Testing

@testable import Dashboard

/// Texts in the console that are longer than anybody types: pasted ones.
@Suite struct ConsoleLongTextTests {
  private static let line = "INSERT INTO t VALUES ('wert \u{e4} \u{65e5}\u{672c}');"
  private static let text = (0..<20_000).map { "\(line) -- \($0)" }.joined(separator: "\n")

  private func console(_ text: String, size: Size = Size(width: 160, height: 48)) throws
    -> DashboardState
  {
    var state = Sample.state([Sample.panel("p")], size: size)
    try state.press("c")
    _ = reduce(&state, .key(.paste(text)))
    return state
  }

  @Test func `the end of what was pasted is seen, and goes on to be edited`() throws {
    var state = try console(Self.text)
    #expect(state.screen().text.contains("\(Self.line) -- 19999"))
    try state.press("<BS>8")
    #expect(state.screen().text.contains("-- 19998 "))
    #expect(state.console.editor.characters.count == Self.text.count)
  }

  @Test func `the cursor is where the last character was typed`() throws {
    var state = try console(Self.text)
    let screen = state.screen()
    let cursor = try #require(screen.cursor)
    let row = screen.text.split(separator: "\n", omittingEmptySubsequences: false)[cursor.y]
    #expect(row.contains("-- 19999"))
    try state.press("<Up><Up><Home>")
    let above = state.screen()
    let moved = try #require(above.cursor)
    #expect(moved.x < cursor.x)
    #expect(
      above.text.split(separator: "\n", omittingEmptySubsequences: false)[moved.y]
        .contains("-- 19997"))
  }

  @Test(arguments: ["日本", "é", "e\u{301}", "👩‍👩‍👧", "\u{200b}x"])
  func `what is typed last is seen, however wide characters are`(_ character: String) throws {
    var state = try console(
      "SELECT '" + String(repeating: character, count: 150), size: Size(width: 80, height: 24))
    try state.press("end")
    let screen = state.screen()
    let cursor = try #require(screen.cursor)
    let row = screen.text.split(separator: "\n", omittingEmptySubsequences: false)[cursor.y]
    #expect(row.contains("end "), "\(row)")
    // The cursor stands right behind it.
    let before = row.prefix { $0 != "d" }
    let width = DisplayText.width(String(before))
    if !row.contains("👩") { #expect(cursor.x == width + 1) }
  }

  @Test func `a long line is seen from its start to its end`() throws {
    let numbers = (100..<160).map(String.init).joined(separator: " ")
    var state = try console("SELECT '\(numbers)", size: Size(width: 160, height: 48))
    let last = try #require(state.screen().cursor)
    #expect(state.screen().text.contains("sql> SELECT '100 101"))
    try state.press("<Home>")
    let first = try #require(state.screen().cursor)
    #expect(last.y > first.y)
  }

  @Test func `a search that finds nothing says so`() throws {
    var state = try console("")
    try state.press("<C-r>xyz")
    #expect(state.screen().text.contains("(^r) xyz: nothing found"))
    #expect(try state.press("<Enter>") == [])
    #expect(state.console.editor.isEmpty)
  }

  @Test func `one long line is seen around the cursor`() throws {
    var state = try console("SELECT '" + String(repeating: "y", count: 200_000) + "end")
    #expect(state.screen().text.contains("yyyend"))
    try state.press("<Home>")
    #expect(state.screen().text.contains("sql> SELECT 'yyy"))
  }

  @Test func `a long statement that ran shows its beginning, and how much more there is`() throws {
    var state = try console(Self.text)
    try state.press("<Enter>")
    _ = reduce(&state, .console(.started(sql: Self.text, at: Sample.moment())))
    let error = DatabaseError(code: .error, message: "no such table: t", offset: 12)
    _ = reduce(&state, .console(.failed(error, sql: Self.text)))
    let text = state.screen().text
    #expect(text.contains("-- 9 "))
    #expect(!text.contains("-- 10 "))
    #expect(text.contains(" KB more"))
    #expect(text.contains("! no such table: t"))
  }

  @Test func `an excerpt is what stands around the cursor`() throws {
    var buffer = TextBuffer("a\nbb\nccc\ndddd")
    #expect(String(buffer.excerpt(lines: 1, length: 100).characters) == "ccc\ndddd")
    for _ in 1...2 { _ = buffer.moveLine(down: false) }
    #expect(String(buffer.excerpt(lines: 1, length: 100).characters) == "a\nbb\nccc")
    #expect(buffer.excerpt(lines: 1, length: 100).cursor == 4)
    #expect(String(buffer.excerpt(lines: 5, length: 2).characters) == "bb\nc")
    #expect(buffer.excerpt(lines: 0, length: 9).cursor == 2)
    #expect(TextBuffer().excerpt(lines: 1, length: 1).characters.isEmpty)
  }

  @Test func `a change is noticed by its number, and moving is none`() throws {
    var buffer = TextBuffer("abc")
    let first = buffer.revision
    _ = buffer.edit(.left)
    _ = buffer.edit(.home)
    _ = buffer.edit(.backspace)
    #expect(buffer.revision == first)
    _ = buffer.edit(.character("x"))
    #expect(buffer.revision != first)
    let second = buffer.revision
    _ = buffer.edit(.delete)
    #expect(buffer.revision != second)
  }
}
