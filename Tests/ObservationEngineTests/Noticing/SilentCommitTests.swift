import ObservationEngine
import TestSupport
import Testing

/// Commits, and what is none, after which a query need not run again, and does not.
@Suite(.fewAtOnce)
struct SilentCommitTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b TEXT UNIQUE);
    INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y')
    """

  @Test(arguments: StorageKind.allCases)
  func `a transaction that is rolled back`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT sum(a) FROM t")
    try await query.ignores { db in
      await #expect(throws: Unexpected.self) {
        try await db.database.write { connection in
          try connection.execute("UPDATE t SET a = 0")
          try connection.execute("DELETE FROM t")
          throw Unexpected("changed my mind")
        }
      }
    }
    try await query.ignores { db in
      for sql in ["BEGIN", "DELETE FROM t", "ROLLBACK"] { try await db.run(sql) }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a savepoint that is rolled back`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT sum(a) FROM t")
    try await query.ignores(
      """
      SAVEPOINT outside; UPDATE t SET a = 0; SAVEPOINT inside; DELETE FROM t; RELEASE inside;
      ROLLBACK TO outside; RELEASE outside
      """)
    try await query.notices(
      "SAVEPOINT one; DELETE FROM t; ROLLBACK TO one; UPDATE t SET a = 0 WHERE id = 1; RELEASE one")
  }

  @Test(arguments: StorageKind.allCases)
  func `columns that are not read`(_ kind: StorageKind) async throws {
    let count = try await ObservedQuery(kind, Self.schema, "SELECT count(*) FROM t")
    try await count.ignores("UPDATE t SET a = a + 1, b = b || '!'")
    let sum = try await ObservedQuery(kind, Self.schema, "SELECT sum(a) FROM t")
    try await sum.ignores("UPDATE t SET b = b || '!'")
    try await sum.ignores("REPLACE INTO t VALUES (1, 10, 'other')")
  }

  @Test(arguments: StorageKind.allCases)
  func `updates that change nothing`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT * FROM t")
    try await query.ignores("UPDATE t SET a = a")
    try await query.ignores("UPDATE t SET a = 10, b = 'x' WHERE id = 1")
    try await query.ignores("UPDATE t SET a = a + 1; UPDATE t SET a = a - 1")
    try await query.ignores("REPLACE INTO t VALUES (2, 20, 'y')")
    try await query.ignores("INSERT INTO t VALUES (3, 3, 'z'); DELETE FROM t WHERE id = 3")
    try await query.ignores("UPDATE t SET a = 5 WHERE id = 99; DELETE FROM t WHERE a > 1000")
  }

  @Test(arguments: StorageKind.allCases)
  func `statements that fail, alone or within a transaction that goes on`(
    _ kind: StorageKind
  ) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT sum(a) FROM t")
    // The first row is inserted before the second one fails.
    let failing = "INSERT INTO t VALUES (5, 5, 'new'), (6, 6, 'x')"
    try await query.ignores { db in
      await #expect(throws: DatabaseError.self) { try await db.run(failing) }
    }
    try await query.ignores { db in
      try await db.database.write { connection in
        Self.fail(connection, failing)
        Self.fail(connection, "UPDATE t SET b = 'x'")
      }
    }
    // With FAIL what was done before stays done.
    try await query.notices { db in
      try await db.database.write { connection in
        Self.fail(connection, "INSERT OR FAIL INTO t VALUES (5, 5, 'new'), (6, 6, 'x')")
      }
    }
  }

  private static func fail(_ connection: Connection, _ sql: String) {
    #expect(throws: DatabaseError.self) { _ = try connection.execute(SQL(raw: sql)) }
  }

  @Test(arguments: StorageKind.allCases)
  func `other tables, and indexes of the table itself`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(
      kind, "\(Self.schema); CREATE TABLE u (a)", "SELECT a FROM t ORDER BY a")
    try await query.ignores("INSERT INTO u VALUES (1)")
    try await query.ignores("DELETE FROM u")
  }
}
