import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

/// Alerts and hooks where nobody sits at a screen.
@Suite(.fewAtOnce) struct AlertTests {
  private static let queue = "CREATE TABLE job (id INTEGER PRIMARY KEY, state TEXT);"

  /// A dashboard whose hook copies what it reads.
  private static func dashboard(
    _ playground: Playground, hook: String = "./hook.sh", script: String = "cat >> got"
  ) throws -> String {
    try playground.folder.writeScript(script, to: "hook.sh")
    return try playground.folder.write(
      """
      -- name: queue
      -- alert: waiting > 2 until waiting < 1
      -- on-alert: \(hook)
      SELECT count(*) AS waiting FROM job;
      """, to: "queue.sql")
  }

  private static func add(_ count: Int, to playground: Playground) async throws {
    let values = Array(repeating: "('new')", count: count).joined(separator: ",")
    try await playground.shell.run("INSERT INTO job (state) VALUES \(values)")
  }

  @Test func `once with --fail-on-alert prints, and tells by its status`() async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground)
    let arguments = ["--csv", "--fail-on-alert", playground.database, dashboard]
    let calm = try await LiveQuery.run(arguments)
    #expect(calm.status == 0)
    #expect(calm.errors == "")
    try await Self.add(3, to: playground)
    let alert = try await LiveQuery.run(arguments)
    #expect(alert.status == 5)
    #expect(alert.output == "waiting\r\n3\r\n")
    #expect(alert.errors == "livequery: queue: alert: waiting > 2\n")
    #expect(!playground.folder.names.contains("got"))
  }

  @Test func `a stream runs a trusted hook and ends with the alert's status`() async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground)
    let program = try LiveQuery.start([
      "--stream", "--trust-hooks", "--fail-on-alert", playground.database, dashboard,
    ])
    #expect(try await program.line().contains("\"waiting\":0"))
    _ = try await program.line()
    try await Self.add(3, to: playground)
    let result = try await program.result()
    #expect(result.status == 5)
    #expect(result.errors == "livequery: queue: alert: waiting > 2\n")
    let report = try playground.folder.text("got")
    #expect(
      report.hasPrefix("{\"alert\":\"raised\",\"panel\":\"queue\",\"condition\":\"waiting > 2\","))
    #expect(report.hasSuffix("\"old\":{\"waiting\":0},\"new\":{\"waiting\":3}}\n"))
  }

  @Test func `a hook that nobody confirmed does not run, and that is said at once`() async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground)
    let program = try LiveQuery.start([
      "--stream", "--fail-on-alert", playground.database, dashboard,
    ])
    let remedy = "not confirmed; run it once on a terminal to confirm it, or give --trust-hooks"
    try await program.waitForErrors(containing: "hook ./hook.sh will not run: \(remedy)")
    try await Self.add(3, to: playground)
    let result = try await program.result()
    #expect(result.status == 5)
    #expect(result.errors.contains("hook ./hook.sh not run: \(remedy)"))
    #expect(!playground.folder.names.contains("got"))
  }

  @Test func `a hook that was confirmed runs until its file changes`() async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground)
    try await Self.add(3, to: playground)
    let environment = ["XDG_STATE_HOME": playground.folder.path("state")]
    let resolved = try #require(realpath(dashboard, nil))
    defer { free(resolved) }
    let path = String(cString: resolved)
    let trust = try #require(TrustFile { environment[$0] })
    try trust.add(
      TrustFile.digest(path: path, text: try playground.folder.text("queue.sql")), of: path)
    let arguments = ["--stream", "--fail-on-alert", playground.database, dashboard]
    #expect(try await LiveQuery.run(arguments, environment: environment).status == 5)
    #expect(playground.folder.names.contains("got"))
    unlink(playground.folder.path("got"))
    try playground.folder.write(
      try playground.folder.text("queue.sql") + "\n-- changed\n", to: "queue.sql")
    let changed = try await LiveQuery.run(arguments, environment: environment)
    #expect(changed.errors.contains("will not run: not confirmed"))
    #expect(!playground.folder.names.contains("got"))
  }

  @Test func `a hook that hangs is killed, and the stream goes on`() async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground, script: "exec sleep 1000")
    try await Self.add(3, to: playground)
    let program = try LiveQuery.start([
      "--stream", "--trust-hooks", "--hook-timeout", "0.2", "--count", "1", playground.database,
      dashboard,
    ])
    try await program.waitForErrors(containing: "hook ./hook.sh was killed after 200 ms")
    try await Self.add(1, to: playground)
    let result = try await program.result()
    #expect(result.status == 0)
    #expect(result.output.contains("\"waiting\":4"))
  }

  @Test func `the stream goes on while a hook runs, which then gets all that has changed`()
    async throws
  {
    let playground = try await Playground(Self.queue)
    for name in ["up", "go"] { #expect(mkfifo(playground.folder.path(name), 0o600) == 0) }
    let folder = playground.folder.path
    let program = try LiveQuery.start([
      "--exec", "sh -c 'echo up > \(folder)/up; cat \(folder)/go; cat >> \(folder)/got'",
      "--stream",
      "--count", "3", playground.database, "-c", "SELECT count(*) AS n FROM job",
    ])
    for _ in 0..<2 { _ = try await program.line() }
    try await Self.add(1, to: playground)
    #expect(try await RunningProgram.run(["cat", "\(folder)/up"]).output == "up\n")
    for _ in 0..<2 { _ = try await program.line() }
    // It waits for its first letter; these are printed all the same.
    for number in 2...3 {
      try await Self.add(1, to: playground)
      #expect(try await program.line().contains("\"n\":\(number)"))
      _ = try await program.line()
    }
    let letter = try RunningProgram(["sh", "-c", "echo > '\(folder)/go'"])
    #expect(try await RunningProgram.run(["cat", "\(folder)/up"]).output == "up\n")
    let second = try RunningProgram(["sh", "-c", "echo > '\(folder)/go'"])
    let result = try await program.result()
    _ = try await letter.result()
    _ = try await second.result()
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n").dropFirst(2)
    #expect(try playground.folder.text("got") == lines.joined(separator: "\n") + "\n")
  }

  @Test(
    arguments: [
      ("./nothing.sh", "./nothing.sh did not start: No such file or directory"),
      ("sh -c 'echo full disk; exit 9'", "failed (9): full disk"),
    ])
  func `a hook that fails is told on standard error`(
    _ hook: String, _ message: String
  ) async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground, hook: hook)
    try await Self.add(3, to: playground)
    let result = try await LiveQuery.run(
      "--stream", "--trust-hooks", "--fail-on-alert", playground.database, dashboard)
    #expect(result.status == 5)
    #expect(result.errors.contains(message))
  }

  @Test func `--exec reads the records of each change, without being asked about`() async throws {
    let playground = try await Playground(Self.queue)
    let got = playground.folder.path("got")
    let program = try LiveQuery.start([
      "--exec", "sh -c 'cat >> \"$0\"' \(got)", "--stream", "--count", "2", playground.database,
      "-c", "SELECT count(*) AS n FROM job",
    ])
    for _ in 0..<2 { _ = try await program.line() }
    try await Self.add(1, to: playground)
    for _ in 0..<2 { _ = try await program.line() }
    try await Self.add(1, to: playground)
    let result = try await program.result()
    #expect(result.status == 0)
    #expect(result.errors == "")
    // All that was printed but the beginning, which is no change.
    let lines = result.output.split(separator: "\n").dropFirst(2)
    #expect(try playground.folder.text("got") == lines.joined(separator: "\n") + "\n")
    #expect(lines.count == 4)
  }

  @Test func `into a pipe --exec means a stream`() async throws {
    let playground = try await Playground(Self.queue)
    let program = try LiveQuery.start([
      "--exec", "false", playground.database, "-c", "SELECT count(*) AS n FROM job",
    ])
    _ = try await program.line()
    try await Self.add(1, to: playground)
    try await program.waitForErrors(containing: "hook false failed (1)")
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test func `a signal ends the hook that runs`() async throws {
    let playground = try await Playground(Self.queue)
    let dashboard = try Self.dashboard(playground, script: "echo up > up; exec sleep 1000")
    let fifo = playground.folder.path("up")
    #expect(mkfifo(fifo, 0o600) == 0)
    try await Self.add(3, to: playground)
    let program = try LiveQuery.start([
      "--stream", "--trust-hooks", playground.database, dashboard,
    ])
    // The hook tells that it runs.
    #expect(try await RunningProgram.run(["cat", fifo]).output == "up\n")
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test(
    arguments: [
      ["--once", "--exec", "x"], ["--csv", "--exec", "x"], ["--check", "--fail-on-alert", "a.sql"],
      ["--exec", ""], ["--exec", "a 'b"], ["--speed", "2"], ["--replay", "f", "--speed", "0"],
      ["--replay", "f", "--exec", "x"], ["--replay", "f", "--once"], ["--once", "--record", "f"],
      ["--hook-timeout", "x"],
    ])
  func `what contradicts itself is refused`(_ words: [String]) {
    let rest = words.contains("--replay") ? [] : ["app.db"]
    #expect(throws: ArgumentError.self) { try Arguments(parsing: words + rest) }
  }

  @Test func `--replay takes no database`() throws {
    #expect(throws: ArgumentError.self) { try Arguments(parsing: ["--replay", "f", "app.db"]) }
    #expect(try Arguments(parsing: ["--replay", "f", "--speed", "max"]).speed == .all)
    #expect(try Arguments(parsing: ["--replay", "f", "--speed", "0.5"]).speed == .times(0.5))
  }
}
