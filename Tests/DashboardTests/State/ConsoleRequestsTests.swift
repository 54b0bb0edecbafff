import ObservationEngine
import Testing

@testable import Dashboard

/// Commands of the console: what the program is asked for, and what the console says to its answers.
@Suite struct ConsoleRequestsTests {
  private func console(after sql: String? = nil) throws -> DashboardState {
    var state = Sample.state([Sample.panel("p")])
    try state.press("c")
    if let sql {
      tell(&state, .started(sql: sql, at: Sample.moment()))
      tell(
        &state,
        .finished(Sample.numbers(3), total: 3, changes: nil, duration: .zero, sql: sql))
    }
    return state
  }

  @discardableResult
  private func tell(_ state: inout DashboardState, _ event: ConsoleEvent) -> [Effect] {
    reduce(&state, .console(event))
  }

  @Test func `explain runs as a query plan and is shown as it was typed`() throws {
    var state = try console()
    #expect(
      try state.press(":explain select 1;<Enter>") == [.submit("EXPLAIN QUERY PLAN select 1;")])
    let effects = tell(
      &state, .started(sql: "EXPLAIN QUERY PLAN select 1;", at: Sample.moment()))
    #expect(effects == [.appendHistory(":explain select 1;")])
    #expect(state.console.entries.last?.sql == ":explain select 1;")
  }

  @Test func `explain without a statement takes the last query`() throws {
    var state = try console(after: "select id from t;")
    #expect(try state.press(":explain<Enter>") == [.submit("EXPLAIN QUERY PLAN select id from t;")])
    var first = try console()
    #expect(try first.press(":explain<Enter>") == [])
    #expect(first.console.editor.text == ":explain")
  }

  @Test(arguments: [
    ("select 1;;", "EXPLAIN QUERY PLAN select 1;"),
    ("select 1 -- one", "EXPLAIN QUERY PLAN select 1;"),
    ("select 1; -- one; two", "EXPLAIN QUERY PLAN select 1;"),
    ("-- a;\nselect ';'", "EXPLAIN QUERY PLAN -- a;\nselect ';';"),
    ("explain select 1", "explain select 1;"),
  ])
  func `explain ends the statement before a remark`(_ sql: String, _ submitted: String) throws {
    var state = try console()
    state.console.editor.insert(":explain " + sql)
    #expect(try state.press("<Enter>") == [.submit(submitted)])
  }

  @Test func `of several statements none is explained, and none runs`() throws {
    var state = try console()
    #expect(try state.press(":explain select 1; delete from t<Enter>") == [])
    #expect(state.console.editor.text == ":explain select 1; delete from t")
    guard case .failed(let error) = state.console.entries.last?.outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message == "one statement at a time is explained, and there are several")
    #expect(try state.press("<C-c>:explain ;<Enter>") == [])
  }

  @Test func `Ctrl-C takes back what was submitted and has not begun`() throws {
    var state = try console()
    try state.press("delete from t;<Enter>")
    #expect(try state.press("<C-c>") == [.cancelStatement, .discardStatements])
    #expect(state.console.editor.text == "delete from t;")
    #expect(try state.press("<Enter>") == [.submit("delete from t;")])
  }

  @Test func `the last query is pinned under a name`() throws {
    var state = try console(after: "select id from t;")
    let panel = PanelDefinition(name: "ids", sql: "select id from t")
    #expect(try state.press(":pin ids<Enter>") == [.addPanel(panel)])
    #expect(tell(&state, .pinned(panel)) == [.appendHistory(":pin ids")])
    #expect(state.console.editor.isEmpty)
    #expect(try state.press(":save x.sql<Enter>") == [.savePanel(panel, file: "x.sql")])
  }

  @Test(
    arguments: [
      (nil, ":pin a", "there is no query to pin yet: run a SELECT first"),
      ("pragma user_version;", ":pin a", "there is no query to pin yet: run a SELECT first"),
      ("select 1;", ":pin p", "a panel is called p already; :pin OTHERNAME"),
      ("select 1;", ":pin a b", "a panel's name is one word"),
      ("select 1;", ":save x", "nothing is pinned yet: :pin NAME makes the last query a panel"),
      (nil, ":nope", ":nope is no command"),
    ] as [(String?, String, String)])
  func `what cannot be done is told, and stays to be corrected`(
    _ before: String?, _ command: String, _ reason: String
  ) throws {
    var state = try console(after: before)
    #expect(try state.press("\(command)<Enter>") == [])
    #expect(state.console.editor.text == command)
    guard case .failed(let error) = state.console.entries.last?.outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message == reason)
  }

  @Test func `a file is read, and how far it has come is one entry`() throws {
    var state = try console()
    #expect(try state.press(":read x.sql<Enter>") == [.readScript(file: "x.sql")])
    var progress = ConsoleState.ScriptProgress(file: "x.sql", count: 3, since: 0)
    #expect(tell(&state, .script(progress)) == [.appendHistory(":read x.sql")])
    #expect(state.console.runningSince != nil)
    #expect(try state.press("<C-c>") == [.cancelStatement])
    progress.done = 1
    tell(&state, .script(progress))
    tell(
      &state, .scriptRows(Sample.numbers(2), total: 2, duration: .zero, sql: "select id from t;"))
    progress.duration = .milliseconds(4)
    tell(&state, .script(progress))
    #expect(state.console.entries.map(\.sql) == ["select id from t;", ":read x.sql"])
    #expect(state.console.runningSince == nil)
  }

  // MARK: Undo

  private var commit: UndoableCommit {
    UndoableCommit(
      ordinal: 8, time: Sample.moment().civil,
      tables: [
        .init(name: "players", rows: Commit.RowCounts(inserted: 3, updated: 1)),
        .init(name: "scores", rows: Commit.RowCounts(deleted: 2)),
      ])
  }

  @Test func `undoing asks, and does nothing without a yes`() throws {
    var state = Sample.state([Sample.panel("p")])
    #expect(try state.press("u") == [.describeUndo])
    tell(&state, .undoable(commit))
    #expect(
      state.screen().text.contains(
        "? undo tx 8 of 12:04:31, +3 ~1 players, -2 scores?  y / n"))
    #expect(try state.press("n") == [])
    #expect(state.message?.text == "not undone")
    #expect(try state.press("u") == [.describeUndo])
    tell(&state, .undoable(commit))
    #expect(try state.press("y") == [.undo(commit)])
    tell(&state, .undone(commit, nil))
    #expect(state.message?.text == "tx 8 is undone: +3 ~1 players, -2 scores taken back")
  }

  @Test func `a reason not to undo is told instead of a question`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("u")
    tell(
      &state,
      .undoable(
        UndoableCommit(
          ordinal: 8, time: Sample.moment().civil, tables: [], refusal: "it changed the schema")))
    #expect(state.question == nil)
    #expect(state.message == Message("tx 8 cannot be undone: it changed the schema", .error))
    tell(&state, .undoable(nil))
    #expect(state.message?.text == "no own transaction is left to undo")
  }

  @Test func `nothing is undone while a transaction is open, or where nothing can be written`()
    throws
  {
    var state = Sample.state([Sample.panel("p")])
    tell(&state, .transaction(open: true, statements: 1, since: nil))
    #expect(try state.press("u") == [])
    #expect(state.message?.text == "a transaction is open: COMMIT or ROLLBACK it first")
    var readOnly = DashboardState(
      definition: DashboardDefinition(panels: [Sample.panel("p")]), databaseName: "a",
      readOnly: true)
    #expect(try readOnly.press("u") == [])
    #expect(readOnly.question == nil)
  }

  @Test func `undo can be typed`() throws {
    var state = try console()
    #expect(try state.press(":undo<Enter>") == [.describeUndo])
    #expect(tell(&state, .undoable(commit)) == [.appendHistory(":undo")])
    #expect(state.console.editor.isEmpty)
    #expect(try state.press("y") == [.undo(commit)])
  }
}
