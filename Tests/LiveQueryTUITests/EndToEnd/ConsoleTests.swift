import Glibc
import TestSupport
import Testing

/// The console on a terminal: what takes time, and what must not be lost.
@Suite(.fewAtOnce) struct ConsoleTests {
  private func open(
    _ options: String..., variables: String = ""
  ) async throws -> (terminal: Tmux, database: Playground) {
    let database = try await Playground(Fixture.counter, journal: "wal")
    let terminal = try await Tmux(beside: database)
    try await terminal.start(
      [database.database, "-c", "SELECT count(*) AS n, max(v) AS v FROM t"] + options,
      variables: variables)
    try await terminal.waitFor("LIVE")
    try await terminal.press("c")
    return (terminal, database)
  }

  private func submit(_ sql: String, to terminal: Tmux) async throws {
    try await terminal.type(sql)
    try await terminal.press("Enter")
  }

  private func leave(_ terminal: Tmux) async throws {
    try await terminal.press("Escape")
    // Keys that come together with an Escape would be Alt and a key.
    try await terminal.waitFor(": cmd  q")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
  }

  @Test func `Ctrl-C cancels a statement that never ends, and the program lives`() async throws {
    let (terminal, _) = try await open()
    try await submit(Fixture.endless + ";", to: terminal)
    try await terminal.waitFor("running", "Ctrl-C cancels")
    try await terminal.press("C-c")
    try await terminal.waitFor("! cancelled")
    try await submit("INSERT INTO t(v) VALUES ('z');", to: terminal)
    try await terminal.waitFor("tx 1", "1 me")
    // In an empty line it says how to leave, and does not.
    try await terminal.press("C-c")
    try await terminal.waitFor("Esc leaves the console; q there quits")
    try await leave(terminal)
  }

  @Test func `cancelling within a transaction leaves it open, and quitting asks`() async throws {
    let (terminal, database) = try await open()
    try await submit("BEGIN;", to: terminal)
    try await terminal.waitFor("tx>")
    try await submit("INSERT INTO t(v) VALUES ('lost');", to: terminal)
    try await terminal.waitFor("1 row")
    try await submit(Fixture.endless + ";", to: terminal)
    try await terminal.waitFor("running")
    try await terminal.press("C-c")
    try await terminal.waitFor("! cancelled", "in tx")
    try await terminal.press("Escape")
    try await terminal.waitFor(": cmd  q")
    try await terminal.press("q")
    try await terminal.waitFor("a transaction is open in the console: leave and roll it back?")
    try await terminal.press("n")
    try await terminal.waitForAbsence(of: "leave and roll it back?")
    try await terminal.press("q")
    try await terminal.press("y")
    try await terminal.waitForShell(status: 0)
    #expect(try await database.shell.run("SELECT count(*) FROM t WHERE v = 'lost'") == "0\n")
  }

  @Test func `panels stay live while a statement runs`() async throws {
    let (terminal, database) = try await open()
    try await submit(Fixture.endless + ";", to: terminal)
    try await terminal.waitFor("running")
    try await database.shell.run("INSERT INTO t(v) VALUES ('meanwhile')")
    try await terminal.waitFor("meanwhile", " ext ")
    try await terminal.press("C-c")
    try await terminal.waitFor("! cancelled")
  }

  @Test func `a long statement does not keep a signal waiting`() async throws {
    let (terminal, _) = try await open()
    try await submit(Fixture.endless + ";", to: terminal)
    try await terminal.waitFor("running")
    kill(try await terminal.foreground(), SIGTERM)
    try await terminal.waitForShell(status: 143)
    #expect(try await terminal.isRestored())
  }

