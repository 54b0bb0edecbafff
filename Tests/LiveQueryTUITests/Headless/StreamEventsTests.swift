import DatabaseConsole
import Glibc
import TestSupport
import Testing

/// What happens to the file and its schema while a stream runs.
@Suite(.fewAtOnce) struct StreamEventsTests {
  private func start(
    _ playground: Playground, _ query: String = "SELECT v FROM t"
  ) async throws -> RunningProgram {
    let program = try LiveQuery.start(["--stream", playground.database, "-c", query])
    var line = ""
    while !line.contains("\"op\":\"end\"") { line = try await program.line() }
    return program
  }

  private func wait(for text: String, in program: RunningProgram) async throws {
    while !(try await program.line()).contains(text) {}
  }

  @Test(arguments: ["wal", "delete"])
  func `a table that is dropped and made again`(_ journal: String) async throws {
    let playground = try await Playground(Fixture.counter, journal: journal)
    let program = try await start(playground)
    try await playground.shell.run("ALTER TABLE t RENAME TO other")
    try await program.waitForErrors(containing: "panel1: no such table: t")
    try await playground.shell.run("CREATE TABLE t (v); INSERT INTO t VALUES ('again')")
    try await wait(for: "\"new\":{\"v\":\"again\"}", in: program)
    program.signal(SIGTERM)
    let result = try await program.result()
    #expect(result.status == 143)
    // The rows that the records add up to were those of the first table until then.
    #expect(result.output.contains("\"key\":[\"a\"],\"old\":{\"v\":\"a\"}"))
  }

  @Test func `a column that is added to what is shown`() async throws {
    let playground = try await Playground(Fixture.counter)
    let program = try await start(playground, "SELECT * FROM t")
    try await playground.shell.run("ALTER TABLE t ADD COLUMN extra DEFAULT 7")
    try await wait(for: "\"old\":{\"id\":1,\"v\":\"a\"}", in: program)
    try await wait(for: "\"new\":{\"id\":1,\"v\":\"a\",\"extra\":7}", in: program)
  }

  @Test(arguments: ["wal", "delete"])
  func `another file is moved to the path`(_ journal: String) async throws {
    let playground = try await Playground(Fixture.counter, journal: journal)
    let other = SQLiteShell(playground.folder.path("other.db"))
    try await other.run("CREATE TABLE t (v); INSERT INTO t VALUES ('moved')")
    let program = try await start(playground)
    #expect(rename(other.database, playground.database) == 0)
    try await wait(for: "\"new\":{\"v\":\"moved\"}", in: program)
    try await program.waitForErrors(containing: "another file stands at the path; it was opened")
    try await playground.shell.run("UPDATE t SET v = 'and changed'")
    try await wait(for: "\"new\":{\"v\":\"and changed\"}", in: program)
  }

  @Test func `the file is removed, and made anew`() async throws {
    let playground = try await Playground(Fixture.counter)
    let program = try await start(playground)
    #expect(unlink(playground.database) == 0)
    try await program.waitForErrors(containing: "the file is gone; waiting for it to come back")
    try await playground.shell.run("CREATE TABLE t (v); INSERT INTO t VALUES ('back')")
    try await wait(for: "\"new\":{\"v\":\"back\"}", in: program)
  }

  @Test func `VACUUM and a change of the journal mode lose nothing`() async throws {
    let playground = try await Playground(Fixture.counter)
    let program = try await start(playground)
    for (number, statement) in ["VACUUM", "PRAGMA journal_mode = wal", "VACUUM"].enumerated() {
      try await playground.shell.run(statement)
      try await playground.shell.run("UPDATE t SET v = \(number)")
      try await wait(for: "\"new\":{\"v\":\(number)}", in: program)
    }
  }

  @Test func `what stands in messages cannot act on the terminal`() async throws {
    let folder = try TemporaryFolder()
    let hostile = folder.path("\u{1b}]0;owned\u{7}\u{202e}.db")
    let result = try await LiveQuery.run("--once", hostile, "-c", "SELECT 1")
    #expect(result.status == 3)
    #expect(result.errors.contains("␛]0;owned␇⟨U+202E⟩.db: there is no such file"))
    let option = try await LiveQuery.run("--\u{1b}[31m")
    #expect(option.errors.hasPrefix("livequery: unknown option --␛[31m"))
    let playground = try await Playground()
    let query = try await LiveQuery.run(
      "--once", playground.database, "-c", "SELECT \"\u{1b}[2J\" FROM x")
    #expect(!query.errors.utf8.contains(0x1b))
    let dashboard = try playground.folder.write(
      "-- name: a\n-- view: \u{1b}[2J\nSELECT 1;", to: "d.sql")
    let check = try await LiveQuery.run("--check", dashboard)
    #expect(check.output.contains("d.sql:2:10: error: no view is called \"␛[2J\""))
    #expect(!check.output.utf8.contains(0x1b))
  }
}
