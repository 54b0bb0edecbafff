import DatabaseConsole
import Glibc
import ObservationEngine
import TestSupport
import Testing

@testable import LiveQueryTUI

/// `--until`: a process in front that ends at once, and the one behind it that waits for the condition.
@Suite(.fewAtOnce) struct UntilTests {
  @Test(
    arguments: [(SIGTERM, 143), (SIGINT, 130), (SIGHUP, 129), (SIGUSR1, 138), (SIGALRM, 142)]
      as [(Int32, Int32)])
  func `a signal to the process in front ends both`(
    _ signal: Int32, _ status: Int32
  ) async throws {
    let waiting = try await Waiting()
    waiting.program.signal(signal)
    #expect(try await waiting.program.result().status == status)
    try await waiting.waitForWorkersEnd()
  }

  @Test(
    arguments: [
      ("'2026-11-20'", .text("2026-11-20")), ("' 1'", .text(" 1")), ("'1e'", .text("1e")),
      ("'.5x'", .text(".5x")), ("'-.5'", .text("-.5")), ("'0x10'", .text("0x10")),
      ("'1e-400'", .text("1e-400")), ("'0e5'", .text("0e5")), ("'+'", .text("+")),
      ("'.'", .text(".")), ("'2.'", .text("2.")), ("'true'", .text("true")), ("''", .text("")),
      ("x'31'", .blob([0x31])), ("x'00'", .blob([0])), ("0.5", .real(0.5)), ("-0.0", .real(-0.0)),
      ("NULL", .null), ("7", .integer(7)), ("'1e+2'", .text("1e+2")), ("'1e+'", .text("1e+")),
    ] as [(String, Value)])
  func `a value is true as it is for WHERE`(_ sql: String, _ value: Value) async throws {
    let playground = try await Playground()
    let count = try await playground.shell.run("SELECT count(*) WHERE (\(sql))")
    #expect(RowSet(columns: ["a"], rows: [[value]]).isTrue == (count == "1\n"))
  }

  @Test func `it says that the file is gone, and goes on when it is back`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);", journal: "wal")
    let away = playground.folder.path("away.db")
    var program: RunningProgram?
    // As long as it has not looked once, a file that is missing is a mistake: then it ends.
    for _ in 0..<30 where program == nil {
      let waiting = try LiveQuery.start([
        "--until", "SELECT count(*) = 1 FROM t", playground.database,
      ])
      try await wait(for: "a look at the file") { playground.folder.names.contains("app.db-shm") }
      rename(playground.database, away)
      do {
        try await waiting.waitForErrors(containing: FileNotice.isGone)
        program = waiting
      } catch { _ = try await waiting.result() }
      rename(away, playground.database)
    }
    try await playground.shell.run("INSERT INTO t VALUES (1)")
    #expect(try await program?.result().status == 0, "it ended each time")
  }

  @Test func `it goes on while a script makes its table anew`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);", journal: "wal")
    var program: RunningProgram?
    // As long as it has not looked once, a table that is missing is a mistake: then it ends.
    for _ in 0..<30 where program == nil {
      let waiting = try LiveQuery.start([
        "--until", "SELECT count(*) = 2 FROM t", playground.database,
      ])
      try await wait(for: "a look at the file") { playground.folder.names.contains("app.db-shm") }
      try await playground.shell.run("DROP TABLE t")
      do {
        try await waiting.waitForErrors(containing: "--until: no such table: t; waiting goes on")
        program = waiting
      } catch {
        _ = try await waiting.result()
        try await playground.shell.run("CREATE TABLE t (v)")
      }
    }
    try await playground.shell.run("CREATE TABLE t (v); INSERT INTO t VALUES (1), (2)")
    #expect(try await program?.result().status == 0, "it ended each time")
    let wrong = try await LiveQuery.run("--until", "SELECT 1 FROM missing", playground.database)
    #expect(wrong.status == 1 && wrong.errors.contains("no such table: missing"))
  }

  @Test func `a condition that holds is all there is to say`() async throws {
    let playground = try await Playground("CREATE TABLE t (v); INSERT INTO t VALUES (1);")
    let result = try await LiveQuery.run(
      "--until", "SELECT count(*) = 1 FROM t", "--timeout", "60", playground.database)
    #expect(result.status == 0 && result.output == "" && result.errors == "")
  }

  @Test func `when the process in front is killed, the other one ends`() async throws {
    let waiting = try await Waiting()
    waiting.program.signal(SIGKILL)
    try await waiting.waitForWorkersEnd()
    #expect(try await waiting.playground.shell.run("PRAGMA integrity_check") == "ok\n")
  }

  @Test func `when the process behind is killed, the one in front ends as it did`() async throws {
    let waiting = try await Waiting()
    kill(waiting.worker, SIGKILL)
    #expect(try await waiting.program.result().status == 128 + SIGKILL)
  }

  @Test func `what it inherited is let go of before it ends`() async throws {
    let waiting = try await Waiting(holding: "lock")
    let lock = waiting.playground.folder.path("lock")
    try await waiting.playground.shell.run("UPDATE t SET v = 1")
    // Its standard output has ended, or there would be no result.
    #expect(try await waiting.program.result().status == 0)
    let holders = try await RunningProgram.run(["sh", "-c", "flock -n '\(lock)' true"])
    #expect(holders.status == 0)
  }

  /// A program that waits.
  private struct Waiting {
    let playground: Playground
    let program: RunningProgram
    /// The process behind it.
    let worker: pid_t

    /// - Parameter lock: A file that a shell locks for as long as the program lives, on a descriptor that
    ///   the program inherits.
    init(holding lock: String? = nil) async throws {
      let playground = try await Playground("CREATE TABLE t (v); INSERT INTO t VALUES (0);")
      let arguments = [
        "--stream", "--until", "SELECT v FROM t", playground.database, "-c", "SELECT v FROM t",
      ]
      let program: RunningProgram
      if let lock {
        program = try RunningProgram(
          [
            "sh", "-c", "exec 8>\"$1\"; shift; flock 8; exec \"$@\"", "sh",
            playground.folder.path(lock), try LiveQuery.path,
          ] + arguments, environment: LiveQuery.environment)
      } else {
        program = try LiveQuery.start(arguments)
      }
      _ = try await program.line()
      let own = program.identifier
      let children = try textOfProcessFile("/proc/\(own)/task/\(own)/children")
      guard let worker = pid_t(children.split(separator: " ").first ?? "") else {
        throw Unexpected("\(own) has no process behind it")
      }
      (self.playground, self.program, self.worker) = (playground, program, worker)
    }

    /// Waits until the process is gone, or nobody but its parent need know of it.
    func waitForWorkersEnd() async throws {
      try await wait(for: "the end of \(worker)") {
        guard let state = try? textOfProcessFile("/proc/\(worker)/stat") else {
          return true
        }
        return state.split(separator: ")").last?.hasPrefix(" Z") ?? true
      }
    }
  }
}
