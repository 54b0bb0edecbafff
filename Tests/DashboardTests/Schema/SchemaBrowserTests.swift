import Testing

@testable import DatabaseConsole
@testable import Dashboard
@testable import ObservationEngine

/// Walking through the tree of the schema.
@Suite struct SchemaBrowserTests {
  private func column(
    _ name: String, _ type: String = "TEXT", key: Int = 0, notNull: Bool = false
  ) -> SchemaDescription.Column {
    SchemaDescription.Column(
      name: name, type: type, isNotNull: notNull, defaultValue: nil, keyPosition: key,
      isGenerated: false)
  }

  private var description: SchemaDescription {
    var players = SchemaDescription.Table(name: "players", kind: .table)
    players.columns = [column("id", "INTEGER", key: 1), column("name", notNull: true)]
    players.rowid = "rowid"
    players.key = ["id"]
    players.sql = "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"
    var scores = SchemaDescription.Table(name: "scores", kind: .table)
    scores.columns = [column("player_id", "INT"), column("points", "INT")]
    scores.foreignKeys = [
      SchemaDescription.ForeignKey(
        columns: ["player_id"], table: "Players", targets: ["id"], actions: "ON DELETE CASCADE")
    ]
    scores.indexes = [
      SchemaDescription.Index(
        name: "by_points", columns: ["points", nil], isUnique: false, isPartial: true,
        sql: "CREATE INDEX by_points ON scores (points, lower(points)) WHERE points > 0")
    ]
    scores.triggers = [SchemaDescription.Trigger(name: "log", sql: "CREATE TRIGGER log …")]
    var best = SchemaDescription.Table(name: "best", kind: .view)
    best.columns = [column("name", "")]
    return SchemaDescription(tables: [best, players, scores], version: 12)
  }

