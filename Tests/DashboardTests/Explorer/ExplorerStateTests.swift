import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// What the explorer lists, where keys lead, and what it asks for.
@Suite struct ExplorerStateTests {
  private func commit(_ tables: [String], at seconds: Double = 1) -> Action {
    let refresh = Refresh(events: [Sample.commit(1, tables: tables, at: seconds)], ordinal: 1)
    return .refreshed(refresh, at: Sample.moment(seconds))
  }

  @Test func `long tables come first, and what has nothing to show is folded`() {
    #expect(
      Explored.state().listed == [
        "Orders", "Customers", "1 empty table", "1 view", "1 internal table",
      ])
  }

  @Test func `a table that is written comes to the top, once`() throws {
    var state = Explored.state()
    try state.explore("j")
    _ = reduce(&state, commit(["customers"]))
    #expect(state.listed.prefix(2) == ["Customers", "Orders"])
    #expect(state.explorer?.list.chosenTable == "Customers")
    _ = reduce(&state, commit(["Orders"]))
    #expect(state.listed.prefix(2) == ["Orders", "Customers"])
    _ = reduce(&state, commit(["Customers"]))
    #expect(state.listed.prefix(2) == ["Orders", "Customers"])
    #expect(state.explorer?.list.chosenTable == "Customers", "the cursor stays on its table")
  }

  @Test func `an empty table that gets a row leaves its fold`() throws {
    var state = Explored.state()
    let effects = reduce(&state, commit(["Drafts"], at: 2))
    #expect(effects.contains(.explorer(.survey(["Drafts"]))))
    _ = reduce(&state, .explorer(.surveyed(["Drafts": .exact(1)], asked: ["Drafts"])))
    #expect(state.listed == ["Drafts", "Orders", "Customers", "1 view", "1 internal table"])
  }

  @Test(arguments: [Explored.counts, nil])
  func `the first list waits for one survey, whatever comes in between`(
    _ counts: [String: RowCount]?
  ) {
    var state = DashboardState(
      definition: DashboardDefinition(panels: [ExplorerSubject.nothing(in: .sqlite)]),
      databaseName: "shop.db", explores: true, now: Sample.moment())
    _ = reduce(&state, .schema(.described(Explored.shop)))
    _ = reduce(&state, commit(["Orders"]))
    #expect(state.listed == [])
    #expect(!state.isExplorerSettled)
    let asked = Explored.shop.tables.map(\.name)
    _ = reduce(&state, .explorer(.surveyed(counts, asked: asked)))
    #expect(state.listed.contains("Orders"))
    #expect(state.listed.contains("1 empty table") == (counts != nil))
  }

  @Test func `a writer without a pause causes a survey each second`() {
    var state = Explored.state()
    var surveys = 0
    for step in 0..<100 {
      let effects = reduce(&state, commit(["Orders"], at: 10 + Double(step) * 0.1))
      for case .explorer(.survey(let tables)) in effects {
        surveys += 1
        _ = reduce(&state, .explorer(.surveyed([:], asked: tables)))
      }
    }
    #expect((9...11).contains(surveys))
  }

  @Test func `only tables in view are counted, and huge ones only where that is cheap`() {
    let many = SchemaDescription(
      tables: (100..<400).map { Explored.table("t\($0)") }, version: 1)
    var counts = Dictionary(uniqueKeysWithValues: many.tables.map { ($0.name, RowCount.exact(5)) })
    counts["t100"] = .estimate(1_000_000)
    func counted(_ mode: String) -> [String] {
      var state = DashboardState(
        definition: DashboardDefinition(panels: [ExplorerSubject.nothing(in: .sqlite)]),
        databaseName: "a.db",
        explores: true, now: Sample.moment())
      _ = reduce(&state, .databaseInfo(DatabaseInfo(journalMode: mode)))
      _ = reduce(&state, .schema(.described(many)))
      let effects = reduce(
        &state, .explorer(.surveyed(counts, asked: many.tables.map(\.name))))
      for case .explorer(.count(let tables)) in effects { return tables }
      return []
    }
    #expect(counted("wal").count == state24Lines)
    #expect(counted("wal").contains("t100"))
    #expect(!counted("delete").contains("t100"))
  }

  /// How many lines of the list are in view at 80x24.
  private let state24Lines = 17

  @Test func `rows are about as many as the survey says until they are counted`() {
    var state = Explored.state(
      Explored.shop, ["Orders": .estimate(48_120), "Customers": .exact(1)])
    #expect(state.screen().text.contains("~48 120"))
    _ = reduce(&state, .explorer(.counted(["Orders": 48_000])))
    #expect(state.screen().text.contains("48 000"))
    #expect(!state.screen().text.contains("~"))
  }

  @Test func `Enter opens, f shows values, Enter one of them, Esc goes back step by step`() throws {
    var state = Explored.state()
    #expect(state.panels.map(\.definition.name) == ["Orders"])
    try state.explore("<Enter>")
    #expect(state.explorer?.path == [.table("Orders")])
    try state.explore("f")
    #expect(state.explorer?.pane == .columns, "first a column is chosen")
    try state.explore("jf")
    #expect(
      state.panels[0].definition.sql
        == "SELECT \"country\", count(*) AS rows FROM \"Orders\""
        + " GROUP BY 1 ORDER BY 2 DESC, 1")
    #expect(state.panels[0].definition.title == "Orders › country")
    state.deliver([
      0: RowSet(columns: ["country", "rows"], rows: [["O'Neil", 3], [nil, 1]])
    ])
    try state.explore("j<Enter>")
    #expect(
      state.panels[0].definition.sql
        == "SELECT * FROM \"Orders\" WHERE \"country\" IS 'O''Neil' ORDER BY rowid DESC")
    #expect(state.panels[0].definition.title == "Orders › country = O'Neil")
    try state.explore("<Esc>")
    #expect(state.panels[0].rowCount == 2, "what was left is there again at once")
    #expect(state.panels[0].cursor == 0)
    try state.explore("<Esc>")
    #expect(state.explorer?.path == [.table("Orders")])
    try state.explore("<Esc>")
    #expect(state.explorer?.path == [])
    #expect(state.explorer?.pane == .tables)
    #expect(state.panels.map(\.definition.name) == ["Orders"])
  }

  @Test func `g groups by a column, with the sums of quantities`() throws {
    var state = Explored.state()
    try state.explore("3jg")
    #expect(
      state.panels[0].definition.sql
        == "SELECT \"country\", count(*) AS rows, sum(\"total\") AS \"sum of total\""
        + " FROM \"Orders\" GROUP BY 1 ORDER BY 2 DESC, 1")
    try state.explore("<Esc><Esc>")
    #expect(state.explorer?.path == [])
  }

  @Test func `the filter finds tables under folds too, and Esc clears it`() throws {
    var state = Explored.state()
    try state.explore("/b")
    #expect(state.modes.filter != nil, "the panel that is shown changes while it is typed")
    #expect(state.listed == ["best"])
    #expect(state.panels.map(\.definition.name) == ["best"])
    try state.explore("<Enter>")
    #expect(state.listed == ["best"])
    try state.explore("<Esc>")
    #expect(state.listed.count == 5)
    try state.explore("/zzz")
    #expect(state.screen().text.contains("no table is called “zzz”"))
  }

  @Test func `a fold opens and closes`() throws {
    var state = Explored.state()
    try state.explore("jj<Enter>")
    #expect(state.listed.contains("Drafts"))
    #expect(state.explorer?.subject == nil)
    #expect(state.screen().text.contains("1 empty table"))
    try state.explore("h")
    #expect(!state.listed.contains("Drafts"))
  }

  @Test func `a table that is dropped takes the way into it along`() throws {
    var state = Explored.state()
    try state.explore("3jf")
    #expect(state.explorer?.path.count == 2)
    var shop = Explored.shop
    shop.tables.removeAll { $0.name == "Orders" }
    state.perform(reduce(&state, .schema(.described(shop))))
    #expect(state.explorer?.path == [])
    #expect(!state.listed.contains("Orders"))
    #expect(state.message?.text == "Orders is gone")
    #expect(state.panels.map(\.definition.name) == ["Customers"])
  }

  @Test func `a survey that failed is repeated, and leaves what was known`() throws {
    var state = Explored.state()
    let before = state.explorer?.rows(of: "Customers")
    _ = reduce(&state, .explorer(.surveyed(nil, asked: ["Customers"])))
    #expect(state.explorer?.rows(of: "Customers") == before)
    #expect(before != nil)
    let later = Moment(
      monotonic: Sample.moment().monotonic + 5_000_000_000, civil: Sample.moment().civil)
    #expect(reduce(&state, .ticked(later)).contains(.explorer(.survey(["Customers"]))))
  }

  @Test func `statistics are asked for the table that is chosen, and dropped with it`() throws {
    var state = Explored.state()
    let asked = try state.press("I")
    #expect(
      asked.contains(
        .explorer(
          .summarize(table: "Orders", columns: ["id", "country", "total", "created_at"]))))
    let statistics = ColumnStatistics(
      rows: 10, nulls: 2, least: "Austria", greatest: "Sweden", distinct: 4)
    _ = reduce(
      &state, .explorer(.summarized(["country": statistics], table: "Orders", cost: 1)))
    #expect(state.explorer?.statistics["country"] == statistics)
    #expect(state.screen().text.contains("20%"))
    let moved = try state.press("j")
    #expect(
      moved.contains(.explorer(.summarize(table: "Customers", columns: ["id", "name"]))))
    _ = reduce(
      &state, .explorer(.summarized(["country": statistics], table: "Orders", cost: 1)))
    #expect(state.explorer?.statistics == [:], "an answer about another table comes too late")
    #expect(try state.press("I").contains(.explorer(.stopSummarizing)))
  }

  @Test func `what is saved in the explorer is the generated dashboard`() throws {
    var state = Explored.state()
    try state.press(":save a.sql<Enter>")
    #expect(
      state.message?.text == ":save isn't possible now (write the generated dashboard to a file)")
    state = Sample.state([Sample.panel("a", .table)])
    try state.press(":save a.sql<Enter>")
    #expect(state.message?.text == ":save is a command of the console: c leads there")
  }

  @Test func `a table without a name is summarized as any other`() throws {
    var state = Explored.state(
      SchemaDescription(
        tables: [Explored.table("", columns: [Explored.column("id")])], version: 1),
      ["": .exact(1)])
    #expect(
      try state.press("I").contains(.explorer(.summarize(table: "", columns: ["id"]))))
  }

  @Test func `a table without a key is identified by its rowid`() throws {
    let log = Explored.table("log", columns: [Explored.column("text")])
    let panel = ExplorerSubject.table("log").panel(of: log, title: "log")
    #expect(panel.sql == "SELECT rowid AS rowid, * FROM \"log\" ORDER BY rowid DESC")
    #expect(panel.key == ["rowid"])
    var kv = Explored.table("kv", columns: [Explored.column("k", key: 1)])
    kv.rowid = nil
    #expect(ExplorerSubject.table("kv").panel(of: kv, title: "").sql == "SELECT * FROM \"kv\"")
  }

  @Test(
    arguments: [
      (.null, "IS NULL"), (.integer(1), "= '1'"), (.text("it's"), "= 'it''s'"),
      (.blob([1, 255]), "= '\\x01ff'"),
    ] as [(Value, String)])
  func `rows of a server are compared in the type of their column, and only so many are read`(
    _ value: Value, _ condition: String
  ) {
    let table = Explored.table("log", columns: [Explored.column("a", key: 1)])
    let subject = ExplorerSubject.matches(table: "log", column: "a", value: value)
    let panel = subject.panel(of: table, title: "log", dialect: .postgres)
    #expect(panel.sql.contains(" WHERE \"a\" \(condition) "))
    #expect(panel.sql.hasSuffix(" LIMIT 1000"))
    #expect(panel.rowLimit == 1_000)
  }

  @Test func `a dashboard takes the screen, and E returns`() throws {
    var state = Explored.state()
    #expect(try state.press("D") == [.explorer(.generate)])
    let text = "-- name: one\nSELECT 1;\n"
    let effects = reduce(&state, .explorer(.generated(text)))
    #expect(effects == [.explorer(.open(dashboard: text))])
    _ = reduce(
      &state, .panelsReplaced(DashboardDefinition(panels: [Sample.panel("one")])))
    #expect(!state.isExploring)
    #expect(
      try state.press(":save d.sql<Enter>")
        == [.explorer(.save(text: text, pinned: [], file: "d.sql"))])
    let pin = Sample.panel("pin")
    _ = reduce(&state, .console(.pinned(pin)))
    #expect(
      try state.press(":save d.sql<Enter>")
        == [.explorer(.save(text: text, pinned: [pin], file: "d.sql"))])
    // Typed in the console, it means the same, unless it names what is pinned.
    try state.press("c")
    let saved = try state.press(":save d.sql<Enter>")
    #expect(saved.contains(.explorer(.save(text: text, pinned: [pin], file: "d.sql"))))
    #expect(saved.contains(.console(.appendHistory(":save d.sql"))))
    #expect(
      try state.press(":save pin p.sql<Enter>")
        == [.console(.savePanels([pin], file: "p.sql", command: ":save pin p.sql"))])
    _ = reduce(&state, .console(.answered(["saved"], command: ":save pin p.sql")))
    try state.press("<Esc>")
    state.console.pinned = []
    try state.explore("E")
    #expect(state.isExploring)
    #expect(state.panels.map(\.definition.name) == ["Orders"])
    #expect(try state.press("E") == [.explorer(.open(dashboard: text))])
    #expect(!state.isExploring)
  }

  @Test func `E says when there is no explorer`() throws {
    var state = Sample.state([Sample.panel("p")])
    #expect(try state.press("E") == [])
    #expect(state.message?.text == "the explorer is there when no dashboard is named")
  }

  @Test func `D makes a dashboard beside pinned panels, too`() throws {
    var state = Explored.state()
    _ = reduce(&state, .console(.pinned(Sample.panel("p"))))
    _ = reduce(&state, .explorer(.left))
    #expect(try state.press("D") == [.explorer(.generate)])
    var named = Sample.state([Sample.panel("p")])
    #expect(try named.press("D") == [])
  }

  @Test func `E leads back to pinned panels, and says where there are none`() throws {
    var state = Explored.state()
    #expect(try state.press("E") == [])
    #expect(state.isExploring)
    #expect(
      state.message?.text == "there is no dashboard to go back to yet; D makes one")
    _ = reduce(&state, .console(.pinned(Sample.panel("p"))))
    #expect(try state.press("E") == [.explorer(.open(dashboard: ""))])
    #expect(!state.isExploring)
  }

  @Test func `the last minute is remembered in spans of five seconds`() {
    var pulse = CommitHistory.minute
    pulse.add(1, at: 100_000_000_000)
    pulse.add(2, at: 104_000_000_000)
    pulse.add(1, at: 120_000_000_000)
    #expect(pulse.counts(at: 121_000_000_000) == [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1])
    #expect(pulse.counts(at: 179_000_000_000) == [1] + Array(repeating: 0, count: 11))
    #expect(pulse.nextChange(after: 121_000_000_000) == 125_000_000_000)
    #expect(pulse.nextChange(after: 181_000_000_000) == nil)
  }
}
