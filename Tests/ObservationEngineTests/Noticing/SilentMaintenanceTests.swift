import ObservationEngine
import TestSupport
import Testing

/// Changes of the file that change no row: no query need run again, but those that ask for them.
@Suite(.fewAtOnce)
struct SilentMaintenanceTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INT, b TEXT); CREATE INDEX ia ON t(a);
    CREATE TABLE loose (x);
    INSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y'); INSERT INTO loose VALUES (1), (2), (3);
    DELETE FROM loose WHERE x = 1
    """

  @Test(
    arguments: StorageKind.allCases,
    [
      "CREATE INDEX ib ON t(b)", "CREATE UNIQUE INDEX IF NOT EXISTS ib ON t(b) WHERE a > 0",
      "CREATE INDEX ia2 ON t(a); DROP INDEX ia", "ANALYZE",
    ])
  func `indexes and first statistics, by which rows may come in another order`(
    _ kind: StorageKind, change: String
  ) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT id, a, b FROM t ORDER BY b")
    let before = query.recorder.updates.count
    try await query.passes { try await $0.write(script: change) }
    #expect(query.recorder.updates.count == before)
    // It is observed as before.
    try await query.notices("UPDATE t SET b = 'z' WHERE id = 1")
  }

  @Test(arguments: StorageKind.allCases, ["REINDEX", "REINDEX t", "ANALYZE"])
  func `indexes made anew, and statistics`(_ kind: StorageKind, change: String) async throws {
    let query = try await ObservedQuery(
      kind, Self.schema, setUp: ["ANALYZE"], "SELECT id, a, b FROM t ORDER BY b")
    try await query.ignores(change)
    try await query.ignores { _ = try await $0.run("PRAGMA optimize") }
    try await query.notices("UPDATE t SET b = 'z' WHERE id = 1")
  }

  @Test(arguments: StorageKind.allCases)
  func `a plain VACUUM, unless rowids are read that nobody declared`(
    _ kind: StorageKind
  ) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT id, a FROM t")
    try await query.ignores { _ = try await $0.run("VACUUM") }
    try await query.notices("DELETE FROM t WHERE id = 2")
    let loose = try await ObservedQuery(kind, Self.schema, "SELECT x FROM loose")
    try await loose.ignores { _ = try await $0.run(" /* tidy */ vacuum main;") }
    try await loose.notices("DELETE FROM loose WHERE x = 2")
    let rowids = try await ObservedQuery(kind, Self.schema, "SELECT rowid, x FROM loose")
    try await rowids.notices { _ = try await $0.run("VACUUM") }
  }

  @Test(arguments: StorageKind.allCases)
  func `a commit that changed nothing at all`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT id, a, b FROM t")
    try await query.ignores { db in
      for sql in ["BEGIN IMMEDIATE", "COMMIT"] { try await db.run(sql) }
    }
    try await query.ignores("CREATE TABLE IF NOT EXISTS t (x)")
    try await query.ignores("DROP TABLE IF EXISTS nowhere")
    try await query.ignores { _ = try await $0.run("SELECT * FROM t") }
    try await query.ignores { _ = try await $0.run("PRAGMA wal_checkpoint") }
  }

  @Test(arguments: StorageKind.allCases)
  func `numbers in the header of the file`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, Self.schema, "SELECT id, a, b FROM t")
    try await query.ignores("PRAGMA user_version = 7")
    try await query.ignores("PRAGMA application_id = 7")
  }
}
