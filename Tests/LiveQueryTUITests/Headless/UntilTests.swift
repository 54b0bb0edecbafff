import Dashboard
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

  @Test func `the first error of a condition ends the wait, and a later one does not`() {
    func refresh(_ result: Result<RowSet, DatabaseError>?) -> Refresh {
      var refresh = Refresh()
      refresh.results[2] = result
      return refresh
    }
    let (no, yes) = (RowSet(columns: ["a"], rows: [[0]]), RowSet(columns: ["a"], rows: [[1]]))
    let error = DatabaseError(code: .error, message: "no such table: t")
    var wrong = UntilCondition("SELECT 1", [:], behind: 2)
    #expect(
      wrong.take(refresh(.failure(error)))
        == .failed(Failure("--until: no such table: t", status: 1)))
    var condition = UntilCondition("SELECT 1", [:], behind: 2)
    let report = "--until: no such table: t; waiting goes on"
    #expect(condition.take(refresh(nil)) == .waiting(report: nil))
    #expect(condition.take(refresh(.success(no))) == .waiting(report: nil))
    #expect(condition.take(refresh(.failure(error))) == .waiting(report: report))
    #expect(condition.take(refresh(.failure(error))) == .waiting(report: nil), "it was said")
    #expect(condition.take(refresh(.success(yes))) == .isTrue)
    #expect(condition.take(refresh(nil)) == .isTrue, "its value is as it was")
    #expect(condition.take(refresh(.failure(error))) == .waiting(report: report))
    #expect(condition.take(refresh(nil)) == .waiting(report: nil))
  }

  @Test func `a stream ends at the first error of its condition, and not at a later one`()
    async throws
  {
    let playground = try await Playground(
      "CREATE TABLE t (v); CREATE TABLE s (v); INSERT INTO t VALUES (1);", journal: "wal")
    // It fails only when it runs.
    let wrong = try await LiveQuery.run(
      "--stream", "--until", "SELECT abs(-9223372036854775808) FROM t", playground.database, "-c",
      "SELECT v FROM t")
    #expect(wrong.status == 1 && wrong.errors.contains("--until: integer overflow"), "\(wrong)")
    #expect(wrong.output.contains("\"op\":\"end\""))
    let program = try LiveQuery.start([
      "--stream", "--until", "SELECT count(*) = 2 FROM s", playground.database, "-c",
      "SELECT v FROM t",
    ])
    _ = try await program.line()
    try await playground.shell.run("DROP TABLE s")
    try await program.waitForErrors(containing: "--until: no such table: s; waiting goes on")
    try await playground.shell.run("CREATE TABLE s (v); INSERT INTO s VALUES (1), (2)")
    #expect(try await program.result().status == 0)
  }

  /// A query that takes longer than a refresh may, and shows the value of the table.
  private static let slow =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000000) "
    + "SELECT (SELECT v FROM t) AS v FROM n WHERE i = 6000000"

  @Test func `what is printed is of one snapshot, also of slow panels`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (v); INSERT INTO t VALUES (0);", journal: "wal")
    let program = try LiveQuery.start([
      "--ndjson", "--until", "SELECT v = 100 FROM t", playground.database, "-c", Self.slow, "-c",
      "SELECT v FROM t",
    ])
    // It takes so long that the slow panel runs meanwhile.
    for _ in 0..<100 { try await playground.shell.run("UPDATE t SET v = v + 1") }
    let result = try await program.result()
    #expect(result.output == "{\"v\":100}\n{\"v\":100}\n" && result.status == 0, "\(result)")
  }

  @Test func `a stream ends behind the rows of its slow panels`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (v); INSERT INTO t VALUES (1);", journal: "wal")
    let result = try await LiveQuery.run(
      "--stream", "--until", "SELECT 1", playground.database, "-c", Self.slow, "-c",
      "SELECT v FROM t")
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 4, "\(lines)")
    #expect(lines.last?.contains("\"panel\":\"panel1\",\"op\":\"end\"") == true, "\(lines)")
  }

  @Test func `a stream ends beside a writer that outruns a slow panel`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (v); INSERT INTO t VALUES (0);", journal: "wal")
    // The test doesn't read meanwhile: a pipe would be full.
    let program = try LiveQuery.start([
      "--stream", "-o", playground.folder.path("out"), "--until", "SELECT v >= 5 FROM t",
      playground.database, "-c", Self.slow, "-c", "SELECT v FROM t",
    ])
    for _ in 0..<5_000 where !program.hasEnded {
      try await playground.shell.run("UPDATE t SET v = v + 1")
    }
    #expect(program.hasEnded)
    program.signal(SIGTERM)
    #expect(try await program.result().status == 0)
    let lines = try playground.folder.text("out")
    #expect(lines.contains("\"panel\":\"panel1\",\"op\":\"end\""))
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
