import ObservationEngine
import TestSupport
import Testing

@testable import ObservationPostgres

/// A change of the schema is noticed where only the rows of tables are reported, also when the same transaction writes
/// a row of a table that is reported.
@Suite(.needsPostgres, .fewAtOnce) struct SchemaMarkTests {
  private static let schema = """
    CREATE TABLE base (v int);
    CREATE TYPE mood AS ENUM ('great');
    CREATE TABLE feeling (m mood); INSERT INTO feeling VALUES ('great');
    CREATE TYPE pair AS (a int, b int);
    CREATE TABLE held (p pair); INSERT INTO held VALUES ((1, 2));
    CREATE DOMAIN small AS int;
    CREATE TABLE number (v int); INSERT INTO number VALUES (7);
    CREATE TABLE team (id int PRIMARY KEY, name text); INSERT INTO team VALUES (1, 'red');
    CREATE SCHEMA shop; CREATE TABLE shop.item (v text); INSERT INTO shop.item VALUES ('old');
    CREATE SCHEMA other; CREATE TABLE other.item (v text); INSERT INTO other.item VALUES ('new');
    CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT $1 * 2';
    CREATE TEXT SEARCH CONFIGURATION words (COPY = simple);
    """

  /// Asks for the mark as the panels' connection does.
  private struct Asking {
    let connection: ServerConnection
    let probe: ServerProbe
    let relations: Set<UInt32>

    /// - Parameter database: Its table `base` is the only one that a query reads.
    init(_ database: PostgresDatabase) throws {
      try PostgresLibrary.load()
      let address = try #require(ServerAddress(database.address()))
      let deadline = SystemClock.monotonic() + 30_000_000_000
      connection = try ServerConnection(address, .panels, deadline: deadline)
      probe = try ServerProbe(connection, deadline: deadline)
      let number = try connection.run("SELECT 'base'::regclass::oid::text").text(0)
      relations = [try #require(number.flatMap { UInt32($0) })]
    }

    func mark(withTriggers: Bool = false) throws -> String {
      var reader = PanelReader(connection, probe, learns: true, ServerSettings())
      reader.marksSchemaOf = relations
      reader.marksTriggers = withTriggers
      let snapshot = try reader.begin([])
      try reader.end()
      return try #require(snapshot.schemaMark)
    }
  }

  private static func besideARow(_ change: String) -> String {
    "BEGIN; INSERT INTO base VALUES (1); \(change); COMMIT"
  }

  @Test(arguments: [
    "ALTER TYPE mood RENAME VALUE 'great' TO 'super'", "ALTER TYPE mood ADD VALUE 'poor'",
    "ALTER TYPE mood RENAME TO temper", "ALTER TYPE pair RENAME ATTRIBUTE a TO c",
    "ALTER DOMAIN small ADD CHECK (VALUE < 5)", "ALTER DOMAIN small SET DEFAULT 3",
    "ALTER SCHEMA shop RENAME TO store", "ALTER TABLE other.item RENAME TO base",
    "ALTER TABLE base ADD CONSTRAINT positive CHECK (v > 0)",
    "ALTER TABLE base ALTER v SET DEFAULT 3", "CREATE INDEX ON base (v)",
    "CREATE OPERATOR !!! (FUNCTION = twice, RIGHTARG = int)",
    "CREATE CAST (text AS pair) WITH INOUT",
    "CREATE AGGREGATE total (int) (SFUNC = int4pl, STYPE = int)",
    "CREATE OR REPLACE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT $1 * 3'",
    "CREATE COLLATION plain FROM \"C\"",
    "ALTER TEXT SEARCH CONFIGURATION words DROP MAPPING FOR word",
    "CREATE TEXT SEARCH DICTIONARY own (TEMPLATE = simple)",
  ])
  func `the mark is another one after a change of the schema`(_ change: String) async throws {
    let database = try await PostgresServer.shared().database(Self.schema)
    let asking = try Asking(database)
    let former = try asking.mark()
    try await database.run(Self.besideARow(change))
    #expect(try asking.mark() != former)
  }

  /// On a server of its own: roles belong to all databases.
  @Test func `the mark is another one after a change of roles, and the same after others`()
    async throws
  {
    let database = try await PostgresServer().database(Self.schema)
    let asking = try Asking(database)
    var former = try asking.mark()
    for change in [
      "SELECT 1", "ANALYZE", "CREATE TEMP TABLE own (v int)", "UPDATE feeling SET m = m",
    ] {
      try await database.run(Self.besideARow(change))
      #expect(try asking.mark() == former, "\(change)")
    }
    for change in [
      "CREATE ROLE clerk", "ALTER ROLE clerk RENAME TO cashier", "ALTER ROLE cashier BYPASSRLS",
      "GRANT pg_monitor TO cashier", "REVOKE pg_monitor FROM cashier",
    ] {
      try await database.run(Self.besideARow(change))
      let mark = try asking.mark()
      #expect(mark != former, "\(change)")
      former = mark
    }
    let triggered = try asking.mark(withTriggers: true)
    try await database.run(
      """
      CREATE TRIGGER same BEFORE UPDATE ON base FOR EACH ROW \
      EXECUTE FUNCTION suppress_redundant_updates_trigger()
      """)
    #expect(try asking.mark(withTriggers: true) != triggered)
  }

  @Test func `any role may ask for the mark`() async throws {
    let database = try await PostgresServer.shared().database(Self.schema)
    let mark = SchemaCatalogs.mark(of: "'{}'::oid[]", withTriggers: true)
    let text = try await database.run("SET ROLE pg_read_all_stats; \(mark);")
    #expect(text.count == 33)
  }

  @Test(
    arguments: [
      ("SELECT m::text FROM feeling", "ALTER TYPE mood RENAME VALUE 'great' TO 'super'", "super"),
      (
        "SELECT to_json(p)::text FROM held", "ALTER TYPE pair RENAME ATTRIBUTE a TO c",
        "{\"c\":1,\"b\":2}"
      ),
      ("SELECT v::small FROM number", "ALTER DOMAIN small ADD CHECK (VALUE < 5)", nil),
      (
        "SELECT v FROM shop.item",
        "ALTER SCHEMA shop RENAME TO gone; ALTER SCHEMA other RENAME TO shop", "new"
      ),
      ("SELECT name FROM team GROUP BY id", "ALTER TABLE team DROP CONSTRAINT team_pkey", nil),
    ] as [(String, String, Value?)])
  func `a query whose tables stay the same shows what the schema makes of them`(
    _ sql: String, _ change: String, _ expected: Value?
  ) async throws {
    let database = try await PostgresServer.sharedDecoding().database(Self.schema)
    let address = try #require(ServerAddress(database.address()))
    let server = try Server(address, ServerSettings())
    defer { server.shutDown() }
    let queries = ["SELECT count(*) FROM base", sql].map {
      Server.PanelQuery(sql: $0, parameters: [:])
    }
    var updates = server.observe(queries).makeAsyncIterator()
    // Until the server reports its commits, and for some more: what the queries read is learned then.
    var known = 0
    while known < 3, await updates.next(isolation: nil) != nil {
      if server.facts.means == .decoding { known += 1 }
      try await database.run("INSERT INTO base VALUES (1)")
    }
    try await database.run(Self.besideARow(change))
    var isShown = false
    while !isShown, let update = await updates.next(isolation: nil) {
      switch update.results[1] {
      case .success(let rows)?:
        let value: Value = try rows[0][0]
        isShown = value == expected
      // The query is refused by now.
      case .failure?: isShown = expected == nil
      case nil: break
      }
    }
    #expect(isShown)
  }
}
