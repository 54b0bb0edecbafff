import Glibc
import TestSupport
import Testing

/// However the program ends, the person has the terminal back, and the shell its status.
@Suite(.fewAtOnce) struct SignalTests {
  @Test(
    arguments: [
      (SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130), (SIGQUIT, 131), (SIGSEGV, 139), (SIGABRT, 134),
      (SIGILL, 132), (SIGBUS, 135), (SIGFPE, 136), (SIGTRAP, 133), (SIGSYS, 159), (SIGUSR1, 138),
      (SIGUSR2, 140), (SIGALRM, 142), (SIGXCPU, 152), (SIGXFSZ, 153), (SIGVTALRM, 154),
      (SIGPROF, 155), (SIGIO, 157), (SIGPWR, 158), (64, 192),
    ] as [(Int32, Int32)])
  func `a signal restores the terminal`(_ signal: Int32, _ status: Int32) async throws {
    let database = try await Playground(Fixture.counter)
    let terminal = try await Tmux(beside: database)
    // No core file is left behind where the tests run.
    try await terminal.run("ulimit -c 0")
    try await terminal.start([database.database, "-c", "SELECT id, v FROM t"])
    try await terminal.waitFor("LIVE", "panel1")
    #expect(try await terminal.variable("alternate_on") == "1")
    kill(try await terminal.foreground(), signal)
    try await terminal.waitForShell(status: status)
    #expect(try await terminal.isRestored())
    #expect(try await SQLiteShell(database.database).run("PRAGMA integrity_check") == "ok\n")
  }

  @Test func `a signal of a pipe ends nothing`() async throws {
    let database = try await Playground(Fixture.counter)
    let terminal = try await Tmux(beside: database)
    try await terminal.start([database.database, "-c", "SELECT id, v FROM t"])
    try await terminal.waitFor("LIVE", "panel1")
    kill(try await terminal.foreground(), SIGPIPE)
    try await terminal.type("?")
    try await terminal.waitFor("help")
    try await terminal.type("qq")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }

  /// Some seconds of reading, of which the first rows take none.
  private static let slowRows = """
    SELECT id, (WITH RECURSIVE n (i) AS (SELECT id UNION ALL SELECT i + 1 FROM n WHERE i < id + 150)
      SELECT max(i) FROM n) AS work FROM t
    """

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
  func `a signal leaves nothing of a long export`(_ signal: Int32, _ status: Int32) async throws {
    let database = try await Playground(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
      INSERT INTO t SELECT i FROM n;
      """)
    let terminal = try await Tmux(beside: database)
    try await terminal.start([database.database, "-c", Self.slowRows])
    try await terminal.waitFor("of 300 000")
    let before = database.folder.names
    try await terminal.type("x")
    try await terminal.press("C-u")
    try await terminal.type(database.folder.path("rows.csv"))
    try await terminal.press("Enter")
    try await wait(for: "a part of the file") { database.folder.names != before }
    #expect(!database.folder.names.contains("rows.csv"))
    kill(try await terminal.foreground(), signal)
    try await terminal.waitForShell(status: status)
    #expect(database.folder.names == before)
  }

  @Test func `the terminal goes away, and the program with it`() async throws {
    let database = try await Playground(Fixture.counter)
    var terminal: Tmux? = try await Tmux(beside: database)
    try await terminal?.start([database.database, "-c", "SELECT id, v FROM t"])
    try await terminal?.waitFor("LIVE")
    let process = try await terminal?.foreground() ?? 0
    #expect(kill(process, 0) == 0)
    terminal = nil
    try await wait(for: "the end of \(process)") { kill(process, 0) != 0 }
  }
}
