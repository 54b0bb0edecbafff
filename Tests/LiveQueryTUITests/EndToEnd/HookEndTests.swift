import Glibc
import TestSupport
import Testing

/// No hook outlives the program, not even one that ignores SIGTERM.
@Suite(.fewAtOnce) struct HookEndTests {
  private let playground: Playground
  private let line: LifeLine
  private let dashboard: String

  init() async throws {
    playground = try await Playground("CREATE TABLE t (n INT); INSERT INTO t VALUES (6);")
    line = try LifeLine(in: playground.folder)
    try playground.folder.writeScript(line.stubbornScript, to: "hook.sh")
    dashboard = try playground.folder.write(
      """
      -- name: n
      -- view: number
      -- alert: n > 5
      -- on-alert: ./hook.sh
      SELECT max(n) AS n FROM t;
      """, to: "d.sql")
  }

  @Test(
    arguments: [
      (["--stream"], SIGTERM), (["--stream"], SIGHUP), (["--stream"], SIGINT),
      (["--frame", "80x24"], SIGTERM), (["--stream", "--until", "SELECT 0"], SIGTERM),
    ] as [([String], Int32)])
  func `a signal ends it without a screen`(_ mode: [String], _ signal: Int32) async throws {
    let program = try LiveQuery.start(
      mode + ["--trust-hooks", "--hook-timeout", "1000", playground.database, dashboard])
    try await line.waitForWord()
    program.signal(signal)
    #expect(try await program.result().status == 128 + signal)
    try await line.waitForEnd()
  }

  @Test func `a reader that goes away ends it`() async throws {
    let program = try LiveQuery.start([
      "--stream", "--trust-hooks", "--hook-timeout", "1000", playground.database, dashboard,
    ])
    try await line.waitForWord()
    await program.closeOutput()
    #expect(try await program.result().status == 0)
    try await line.waitForEnd()
  }

  @Test(arguments: [0, SIGTERM, SIGHUP, SIGINT])
  func `the end of the screen ends it`(_ signal: Int32) async throws {
    let terminal = try await Tmux(beside: playground)
    try await terminal.start(["--hook-timeout", "1000", playground.database, dashboard])
    try await terminal.trustCommands()
    try await line.waitForWord()
    if signal == 0 {
      try await terminal.type("q")
    } else {
      kill(try await terminal.foreground(), signal)
    }
    try await terminal.waitForShell(status: signal == 0 ? 0 : 128 + signal)
    #expect(try await terminal.isRestored())
    try await line.waitForEnd()
  }
}
