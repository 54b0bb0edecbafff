import ObservationEngine
import TestSupport
import Testing

/// Texts that Swift takes for equal, and SQLite doesn't: `é` as one scalar and as two. And columns without a name.
@Suite(.fewAtOnce)
struct UnicodeNameTests {
  private static let composed = "\u{E9}"
  private static let decomposed = "e\u{301}"

  @Test func `texts are compared by their bytes`() {
    let (one, other) = (Self.composed, Self.decomposed)
    #expect(one == other)
    #expect(ExactText(one) != ExactText(other))
    #expect(ExactText(one) == ExactText("\u{E9}"))
    #expect(TableID(name: one) != TableID(name: other))
    #expect(TableID(name: "K") != TableID(name: "\u{212A}"), "the sign of the kelvin")
    #expect(
      TableID(name: other) < TableID(name: one) && !(TableID(name: one) < TableID(name: other)))
    #expect(SQL(raw: one) != SQL(raw: other))
    #expect(["a", one, "b", other].hasEquivalents)
    #expect(!["a", "b", one, one].hasEquivalents && !["k", "\u{212A}"].hasEquivalents)
    #expect(["K", "\u{212A}"].hasEquivalents)
  }

  /// Of statements whose texts Swift takes for equal, the second isn't the first.
  @Test(arguments: StorageKind.allCases)
  func `statements and parameters of two spellings`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: "CREATE TABLE t (s); INSERT INTO t VALUES ('\(Self.composed)'), ('\(Self.composed)')")
    try await db.database.write { connection in
      for (text, count) in [(Self.composed, 2), (Self.decomposed, 0), (Self.composed, 2)]
        as [(String, Int64)]
      {
        let sql = "SELECT count(*) FROM t WHERE s = '\(text)'"
        let rows = try connection.fetchAll(SQL(raw: sql)).rows
        #expect(rows == [[.integer(count)]])
      }
    }
    let recorders = [Self.composed, Self.decomposed].map {
      db.database.record(integer: "SELECT count(*) FROM t WHERE s = '\($0)'")
    }
    try await recorders[0].expect(2)
    try await recorders[1].expect(0)
    try await db.write(script: "UPDATE t SET s = '\(Self.decomposed)' WHERE rowid = 1")
    try await recorders[0].expect(1)
    try await recorders[1].expect(1)
  }

  @Test(arguments: StorageKind.allCases)
  func `tables, columns and views of two spellings`(_ kind: StorageKind) async throws {
    let (one, other) = (Self.composed, Self.decomposed)
    let schema = """
      CREATE TABLE \(one) (a); CREATE TABLE \(other) (a); INSERT INTO \(one) VALUES (1); INSERT INTO \(other) VALUES (2);
      CREATE TABLE t (id INTEGER PRIMARY KEY, \(one) TEXT, \(other) TEXT); INSERT INTO t VALUES (1, 'x', 'y');
      CREATE VIEW v AS SELECT \(one) AS s FROM t
      """
    let tables = try await ObservedQuery(kind, schema, "SELECT sum(a) FROM \(other)")
    try await tables.notices("UPDATE \(other) SET a = 3")
    try await tables.ignores("UPDATE \(one) SET a = 3")
    let columns = try await ObservedQuery(
      kind, schema, "SELECT count(*) FROM t WHERE \(other) = 'y'")
    try await columns.notices("UPDATE t SET \(other) = 'z'")
    try await columns.notices("UPDATE t SET \(other) = 'y'")
    let view = try await ObservedQuery(kind, schema, "SELECT s FROM v")
    try await view.notices("DROP VIEW v; CREATE VIEW v AS SELECT \(other) AS s FROM t")
    try await view.notices("UPDATE t SET \(other) = 'new'")
  }

  @Test(arguments: StorageKind.allCases)
  func `a column without a name`(_ kind: StorageKind) async throws {
    let schema = """
      CREATE TABLE t (id INTEGER PRIMARY KEY, "" INT, a INT, b AS ("" + 1));
      INSERT INTO t VALUES (1, 10, 0), (2, 20, 0);
      CREATE TABLE u (id INTEGER PRIMARY KEY, "" INT, a INT); INSERT INTO u VALUES (1, 10, 0), (2, 20, 0)
      """
    for sql in [
      "SELECT * FROM u WHERE id = 1", "SELECT sum(\"\") FROM u",
      "SELECT count(*) FROM u WHERE \"\" > 10",
    ] {
      let query = try await ObservedQuery(kind, schema, sql)
      try await query.notices("UPDATE u SET \"\" = 11 WHERE id = 1")
    }
    let computed = try await ObservedQuery(kind, schema, "SELECT sum(b) FROM t")
    try await computed.notices("UPDATE t SET \"\" = 11 WHERE id = 1")
    let count = try await ObservedQuery(kind, schema, "SELECT count(*) FROM t")
    try await count.notices("DELETE FROM t WHERE id = 1")
  }
}