  /// The tree on a screen of its own, unless `size` has room for all.
  private func state(size: Size = Size(width: 60, height: 20)) throws -> DashboardState {
    var state = Sample.state([Sample.panel("p")], size: size)
    state.deliver([0: Sample.numbers(1)])
    let asked = reduce(&state, .resized(size)) + (try state.press("<F2>"))
    #expect(
      asked == (size.width < 140 ? [.schema(.describe)] : []), "a large screen has asked before")
    #expect(
      reduce(&state, .schema(.described(description))) == [
        .schema(.countRows(["players", "scores"]))
      ])
    let counts: [String: RowCount] = ["players": .exact(1_204), "scores": .estimate(48_120)]
    _ = reduce(&state, .schema(.counted(counts, asked: ["players", "scores"])))
    return state
  }

  private func chosen(_ state: DashboardState) -> SchemaBrowser.Node? { state.schema.chosen?.node }

  @Test func `the whole line at the cursor has one look`() throws {
    var state = try state()
    // A group, a table, a column.
    for keys in ["", "j", "lj"] {
      try state.press(keys)
      let grid = state.screen()
      let y = 2 + state.schema.cursor
      let styles = Set((1..<59).map { grid[$0, y].style })
      #expect(styles == [Style(reverse: true)], "after \(keys)")
    }
  }

  @Test func `the tree has tables with their rows, and the rest folded`() throws {
    var state = try state()
    try state.press("jl")
    var lines = state.screen().text.split(separator: "\n").map(String.init)
    #expect(lines[1].hasPrefix("┏━┫schema  v12┣") && lines[1].hasSuffix("┫F2┣━┓"))
    lines = lines[2..<9].map { String($0.dropFirst().dropLast()).trimmed }
    #expect(
      lines == [
        " ▾ tables", "   ▾ players                                   1 204 rows",
        "       id     INTEGER PK", "       name   TEXT NOT NULL",
        "   ▸ scores                                  ~48 120 rows", " ▸ views (1)",
        " ▸ indexes (1)",
      ])
  }

  @Test func `lines open and close, and left leads to what a line belongs to`() throws {
    var state = try state()
    try state.press("jl")
    #expect(chosen(state) == .table("players"))
    try state.press("l")
    #expect(chosen(state) == .column(table: "players", name: "id"))
    try state.press("h")
    #expect(chosen(state) == .table("players"))
    try state.press("hh")
    #expect(chosen(state) == .group(.tables))
    try state.press("h")
    #expect(state.schema.lines.map(\.name) == ["tables", "views", "indexes", "triggers"])
    try state.press("G")
    #expect(chosen(state) == .group(.triggers))
    try state.press("<Enter>j")
    #expect(chosen(state) == .listed(.triggers, name: "log"))
  }

  @Test(arguments: ["jjljj<Enter>", "jjljjj<Enter>", "jjlj<Enter>"])
  func `a foreign key leads to the table that it refers to`(_ keys: String) throws {
    var state = try state()
    try state.press(keys)
    // The second column is no key: its table's statement is shown.
    if keys == "jjljj<Enter>" {
      #expect(state.modes.overlay != nil)
    } else {
      #expect(chosen(state) == .table("players"))
      #expect(state.schema.chosen?.isOpen == true)
    }
  }

  @Test func `Enter on a table asks for a live panel of all its rows, the newest first`() throws {
    var state = try state()
    let panel = PanelDefinition(
      name: "players", sql: "SELECT * FROM \"players\" ORDER BY rowid DESC",
      view: .table, key: ["id"])
    #expect(try state.press("j<Enter>") == [.showPanel(panel)])
    _ = reduce(
      &state, .panelsReplaced(DashboardDefinition(panels: [Sample.panel("p"), panel])))
    _ = reduce(&state, .focusPanel(named: "players"))
    #expect(state.focus == .panel(1))
    // A second time, the panel is there.
    #expect(try state.press("<F2><Enter>") == [])
    #expect(state.focus == .panel(1))
  }

  @Test func `d shows the statement that made a table, an index or a trigger`() throws {
    var state = try state()
    try state.press("jd")
    #expect(state.screen().text.contains("CREATE TABLE players (id INTEGER PRIMARY KEY"))
    try state.press("<Esc>jljjjjjd")
    #expect(state.screen().text.contains("┫log┣"))
    try state.press("<Esc>kd")
    #expect(state.screen().text.contains("CREATE INDEX by_points"))
  }

  @Test func `sizes are asked for, and stand beside the rows`() throws {
    var state = try state()
    #expect(try state.press("b") == [.schema(.measureSizes)])
    #expect(try state.press("b") == [], "the file is read once at a time")
    let sizes: [String: Int64] = ["players": 188_416, "scores": 9_437_184, "by_points": 104_858]
    _ = reduce(&state, .schema(.measured(sizes)))
    let text = state.screen().text
    #expect(text.contains("1 204 rows     184 KB"))
    #expect(text.contains("~48 120 rows     9.1 MB"), "indexes belong to their table: \(text)")
  }

  @Test func `a schema change is read anew, and the cursor stays on its line`() throws {
    var state = try state()
    try state.press("jj")
    let refresh = Refresh(events: [Sample.commit(1, kind: .schema)], ordinal: 1)
    #expect(
      reduce(&state, .refreshed(refresh, at: Sample.moment(5))) == [
        .schema(.describe), .schema(.countRows(["scores"])),
      ])
    var new = description
    new.tables.insert(SchemaDescription.Table(name: "maps", kind: .table), at: 1)
    new.version = 13
    let effects = reduce(&state, .schema(.described(new)))
    #expect(chosen(state) == .table("scores"))
    #expect(effects == [], "the new table is counted with the next turn of counting")
  }

  @Test func `rows are counted again at most once a second, and of changed tables alone`() throws {
    var state = try state()
    func commit(_ ordinal: Int, at seconds: Double) -> [Effect] {
      let event = Sample.commit(ordinal, tables: ["players"], at: seconds)
      return reduce(
        &state, .refreshed(Refresh(events: [event], ordinal: ordinal), at: Sample.moment(seconds)))
    }
    #expect(commit(1, at: 0.5) == [])
    #expect(state.changesAt.map { $0 <= Sample.moment(1).monotonic } == true)
    #expect(reduce(&state, .ticked(Sample.moment(1))) == [.schema(.countRows(["players"]))])
    #expect(commit(2, at: 2.5) == [], "one count is under way")
  }

  private func commit(_ state: inout DashboardState, _ tables: [String], at seconds: Double)
    -> [Effect]
  {
    let event = Sample.commit(1, tables: tables, at: seconds)
    return reduce(
      &state, .refreshed(Refresh(events: [event], ordinal: 1), at: Sample.moment(seconds)))
  }

  @Test(arguments: ["Categories", "categories"])
  func `a table is counted again in whatever case a commit names it`(_ name: String) throws {
    var state = try state()
    let table = SchemaDescription.Table(name: "Categories", kind: .table)
    let new = SchemaDescription(tables: [table], version: 13)
    #expect(reduce(&state, .schema(.described(new))) == [.schema(.countRows(["Categories"]))])
    let count = ["Categories": RowCount.exact(8)]
    _ = reduce(&state, .schema(.counted(count, asked: ["Categories"])))
    #expect(commit(&state, [name], at: 2) == [.schema(.countRows(["Categories"]))])
  }

  @Test func `a commit during the first count of a table leads to another one`() throws {
    var state = Sample.state([Sample.panel("p")], size: Size(width: 60, height: 20))
    try state.press("<F2>")
    #expect(
      reduce(&state, .schema(.described(description))) == [
        .schema(.countRows(["players", "scores"]))
      ])
    #expect(commit(&state, ["players"], at: 0.1) == [])
    let counts: [String: RowCount] = ["players": .exact(1_204), "scores": .estimate(48_120)]
    _ = reduce(&state, .schema(.counted(counts, asked: ["players", "scores"])))
    #expect(reduce(&state, .ticked(Sample.moment(1))) == [.schema(.countRows(["players"]))])
  }

  @Test func `a commit of which nothing is known has the schema read again, once a second`() throws
  {
    var state = try state()
    func commit(at seconds: Double) -> [Effect] {
      let commit = Commit(
        ordinal: 1, origin: .external, tables: .all(reason: "a rollback journal"),
        time: Sample.moment(seconds).civil)
      let refresh = Refresh(events: [.commit(commit)], ordinal: 1)
      return reduce(&state, .refreshed(refresh, at: Sample.moment(seconds)))
    }
    #expect(commit(at: 2) == [.schema(.describe), .schema(.countRows(["players", "scores"]))])
    _ = reduce(&state, .schema(.described(description)))
    #expect(commit(at: 2.5) == [])
    #expect(reduce(&state, .ticked(Sample.moment(3))) == [.schema(.describe)])
  }

  @Test func `a virtual table is counted again when any table changes`() throws {
    var state = try state()
    var new = description
    new.tables.append(SchemaDescription.Table(name: "words", kind: .virtual))
    #expect(reduce(&state, .schema(.described(new))) == [.schema(.countRows(["words"]))])
    _ = reduce(&state, .schema(.counted(["words": .exact(3)], asked: ["words"])))
    #expect(commit(&state, ["words_content"], at: 2) == [.schema(.countRows(["words"]))])
  }

  @Test(arguments: ["r", "<F5>"])
  func `a refresh by hand reads the schema and counts all rows again`(_ key: String) throws {
    var state = try state(size: Size(width: 160, height: 48))
    _ = reduce(&state, .ticked(Sample.moment(2)))
    #expect(
      try state.press(key) == [
        .refreshAll, .schema(.describe), .schema(.countRows(["players", "scores"])),
      ])
  }

  @Test func `nobody reads the schema of a screen that does not show it`() throws {
    var state = Sample.state([Sample.panel("p")])
    let refresh = Refresh(events: [Sample.commit(1, kind: .schema)], ordinal: 1)
    #expect(reduce(&state, .refreshed(refresh, at: Sample.moment())) == [])
  }

  @Test func `a large screen shows it beside console and feed`() throws {
    var state = try state(size: Size(width: 160, height: 48))
    let line = state.screen().text.split(separator: "\n").first { $0.contains("schema  v12") }
    #expect(line?.contains("2 SQL") == true && line?.contains("3 transactions") == true)
    try state.press("<Esc>")
    #expect(state.focus == .panel(0))
    try state.press("4")
    #expect(state.focus == .schema)
  }

  @Test func `what cannot be read is said in the pane`() throws {
    var state = Sample.state([Sample.panel("p")], size: Size(width: 60, height: 20))
    #expect(try state.press("<F2>") == [.schema(.describe)])
    _ = reduce(&state, .schema(.failed(.description, "file is not a database")))
    #expect(state.screen().text.contains("file is not a database"))
    #expect(reduce(&state, .ticked(Sample.moment(0.5))) == [])
    #expect(state.changesAt == Sample.moment(1).monotonic)
    #expect(reduce(&state, .ticked(Sample.moment(1))) == [.schema(.describe)], "it is tried again")
  }

  @Test func `sizes that cannot be read leave the tree as it is`() throws {
    var state = try state()
    _ = reduce(&state, .schema(.failed(.sizes, "no such table: dbstat")))
    #expect(state.screen().text.contains("▸ scores"))
    #expect(state.screen().text.contains("sizes cannot be read: no such table: dbstat"))
  }

  @Test func `in ASCII there are no triangles`() throws {
    var state = Sample.state([Sample.panel("p")], glyphs: .ascii)
    try state.press("<F2>")
    _ = reduce(&state, .schema(.described(description)))
    #expect(state.screen().text.utf8.allSatisfy { $0 < 0x80 })
    #expect(state.screen().text.contains(" v tables"))
  }
}

extension String {
  /// Without the blanks at its end.
  fileprivate var trimmed: String {
    String(reversed().drop { $0 == " " }.reversed())
  }
}
