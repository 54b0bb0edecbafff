import Glibc
import TestSupport
import Testing

/// The program ends within a second or so, whatever SQLite does.
@Suite(.fewAtOnce) struct EndingTests {
  /// One step of SQLite that takes about an hour, in 14 MB: a comparison of four million bytes at each of
  /// six million places. Only rows above 5 begin it.
  private static let endless = """
    SELECT v, instr(hex(zeroblob(5000000)), hex(zeroblob(2000000)) || '1') AS place FROM t WHERE v > 5
    """
  private static let table = "CREATE TABLE t (v); INSERT INTO t VALUES (1);"
  private static let begin = "UPDATE t SET v = 9"

  /// Waits until a process has worked for half a second: nothing but the step takes so long.
  private func waitForWork(of process: Int32) async throws {
    let ticks = sysconf(Int32(_SC_CLK_TCK))
    try await wait(for: "work of process \(process)") {
      guard let file = fopen("/proc/\(process)/stat", "r") else { return false }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 1_000)
      let count = fread(&bytes, 1, bytes.count, file)
      let fields = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
      return fields.count > 14 && (Int(fields[13]) ?? 0) > ticks * 3 / 2
    }
  }

  @Test(arguments: ["--once", "--stream"])
  func `a timeout ends it in the middle of a step`(_ mode: String) async throws {
    let playground = try await Playground(Self.table + Self.begin)
    let result = try await LiveQuery.run(
      [mode, "--timeout", "1", playground.database, "-c", Self.endless])
    #expect(result.status == 4)
    #expect(result.errors == "livequery: timed out after 1 s\n")
  }

  @Test func `what prints once has a time of its own`() async throws {
    let playground = try await Playground(Self.table + Self.begin)
    let result = try await LiveQuery.run(
      ["--once", "--query-timeout", "200", playground.database, "-c", Self.endless])
    #expect(result.status == 4)
    #expect(
      result.errors == "livequery: timed out after 0.2 s; --query-timeout allows more\n")
  }

  @Test func `a signal ends it in the middle of a step`() async throws {
    let playground = try await Playground(Self.table)
    let program = try LiveQuery.start(
      ["--stream", playground.database, "-c", "SELECT v FROM t", "-c", Self.endless])
    _ = try await program.line()
    try await playground.shell.run(Self.begin)
    try await waitForWork(of: program.identifier)
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
    #expect(try await playground.shell.run("PRAGMA integrity_check") == "ok\n")
  }

  @Test func `q ends it in the middle of a step, and the terminal is as before`() async throws {
    let playground = try await Playground(Self.table)
    let terminal = try await Tmux(beside: playground)
    try await terminal.start([playground.database, "-c", "SELECT v FROM t", "-c", Self.endless])
    try await terminal.waitFor("LIVE", "panel2")
    try await playground.shell.run(Self.begin)
    try await waitForWork(of: try await terminal.foreground())
    try await terminal.type("q")
    try await terminal.waitForShell(status: 0)
    #expect(try await terminal.isRestored())
  }

  @Test func `a frame is printed though a panel never comes to its end`() async throws {
    let playground = try await Playground(Self.table + Self.begin)
    let result = try await LiveQuery.run([
      "--frame", "60x12", "--query-timeout", "200", playground.database, "-c", Self.endless,
    ])
    #expect(result.status == 4)
    #expect(result.output.contains("panel1"))
    #expect(result.errors.contains("timed out after 0.2 s: not every panel is read"))
  }

  @Test func `panels that take too long together are cancelled`() async throws {
    let playground = try await Playground(Self.table)
    let result = try await LiveQuery.run([
      "--once", "--query-timeout", "300", playground.database, "-c",
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    ])
    #expect(result.status == 4)
    // On a slow machine the time may be over before the panel is read.
    let reasons = ["panel1: cancelled: the panels took more than", "timed out after"]
    #expect(
      reasons.map { "livequery: \($0) 0.3 s; --query-timeout allows more\n" }
        .contains(result.errors))
  }
}
