import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ConsoleViewTests {
  private func drawn(
    _ state: DashboardState, _ width: Int, _ height: Int, at seconds: Double = 0
  ) -> Grid {
    var canvas = Canvas(size: Size(width: width, height: height), glyphs: state.glyphs)
    ConsoleView.draw(
      state, number: 8, frame: Rect(x: 0, y: 0, width: width, height: height),
      moment: Sample.moment(seconds), on: &canvas)
    return canvas.grid
  }

  private func tell(_ state: inout DashboardState, _ events: ConsoleEvent...) {
    for event in events { _ = reduce(&state, .console(event)) }
  }

  private func run(_ state: inout DashboardState, _ sql: String, _ rows: RowSet? = nil) {
    tell(
      &state, .started(sql: sql, at: Sample.moment()),
      .finished(
        rows, total: rows?.rows.count ?? 0, changes: nil, duration: .milliseconds(1), sql: sql))
  }

  private let plan = RowSet(
    columns: ["id", "parent", "notused", "detail"],
    rows: [
      [2, 0, 0, "MERGE (UNION ALL)"], [4, 2, 0, "LEFT"], [9, 4, 0, "SCAN players"],
      [12, 2, 0, "RIGHT"], [17, 12, 0, "SEARCH scores USING INDEX by_player (player=?)"],
    ])

  @Test func `words are offered below the line, with what they are`() throws {
    var state = Sample.state([Sample.panel("p")])
    tell(&state, .vocabulary(CompleterTests.vocabulary, at: Sample.moment()))
    try state.press("cselect pl")
    #expect(
      drawn(state, 104, 6).text == """
        ┏━┫8 SQL console┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫autocommit┣━┓
        ┃ sql> select pl                                                                                       ┃
        ┃      ┌──────────────────────────┐                                                                    ┃
        ┃      │ players      table 1 204 │  Tab accept · Esc dismiss · Alt-Enter newline · Enter run at ;     ┃
        ┃      └──────────────────────────┘                                                                    ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
    try state.press("<C-u>explain query plan select * from sc")
    #expect(
      drawn(state, 50, 5).text == """
        ┏━┫8 SQL┣━━━━━━━━━━━━━━━━━━━━━━━━━━━┫autocommit┣━┓
        ┃ sql> explain query plan select * from sc       ┃
        ┃      ┌────────────────────────┐                ┃
        ┃      │ scores    table 48 120 │ Tab accept     ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
  }

  @Test func `what was run gives way to the words, and the chosen one stays in view`() throws {
    var state = Sample.state([Sample.panel("p")], glyphs: .ascii)
    tell(&state, .vocabulary(CompleterTests.vocabulary, at: Sample.moment()))
    for number in 1...9 { run(&state, "select \(number);") }
    try state.press("cselect p<Tab><Down><Down><Down>")
    let grid = drawn(state, 50, 8)
    #expect(
      grid.text.split(separator: "\n").dropFirst().joined(separator: "\n") == """
        # sql> select 8;                       ok - 1 ms #
        # sql> select 9;                       ok - 1 ms #
        # sql> select p                                  #
        #      +------------------------+                #
        #      | partition      keyword | Tab accept     #
        #      | primary        keyword |                #
        #================================================#
        """)
    #expect(grid.cells.contains { $0.style.isSelected })
  }

  @Test func `a plan is a tree, in Unicode and in ASCII`() {
    var state = Sample.state([Sample.panel("p")])
    run(&state, "explain query plan select 1;", plan)
    #expect(
      drawn(state, 64, 10).text.contains(
        """
        │      └─ MERGE (UNION ALL)                                    │
        │         ├─ LEFT                                              │
        │         │  └─ SCAN players                                   │
        │         └─ RIGHT                                             │
        │            └─ SEARCH scores USING INDEX by_player (player=?) │
        """))
    var ascii = Sample.state([Sample.panel("p")], glyphs: .ascii)
    run(&ascii, "explain query plan select 1;", plan)
    #expect(
      drawn(ascii, 64, 10).text.contains("|          |   `-- SCAN players"))
  }

  @Test func `rows of an open transaction are told from those of the panels`() throws {
    var state = Sample.state([Sample.panel("p")])
    _ = reduce(&state, .refreshed(Refresh(ordinal: 1482), at: Sample.moment()))
    run(&state, "begin immediate;")
    tell(
      &state,
      .transaction(open: true, statements: 2, since: Sample.moment(), holdsWriteLock: true))
    run(&state, "select player, score from scores;", Sample.scores(["ada": 98410, "bob": 2]))
    let note = "(uncommitted: panels still show tx 1482)"
    #expect(drawn(state, 104, 7, at: 14).text.contains("│      bob          2"))
    #expect(drawn(state, 104, 7, at: 14).text.contains(" \(note) │"))
    #expect(
      drawn(state, 104, 6, at: 14).text.contains(
        "┤in transaction (2 stmts, 00:14) · writer lock held · COMMIT or ROLLBACK├─╮"))
    tell(&state, .transaction(open: false, statements: 3, since: nil))
    #expect(!drawn(state, 104, 6).text.contains("uncommitted"))
  }

  @Test func `a COMMIT tells the rows of its transaction`() {
    var state = Sample.state([Sample.panel("p")])
    run(&state, "commit;")
    tell(&state, .committed(ordinal: 7))
    let commit = Sample.commit(7, .own, rows: Commit.RowCounts(inserted: 2, updated: 1))
    _ = reduce(&state, .refreshed(Refresh(events: [commit], ordinal: 7), at: Sample.moment()))
    #expect(drawn(state, 50, 4).text.contains(" ✓ tx 7 · 3 rows │"))
  }

  @Test func `a commit that was observed early belongs to its statement as well`() {
    var state = Sample.state([Sample.panel("p")])
    run(&state, "rollback;")
    let commit = Sample.commit(7, .own, rows: Commit.RowCounts(inserted: 2))
    _ = reduce(&state, .refreshed(Refresh(events: [commit], ordinal: 7), at: Sample.moment()))
    #expect(!drawn(state, 50, 4).text.contains("tx 7 ·"))
    run(&state, "commit;")
    tell(&state, .committed(ordinal: 7))
    #expect(drawn(state, 50, 4).text.contains(" ✓ tx 7 · 2 rows │"))
  }

  @Test func `SQL is drawn in roles, and goes on in the next line`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("cselect 'a' -- b")
    let grid = drawn(state, 40, 4)
    #expect((7...12).allSatisfy { grid[$0, 1].style.role == .keyword })
    #expect((14...16).allSatisfy { grid[$0, 1].style.role == .string })
    #expect(grid[18, 1].style.role == .comment)
    run(&state, "select 'aaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbb';")
    let wrapped = drawn(state, 40, 6)
    #expect(
      wrapped.text.contains(
        """
        ┃ sql> select 'aaaaaaaaaaaaaaaaaaa', ' ┃
        ┃      bbbbbbbbbb';           ✓ · 1 ms ┃
        """), "\(wrapped.text)")
    #expect(wrapped[7, 2].style.role == .string)
  }

  @Test func `what is typed goes on in the next line, with the cursor`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("cselect '" + String(repeating: "a", count: 29))
    #expect(drawn(state, 42, 5).cursor?.y == 2)
    let grid = drawn(state, 40, 5)
    #expect(
      grid.text.contains(
        """
        ┃ sql> select 'aaaaaaaaaaaaaaaaaaaaaaa ┃
        ┃      aaaaaa                          ┃
        """), "\(grid.text)")
    #expect(grid.cursor?.x == 13 && grid.cursor?.y == 2)
    // A full line is followed by one for the cursor.
    try state.press("<BS><BS><BS><BS><BS><BS>")
    #expect(drawn(state, 40, 5).cursor?.x == 7 && drawn(state, 40, 5).cursor?.y == 2)
    try state.press("<Home>")
    #expect(drawn(state, 40, 5).cursor?.x == 7 && drawn(state, 40, 5).cursor?.y == 1)
  }

  @Test func `the caret of an error is below its word, also in a later line`() throws {
    var state = Sample.state([Sample.panel("p")])
    let sql = "select " + String(repeating: "a", count: 31) + ", bbb;"
    let error = DatabaseError(code: .error, message: "no such column: bbb", offset: 40)
    tell(&state, .started(sql: sql, at: Sample.moment()), .failed(error, sql: sql))
    #expect(
      drawn(state, 40, 8).text.contains(
        """
        │ sql> select aaaaaaaaaaaaaaaaaaaaaaaa │
        │      aaaaaaa, bbb;                   │
        │               ^                      │
        │      ! no such column: bbb           │
        """), "\(drawn(state, 40, 8).text)")
  }

  @Test func `every result has headers, also of one row`() {
    var state = Sample.state([Sample.panel("p")])
    run(&state, "select 1 as a, 'x' as b;", RowSet(columns: ["a", "b"], rows: [[1, "x"]]))
    #expect(
      drawn(state, 50, 6).text.contains(
        """
        │      a  b                                      │
        │      1  x                                      │
        """))
  }

  @Test func `one row that is too wide is shown column by column`() {
    var state = Sample.state([Sample.panel("p")])
    let row = RowSet(
      columns: ["CustomerID", "CompanyName", "Notes"],
      rows: [["ALFKI", "Alfreds Futterkiste", "a long text that goes on in a line of its own"]])
    run(&state, "select * from Customers limit 1;", row)
    #expect(
      drawn(state, 50, 9).text.contains(
        """
        │      CustomerID   ALFKI                        │
        │      CompanyName  Alfreds Futterkiste          │
        │      Notes        a long text that goes on in  │
        │                   a line of its own            │
        """), "\(drawn(state, 50, 9).text)")
    // Several rows stay a table, and the columns beyond its edge are counted.
    run(
      &state, "select * from Customers;",
      RowSet(columns: row.columns, rows: row.rows + row.rows))
    #expect(drawn(state, 50, 9).text.contains("… 1 more column (^o to browse)"))
  }

  @Test func `the parameters are asked for below the statement`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("cselect :a, :b;<Enter>")
    tell(&state, .needsParameters(names: [":a", ":b"], sql: "select :a, :b;"))
    try state.press("it's<Enter>4")
    let grid = drawn(state, 60, 6)
    #expect(
      grid.text == """
        ┏━┫8 SQL┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫autocommit┣━┓
        ┃ sql> select :a, :b;                                      ┃
        ┃      :a = 'it''s'                                        ┃
        ┃    ? :b = 4                                              ┃
        ┃                                                          ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
        """)
    #expect(grid.cursor?.x == 13)
    #expect(grid.cursor?.y == 3)
  }

  @Test func `a statement that runs tells its time and its rows`() {
    var state = Sample.state([Sample.panel("p")])
    tell(&state, .started(sql: "select 1;", at: Sample.moment()), .progressed(rows: 12_345))
    #expect(
      drawn(state, 70, 4, at: 5).text.contains("┤running 00:05 · 12 345 rows · Ctrl-C cancels├"))
  }

  @Test func `what is cancelled tells after how long, and of how many rows`() {
    var state = Sample.state([Sample.panel("p")])
    let interrupted = DatabaseError(code: .interrupted, message: "interrupted")
    tell(&state, .started(sql: "select 1;", at: Sample.moment()), .progressed(rows: 12_345))
    _ = reduce(&state, .ticked(Sample.moment(3.2)))
    tell(&state, .failed(interrupted, sql: "select 1;"))
    #expect(drawn(state, 70, 6).text.contains("│      ! cancelled after 3.2 s, 12 345 rows"))
    // A file tells its own time, and of rows those of the statement that it stopped at.
    var progress = ConsoleState.ScriptProgress(
      file: "x.sql", count: 2, since: Sample.moment(4).monotonic)
    tell(&state, .script(progress), .progressed(rows: 7))
    progress.duration = .milliseconds(1500)
    progress.error = interrupted
    tell(&state, .script(progress))
    #expect(drawn(state, 70, 9).text.contains("│      ! line 1: cancelled after 1.5 s, 7 rows"))
  }

  @Test func `a file tells how far it has come, and on which line it stopped`() {
    var state = Sample.state([Sample.panel("p")])
    var progress = ConsoleState.ScriptProgress(
      file: "x.sql", count: 340, since: Sample.moment().monotonic)
    progress.done = 11
    progress.line = 57
    tell(&state, .script(progress))
    #expect(
      drawn(state, 70, 6, at: 4).text.contains("statement 12 of 340 · line 57 · 00:04 │"))
    progress.duration = .milliseconds(20)
    progress.error = DatabaseError(code: .error, message: "no such table: t")
    tell(&state, .script(progress))
    let text = drawn(state, 70, 6).text
    #expect(text.contains("11 of 340 statements · 0 rows · 20 ms │"))
    #expect(text.contains("│      ! line 57: no such table: t (stopped; later statements not"))
  }

  @Test(arguments: [40, 49, 80])
  func `what the console says is read in full, however narrow it is`(_ width: Int) throws {
    for name in DotCommand.known + ["help"] {
      guard case .answer(let notes)? = ConsoleCommand("." + name) else { continue }
      var state = Sample.state([Sample.panel("p")])
      tell(&state, .answered(notes, command: "." + name))
      let text = drawn(state, width, 40).text
      // One of the notes has such a sign itself.
      #expect(
        text.count { $0 == "…" } == notes.joined().count { $0 == "…" }, "\(text)")
      let shown = text.split { " \n│".contains($0) }
      for word in notes.flatMap({ $0.split(separator: " ") }) {
        #expect(shown.contains(word), "\(word) in\n\(text)")
      }
    }
  }

  @Test func `what is told in two columns goes on below the second one`() {
    var state = Sample.state([Sample.panel("p")])
    tell(&state, .answered(ConsoleCommand.help, command: ".help"))
    #expect(
      drawn(state, 58, 40).text.contains(
        """
        │      :explain [SQL]     the plan of a statement, or    │
        │                         of the last query, as a tree   │
        │      :pin [NAME]        make the last query a live     │
        │                         panel                          │
        """))
  }

  @Test func `what a command lists has headings, however short the list is`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("c.tables A%<Enter>")
    let tables = RowSet(
      columns: ["name", "type", "columns"], rows: [["Album", "table", 3], ["Artist", "table", 2]])
    run(&state, "SELECT …;", tables)
    #expect(
      drawn(state, 50, 7).text.contains(
        """
        ┃      name    type   columns                    ┃
        ┃      Album   table        3                    ┃
        ┃      Artist  table        2                    ┃
        """))
  }

  @Test func `any size is drawn`() throws {
    var state = Sample.state([Sample.panel("p")])
    tell(&state, .vocabulary(CompleterTests.vocabulary, at: Sample.moment()))
    run(&state, "explain query plan select 1;", plan)
    try state.press("cselect 'é日本', p<Tab>")
    for width in 0...40 {
      for height in 0...8 { _ = drawn(state, width, height) }
    }
    for size in [(1, 1), (5, 200), (500, 3), (30, 6), (60, 16)] {
      _ = reduce(&state, .resized(Size(width: size.0, height: size.1)))
      _ = state.screen()
    }
  }
}
