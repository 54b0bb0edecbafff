import Testing

@testable import LiveQueryTUI

struct StatementKindTests {
  @Test(arguments: [
    "INSERT INTO t VALUES (1)", "  insert into t select 1", "REPLACE INTO t VALUES (1)",
    "UPDATE t SET a = 1", "DELETE FROM t", "WITH x AS (SELECT 1) DELETE FROM t",
    "-- a comment\nCREATE TABLE t (x)", "DROP TABLE t", "ALTER TABLE t ADD b",
  ])
  func `what changes rows or the schema can be a transaction`(_ sql: String) {
    #expect(StatementKind(sql) == .change)
  }

  @Test(arguments: [
    "SELECT 1", "WITH x AS (SELECT 1) SELECT * FROM x", "VALUES (1)", "PRAGMA journal_mode = WAL",
    "VACUUM", "BEGIN", "BEGIN IMMEDIATE", "COMMIT", "END", "ROLLBACK", "SAVEPOINT s", "RELEASE s",
    "ATTACH 'update.db' AS a", "DETACH a", "EXPLAIN DELETE FROM t",
    "EXPLAIN QUERY PLAN UPDATE t SET a = 1",
    "ANALYZE", "REINDEX", "", "nonsense", "SELECT 'insert' FROM \"update\"",
  ])
  func `queries, and what no transaction takes, run as they are`(_ sql: String) {
    #expect(StatementKind(sql) == .other)
  }
}
