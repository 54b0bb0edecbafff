import Glibc
import TestSupport
import Testing

/// However the program ends, the person has the terminal back, and the shell its status.
@Suite struct SignalTests {
  @Test(
    arguments: [
      (SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130), (SIGQUIT, 131), (SIGSEGV, 139), (SIGABRT, 134),
      (SIGILL, 132), (SIGBUS, 135), (SIGFPE, 136),
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
