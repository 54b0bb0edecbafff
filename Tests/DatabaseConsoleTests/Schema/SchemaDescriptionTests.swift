import TestSupport
import Testing

@testable import DatabaseConsole
@testable import ObservationEngine

/// What is told of a schema to somebody who looks around in it.
@Suite struct SchemaDescriptionTests {
  private func database(_ script: String) async throws -> Database {
    let database = try Database(inMemory: Configuration())
    try await database.write { try $0.execute(script: script) }
    return database
  }

  @Test func `tables have columns, keys and the statement that made them`() async throws {
    let database = try await database(
      """
      CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL DEFAULT 'x');
      CREATE TABLE player (
        league TEXT, number INT, team_id INT REFERENCES team ON DELETE CASCADE,
        label TEXT AS (league || number), PRIMARY KEY (number, league)) STRICT, WITHOUT ROWID;
      """)
    let schema = try await database.schema()
    #expect(schema.tables.map(\.name) == ["player", "team"])
    let (player, team) = (schema.tables[0], schema.tables[1])
    #expect(team.columns.map(\.name) == ["id", "name"])
    #expect(team.columns[0].keyPosition == 1 && team.columns[0].type == "INTEGER")
    #expect(team.columns[1].isNotNull && team.columns[1].defaultValue == "'x'")
    #expect(team.rowid == "rowid" && team.key == ["id"])
    #expect(team.sql?.hasPrefix("CREATE TABLE team") == true)
    #expect(player.columns.map(\.keyPosition) == [2, 1, 0, 0])
    #expect(player.columns.map(\.isGenerated) == [false, false, false, true])
    #expect(player.isStrict && player.rowid == nil && player.key == ["number", "league"])
    #expect(
      player.foreignKeys == [
        SchemaDescription.ForeignKey(
          columns: ["team_id"], table: "team", targets: [], actions: "ON DELETE CASCADE")
      ])
  }

  @Test func `indexes and triggers stand with their tables`() async throws {
    let database = try await database(
      """
      CREATE TABLE t (a, b UNIQUE);
      CREATE INDEX t_a ON t (a, lower(b)) WHERE a > 0;
      CREATE TRIGGER t_log AFTER INSERT ON T BEGIN SELECT 1; END;
      """)
    let table = try #require(try await database.schema().tables.first)
    #expect(table.indexes.map(\.name) == ["sqlite_autoindex_t_1", "t_a"])
    #expect(table.indexes[0].isUnique && table.indexes[0].sql == nil)
    #expect(table.indexes[1].columns == ["a", nil] && table.indexes[1].isPartial)
    #expect(table.indexes[1].sql?.hasPrefix("CREATE INDEX") == true)
    #expect(table.triggers.map(\.name) == ["t_log"])
  }

  @Test func `several columns of one foreign key stay together`() async throws {
    let database = try await database(
      """
      CREATE TABLE a (x, y, PRIMARY KEY (x, y));
      CREATE TABLE b (p, q, r REFERENCES a (x), FOREIGN KEY (p, q) REFERENCES a (x, y));
      """)
    let keys = try await database.schema().tables[1].foreignKeys
    #expect(keys.map(\.columns) == [["r"], ["p", "q"]])
    #expect(keys.map(\.targets) == [["x"], ["x", "y"]])
  }

  @Test func `a view over a table that is gone is named with its trouble`() async throws {
    let database = try await database(
      """
      CREATE TABLE t (a);
      CREATE VIEW v AS SELECT a FROM t;
      CREATE VIEW w AS SELECT 1 AS one;
      DROP TABLE t;
      """)
    let tables = try await database.schema().tables
    #expect(tables.map(\.name) == ["v", "w"])
    #expect(tables.map(\.kind) == [.view, .view])
    #expect(tables[0].trouble?.contains("no such table") == true || tables[0].columns.isEmpty)
    #expect(tables[1].columns.map(\.name) == ["one"])
  }

  @Test func `a virtual table is told from those that it keeps its rows in`() async throws {
    let database = try await database("CREATE VIRTUAL TABLE doc USING fts5 (title, body)")
    let tables = try await database.schema().tables
    #expect(tables.first { $0.name == "doc" }?.kind == .virtual)
    #expect(tables.first { $0.name == "doc" }?.columns.map(\.name) == ["title", "body"])
    #expect(tables.filter { $0.kind == .shadow }.count == 5)
  }

  @Test func `rows are counted up to a limit, and then guessed by their ids`() async throws {
    let database = try await database(
      """
      CREATE TABLE few (a); INSERT INTO few VALUES (1), (2);
      CREATE TABLE many (a);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
      INSERT INTO many SELECT i FROM n;
      DELETE FROM many WHERE a % 2;
      CREATE TABLE keyed (k PRIMARY KEY) WITHOUT ROWID;
      INSERT INTO keyed SELECT a FROM many;
      CREATE TABLE scattered (a);
      INSERT INTO scattered (rowid, a) SELECT a * 1000000000000000, a FROM many;
      """)
    let counts = try await database.rowCounts(
      of: ["few", "many", "keyed", "scattered", "gone"], limit: 10)
    #expect(
      counts == [
        "few": .exact(2), "many": .estimate(49), "keyed": .moreThan(10), "scattered": .moreThan(10),
      ])
  }

  @Test func `what tables and indexes take is told by their names`() async throws {
    let database = try await database(
      "CREATE TABLE t (a); CREATE INDEX t_a ON t (a); INSERT INTO t VALUES (zeroblob(10000));")
    let sizes = try await database.storageSizes()
    #expect(sizes["t"].map { $0 > 8_000 } == true)
    #expect(sizes["t_a"].map { $0 > 0 } == true)
  }
}
