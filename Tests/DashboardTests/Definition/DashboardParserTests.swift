import Testing

@testable import Dashboard

@Suite struct DashboardParserTests {
  private static let arena = """
    -- dashboard: arena
    -- layout: fame fame players
    -- layout: fame fame maps

    -- name: fame
    -- title: Hall of fame
    -- view: table            (table | number | bar | line | sparkline | gauge | histogram | log)
    -- key: player            (row identity: flashes, rank arrows, cursor that stays on its row)
    -- rank: score
    -- The ten best of all time.
    SELECT player, score FROM scores ORDER BY score DESC LIMIT 10;

    -- name: players
    SELECT count(*) FROM players;

    -- name: maps
    SELECT map, count(*) FROM games GROUP BY map
    """

  @Test func `a dashboard has its title, layout and panels`() {
    let (definition, diagnostics) = DashboardParser.parse(Self.arena)
    #expect(diagnostics == [])
    #expect(definition.title == "arena")
    #expect(definition.layout == [["fame", "fame", "players"], ["fame", "fame", "maps"]])
    #expect(definition.panels.map(\.name) == ["fame", "players", "maps"])
  }

  @Test func `a panel has what its directives say, without remarks in parentheses`() {
    let fame = DashboardParser.parse(Self.arena).definition.panels[0]
    #expect(fame.directives.first == "title: Hall of fame")
    #expect(fame.directives.last == "rank: score")
    #expect(fame.directives.count == 4)
    var expected = PanelDefinition(
      name: "fame", title: "Hall of fame",
      sql: "SELECT player, score FROM scores ORDER BY score DESC LIMIT 10", view: .table,
      key: ["player"], rank: "score",
      source: PanelDefinition.Source(
        name: SourcePosition(line: 5, column: 10), sql: SourcePosition(line: 11, column: 1),
        key: [SourcePosition(line: 8, column: 9)],
        rank: SourcePosition(line: 9, column: 10)))
    expected.directives = fame.directives
    #expect(fame == expected)
  }

  @Test func `a query without a name is called by its number`() {
    let (definition, diagnostics) = DashboardParser.parse("SELECT 1; select 2;;\n ; SELECT 3")
    #expect(diagnostics == [])
    #expect(definition.panels.map(\.name) == ["panel1", "panel2", "panel3"])
    #expect(definition.panels.map(\.sql) == ["SELECT 1", "select 2", "SELECT 3"])
  }

  @Test(arguments: [
    ("-- Best players\nSELECT 1", "Best players"),
    ("-- Best players\r\n-- of all time\r\nSELECT 1", "Best players"),
    ("-- Report: sales\nSELECT 1", "Report: sales"),
    ("------\n--  Best players\n-- ====\nSELECT 1", "Best players"),
    ("-- Sales, by me\n\n-- Best players\nSELECT 1", "Best players"),
    ("-- Best players\n-- dashboard: d\nSELECT 1", "Best players"),
    ("-- SELECT 2,\n--   3;\n-- Best players\nSELECT 1", "Best players"),
    ("-- Sales, by me\n\nSELECT 1", nil),
    ("-- SELECT 2,\n--   3;\nSELECT 1", nil),
    ("SELECT 0; -- nothing\nSELECT 1", nil),
    ("-- 1\nSELECT 1", nil),
    ("-- Best players\n-- name: a\nSELECT 1", nil),
  ])
  func `prose directly above a query without a name is its title`(_ text: String, _ title: String?)
  {
    let panel = DashboardParser.parse(text).definition.panels.last
    #expect(panel?.title == title)
    #expect(panel?.directives == (title.map { ["title: \($0)"] } ?? []))
  }

  @Test func `a byte order mark and CR LF leave no trace`() {
    let unix = "-- dashboard: d\n\n-- name: a\n-- title: A b\n-- key: x, y\nSELECT\n 1;\n"
    let windows = "\u{FEFF}" + unix.replacing("\n", with: "\r\n")
    let (definition, diagnostics) = DashboardParser.parse(windows)
    var expected = DashboardParser.parse(unix).definition
    expected.panels[0].sql = "SELECT\r\n 1"
    #expect(diagnostics == [])
    #expect(definition == expected)
  }

  @Test func `several key columns are separated by commas`() {
    let text = "-- name: a\n-- key: first name ,b,  c (d)\nSELECT 1"
    let panel = DashboardParser.parse(text).definition.panels[0]
    #expect(panel.key == ["first name", "b", "c (d)"])
    #expect(panel.source.key.map(\.column) == [9, 21, 25])
  }

  @Test func `keys are understood in any case`() {
    let text = "--NAME:fame\n--  Title:  The Hall\nSELECT 1"
    let panel = DashboardParser.parse(text).definition.panels[0]
    #expect(panel.name == "fame")
    #expect(panel.title == "The Hall")
  }

  @Test(arguments: [
    "-- The best of all, by score.\n-- see https://example.org/fame\nSELECT 1;",
    "-- Author: me\n-- TODO: nothing: at all\n\nSELECT 1;",
    "/* -- name: x */ SELECT 1; -- name: y",
    "SELECT '-- name: x\n-- name: y';",
    "-- SELECT 2;\nSELECT 1;\n-- that was it: the end\n",
  ])
  func `prose is no directive`(_ text: String) {
    let (definition, diagnostics) = DashboardParser.parse(text)
    #expect(diagnostics == [])
    #expect(definition.panels.map(\.name) == ["panel1"])
  }

  @Test func `a link below the name is prose`() {
    let text = "-- name: fame\n-- https://example.org/fame\nSELECT 1"
    #expect(DashboardParser.parse(text).diagnostics == [])
  }

  @Test func `lines above the name are prose`() {
    let text = "-- The best of all.\n-- Source: the scores table\n-- name: fame\nSELECT 1"
    let (definition, diagnostics) = DashboardParser.parse(text)
    #expect(diagnostics == [])
    #expect(definition.panels.map(\.name) == ["fame"])
  }

  @Test func `200 queries are fine and 201 are not`() {
    let fine = DashboardParser.parse(String(repeating: "SELECT 1;\n", count: 200))
    #expect(fine.diagnostics == [])
    #expect(fine.definition.panels.count == 200)
    let tooMany = DashboardParser.parse(String(repeating: "SELECT 1;\n", count: 500))
    #expect(
      tooMany.diagnostics == [
        Diagnostic(
          .error, at: SourcePosition(line: 201, column: 1),
          "500 queries; a dashboard can have 200 at most")
      ])
  }

  @Test func `any truncation of a dashboard is read without a trap`() {
    let scalars = Array((Self.arena + ";\n-- name: é [\"`' /* */ 日本\n.mode").unicodeScalars)
    for length in 0...scalars.count {
      var text = ""
      text.unicodeScalars.append(contentsOf: scalars[..<length])
      let (definition, diagnostics) = DashboardParser.parse(text)
      #expect(!definition.panels.isEmpty || diagnostics.contains { $0.severity == .error })
    }
  }
}
