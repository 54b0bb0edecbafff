import Glibc
import TestSupport
import Testing

/// The server plans queries once, as long as their names mean the same.
@Suite(.needsPostgres, .fewAtOnce) struct ServerPlanTests {
  private static let tables = """
    CREATE TABLE one (v int); INSERT INTO one VALUES (1); \
    CREATE TABLE two (v int); INSERT INTO two VALUES (-5); CREATE SCHEMA postgres;
    """

  /// The names under which a server ran a query, as its log has them: `<unnamed>` for one that it planned again.
  private func names(of query: String, _ server: PostgresServer) throws -> [String] {
    let lines = try textOfProcessFile(server.folder + "/log").split(separator: "\n")
    return lines.compactMap { line in
      guard let start = line.firstRange(of: "execute ")?.upperBound,
        let end = line.firstRange(of: ": " + query)?.lowerBound, start < end
      else { return nil }
      return String(line[start..<end])
    }
  }

  /// Commits until the server runs a query that it has planned before.
  private func expectPlanIsKept(
    of query: String, _ server: PostgresServer, _ database: PostgresDatabase,
    _ stream: RunningProgram
  ) async throws {
    // Until it is known what it reads, it is planned each time.
    for _ in 1...100 {
      try await database.run("UPDATE one SET v = v + 1")
      _ = try await stream.change()
      let last = try names(of: query, server).suffix(2)
      if last.count == 2, last.first == last.last, last.first != "<unnamed>" { return }
    }
    Issue.record("it is planned each time")
  }

  @Test(arguments: [
    // A table of the same name in a schema that comes first, and no change of the other one.
    ("SELECT max(v) AS v FROM one", "CREATE TABLE postgres.one AS SELECT -5 AS v", #"{"v":-5}"#),
    (
      "SELECT min(v) AS v FROM one", "ALTER TABLE one RENAME TO old; ALTER TABLE two RENAME TO one",
      #"{"v":-5}"#
    ),
    ("SELECT * FROM one", "ALTER TABLE one ADD w int DEFAULT 7", #""w":7}"#),
  ])
  func `a name that has another meaning is looked up again`(
    _ query: String, _ commit: String, _ expected: String
  ) async throws {
    let server = try await PostgresServer(settings: ["log_statement = 'all'"])
    let database = try await server.database(Self.tables)
    let stream = try await database.stream(query)
    try await expectPlanIsKept(of: query, server, database, stream)
    try await database.run(commit)
    var new = ""
    while !new.hasSuffix(expected) { new = try await stream.change()["new"] ?? "" }
    // What it is named now stays known.
    try await database.run("UPDATE one SET v = -9")
    while !new.hasPrefix(#"{"v":-9"#) { new = try await stream.change()["new"] ?? "" }
    stream.signal(SIGKILL)
    _ = try await stream.result()
  }

  @Test func `a name is looked up where its new meaning is not reported yet`() async throws {
    // A commit that doesn't wait for the disk is reported with the next one that does.
    let server = try await PostgresServer(
      settings: ["log_statement = 'all'", "wal_writer_delay = '10s'"])
    let database = try await server.database(Self.tables)
    let query = "SELECT max(v) AS v FROM one"
    let stream = try LiveQuery.start([
      "--stream", database.address(as: "postgres"), "-c", query, "--debounce", "2000",
    ])
    while try StreamRecord(try await stream.line()).operation != "\"end\"" {}
    try await expectPlanIsKept(of: query, server, database, stream)
    // One refresh for both: its snapshot has what the log has not reported.
    try await database.run("UPDATE one SET v = 777")
    try await database.run(
      "SET synchronous_commit = off; CREATE TABLE postgres.one AS SELECT -5 AS v")
    #expect(try await stream.change()["new"] == #"{"v":-5}"#)
    stream.signal(SIGKILL)
    _ = try await stream.result()
  }

  @Test func `a change of the schema leaves the program's own statements as they are`() async throws
  {
    let server = try await PostgresServer(settings: ["log_statement = 'all'"])
    let database = try await server.database(
      Self.tables + "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';")
    let stream = try await database.stream("SELECT max(v) AS v FROM one")
    for value in 2...4 {
      try await database.run("ALTER TABLE one ADD c\(value) int; UPDATE one SET v = \(value)")
      _ = try await stream.change()
    }
    let names = try names(of: "SELECT EXISTS (SELECT FROM pg_proc", server)
    #expect(names.count > 2 && Set(names).count == 1 && names[0] != "<unnamed>")
    stream.signal(SIGKILL)
    _ = try await stream.result()
  }
}
