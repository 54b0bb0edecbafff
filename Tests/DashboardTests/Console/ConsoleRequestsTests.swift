import DatabaseConsole
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
      try state.press(":explain select 1;<Enter>") == [
        .console(.submit("EXPLAIN QUERY PLAN select 1;"))
      ])
    let effects = tell(
      &state, .started(sql: "EXPLAIN QUERY PLAN select 1;", at: Sample.moment()))
    #expect(effects == [.console(.appendHistory(":explain select 1;"))])
    #expect(state.console.entries.last?.sql == ":explain select 1;")
  }

  @Test func `explain without a statement takes the last query`() throws {
    var state = try console(after: "select id from t;")
    #expect(
      try state.press(":explain<Enter>") == [
        .console(.submit("EXPLAIN QUERY PLAN select id from t;"))
      ])
    var first = try console()
    #expect(try first.press(":explain<Enter>") == [.console(.appendHistory(":explain"))])
    #expect(first.console.entries.count == 1)
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
    #expect(try state.press("<Enter>") == [.console(.submit(submitted))])
  }

  @Test func `of several statements none is explained, and none runs`() throws {
    var state = try console()
    let command = ":explain select 1; delete from t"
    #expect(try state.press("\(command)<Enter>") == [.console(.appendHistory(command))])
    guard case .failed(let error) = state.console.entries.last?.outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message == "one statement at a time is explained, and there are several")
    #expect(try state.press(":explain ;<Enter>") == [.console(.appendHistory(":explain ;"))])
  }

  @Test func `Ctrl-C takes back what was submitted and has not begun`() throws {
    var state = try console()
    try state.press("delete from t;<Enter>")
    #expect(try state.press("<C-c>") == [.console(.cancelStatement), .console(.discardStatements)])
    #expect(state.console.editor.text == "delete from t;")
    #expect(try state.press("<Enter>") == [.console(.submit("delete from t;"))])
  }

  @Test func `the last query is pinned under a name`() throws {
    var state = try console(after: "select id from t;")
    let panel = PanelDefinition(name: "ids", sql: "select id from t")
    #expect(try state.press(":pin ids<Enter>") == [.console(.addPanel(panel))])
    #expect(tell(&state, .pinned(panel)) == [.console(.appendHistory(":pin ids"))])
    #expect(state.console.editor.isEmpty)
    #expect(
      try state.press(":save x.sql<Enter>") == [
        .console(.savePanels([panel], file: "x.sql", command: ":save x.sql"))
      ])
  }

  @Test(
    arguments: [
      (nil, ":pin a", "there is no query to pin yet: run a SELECT first"),
      ("pragma user_version;", ":pin a", "there is no query to pin yet: run a SELECT first"),
      ("select 1;", ":pin p", "a panel is called p already; :pin OTHERNAME"),
      ("select 1;", ":pin a b", "a panel's name is one word"),
      ("select 1;", ":save x", "nothing is pinned yet: :pin NAME makes the last query a panel"),
      (nil, ":nope", ":nope is not a command"),
      (nil, ":undp", ":undp is not a command, did you mean \":undo\"?"),
      (nil, ":why", ":why is a command of panels: Esc leads there"),
    ] as [(String?, String, String)])
  func `a command that cannot be done is told, and leaves the line`(
    _ before: String?, _ command: String, _ reason: String
  ) throws {
    var state = try console(after: before)
    #expect(try state.press("\(command)<Enter>") == [.console(.appendHistory(command))])
    #expect(state.console.editor.isEmpty)
    guard case .failed(let error) = state.console.entries.last?.outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message == reason)
    try state.press("<Up>")
    #expect(state.console.editor.text == command, "the history has it, to be corrected")
  }

  @Test func `what is typed after a failed command is no part of it`() throws {
    var state = try console(after: "select id from t;")
    let panel = PanelDefinition(name: "ids", sql: "select id from t")
    tell(&state, .pinned(panel))
    try state.press(":save nw.sql<Enter>")
    let error = DatabaseError(code: .error, message: "nw.sql was not made by :save")
    #expect(
      tell(&state, .failed(error, sql: ":save nw.sql")) == [
        .console(.appendHistory(":save nw.sql"))
      ])
    #expect(
      try state.press(":save mine.sql<Enter>")
        == [.console(.savePanels([panel], file: "mine.sql", command: ":save mine.sql"))])
  }

  @Test func `a file is read, and how far it has come is one entry`() throws {
    var state = try console()
    #expect(
      try state.press(":read! x.sql<Enter>") == [.console(.readScript(file: "x.sql", asks: false))])
    var progress = ConsoleState.ScriptProgress(file: "x.sql", count: 3, since: 0)
    #expect(tell(&state, .script(progress)) == [.console(.appendHistory(":read! x.sql"))])
    #expect(state.console.runningSince != nil)
    #expect(try state.press("<C-c>") == [.console(.cancelStatement)])
    progress.done = 1
    tell(&state, .script(progress))
    tell(
      &state, .scriptRows(Sample.numbers(2), total: 2, duration: .zero, sql: "select id from t;"))
    progress.duration = .milliseconds(4)
    tell(&state, .script(progress))
    #expect(state.console.entries.map(\.sql) == ["select id from t;", ":read! x.sql"])
    #expect(state.console.runningSince == nil)
  }

  @Test func `a file that is read is told of, with its time, and Ctrl-C takes it back`() throws {
    var state = try console()
    try state.press(":read /tmp/a/big.sql<Enter>")
    #expect(state.screen(at: 2).text.contains("reading big.sql 00:02"))
    #expect(state.changesAt == Sample.moment(1).monotonic)
    #expect(try state.press("<C-c>") == [.console(.cancelStatement), .console(.discardStatements)])
    #expect(!state.screen().text.contains("reading big.sql"))
    #expect(state.console.editor.text == ":read /tmp/a/big.sql")
    #expect(state.changesAt != Sample.moment(1).monotonic)
  }

  @Test func `what is typed while a file is read is neither text nor an answer`() throws {
    var state = try console()
    try state.press(":read big.sql<Enter>")
    for key in ["y", "<Enter>", "<BS>", "<Up>", "<Tab>", "<C-u>"] {
      #expect(try state.press(key) == [])
      #expect(state.message?.text == "big.sql is being read; Ctrl-C takes it back")
      #expect(state.console.editor.text == ":read big.sql")
    }
    tell(&state, .needsScriptConfirmation(Self.summary))
    #expect(state.modes.question != nil)
    #expect(try state.press("y") == [.console(.runScript)])
    // What cannot be read is in the history, to be corrected.
    tell(&state, .script(.init(file: "big.sql", count: 1, since: 0)))
    var other = try console()
    try other.press(":read gone.sql<Enter>")
    tell(
      &other,
      .failed(DatabaseError(code: .cannotOpen, message: "no file"), sql: ":read gone.sql"))
    try other.press("<Up><BS>")
    #expect(other.console.editor.text == ":read gone.sq")
  }

  @Test func `what is typed while rows are counted is neither text nor an answer`() throws {
    var state = try console()
    try state.press("delete from t;<Enter>")
    tell(&state, .counting(sql: "delete from t;"))
    #expect(try state.press("yy<Enter>") == [])
    #expect(state.console.editor.text == "delete from t;")
    #expect(state.message?.text.contains("to be counted") == true)
    // Also behind a statement that has run: the line is empty, and stays so.
    tell(&state, .started(sql: "delete from t;", at: Sample.moment()))
    tell(
      &state, .finished(nil, total: 0, changes: 1, duration: .zero, sql: "delete from t;"))
    tell(&state, .counting(sql: "delete from u;"))
    try state.press("y")
    #expect(state.console.editor.isEmpty)
  }

  private static let summary = ConsoleState.ScriptSummary(
    file: "/tmp/a/backup.sql", bytes: 12_400, statements: 1_340, changes: 312, drops: 2, whole: 1)

  @Test func `what a file is must be confirmed before it runs`() throws {
    var state = try console()
    #expect(
      try state.press(":read /tmp/a/backup.sql<Enter>")
        == [.console(.readScript(file: "/tmp/a/backup.sql", asks: true))])
    tell(&state, .needsScriptConfirmation(Self.summary))
    let question =
      "? run backup.sql: 1 340 stmts, 312 write, 2 drop, 1 without WHERE?  y / n"
    #expect(state.screen().text.contains(question))
    #expect(try state.press("y") == [.console(.runScript)])
  }

  @Test(arguments: ["n", "<Esc>", "<C-c>", "<Enter>"])
  func `a file that is not confirmed does not run, and can be corrected`(_ key: String) throws {
    var state = try console()
    try state.press(":read backup.sql<Enter>")
    tell(&state, .needsScriptConfirmation(Self.summary))
    #expect(try state.press(key) == [.console(.discardStatements)])
    #expect(state.console.editor.text == ":read backup.sql")
    #expect(state.message?.text == "not run")
  }

  @Test func `a file that only reads says so`() {
    var summary = Self.summary
    (summary.statements, summary.changes, summary.drops, summary.whole) = (1, 0, 0, 0)
    #expect(
      summary.question(width: 80, .unicode)
        == "run backup.sql: 1 statement, 12 KB, none writes?")
  }

  @Test(arguments: [
    (100, "1 340 statements, 12 KB, 312 write"), (72, "1 340 stmts, 12 KB, 312 write"),
    (66, "1 340 stmts, 312 write"), (10, "1 340 stmts, 312 write"),
  ])
  func `a question about a file fits where it can`(_ width: Int, _ text: String) {
    #expect(
      Self.summary.question(width: width, .unicode)
        == "run backup.sql: \(text), 2 drop, 1 without WHERE?")
  }

  // MARK: Counting

  @Test func `Ctrl-C takes back a statement whose rows are counted behind another one`() throws {
    var state = try console()
    try state.press("begin; delete from t;<Enter>")
    tell(&state, .started(sql: "begin;", at: Sample.moment()))
    tell(&state, .finished(nil, total: 0, changes: nil, duration: .zero, sql: "begin;"))
    tell(&state, .counting(sql: "delete from t;"))
    #expect(state.screen().text.contains("counting rows"))
    #expect(try state.press("select 1;<Enter>") == [])
    #expect(state.message?.text.hasPrefix("a statement waits for its rows") == true)
    #expect(try state.press("<C-c>") == [.console(.cancelStatement), .console(.discardStatements)])
    #expect(state.message?.text == "not run")
    // What is typed now is text again, and what was dropped is not dropped again.
    try state.press("select 1;")
    #expect(state.console.editor.text == "select 1;")
    #expect(try state.press("<C-c>") == [])
    #expect(state.console.editor.isEmpty)
  }

  @Test func `Ctrl-C in a panel drops it too, and leaves the program only then`() throws {
    var state = try console()
    tell(&state, .counting(sql: "delete from t;"))
    try state.press("<Esc>")
    #expect(try state.press("<C-c>") == [.console(.cancelStatement), .console(.discardStatements)])
    #expect(try state.press("<C-c>") == [.quit])
  }

  @Test func `a question ends the counting`() throws {
    var state = try console()
    tell(&state, .counting(sql: "delete from t;"))
    tell(&state, .needsConfirmation(question: "Run it?", sql: "delete from t;"))
    #expect(try state.press("y") == [.console(.run(sql: "delete from t;"))])
    #expect(state.console.work.counted == nil)
  }

  @Test(arguments: ["<Esc>", "<Esc>/", "<Esc>:", "<F1>"])
  func `a question that comes late is not asked where its answer would mean something else`(
    _ keys: String
  ) throws {
    var state = try console()
    tell(&state, .counting(sql: "delete from t;"))
    try state.press(keys)
    let effects = reduce(
      &state, .console(.needsConfirmation(question: "Run it?", sql: "delete from t;")))
    #expect(effects == [.console(.discardStatements)])
    #expect(state.modes.question == nil)
    #expect(state.message?.text.hasPrefix("not run") == true)
  }

  @Test func `nothing is undone while the rows for a question are counted`() throws {
    var state = try console()
    tell(&state, .counting(sql: "delete from t;"))
    #expect(try state.press("<Esc>u") == [])
    #expect(state.message?.text.contains("to be counted") == true)
  }

  // MARK: Saving

  @Test func `all pinned panels are saved, or the one that is named`() throws {
    var state = try console(after: "select id from t;")
    let panels = ["a", "b"].map { PanelDefinition(name: $0, sql: "select id from t") }
    for panel in panels {
      try state.press(":pin \(panel.name)<Enter>")
      tell(&state, .pinned(panel))
    }
    #expect(
      try state.press(":save my file.sql<Enter>")
        == [.console(.savePanels(panels, file: "my file.sql", command: ":save my file.sql"))])
    tell(&state, .answered(["saved"], command: ":save my file.sql"))
    #expect(
      try state.press(":save b my file.sql<Enter>")
        == [.console(.savePanels([panels[1]], file: "my file.sql", command: ":save b my file.sql"))]
    )
  }

  @Test func `a pinned panel's name alone is no file`() throws {
    var state = try console(after: "select id from t;")
    let panel = PanelDefinition(name: "ids", sql: "select id from t")
    tell(&state, .pinned(panel))
    #expect(try state.press(":save ids<Enter>") == [.console(.appendHistory(":save ids"))])
    guard case .failed(let error) = state.console.entries.last?.outcome else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message.hasPrefix("ids is a pinned panel; :save ids FILE"))
  }

  private let addition = PanelAddition(
    file: "arena.sql", panels: [PanelDefinition(name: "ids", sql: "select 1")],
    text: "\n-- name: ids\n-- place: below\nselect 1;\n")

  /// A console in which `ids` is pinned, and was saved without a file.
  private func saving() throws -> DashboardState {
    var state = Sample.state([Sample.panel("p")], file: "arena.sql")
    try state.press("c")
    tell(&state, .pinned(addition.panels[0]))
    #expect(
      try state.press(":save<Enter>")
        == [.console(.savePanels(addition.panels, file: nil, command: ":save"))])
    #expect(tell(&state, .needsSaveConfirmation(addition)) == [])
    return state
  }

  @Test func `the lines for the open dashboard are shown before they are written`() throws {
    var state = try saving()
    let screen = state.screen().text
    #expect(screen.contains("to be appended to arena.sql"))
    for line in ["-- name: ids", "-- place: below", "select 1;"] {
      #expect(screen.contains(line), "\(line) in\n\(screen)")
    }
    #expect(screen.contains("? append 3 lines to arena.sql?  y / n"))
    #expect(try state.press("y") == [.console(.confirmSave(addition, command: ":save"))])
    #expect(
      tell(&state, .saved(["ids"], "Saved ids to arena.sql", command: ":save"))
        == [.console(.appendHistory(":save"))])
    #expect(state.console.entries.last?.outcome == .answered(["Saved ids to arena.sql"]))
    #expect(state.modes == Modes() && state.console.pinned.isEmpty && state.console.editor.isEmpty)
  }

  @Test func `without a yes nothing is written, and the panel stays pinned`() throws {
    var state = try saving()
    #expect(try state.press("n") == [.console(.appendHistory(":save"))])
    #expect(state.message?.text == "not saved")
    #expect(state.modes == Modes() && state.console.pinned.map(\.panel) == addition.panels)
  }

  @Test func `a panel's name alone saves it into the open dashboard`() throws {
    var state = Sample.state([Sample.panel("p")], file: "arena.sql")
    try state.press("c")
    for name in ["a", "b"] { tell(&state, .pinned(PanelDefinition(name: name, sql: "select 1"))) }
    #expect(
      try state.press(":save b<Enter>") == [
        .console(
          .savePanels(
            [PanelDefinition(name: "b", sql: "select 1")], file: nil, command: ":save b"))
      ])
  }

  @Test func `without an open dashboard a file is needed`() throws {
    var state = try console()
    tell(&state, .pinned(PanelDefinition(name: "ids", sql: "select 1")))
    #expect(try state.press(":save<Enter>") == [.console(.appendHistory(":save"))])
    let reason = ":save needs the name of a file: no dashboard file is open"
    #expect(
      state.console.entries.last?.outcome
        == .failed(DatabaseError(code: .error, message: reason)))
  }

  @Test func `the last pinned panel is taken away, or the one that is named`() throws {
    var state = try console()
    for name in ["a", "b", "c"] {
      tell(&state, .pinned(PanelDefinition(name: name, sql: "select 1")))
    }
    func remove(_ name: String, _ command: String) -> [Effect] {
      [.console(.removePanel(name: name, command: command))]
    }
    #expect(try state.press(":unpin<Enter>") == remove("c", ":unpin"))
    tell(&state, .answered(["c is not shown any more"], command: ":unpin"))
    #expect(try state.press(":unpin a<Enter>") == remove("a", ":unpin a"))
    tell(&state, .answered(["a is not shown any more"], command: ":unpin a"))
    #expect(state.console.pinned.map(\.name) == ["b"])
    try state.press(":unpin x<Enter>")
    let error = DatabaseError(code: .error, message: "no pinned panel is called x")
    #expect(state.console.entries.last?.outcome == .failed(error))
  }

  @Test func `nobody leaves a pinned panel that no file has without being asked`() throws {
    var state = try console()
    for name in ["a", "b"] { tell(&state, .pinned(PanelDefinition(name: name, sql: "select 1"))) }
    #expect(try state.press("<Esc>q") == [])
    #expect(state.modes.question == .quit(Loss(transaction: false, pins: ["a", "b"])))
    #expect(state.screen().text.contains("? leave without a and b, which no file has?  y / n"))
    #expect(try state.press("n") == [])
    #expect(state.modes.question == nil)
    #expect(state.message?.text == ":save FILE in the console keeps pinned panels")
    // Saved to another file, or with the open dashboard.
    tell(&state, .kept([PanelDefinition(name: "a", sql: "select 1")]))
    #expect(state.console.pinned.map(\.name) == ["a", "b"])
    try state.press("q")
    #expect(state.modes.question == .quit(Loss(transaction: false, pins: ["b"])))
    try state.press("n")
    tell(&state, .saved(["b"], "Saved b to d.sql", command: ":save"))
    #expect(try state.press("q") == [.quit])
    // Edited, it is another panel; and pinned again.
    let edited = PanelDefinition(name: "a", sql: "select 2")
    _ = reduce(&state, .panelsReplaced(DashboardDefinition(panels: [edited])))
    try state.press("q")
    #expect(state.modes.question == .quit(Loss(transaction: false, pins: ["a"])))
    try state.press("n")
    tell(&state, .kept([edited]))
    #expect(try state.press("q") == [.quit])
    tell(&state, .pinned(edited))
    tell(&state, .transaction(open: true, statements: 1, since: Sample.moment()))
    try state.press("q")
    #expect(state.modes.question == .quit(Loss(transaction: true, pins: ["a"])))
    #expect(try state.press("y") == [.quit])
  }

  @Test(arguments: [Size(width: 120, height: 30), Size(width: 40, height: 12)])
  func `how to answer is seen at any width`(_ size: Size) throws {
    var state = Sample.state([Sample.panel("p")], size: size)
    for name in ["first_of_all", "second", "third"] {
      tell(&state, .pinned(PanelDefinition(name: name, sql: "select 1")))
    }
    tell(&state, .transaction(open: true, statements: 1, since: Sample.moment()))
    try state.press("q")
    #expect(state.screen().text.contains("? leave without first_of_all"))
    #expect(state.screen().text.contains("  y / n"))
  }

  @Test func `a panel that was edited since is saved as it is now`() throws {
    var state = try console()
    tell(&state, .pinned(PanelDefinition(name: "p", sql: "select 1")))
    let edited = PanelDefinition(name: "p", sql: "select 2")
    _ = reduce(&state, .panelsReplaced(DashboardDefinition(panels: [edited])))
    #expect(
      try state.press(":save x.sql<Enter>")
        == [.console(.savePanels([edited], file: "x.sql", command: ":save x.sql"))])
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
    #expect(try state.press("u") == [.console(.describeUndo)])
    tell(&state, .undoable(commit))
    #expect(
      state.screen().text.contains(
        "? undo tx 8 (12:04:31, 3 rows inserted in players"))
    #expect(try state.press("n") == [])
    #expect(state.message?.text == "not undone")
    #expect(try state.press("u") == [.console(.describeUndo)])
    tell(&state, .undoable(commit))
    #expect(try state.press("y") == [.console(.undo(commit))])
    tell(&state, .undone(commit, nil))
    #expect(
      state.message?.text == "undid tx 8: 3 rows removed from players, 1 row restored in players, "
        + "2 rows put back in scores")
  }

  @Test func `a reason not to undo is told instead of a question`() throws {
    var state = Sample.state([Sample.panel("p")])
    try state.press("u")
    tell(
      &state,
      .undoable(
        UndoableCommit(
          ordinal: 8, time: Sample.moment().civil, tables: [], refusal: "it changed the schema")))
    #expect(state.modes.question == nil)
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
    #expect(readOnly.modes.question == nil)
  }

  @Test func `undo can be typed`() throws {
    var state = try console()
    #expect(try state.press(":undo<Enter>") == [.console(.describeUndo)])
    #expect(tell(&state, .undoable(commit)) == [.console(.appendHistory(":undo"))])
    #expect(state.console.editor.isEmpty)
    #expect(try state.press("y") == [.console(.undo(commit))])
  }

  @Test func `redoing asks, and does nothing without a yes`() throws {
    var state = Sample.state([Sample.panel("p")])
    #expect(try state.press("U") == [.console(.describeRedo)])
    tell(&state, .redoable(commit, endedBy: nil))
    #expect(
      state.screen().text.contains("? redo tx 8 (12:04:31, 3 rows inserted in players"))
    #expect(try state.press("n") == [])
    #expect(state.message?.text == "not redone")
    try state.press("U")
    tell(&state, .redoable(commit, endedBy: nil))
    #expect(try state.press("y") == [.console(.redo(commit))])
    tell(&state, .redone(commit, nil))
    #expect(
      state.message?.text == "redid tx 8: 3 rows inserted in players, 1 row changed in players, "
        + "2 rows deleted from scores")
    let error = DatabaseError(code: .aborted, message: "tx 8 cannot be redone: row 1 of t is gone")
    tell(&state, .redone(commit, error))
    #expect(state.message == Message(error.message, .error))
  }

  @Test func `why nothing can be redone is told`() throws {
    var state = try console()
    #expect(try state.press(":redo<Enter>") == [.console(.describeRedo)])
    #expect(tell(&state, .redoable(nil, endedBy: nil)) == [.console(.appendHistory(":redo"))])
    #expect(state.message?.text == "no transaction was undone that could be redone")
    tell(&state, .redoable(nil, endedBy: 9))
    #expect(state.message?.text == "what was undone before tx 9 is not redone after it")
  }

  // MARK: Commits

  private func ordinals(_ state: DashboardState) -> [Int?] {
    state.console.entries.map(\.ordinal)
  }

  private func commit(_ ordinal: Int, _ state: inout DashboardState) {
    _ = reduce(
      &state,
      .refreshed(
        Refresh(events: [Sample.commit(ordinal, .own)], ordinal: ordinal), at: Sample.moment()))
  }

  @Test func `each of several statements has its own commit, however late that is told`() throws {
    var state = try console()
    for (sql, ordinal) in [("update t set a = 1;", 1), ("create table u(b);", 2)] {
      tell(&state, .started(sql: sql, at: Sample.moment()))
      tell(&state, .finished(nil, total: 0, changes: 2, duration: .zero, sql: sql))
      tell(&state, .committed(ordinal: ordinal))
    }
    tell(&state, .started(sql: "insert into t values (0);", at: Sample.moment()))
    commit(1, &state)
    commit(2, &state)
    let error = DatabaseError(code: .constraint, message: "no")
    tell(&state, .failed(error, sql: "insert into t values (0);"))
    #expect(ordinals(state) == [1, 2, nil])
  }

  @Test func `where nothing says which statement made a commit, the oldest that changed rows did`()
  {
    var transcript = Transcript()
    transcript.append("update t set a = 1;", .done(changes: 2, .zero), transaction: nil)
    transcript.append("select 1;", .done(changes: nil, .zero), transaction: nil)
    transcript.append("update t set a = 2;", .done(changes: 2, .zero), transaction: nil)
    for ordinal in 1...3 { transcript.note(commit: ordinal, rows: nil, isNamed: false) }
    #expect(transcript.entries.map(\.ordinal) == [1, nil, 2])
  }

  @Test func `the commit of an undo is no statement's`() throws {
    var state = try console()
    tell(&state, .started(sql: "pragma user_version = 1;", at: Sample.moment()))
    tell(
      &state,
      .finished(nil, total: 0, changes: nil, duration: .zero, sql: "pragma user_version = 1;"))
    tell(&state, .undoable(commit))
    try state.press("y")
    commit(9, &state)
    tell(&state, .undone(commit, nil))
    #expect(ordinals(state) == [nil, nil])
  }
}
