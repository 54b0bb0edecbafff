import CSQLite
import ObservationEngine
import TestSupport
import Testing

/// Changes that are made by other means than SQL of this library.
@Suite(.fewAtOnce)
struct NoticedToolTests {
  private static let photos = """
    CREATE TABLE photo (id INTEGER PRIMARY KEY, name TEXT, data BLOB);
    INSERT INTO photo VALUES (1, 'sea', x'000000'), (2, 'sky', x'000000')
    """

  @Test(arguments: StorageKind.allCases)
  func `SQL that is run through SQLite's own handle`(_ kind: StorageKind) async throws {
    let query = try await ObservedQuery(kind, Self.photos, "SELECT group_concat(name) FROM photo")
    let raw = { @Sendable (sql: String) async throws in
      try await query.db.database.write { connection in
        let result = connection.withUnsafeHandle { sqlite3_exec($0, sql, nil, nil, nil) }
        #expect(result == SQLITE_OK)
      }
    }
    try await query.notices { _ in try await raw("UPDATE photo SET name = 'sun' WHERE id = 1") }
    try await query.notices { _ in try await raw("INSERT INTO photo(name) VALUES ('moon')") }
    try await query.notices { _ in try await raw("DROP TABLE photo; CREATE TABLE photo (name)") }
    try await query.ignores { _ in try await raw("CREATE TABLE IF NOT EXISTS photo (name)") }
  }

  @Test(arguments: StorageKind.allCases)
  func `transactions that are opened and committed through SQLite's own handle`(
    _ kind: StorageKind
  ) async throws {
    let query = try await ObservedQuery(kind, Self.photos, "SELECT count(*) FROM photo")
    try await query.notices { db in
      try await db.database.withoutTransaction { connection in
        let script = """
          BEGIN; DELETE FROM photo; ROLLBACK;
          INSERT INTO photo(name) VALUES ('a'); INSERT INTO photo(name) VALUES ('b')
          """
        let result = connection.withUnsafeHandle { sqlite3_exec($0, script, nil, nil, nil) }
        #expect(result == SQLITE_OK)
      }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `bytes that are written into a BLOB`(_ kind: StorageKind) async throws {
    let write = { @Sendable (db: TemporaryDatabase, row: Int64) async throws in
      try await db.database.write { connection in
        try connection.withBlob(table: "photo", column: "data", rowid: row, isWritable: true) {
          try $0.write([7], at: 1)
        }
      }
    }
    let first = try await ObservedQuery(
      kind, Self.photos, "SELECT hex(data) FROM photo WHERE id = 1")
    try await first.notices { try await write($0, 1) }
    try await first.ignores { try await write($0, 2) }
    // The same bytes again are no change.
    try await first.ignores { try await write($0, 1) }
    let name = try await ObservedQuery(kind, Self.photos, "SELECT name FROM photo")
    try await name.ignores { try await write($0, 1) }
  }

  @Test(arguments: StorageKind.allCases)
  func `another database that is copied over this one`(_ kind: StorageKind) async throws {
    let other = try await TemporaryDatabase(
      .rollbackJournal, schema: "CREATE TABLE fence (x); \(Self.photos); DELETE FROM photo")
    let query = try await ObservedQuery(kind, Self.photos, "SELECT count(*) FROM photo")
    try await query.notices { try await $0.database.restore(from: other.database) }
    try await query.notices("INSERT INTO photo(name) VALUES ('new')")
    try await other.write(script: "INSERT INTO photo(name) VALUES ('a'), ('b'), ('c')")
    try await query.notices { try await $0.database.restore(from: other.path) }
  }
}