  @Test func `what was run is found again in the next session`() async throws {
    let state = try TemporaryFolder()
    let variables = "XDG_STATE_HOME=\(state.path)"
    let (terminal, database) = try await open(variables: variables)
    try await submit("SELECT 'one", to: terminal)
    try await submit("two' AS text;", to: terminal)
    try await terminal.waitFor("1 row")
    try await leave(terminal)
    #expect(
      try state.text("livequery/history") == "SELECT 'one\\ntwo' AS text;\n")
    try await terminal.start([database.database, "-c", "SELECT 1"], variables: variables)
    try await terminal.waitFor("LIVE", "c to type SQL")
    try await terminal.press("c", "Up")
    try await terminal.waitFor("sql> SELECT 'one", "two' AS text;")
  }

  @Test(arguments: ["file", "full"])
  func `a history that cannot be kept is told once, and the statement runs`(
    _ obstacle: String
  ) async throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    mkdir(folder.path("full"), 0o755)
    mkdir(folder.path("full/livequery"), 0o755)
    #expect(symlinkOver(folder.path("full/livequery/history"), to: "/dev/full"))
    let (terminal, database) = try await open(
      variables: "XDG_STATE_HOME=\(folder.path(obstacle))")
    try await submit("INSERT INTO t(v) VALUES ('kept');", to: terminal)
    try await terminal.waitFor("the console's history is not kept", "tx 1")
    try await submit("INSERT INTO t(v) VALUES ('too');", to: terminal)
    try await terminal.waitFor("tx 2")
    try await terminal.waitForAbsence(of: "the console's history is not kept")
    #expect(try await database.shell.run("SELECT count(*) FROM t") == "3\n")
  }

  @Test func `a paste of several lines is not run before Enter`() async throws {
    let (terminal, database) = try await open()
    try await terminal.tmux("set-buffer", "INSERT INTO t(v)\nVALUES ('p');\n")
    try await terminal.tmux("paste-buffer", "-p")
    try await terminal.waitFor("VALUES ('p');")
    #expect(try await database.shell.run("SELECT count(*) FROM t") == "1\n")
    try await terminal.press("Enter")
    try await terminal.waitFor("tx 1")
    #expect(try await database.shell.run("SELECT count(*) FROM t") == "2\n")
  }

  @Test func `a statement that goes on tells its rows, and what came by then is told`() async throws
  {
    let (terminal, _) = try await open()
    let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n;"
    try await submit(rows, to: terminal)
    try await terminal.waitFor("running 00:0", "rows")
    try await terminal.press("C-c")
    try await terminal.waitFor("! cancelled")
  }

  @Test func `a file is cancelled where it is`() async throws {
    let (terminal, database) = try await open()
    let path = try database.folder.write(
      "INSERT INTO t(v) VALUES ('b');\n\(Fixture.endless);\nDELETE FROM t;\n", to: "long.sql")
    try await submit(":read \(path)", to: terminal)
    try await terminal.waitFor("? run long.sql: 3 statements")
    try await terminal.press("y")
    try await terminal.waitFor("line 2")
    try await terminal.press("C-c")
    try await terminal.waitFor("! line 2: cancelled")
    #expect(try await database.shell.run("SELECT count(*) FROM t") == "2\n")
  }

  @Test func `words are offered while typing, and Escape hides them before it leaves`() async throws
  {
    let (terminal, _) = try await open()
    try await terminal.type("select * from t where v = '' and ro")
    try await terminal.waitFor("rowid", "keyword")
    try await terminal.press("Escape")
    try await terminal.waitForAbsence(of: "keyword")
    try await terminal.press("Escape")
    try await terminal.waitFor(": cmd  q")
  }

  @Test func `what another process changed since is not undone`() async throws {
    let (terminal, database) = try await open()
    try await submit("UPDATE t SET v = 'mine' WHERE id = 1;", to: terminal)
    try await terminal.waitFor("tx 1 ")
    try await database.shell.run("UPDATE t SET v = 'theirs'")
    try await terminal.waitFor("theirs", " ext ")
    try await terminal.press("Escape")
    try await terminal.waitFor(": cmd  q")
    try await terminal.press("u")
    try await terminal.waitFor("? undo tx 1 (")
    try await terminal.press("y")
    try await terminal.waitFor("row 1 of t is changed by a later transaction")
    #expect(try await database.shell.run("SELECT v FROM t") == "theirs\n")
  }

  @Test func `Alt-Enter begins a line, and keys with Alt move by words`() async throws {
    let (terminal, _) = try await open()
    try await terminal.type("SELECT 1")
    try await terminal.press("M-Enter")
    try await terminal.type("+ 41;")
    try await terminal.press("M-b", "M-b")
    try await terminal.waitFor("…> + 41;")
    try await terminal.press("Enter")
    try await terminal.waitFor("1 row")
    try await terminal.waitFor("42")
  }
}
