import Glibc
import TestSupport
import Testing

/// Alerts, hooks and the clipboard on a terminal.
@Suite(.fewAtOnce) struct ScriptTests {
  private static let queue = "CREATE TABLE job (id INTEGER PRIMARY KEY); "

  private static func dashboard(_ playground: Playground) throws -> String {
    try playground.folder.writeScript("cat > got", to: "hook.sh")
    return try playground.folder.write(
      """
      -- name: queue
      -- view: number
      -- alert: waiting > 2
      -- on-alert: ./hook.sh
      SELECT count(*) AS waiting FROM job;
      """, to: "queue.sql")
  }

  @Test
  func `a commit of another process raises an alert, and a confirmation outlives the program`()
    async throws
  {
    let playground = try await Playground(Self.queue, journal: "wal")
    let dashboard = try Self.dashboard(playground)
    let terminal = try await Tmux(size: (120, 24), beside: playground)
    try await terminal.start(["--bell", playground.database, dashboard])
    try await terminal.waitFor("Trust this dashboard's commands", "./hook.sh")
    try await terminal.trustCommands()
    try await playground.shell.run("INSERT INTO job DEFAULT VALUES")
    try await playground.shell.run("INSERT INTO job VALUES (5), (6)")
    try await terminal.waitFor(
      ": waiting > 2 (now 3) at ", "hook ./hook.sh ok (0)", "ALERT since")
    #expect(try playground.folder.text("got").contains("\"new\":{\"waiting\":3}"))
    try await terminal.press("a")
    try await terminal.waitForAbsence(of: "(now 3) at")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    // The file is the same, so nobody is asked again.
    try await terminal.start(["--fail-on-alert", playground.database, dashboard])
    try await terminal.waitFor("hook ./hook.sh ok (0)")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 5)
    #expect(try await terminal.isRestored())
  }

  @Test func `y hands the panel to the terminal's clipboard`() async throws {
    let playground = try await Playground(Self.queue + "INSERT INTO job VALUES (7), (8)")
    let terminal = try await Tmux(size: (120, 24), beside: playground)
    try await terminal.tmux("set-option", "-g", "set-clipboard", "on")
    try await terminal.start([playground.database, "-c", "SELECT id FROM job"])
    try await terminal.waitFor("LIVE", "8")
    try await terminal.press("y")
    try await terminal.waitFor("Copied 2 rows (6 B)")
    #expect(try await terminal.tmux("show-buffer") == "id\n7\n8")
    try await terminal.press("j", "j", "y")
    try await terminal.waitFor("Copied the row (1 B)")
    #expect(try await terminal.tmux("show-buffer") == "8")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
  }

  @Test func `a recording plays on a terminal`() async throws {
    let playground = try await Playground(Self.queue)
    let path = playground.folder.path("session")
    let keys = try playground.folder.write("", to: "keys")
    let recorded = try await LiveQuery.run(
      "--keys", keys, "--record", path, playground.database, "-c", "SELECT count(*) AS n FROM job")
    #expect(recorded.status == 0)
    let terminal = try await Tmux(beside: playground)
    try await terminal.start(["--replay", path, "--speed", "max"])
    try await terminal.waitFor("REPLAY END", "1 panel1")
    try await terminal.press("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }
}
