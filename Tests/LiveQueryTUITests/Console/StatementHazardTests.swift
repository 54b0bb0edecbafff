import Testing

@testable import LiveQueryTUI

/// Which statements are confirmed before they run.
@Suite struct StatementHazardTests {
  @Test(
    arguments: [
      ("DELETE FROM t", "t"), ("delete from t;", "t"), ("DELETE FROM main.t", "main.t"),
      ("DELETE FROM \"odd name\"", "\"odd name\""), ("DELETE FROM [odd name];", "[odd name]"),
      ("DELETE FROM `t`", "`t`"), ("DELETE FROM t -- WHERE id = 1", "t"),
      ("DELETE /* WHERE */ FROM t", "t"), ("DELETE FROM t RETURNING 'WHERE'", "t"),
      ("WITH x AS (SELECT 1 WHERE 1) DELETE FROM t", "t"), ("DELETE FROM \"where\"", "\"where\""),
      ("DELETE FROM t ORDER BY (SELECT 1 WHERE 1)", "t"), ("\n\t DELETE\nFROM\nt\n;", "t"),
      ("DELETE FROM main . \"t\"", "main.\"t\""), ("EXPLAIN ANALYZE VERBOSE DELETE FROM t", "t"),
      ("; DELETE FROM t", "t"), ("EXPLAIN (ANALYZE, BUFFERS) DELETE FROM t", "t"),
      ("WITH merge AS (SELECT 1) DELETE FROM t", "t"),
    ])
  func `DELETE without WHERE`(_ sql: String, _ target: String) {
    let hazard = StatementHazard(sql)
    #expect(hazard?.kind == .deleteAll)
    #expect(hazard?.target == target)
    #expect(
      hazard?.countQuery == "SELECT count(*) FROM (SELECT 1 FROM \(target) LIMIT 100001) AS counted"
    )
  }

  @Test(
    arguments: [
      ("UPDATE t SET a = 1", "t"), ("update or ignore t set a = 1", "t"),
      ("UPDATE main.t SET a = (SELECT b FROM u WHERE u.id = t.id)", "main.t"),
      ("UPDATE t SET a = 'WHERE'", "t"), ("UPDATE t SET a = b /* WHERE 1 */", "t"),
      ("WITH x AS (SELECT 1) UPDATE t SET a = 1", "t"), ("UPDATE t SET \"where\" = 1", "t"),
    ])
  func `UPDATE without WHERE`(_ sql: String, _ target: String) {
    let hazard = StatementHazard(sql)
    #expect(hazard?.kind == .updateAll)
    #expect(hazard?.target == target)
  }

  @Test(arguments: ["TRUNCATE t", "truncate table only t;", "TRUNCATE TABLE t RESTART IDENTITY"])
  func `TRUNCATE of a server's table`(_ sql: String) {
    let hazard = StatementHazard(sql)
    #expect(hazard?.kind == .truncate(isAlone: true) && hazard?.target == "t")
    #expect(hazard?.question(rows: 3) == "TRUNCATE removes all 3 rows of t. Run it?")
  }

  @Test(arguments: ["TRUNCATE t, u", "truncate table t cascade;"])
  func `TRUNCATE of several tables`(_ sql: String) {
    let hazard = StatementHazard(sql)
    #expect(hazard?.countQuery == nil)
    #expect(
      hazard?.question(rows: nil) == "TRUNCATE removes all rows of t and of other tables. Run it?")
  }

  @Test func `DROP of anything`() {
    #expect(StatementHazard("DROP TABLE t")?.kind == .dropTable)
    #expect(StatementHazard("drop table if exists main.t;")?.target == "main.t")
    #expect(
      StatementHazard("DROP TABLE t")?.countQuery
        == "SELECT count(*) FROM (SELECT 1 FROM t LIMIT 100001) AS counted")
    for kind in ["view", "index", "trigger"] {
      let hazard = StatementHazard("DROP \(kind.uppercased()) IF EXISTS \"a b\"")
      #expect(hazard?.kind == .drop(kind: kind))
      #expect(hazard?.target == "\"a b\"")
      #expect(hazard?.countQuery == nil)
    }
  }

  @Test(
    arguments: [
      "", ";", "SELECT 1", "SELECT 'DELETE FROM t'", "-- DELETE FROM t", "/* DROP TABLE t */",
      "DELETE FROM t WHERE id = 1", "delete from t where 1", "UPDATE t SET a = 1 WHERE b",
      "INSERT INTO t VALUES (1)", "REPLACE INTO t SELECT * FROM u", "CREATE TABLE t (a)",
      "INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1", "EXPLAIN DELETE FROM t",
      "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM u; END", "PRAGMA user_version = 1",
      "WITH gone AS (SELECT 1) SELECT * FROM gone", "DELETE", "DROP", "UPDATE", "BEGIN", "COMMIT",
      "ALTER TABLE t RENAME TO u", "VACUUM", "PRAGMA journal_mode=delete;",
      "PRAGMA journal_mode = truncate", "ALTER TABLE t DROP COLUMN a",
      "CREATE TABLE u (a REFERENCES t ON DELETE CASCADE)", "GRANT DELETE ON t TO u",
      "EXPLAIN QUERY PLAN DELETE FROM t", "EXPLAIN ANALYZE SELECT 1",
    ])
  func `everything else runs at once`(_ sql: String) {
    #expect(StatementHazard(sql) == nil)
  }

  @Test func `the question tells the number of rows`() {
    let delete = StatementHazard("DELETE FROM t")
    #expect(delete?.question(rows: 3) == "DELETE without WHERE removes all 3 rows of t. Run it?")
    #expect(delete?.question(rows: 1) == "DELETE without WHERE removes its 1 row of t. Run it?")
    #expect(
      delete?.question(rows: 100_000)
        == "DELETE without WHERE removes all 100 000 rows of t. Run it?")
    #expect(
      delete?.question(rows: 100_001)
        == "DELETE without WHERE removes more than 100 000 rows of t. Run it?")
    #expect(delete?.question(rows: nil) == "DELETE without WHERE removes all rows of t. Run it?")
    #expect(
      StatementHazard("UPDATE t SET a = 1")?.question(rows: 0)
        == "UPDATE without WHERE changes all 0 rows of t. Run it?")
    #expect(
      StatementHazard("DROP TABLE t")?.question(rows: 5)
        == "DROP TABLE removes t with all 5 rows. Run it?")
    #expect(
      StatementHazard("DROP VIEW v")?.question(rows: nil) == "DROP VIEW removes v. Run it?")
  }
}
