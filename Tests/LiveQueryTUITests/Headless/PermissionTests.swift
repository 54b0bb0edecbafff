import Glibc
import TestSupport
import Testing

/// What may be read and not written, or not even read; run as somebody whom permissions bind.
@Suite(.fewAtOnce) struct PermissionTests {
  private func playground(_ journal: String) async throws -> Playground {
    let playground = try await Playground(Fixture.counter, journal: journal)
    #expect(chmod(playground.folder.path, 0o755) == 0)
    return playground
  }

  @Test func `a file without permission is named`() async throws {
    let playground = try await playground("delete")
    #expect(chmod(playground.database, 0) == 0)
    let result = try await LiveQuery.runUnprivileged(
      ["--once", playground.database, "-c", "SELECT 1"], in: playground.folder)
    #expect(result.status == 3)
    #expect(result.output == "")
    #expect(result.errors == "livequery: \(playground.database): no permission to read it\n")
  }

  @Test(arguments: ["wal", "delete"])
  func `a file in a folder that cannot be written is read`(_ journal: String) async throws {
    let playground = try await playground(journal)
    // Made first: nobody may copy into the folder afterwards.
    let other = try TemporaryFolder()
    #expect(chmod(other.path, 0o755) == 0)
    let before = playground.folder.names
    #expect(chmod(playground.database, 0o444) == 0)
    #expect(chmod(playground.folder.path, 0o555) == 0)
    defer { chmod(playground.folder.path, 0o755) }
    let result = try await LiveQuery.runUnprivileged(
      ["--csv", playground.database, "-c", "SELECT v FROM t"], in: other)
    #expect(result.output == "v\r\na\r\n")
    #expect(result.errors == "")
    #expect(result.status == 0)
    #expect(playground.folder.names == before)
  }

  /// SQLite must roll it back first, which it can't there. To read past it would show what was never committed.
  @Test func `half of a transaction in a folder that cannot be written is not read`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v, text);"
        + "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)"
        + " INSERT INTO t SELECT i, 1, hex(zeroblob(200)) FROM n;")
    let other = try TemporaryFolder()
    #expect(chmod(other.path, 0o755) == 0)
    do {
      let writer = try PlainConnection(playground.database)
      defer { writer.close() }
      try writer.run("PRAGMA cache_size = 5; BEGIN; UPDATE t SET v = 2")
      let copy = try await RunningProgram.run([
        "cp", playground.database, playground.database + "-journal", other.path,
      ])
      #expect(copy.status == 0)
    }
    #expect(chmod(other.path("app.db"), 0o644) == 0)
    #expect(chmod(other.path("app.db-journal"), 0o644) == 0)
    let program = try TemporaryFolder()
    #expect(chmod(program.path, 0o755) == 0)
    #expect(chmod(other.path, 0o555) == 0)
    defer { chmod(other.path, 0o755) }
    let result = try await LiveQuery.runUnprivileged(
      ["--csv", other.path("app.db"), "-c", "SELECT v, count(*) FROM t GROUP BY v"], in: program)
    #expect(result.output == "")
    #expect(result.errors.contains("app.db-journal has to be rolled back first"))
    #expect(result.status == 3)
  }

  @Test func `who only reads is told that a transaction has to be rolled back first`() async throws
  {
    let playground = try await Playground(
      "CREATE TABLE t (v); INSERT INTO t VALUES (1);", journal: "delete")
    let other = try TemporaryFolder()
    do {
      let writer = try PlainConnection(playground.database)
      defer { writer.close() }
      try writer.run(
        "PRAGMA cache_size = 1; BEGIN; UPDATE t SET v = 2; CREATE TABLE u AS SELECT randomblob(100000)"
      )
      let copy = try await RunningProgram.run([
        "cp", playground.database, playground.database + "-journal", other.path,
      ])
      #expect(copy.status == 0)
    }
    let arguments = ["--csv", other.path("app.db"), "-c", "SELECT v FROM t"]
    let reading = try await LiveQuery.run(["--read-only"] + arguments)
    #expect(reading.errors.contains("app.db-journal has to be rolled back first"))
    #expect(reading.status == 3)
    #expect(try await LiveQuery.run(arguments).output == "v\r\n1\r\n")
  }

  @Test func `the console of such a file says that it can only read`() async throws {
    let playground = try await playground("delete")
    let other = try TemporaryFolder()
    #expect(chmod(other.path, 0o755) == 0)
    let keys = try other.write("cINSERT INTO t(v) VALUES ('b');<Enter><wait>", to: "keys")
    #expect(chmod(playground.database, 0o444) == 0)
    let result = try await LiveQuery.runUnprivileged(
      ["--keys", keys, "--frame", "80x24", playground.database, "-c", "SELECT v FROM t"],
      in: other)
    #expect(result.status == 0)
    #expect(result.output.contains("DELETE ro"))
    #expect(result.output.contains("attempt to write a readonly database"))
    #expect(try await playground.shell.run("SELECT count(*) FROM t") == "1\n")
  }
}
