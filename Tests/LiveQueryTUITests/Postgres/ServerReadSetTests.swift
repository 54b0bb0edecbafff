import Glibc
import TestSupport
import Testing

/// What a query reads is learned once, or each time that it runs where it may differ.
///
/// Each test has a server of its own: beside commits to other databases all queries run now and then.
@Suite(.needsPostgres, .fewAtOnce) struct ServerReadSetTests {
  private static let tables = """
    CREATE TABLE one (v int); INSERT INTO one VALUES (1); CREATE TABLE two (v int);
    """
  /// Expects that a query, once it is known to read `one`, is known to read `two` after a commit.
  private func expectReads(
    _ database: PostgresDatabase, as role: String = "postgres", _ query: String,
    after commit: String
  ) async throws {
    let stream = try await database.stream(as: role, query)
    for _ in 1...2 { try await expectChange(stream, database, "one") }
    try await database.run(commit)
    _ = try await stream.change()
    for _ in 1...2 { try await expectChange(stream, database, "two") }
    stream.signal(SIGKILL)
    _ = try await stream.result()
  }

  /// Expects that a row more in a table makes the query run, and that the table is named as what was changed: it may also
  /// run because the server is still polled, or the commit was visible before it was reported.
  private func expectChange(
    _ stream: RunningProgram, _ database: PostgresDatabase, _ table: String
  ) async throws {
    for _ in 1...10 {
      try await database.run("INSERT INTO \(table) VALUES (1)")
      var record = try await stream.change()
      while record.operation != "\"end\"" { record = try StreamRecord(try await stream.line()) }
      if record["tables"] == "[\"\(table)\"]" { return }
    }
    Issue.record("commits to \(table) are noticed by chance alone")
  }

  private func expectViewIsReadAnew(
    _ server: PostgresServer, as role: String = "postgres", _ schema: String = ""
  ) async throws {
    let database = try await server.database(
      Self.tables + "CREATE VIEW w AS SELECT count(*) AS n FROM one;" + schema)
    try await expectReads(
      database, as: role, "SELECT n FROM w",
      after: "CREATE OR REPLACE VIEW w AS SELECT -1 - count(*) AS n FROM two")
  }

  @Test func `a view becomes one of another table, as the log reports`() async throws {
    try await expectViewIsReadAnew(try await PostgresServer())
  }

  @Test func `a view becomes one of another table, beside triggers`() async throws {
    let triggers = try await LiveQuery.run("--print-triggers").output
    try await expectViewIsReadAnew(
      try await PostgresServer(), as: "viewer",
      triggers + "CREATE ROLE viewer LOGIN; GRANT SELECT ON w TO viewer;")
  }

  private static let counts = """
    CREATE FUNCTION counted(int) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; \
    BEGIN EXECUTE (SELECT 'SELECT count(*) FROM ' || name FROM asked) INTO n; RETURN n; END$$;
    """

  @Test func `what a row names is read`() async throws {
    let server = try await PostgresServer()
    let xml =
      "SELECT query_to_xml('SELECT count(*) FROM ' || name, true, false, '')::text AS x FROM asked"
    for (schema, query) in [
      ("", xml), ("CREATE VIEW w AS \(xml);", "SELECT x FROM w"),
      (Self.counts, "SELECT counted(1)"),
      (
        Self.counts + "CREATE OPERATOR !!! (FUNCTION = counted, RIGHTARG = int);",
        "SELECT !!! 1 AS n"
      ),
    ] {
      let database = try await server.database(
        Self.tables + "CREATE TABLE asked (name text); INSERT INTO asked VALUES ('one');" + schema)
      try await expectReads(database, query, after: "UPDATE asked SET name = 'two'")
    }
  }

  @Test(arguments: ["postgres", "viewer"])
  func `a commit to another table doesn't run it`(_ role: String) async throws {
    // The log for one, triggers for the other. What the query returns differs each time that it runs.
    let database = try await PostgresServer().database(
      Self.tables + (try await LiveQuery.run("--print-triggers").output) + """
        CREATE ROLE viewer LOGIN; GRANT SELECT ON one TO viewer; \
        CREATE FUNCTION instant() RETURNS text LANGUAGE sql AS 'SELECT clock_timestamp()::text';
        """)
    let stream = try await database.stream(
      as: role, "SELECT count(*) AS n, instant() AS i FROM one")
    try await expectChange(stream, database, "one")
    for _ in 1...10 {
      let rows = Int(try await database.run("SELECT count(*) FROM one").filter(\.isNumber)) ?? 0
      try await database.run("INSERT INTO two VALUES (1)")
      try await database.run("INSERT INTO two VALUES (1)")
      try await database.run("INSERT INTO one VALUES (1)")
      var changes = 0
      var new = ""
      while !new.hasPrefix("{\"n\":\(rows + 1),") {
        new = try await stream.change()["new"] ?? ""
        changes += new.isEmpty ? 0 : 1
      }
      // It may have been visible before it was reported.
      if changes == 1 { return }
    }
    Issue.record("each commit runs it")
  }

  @Test func `what a policy reads is read`() async throws {
    let database = try await PostgresServer().database(
      Self.tables + """
        CREATE TABLE guarded (v int); INSERT INTO guarded SELECT generate_series(1, 1000); \
        ALTER TABLE guarded ENABLE ROW LEVEL SECURITY; \
        CREATE POLICY p ON guarded USING (v < (SELECT count(*) FROM one)); \
        CREATE ROLE follower LOGIN REPLICATION; GRANT SELECT ON guarded, one, two TO follower;
        """)
    try await expectReads(
      database, as: "follower", "SELECT count(*) FROM guarded",
      after: "ALTER POLICY p ON guarded USING (v < 500 + (SELECT count(*) FROM two))")
  }

  @Test(arguments: [
    // In a schema that comes first, and without a change of the other one.
    ("SELECT max(v) AS v FROM one", "CREATE TABLE postgres.one AS SELECT -5 AS v", #"{"v":-5}"#),
    (
      "SELECT min(v) AS v FROM one",
      "ALTER TABLE one RENAME TO old; ALTER TABLE two RENAME TO one; INSERT INTO one VALUES (-5)",
      #"{"v":-5}"#
    ),
    ("SELECT * FROM one", "ALTER TABLE one ADD w int DEFAULT 7", #""w":7}"#),
  ])
  func `a name that means another table by now is read as that`(
    _ query: String, _ commit: String, _ expected: String
  ) async throws {
    let database = try await PostgresServer().database(Self.tables + "CREATE SCHEMA postgres;")
    let stream = try await database.stream(query)
    // From then on it is known to read `one`.
    for _ in 1...3 {
      try await database.run("UPDATE one SET v = v + 1")
      _ = try await stream.change()
    }
    try await database.run(commit)
    var new = ""
    while !new.hasSuffix(expected) { new = try await stream.change()["new"] ?? "" }
    // Its commits are noticed from now on.
    try await database.run("UPDATE one SET v = -9")
    while !new.hasPrefix(#"{"v":-9"#) { new = try await stream.change()["new"] ?? "" }
    stream.signal(SIGKILL)
    _ = try await stream.result()
  }
}
