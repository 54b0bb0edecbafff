import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// Statements that fail within a transaction which is committed all the same.
@Suite(.fewAtOnce)
struct OwnCommitFailureTests {
  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);
    INSERT INTO player VALUES (1, 'ada'), (2, 'bob'), (5, 'eve');
    """

  /// Runs `sql`, which must fail, and commits what is left of it, with a row more.
  private func changes(_ sql: String, _ kind: StorageKind) async throws -> Commit.RowCounts? {
    let db = try await TemporaryDatabase(kind, schema: Self.schema)
    let log = CommitLog(db.database)
    let before = try await db.integer("SELECT count(*) FROM player")
    try await db.database.write { connection in
      do {
        _ = try connection.execute(SQL(raw: sql))
        throw Unexpected("no error")
      } catch let error as DatabaseError {
        guard error.code.primary == .constraint else { throw error }
      }
      try connection.execute("INSERT INTO player VALUES (100, 'fence')")
    }
    let changeset = try await log.nextChangeset()
    let after = try await db.integer("SELECT count(*) FROM player")
    let counts = try #require(changeset.rowCounts)
    #expect(counts.inserted - counts.deleted == after - before)
    return counts
  }

  @Test(arguments: StorageKind.allCases)
  func `ABORT undoes the statement alone`(_ kind: StorageKind) async throws {
    let counts = try await changes(
      "INSERT INTO player VALUES (3, 'x'), (4, 'y'), (6, 'ada')", kind)
    #expect(counts == Commit.RowCounts(inserted: 1))
    let update = try await changes("UPDATE player SET name = 'same'", kind)
    #expect(update == Commit.RowCounts(inserted: 1))
  }

  @Test(arguments: StorageKind.allCases)
  func `FAIL keeps what the statement did before`(_ kind: StorageKind) async throws {
    let counts = try await changes(
      "INSERT OR FAIL INTO player VALUES (3, 'x'), (4, 'y'), (6, 'ada'), (7, 'z')", kind)
    #expect(counts == Commit.RowCounts(inserted: 3))
  }

  @Test(arguments: StorageKind.allCases)
  func `IGNORE skips the rows that do not fit`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: Self.schema)
    let log = CommitLog(db.database)
    try await db.write(
      script: "INSERT OR IGNORE INTO player VALUES (3, 'x'), (6, 'ada'), (7, NULL), (8, 'z')")
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(inserted: 2))
  }

  @Test(arguments: StorageKind.allCases)
  func `ROLLBACK in a conflict clause ends the transaction`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: Self.schema)
    let log = CommitLog(db.database)
    await #expect(throws: DatabaseError.self) {
      try await db.write(
        script: "DELETE FROM player WHERE id = 1; INSERT OR ROLLBACK INTO player VALUES (2, 'x')")
    }
    guard case .rollback = try await log.nextEvent() else {
      Issue.record("expected a rollback")
      return
    }
    #expect(try await db.integer("SELECT count(*) FROM player") == 3)
    try await db.write(script: "DELETE FROM player WHERE id = 2")
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(deleted: 1))
  }

  @Test(arguments: StorageKind.allCases)
  func `a commit that a deferred foreign key forbids is a rollback`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        \(Self.schema);
        CREATE TABLE score (player REFERENCES player DEFERRABLE INITIALLY DEFERRED)
        """)
    try await db.run("PRAGMA foreign_keys = ON")
    let log = CommitLog(db.database)
    await #expect(throws: DatabaseError.self) {
      try await db.write(script: "INSERT INTO score VALUES (77)")
    }
    guard case .rollback = try await log.nextEvent() else {
      Issue.record("expected a rollback")
      return
    }
    try await db.write(script: "INSERT INTO score VALUES (77); INSERT INTO player VALUES (77, 'x')")
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(inserted: 2))
  }

  @Test(arguments: StorageKind.allCases)
  func `statements of the console commit one by one, or with their transaction`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind, schema: Self.schema)
    let log = CommitLog(db.database)
    let first = try await db.run("INSERT INTO player VALUES (3, 'x') RETURNING name")
    #expect(first.rows == RowSet(columns: ["name"], rows: [["x"]]))
    #expect(first.changes == 1)
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(inserted: 1))
    #expect(try await db.run("BEGIN").isInTransaction)
    try await db.run("DELETE FROM player WHERE id < 3")
    try await db.run("SAVEPOINT a")
    try await db.run("DELETE FROM player")
    try await db.run("ROLLBACK TO a")
    #expect(try await !db.run("COMMIT").isInTransaction)
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(deleted: 2))
    try await db.run("BEGIN")
    try await db.run("DELETE FROM player")
    try await db.run("ROLLBACK")
    guard case .rollback = try await log.nextEvent() else {
      Issue.record("expected a rollback")
      return
    }
    // A savepoint that is no part of a transaction commits when it is released.
    try await db.run("SAVEPOINT b")
    try await db.run("INSERT INTO player VALUES (4, 'y')")
    try await db.run("RELEASE b")
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(inserted: 1))
  }
}
