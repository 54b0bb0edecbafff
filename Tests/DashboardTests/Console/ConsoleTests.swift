import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ConsoleTests {
  private func console(history: [String] = []) throws -> DashboardState {
    var state = Sample.state([Sample.panel("p")], history: history)
    try state.press("c")
    return state
  }

  private func tell(_ state: inout DashboardState, _ event: ConsoleEvent) -> [Effect] {
    reduce(&state, .console(event))
  }

  @Test func `Enter submits and an incomplete statement goes on in the next line`() throws {
    var state = try console()
    #expect(try state.press("select 1<Enter>") == [.console(.submit("select 1"))])
    #expect(tell(&state, .incomplete) == [])
    #expect(state.console.editor.text == "select 1\n")
    #expect(try state.press(";<Enter>") == [.console(.submit("select 1\n;"))])
  }

  @Test func `a started statement moves from the editor to the transcript`() throws {
    var state = try console()
    try state.press("select 1; select 2;<Enter>")
    let effects = tell(&state, .started(sql: "select 1;", at: Sample.moment(1)))
    #expect(effects == [.console(.appendHistory("select 1; select 2;"))])
    #expect(state.console.editor.isEmpty)
    #expect(state.console.runningSince == Sample.moment(1).monotonic)
    #expect(state.changesAt == Sample.moment(2).monotonic)
    let rows = RowSet(columns: ["1"], rows: [[1]])
    #expect(
      tell(
        &state,
        .finished(rows, total: rows.rows.count, changes: nil, duration: .zero, sql: "select 1;"))
        == [])
    #expect(state.console.runningSince == nil)
    #expect(tell(&state, .started(sql: "select 2;", at: Sample.moment(1))) == [])
    #expect(state.console.entries.map(\.sql) == ["select 1;", "select 2;"])
  }

  @Test func `what fails before it starts leaves the line, and a key brings it back`() throws {
    var state = try console()
    try state.press("selec 1;<Enter>")
    let error = DatabaseError(code: .error, message: "near \"selec\": syntax error", offset: 0)
    #expect(
      tell(&state, .failed(error, sql: "selec 1;")) == [.console(.appendHistory("selec 1;"))])
    #expect(state.console.entries.count == 1)
    #expect(try state.press("select 2;<Enter>") == [.console(.submit("select 2;"))])
    _ = tell(&state, .started(sql: "select 2;", at: Sample.moment()))
    try state.press("<Up><Up>")
    #expect(state.console.editor.text == "selec 1;")
  }

  @Test func `Ctrl-C cancels what runs, then clears the line, and never quits`() throws {
    var state = try console()
    try state.press("select 1;<Enter>")
    _ = tell(&state, .started(sql: "select 1;", at: Sample.moment()))
    #expect(try state.press("<C-c>") == [.console(.cancelStatement)])
    #expect(try state.press("x<Enter>") == [])
    let error = DatabaseError(code: .interrupted, message: "interrupted")
    _ = tell(&state, .failed(error, sql: "select 1;"))
    #expect(try state.press("abc<C-c>") == [])
    #expect(state.console.editor.isEmpty)
    #expect(try state.press("<C-c>") == [])
  }

  @Test func `while a statement runs, the next one is typed over several lines`() throws {
    var state = try console()
    try state.press("select 1;<Enter>")
    _ = tell(&state, .started(sql: "select 1;", at: Sample.moment()))
    #expect(try state.press("select 2<Enter>+ 3") == [])
    #expect(state.console.editor.text == "select 2\n+ 3")
    #expect(try state.press(";<Enter>") == [])
    #expect(state.message?.text == "a statement is running; Ctrl-C cancels it")
    _ = tell(
      &state,
      .finished(
        RowSet(columns: ["1"], rows: [[1]]), total: 1, changes: nil, duration: .zero,
        sql: "select 1;"))
    #expect(state.message == nil)
    #expect(try state.press("<Enter>") == [.console(.submit("select 2\n+ 3;"))])
  }

  @Test func `while a statement runs, a command is refused and not continued`() throws {
    var state = try console()
    try state.press("select 1;<Enter>")
    _ = tell(&state, .started(sql: "select 1;", at: Sample.moment()))
    try state.press(":help<Enter>")
    #expect(state.console.editor.text == ":help")
    #expect(state.message?.text == "a statement is running; Ctrl-C cancels it")
  }

  @Test func `stopping the program with an open transaction is asked about`() throws {
    var state = try console()
    #expect(try state.press("<C-z>") == [.suspend])
    _ = tell(&state, .transaction(open: true, statements: 1, since: Sample.moment()))
    #expect(try state.press("<C-z>") == [])
    #expect(state.modes.question == .suspend)
    #expect(try state.press("n") == [])
    #expect(try state.press("<C-z>y") == [.suspend])
  }

  @Test func `a dangerous statement is asked about`() throws {
    var state = try console()
    try state.press("drop table t;<Enter>")
    let question = "drop table t: 12 rows?"
    _ = tell(&state, .needsConfirmation(question: question, sql: "drop table t;"))
    #expect(state.modes.question == .console(.run(sql: "drop table t;", text: question)))
    #expect(try state.press("x") == [])
    #expect(try state.press("n") == [.console(.discardStatements)])
    #expect(state.console.editor.text == "drop table t;")
    try state.press("<Enter>")
    _ = tell(&state, .needsConfirmation(question: question, sql: "drop table t;"))
    #expect(try state.press("y") == [.console(.run(sql: "drop table t;"))])
    _ = tell(&state, .started(sql: "drop table t;", at: Sample.moment()))
    #expect(state.console.editor.isEmpty)
  }

  @Test func `nobody leaves an open transaction without being asked`() throws {
    var state = try console()
    _ = tell(&state, .transaction(open: true, statements: 2, since: Sample.moment()))
    #expect(try state.press("<Esc>q") == [])
    #expect(state.modes.question == .quit(Loss(transaction: true)))
    #expect(try state.press("n") == [])
    #expect(state.modes.question == nil)
    #expect(try state.press("qy") == [.quit])
  }

  @Test func `an own commit is told beside the statement that made it`() throws {
    var state = try console()
    try state.press("commit;<Enter>")
    _ = tell(&state, .started(sql: "commit;", at: Sample.moment()))
    let refresh = Refresh(events: [Sample.commit(7, .own)], ordinal: 7)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment()))
    _ = tell(&state, .finished(nil, total: 0, changes: nil, duration: .zero, sql: "commit;"))
    _ = tell(&state, .committed(ordinal: 7))
    #expect(state.console.entries[0].ordinal == 7)
    _ = reduce(
      &state, .refreshed(Refresh(events: [Sample.commit(8)], ordinal: 8), at: Sample.moment()))
    #expect(state.console.entries[0].ordinal == 7)
  }

  @Test func `the history is walked and what was being written comes back`() throws {
    var state = try console(history: ["one", "two"])
    try state.press("new<Up>")
    #expect(state.console.editor.text == "two")
    try state.press("<Up><Up>")
    #expect(state.console.editor.text == "one")
    try state.press("<Down><Down>")
    #expect(state.console.editor.text == "new")
    try state.press("<Down>")
    #expect(state.console.editor.text == "new")
  }

  @Test func `the history is searched backwards`() throws {
    let history = ["select a", "delete b", "select c"]
    var state = try console(history: history)
    try state.press("<C-r>SEL")
    #expect(state.console.search?.match == 2)
    try state.press("<C-r>")
    #expect(state.console.search?.match == 0)
    try state.press("<C-r>")
    #expect(state.console.search?.match == 0)
    try state.press("<Enter>")
    #expect(state.console.search == nil)
    #expect(state.console.editor.text == "select a")
    try state.press("<C-u><C-r>zzz<Esc>")
    #expect(state.console.editor.isEmpty)
  }
}
