import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// The explorer as it looks.
@Suite struct ExplorerScreenTests {
  private func lines(_ state: DashboardState) -> [String] {
    state.screen().text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `at 80x24 there are tables, rows and columns`() {
    var state = Explored.state()
    state.deliver([
      0: RowSet(
        columns: ["id", "country", "total", "created_at"],
        rows: [[830, "France", 32.5, "2026-11-20 12:00:00"]])
    ])
    let lines = lines(state)
    func words(_ line: Int) -> [Substring] { lines[line].split(separator: " ") }
    #expect(lines[1].hasPrefix("┏━┫1 tables┣━") && lines[1].contains("┫4┣━┱─┤2 Orders├"))
    #expect(words(2).starts(with: ["┃", "name", "rows", "┃", "id", "country"]))
    #expect(words(3).starts(with: ["┃", "Orders", "1"]))
    #expect(words(4).starts(with: ["┃", "Customers", "93"]))
    #expect(words(5).starts(with: ["┃", "▸", "1", "empty", "table"]))
    #expect(lines.contains { $0.contains("┤3 columns├") })
    #expect(lines.contains { $0.contains("id          integer  PK") })
    #expect(lines.last?.contains("D dashboard") == true)
  }

  @Test func `what is written shows when and how often`() {
    var state = Explored.state(size: Size(width: 160, height: 48))
    #expect(!state.screen().text.contains("last minute"))
    let refresh = Refresh(events: [Sample.commit(1, tables: ["Orders"], at: 1)], ordinal: 1)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    let text = state.screen(at: 1).text
    #expect(text.contains("last minute"))
    #expect(text.contains("▁▁▁▁▁▁▁▁▁▁▁█  12:04:32"))
    #expect(state.needsTickAt != nil)
  }

  @Test func `a database without a table says what to do`() {
    let state = Explored.state(SchemaDescription(tables: [], version: 0), [:])
    let text = state.screen().text
    #expect(text.contains("shop.db has no table yet"))
    #expect(text.contains("c opens the SQL console"))
  }

  @Test func `views alone are listed`() {
    let views = SchemaDescription(
      tables: (0..<58).map { Explored.table("view\($0)", kind: .view) }, version: 1)
    let state = Explored.state(views, [:])
    #expect(state.listed.count == 59)
    #expect(state.explorer?.list.chosenTable != nil)
  }

  @Test(arguments: [GlyphSet.unicode, .ascii])
  func `any size has whole glyphs, and the list as long as it can`(_ glyphs: GlyphSet) throws {
    let wide = SchemaDescription(
      tables: [Explored.table("表テーブル"), Explored.table("e\u{301}\u{1b}[31m")]
        + (0..<30).map { Explored.table("t\($0)") }, version: 1)
    let counts = Dictionary(
      uniqueKeysWithValues: wide.tables.map { ($0.name, RowCount.exact(7)) })
    for keys in ["", "j", "<Tab>", "<Tab><Tab>jI", "<Enter>", "<Tab><Tab>jf", "z"] {
      var state = Explored.state(wide, counts, glyphs: glyphs)
      try state.explore(keys)
      for (width, height) in [
        (0, 0), (1, 1), (2, 1), (20, 5), (29, 6), (30, 6), (40, 10), (63, 15), (64, 15), (79, 23),
        (80, 24), (110, 20), (120, 40), (160, 48), (300, 90),
      ] {
        let size = Size(width: width, height: height)
        state.perform(reduce(&state, .resized(size)))
        let grid = state.screen()
        #expect(grid.size == size)
        #expect(grid.hasWholeGlyphs, "\(keys) at \(width)x\(height)")
        #expect(!grid.text.contains("\u{1b}"))
      }
    }
  }

  @Test func `a tiny screen lists names and rows`() {
    let state = Explored.state(size: Size(width: 20, height: 5))
    #expect(
      lines(state) == [
        "Orders           830", "Customers         93", "1 empty table", "1 view",
        "1 internal table",
      ])
  }

  @Test func `clicks choose a pane, a table and a column`() throws {
    var state = Explored.state()
    try state.explore("<click 3,5>")
    #expect(state.explorer?.list.chosenTable == "Customers")
    #expect(state.panels.map(\.definition.name) == ["Customers"])
    try state.explore("<click 3,5>")
    #expect(state.explorer?.path == [.table("Customers")], "a second click opens")
    try state.explore("<Esc><wheel-down 3,5>")
    #expect(state.explorer?.list.chosen != .table("Customers"))
    try state.explore("<click 50,2>")
    #expect(state.explorer?.pane != .tables)
  }
}
