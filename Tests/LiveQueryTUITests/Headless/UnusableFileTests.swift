import Glibc
import TestSupport
import Testing

/// Files that cannot be opened: what is said, and that they stay as they were.
@Suite(.fewAtOnce) struct UnusableFileTests {
  private func open(_ path: String, _ query: String = "SELECT 1") async throws -> ProgramResult {
    let result = try await LiveQuery.run("--once", path, "-c", query)
    #expect(result.output == "")
    return result
  }

  @Test func `a file that is not there is not made`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("missing.db")
    let result = try await open(path)
    #expect(result.status == 3)
    #expect(result.errors == "livequery: \(path): there is no such file\n")
    #expect(
      try await LiveQuery.run("--once", "shop").errors
        == "livequery: shop: there is no such file; a database of a server is postgres:///shop\n")
    #expect(folder.names == [])
  }

  @Test func `a folder is no database`() async throws {
    let folder = try TemporaryFolder()
    let result = try await open(folder.path)
    #expect(result.status == 3)
    #expect(
      result.errors
        == "livequery: \(folder.path) is a directory; name the database file in it\n")
  }

  @Test func `a device is no database`() async throws {
    let result = try await open("/dev/null")
    #expect(result.status == 3)
    #expect(result.errors == "livequery: /dev/null is not a regular file\n")
  }

  @Test(
    arguments: [
      Array("This is a letter, and a long one at that.\n".utf8),
      Array(repeating: 0xa7, count: 5000),
      Array("SQLite format 3\0".utf8) + (0..<8000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) },
    ])
  func `what is no database, or encrypted, stays as it is`(_ bytes: [UInt8]) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(bytes, to: "file")
    let result = try await open(path)
    #expect(result.status == 3)
    #expect(
      result.errors
        == "livequery: \(path): the file is not an SQLite database, or it is encrypted\n")
    #expect(try folder.bytes("file") == bytes)
    #expect(folder.names == ["file"])
  }

  @Test func `an empty file is an empty database, and stays empty`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "empty.db")
    let result = try await LiveQuery.run("--csv", path, "-c", "SELECT 1 AS a")
    #expect(result.output == "a\r\n1\r\n")
    #expect(try await LiveQuery.run("--once", path).status == 0)
    #expect(try folder.bytes("empty.db") == [])
  }

  @Test func `the tables of an empty file appear in a stream once they are made`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("", to: "empty.db")
    let query = "SELECT count(*) AS n FROM sqlite_schema"
    let program = try LiveQuery.start(["--stream", path, "-c", query])
    #expect(try await program.line().contains("{\"n\":0}"))
    _ = try await program.line()
    try await SQLiteShell(path).run("CREATE TABLE t (v)")
    #expect(try await program.line().contains("\"old\":{\"n\":0},\"new\":{\"n\":1}"))
  }

  @Test func `a damaged page breaks its panels alone`() async throws {
    let playground = try await Playground(
      """
      CREATE TABLE good (v); INSERT INTO good VALUES (7); CREATE TABLE bad (v TEXT);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)
      INSERT INTO bad SELECT printf('%0100d', i) FROM n;
      """)
    let page = try await playground.shell.run(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'bad'")
    var bytes = try playground.folder.bytes("app.db")
    let start = (try #require(Int(page.dropLast())) - 1) * 4096
    for index in start..<start + 4096 { bytes[index] ^= 0x5a }
    try playground.folder.write(bytes, to: "app.db")

    let result = try await LiveQuery.run(
      "--json", playground.database, "-c", "SELECT count(*) FROM bad WHERE v > ''", "-c",
      "SELECT v FROM good")
    #expect(result.output == "{\"panel2\":[{\"v\":7}]}\n")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("livequery: panel1: the database is damaged"))
    #expect(try playground.folder.bytes("app.db") == bytes)

    let program = try LiveQuery.start(
      [
        "--stream", playground.database, "-c", "SELECT count(*) FROM bad WHERE v > ''", "-c",
        "SELECT v FROM good",
      ])
    #expect(try await program.line().contains("\"new\":{\"v\":7}"))
    _ = try await program.line()
    let stale = try await program.line()
    #expect(
      stale.contains("\"panel\":\"panel1\",\"op\":\"stale\",\"why\":\"the database is damaged"))
    try await playground.shell.run("UPDATE good SET v = 8")
    #expect(try await program.line().contains("\"old\":{\"v\":7},\"new\":{\"v\":8}"))
    program.signal(SIGTERM)
    let ended = try await program.result()
    #expect(ended.status == 143)
    // Said once, not with each refresh.
    #expect(ended.errors.split(separator: "\n").count == 1)
  }

  @Test func `arguments that are no UTF-8 are refused by their place`() async throws {
    let result = try await RunningProgram.run(
      ["sh", "-c", "\"$0\" --once \"$(printf 'a\\377b')\"", try LiveQuery.path])
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(result.errors.contains("argument 2, \"a\u{fffd}b\", is not valid UTF-8"))
  }

  @Test func `a dashboard that is no UTF-8 is refused`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write([0x2d, 0x2d, 0xff, 0x0a], to: "d.sql")
    let result = try await LiveQuery.run("--once", playground.database, file)
    #expect(result.status == 2)
    #expect(result.errors == "livequery: \(file): not valid UTF-8\n")
  }
}
