import Glibc
import TestSupport
import Testing

@Suite(.fewAtOnce) struct StreamTests {
  private func records(
    _ program: RunningProgram, until isLast: (StreamRecord) -> Bool
  ) async throws -> [StreamRecord] {
    var records: [StreamRecord] = []
    repeat {
      records.append(try StreamRecord(try await program.line()))
    } while !isLast(
      records[records.count - 1])
    return records
  }

  @Test func `a recording that has no room ends, and the stream goes on and says so`() async throws
  {
    let playground = try await Playground("CREATE TABLE t (v); INSERT INTO t VALUES ('a');")
    let program = try RunningProgram(
      [
        "sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", LiveQuery.path, "--stream",
        "--record", playground.folder.path("r"), playground.database, "-c", "SELECT v FROM t",
      ], environment: LiveQuery.environment)
    _ = try await program.line()
    for number in 1...6 {
      try await playground.shell.run(
        "UPDATE t SET v = '\(number)' || hex(zeroblob(200))")
      while try await !program.line().contains("\"\(number)000") {}
    }
    program.signal(SIGTERM)
    let result = try await program.result()
    #expect(result.status == 143)
    #expect(
      result.errors
        == "livequery: --record \(playground.folder.path("r")): File too large; the recording ends here\n"
    )
  }

  @Test(arguments: ["wal", "delete"])
  func `a commit by sqlite3 is printed`(_ journal: String) async throws {
    let playground = try await Playground("CREATE TABLE t (v);", journal: journal)
    let program = try LiveQuery.start(
      ["--stream", playground.database, "-c", "SELECT count(*) AS n FROM t"])
    let opening = try await records(program) { $0.operation == "\"end\"" }
    #expect(opening.map(\.operation) == ["\"+\"", "\"end\""])
    #expect(opening[0].names == ["tx", "ts", "src", "panel", "op", "key", "new"])
    #expect(opening[1].names == ["tx", "ts", "src", "panel", "op", "how", "tables", "ms"])
    #expect(opening.allSatisfy { $0["src"] == "\"open\"" && $0.ordinal == 0 })
    #expect(opening[0]["new"] == "{\"n\":0}")

    try await playground.shell.run("INSERT INTO t VALUES (1)")
    let change = try await records(program) { $0.operation == "\"end\"" }
    #expect(change.map(\.operation) == ["\"~\"", "\"end\""])
    #expect(change[0]["old"] == "{\"n\":0}")
    #expect(change[0]["new"] == "{\"n\":1}")
    // What woke a resting watch may have been counted before.
    let ordinals = Set(change.compactMap(\.ordinal))
    #expect(ordinals == [1] || ordinals == [2])
    #expect(change.allSatisfy { $0["src"] == "\"ext\"" })
    #expect(change.allSatisfy { $0["panel"] == "\"panel1\"" && $0["ts"] == change[0]["ts"] })
    #expect(change[0]["ts"]?.utf8.count == "\"2026-11-20T18:00:00.123456Z\"".utf8.count)
  }

  @Test(arguments: [[], ["--audit"]])
  func `how each panel was refreshed is said, and why its query ran`(
    _ options: [String]
  ) async throws {
    // Running a query must take longer than 50 µs to be worth it.
    let playground = try await Playground(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
      INSERT INTO t SELECT i, i % 7 FROM n;
      """, journal: "wal")
    let program = try LiveQuery.start(
      ["--stream"] + options + [
        playground.database, "-c", "SELECT count(*) AS n FROM t WHERE v > 3",
        "-c", "SELECT count(*) AS n, random() AS r FROM t",
      ])
    _ = try await records(program) { $0.panel == "\"panel2\"" && $0.operation == "\"end\"" }
    let writer = try await ExternalProcess.serve(playground.database)
    var methods: Set<String> = []
    try await wait(for: "a maintained panel") {
      try await writer.send("INSERT INTO t (v) VALUES (5)")
      let change = try await records(program) {
        $0.panel == "\"panel2\"" && $0.operation == "\"end\""
      }
      let ends = change.filter { $0.operation == "\"end\"" }
      #expect(ends.last?["how"] == "\"recomputed\"")
      guard ends.count == 2, let how = ends[0]["how"] else { return false }
      methods.insert(how)
      guard how == "\"maintained\"" else { return false }
      #expect(ends[0]["why"] == nil)
      #expect(ends[0].names == ["tx", "ts", "src", "panel", "op", "how", "tables", "by", "ms"])
      // It was refused by now, as long as the other took to be read.
      return ends[1]["why"]?.contains("random") == true
    }
    #expect(methods.contains("\"recomputed\""), "at first its query ran")
    program.signal(SIGTERM)
    #expect(try await program.result().errors == "")
  }

  @Test func `that a panel works again is said as well`() async throws {
    let playground = try await Playground("CREATE TABLE t (v); INSERT INTO t VALUES (1);")
    let program = try LiveQuery.start(["--stream", playground.database, "-c", "SELECT v FROM t"])
    _ = try await records(program) { $0.operation == "\"end\"" }
    try await playground.shell.run("ALTER TABLE t RENAME v TO w")
    try await program.waitForErrors(containing: "panel1: no such column: v")
    let stale = try await records(program) { _ in true }
    #expect(stale[0].names == ["tx", "ts", "src", "panel", "op", "why"])
    #expect(stale[0].operation == "\"stale\"" && stale[0]["why"] == "\"no such column: v\"")
    try await playground.shell.run("ALTER TABLE t RENAME w TO v; INSERT INTO t VALUES (2)")
    try await program.waitForErrors(containing: "panel1: up to date again")
    let last = try await records(program) { $0.operation == "\"fresh\"" }
    #expect(last.map(\.operation) == ["\"+\"", "\"end\"", "\"fresh\""])
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test func `what continues an earlier stream has the rows alone`() async throws {
    let playground = try await Playground("CREATE TABLE t (v); INSERT INTO t VALUES (1);")
    let program = try LiveQuery.start([
      "--stream", "--state", playground.folder.path("state"), playground.database, "-c",
      "SELECT v FROM t",
    ])
    _ = try await records(program) { $0.operation == "\"end\"" }
    try await playground.shell.run("ALTER TABLE t RENAME v TO w")
    try await program.waitForErrors(containing: "panel1: no such column: v")
    try await playground.shell.run("ALTER TABLE t RENAME w TO v; INSERT INTO t VALUES (2)")
    let change = try await records(program) { $0.operation == "\"end\"" }
    #expect(change.map(\.operation) == ["\"+\"", "\"end\""])
    program.signal(SIGTERM)
    _ = try await program.result()
  }

  @Test func `a file that is emptied meanwhile begins with the next line`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let out = playground.folder.path("out")
    let program = try LiveQuery.start([
      "--stream", "-o", out, "--until", "SELECT count(*) = 2 FROM t", playground.database, "-c",
      "SELECT count(*) AS n FROM t",
    ])
    try await wait(for: "its beginning") {
      (try? playground.folder.text("out").contains("\"n\":0}")) == true
    }
    try await playground.shell.run("INSERT INTO t VALUES (1)")
    try await wait(for: "a change") { try playground.folder.text("out").contains("\"n\":1}") }
    #expect(truncate(out, 0) == 0)
    try await playground.shell.run("INSERT INTO t VALUES (2)")
    #expect(try await program.result().status == 0)
    let lines = try playground.folder.text("out")
    #expect(lines.hasPrefix("{") && lines.contains("\"n\":2}"))
  }

  @Test(arguments: [("HUP", SIGHUP), ("INT", SIGINT), ("QUIT", SIGQUIT)])
  func `a signal that is ignored from the start, as by nohup, stays so`(
    _ name: String, _ number: Int32
  ) async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    // The shell ignores it, and becomes the program.
    let program = try RunningProgram(
      try ["sh", "-c", "trap '' \(name); exec \"$@\"", "sh"]
        + [LiveQuery.path, "--stream", playground.database, "-c", "SELECT count(*) AS n FROM t"],
      environment: LiveQuery.environment)
    _ = try await program.line()
    program.signal(number)
    try await playground.shell.run("INSERT INTO t VALUES (1)")
    _ = try await program.line()
    #expect(try await program.line().contains("\"n\":1"))
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test func `that a panel is stale, and why, is said on standard error`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);", journal: "delete")
    let program = try LiveQuery.start(["--stream", playground.database, "-c", "SELECT v FROM t"])
    _ = try await records(program) { $0.operation == "\"end\"" }
    let ruin = try playground.folder.write("This is no database, and never was.", to: "ruin")
    #expect(rename(ruin, playground.database) == 0)
    try await program.waitForErrors(containing: "panel1: stale: ")
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test func `with a key a changed row is one record`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b');")
    let file = try playground.folder.write(
      "-- name: rows\n-- key: id\nSELECT id, v FROM t ORDER BY id", to: "d.sql")
    let program = try LiveQuery.start(["--stream", playground.database, file])
    _ = try await records(program) { $0.operation == "\"end\"" }
    try await playground.shell.run(
      "BEGIN; DELETE FROM t WHERE id = 1; UPDATE t SET v = 'B'; INSERT INTO t VALUES (3, 'c'); END")
    let change = try await records(program) { $0.operation == "\"end\"" }
    #expect(change.map(\.operation) == ["\"-\"", "\"~\"", "\"+\"", "\"end\""])
    #expect(change.compactMap { $0["key"] } == ["[1]", "[2]", "[3]"])
    #expect(change[1]["old"] == "{\"id\":2,\"v\":\"b\"}")
    #expect(change[1]["new"] == "{\"id\":2,\"v\":\"B\"}")
  }

  @Test func `an empty panel begins with its end, and a commit without effect prints nothing`()
    async throws
  {
    let playground = try await Playground("CREATE TABLE t (v); CREATE TABLE other (v);")
    let program = try LiveQuery.start(["--stream", playground.database, "-c", "SELECT v FROM t"])
    let opening = try await records(program) { $0.operation == "\"end\"" }
    #expect(opening.count == 1)
    try await playground.shell.run("INSERT INTO other VALUES (1)")
    try await playground.shell.run("INSERT INTO t VALUES (2)")
    let change = try await records(program) { $0.operation == "\"end\"" }
    #expect(change.map(\.operation) == ["\"+\"", "\"end\""])
  }

  @Test func `a slow panel begins with its current state too`() async throws {
    let playground = try await Playground(Fixture.counter)
    let slow =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) "
      + "SELECT max(i) AS i FROM n"
    let program = try LiveQuery.start([
      "--stream", "--query-timeout", "0", playground.database, "-c", slow, "-c",
      "SELECT count(*) AS n FROM t",
    ])
    let all = try await records(program) { $0.panel == "\"panel1\"" && $0.operation == "\"end\"" }
    #expect(all.map(\.panel).prefix(2) == ["\"panel2\"", "\"panel2\""])
    #expect(all.allSatisfy { $0["src"] == "\"open\"" })
  }

  @Test func `it ends after as many changes as were asked for`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let program = try LiveQuery.start(
      ["--stream", "--count", "2", playground.database, "-c", "SELECT v FROM t"])
    _ = try await program.line()
    for value in 1...2 {
      try await playground.shell.run("INSERT INTO t VALUES (\(value))")
      let change = try await records(program) { $0.operation == "\"end\"" }
      #expect(change[0]["new"] == "{\"v\":\(value)}")
    }
    let result = try await program.result()
    #expect(result.status == 0)
    #expect(result.output.split(separator: "\n").count == 5)
  }

  @Test func `it ends when a query becomes true`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let program = try LiveQuery.start(
      [
        "--stream", "--until", "SELECT count(*) >= 2 FROM t", playground.database, "-c",
        "SELECT v FROM t",
      ])
    _ = try await program.line()
    for value in 1...2 { try await playground.shell.run("INSERT INTO t VALUES (\(value))") }
    let result = try await program.result()
    #expect(result.status == 0)
    #expect(result.output.contains("\"new\":{\"v\":2}"))
    #expect(!result.output.contains("count(*)"))
  }

  @Test func `once with a condition prints the first state that meets it`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);", journal: "wal")
    let program = try LiveQuery.start(
      ["--csv", "--until", "SELECT v = 3 FROM t", playground.database, "-c", "SELECT v FROM t"])
    try await playground.shell.run("INSERT INTO t VALUES (2)")
    try await playground.shell.run("UPDATE t SET v = 3")
    let result = try await program.result()
    #expect(result.output == "v\r\n3\r\n")
    #expect(result.status == 0)
  }

  @Test func `waiting for a condition alone prints nothing`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);", journal: "wal")
    let program = try LiveQuery.start(["--until", "SELECT v = 3 FROM t", playground.database])
    try await playground.shell.run("INSERT INTO t VALUES (3)")
    let result = try await program.result()
    #expect(result.output == "" && result.errors == "")
    #expect(result.status == 0)
    let rows = try await LiveQuery.run(
      "--until", "SELECT 1", "--ndjson", "--panel", "t", playground.database)
    #expect(rows.output == "{\"v\":3}\n", "what is asked for is printed")
  }

  @Test func `the time limit ends it with status 4, what was printed being whole`() async throws {
    let playground = try await Playground(Fixture.counter)
    let result = try await LiveQuery.run(
      "--stream", "--timeout", "1.2", playground.database, "-c", "SELECT id FROM t")
    #expect(result.status == 4)
    #expect(result.errors == "livequery: timed out after 1.2 s\n")
    #expect(result.output.hasSuffix("}\n"))
    #expect(result.output.split(separator: "\n").count == 2)
  }

  @Test func `a reader that goes away ends it quietly, without another commit`() async throws {
    let playground = try await Playground(Fixture.counter)
    let program = try LiveQuery.start(["--stream", playground.database, "-c", "SELECT id FROM t"])
    _ = try await program.line()
    await program.closeOutput()
    let result = try await program.result()
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test func `a format that is no stream is refused`() async throws {
    let result = try await LiveQuery.run("--stream", "--csv", "x.db")
    #expect(result.status == 2)
    #expect(result.errors.contains("--stream writes NDJSON; --csv is for --once"))
  }

  @Test func `it goes into a file too`() async throws {
    let playground = try await Playground(Fixture.counter)
    let result = try await LiveQuery.run(
      "--stream", "-o", playground.folder.path("out"), "--until", "SELECT 1", playground.database,
      "-c", "SELECT id FROM t")
    #expect(result.status == 0)
    #expect(result.output == "")
    #expect(try playground.folder.text("out").split(separator: "\n").count == 2)
  }
}
