import ObservationEngine
import TestSupport
import Testing

/// What an own commit says that it changed: the net difference, whatever led to it.
@Suite(.fewAtOnce)
struct OwnCommitTests {
  static let player = TableID(name: "player")
  static let map = TableID(name: "map")

  /// Three players, and a log of what is committed after.
  private func make(_ kind: StorageKind = .memory) async throws -> (TemporaryDatabase, CommitLog) {
    let db = try await TemporaryDatabase(kind)
    try await db.write(
      script: "INSERT INTO player VALUES (1, 'ada', 10), (2, 'bob', 20), (3, 'eve', 30)")
    return (db, CommitLog(db.database))
  }

  private func rows(
    inserted: Int = 0, updated: Int = 0, deleted: Int = 0, columns: Set<String> = []
  ) -> TableChange {
    .rows(
      Commit.RowCounts(inserted: inserted, updated: updated, deleted: deleted),
      updatedColumns: columns)
  }

  @Test(arguments: StorageKind.allCases)
  func `rows inserted, updated and deleted are counted`(_ kind: StorageKind) async throws {
    let (db, log) = try await make(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('x'), ('y')")
    #expect(try await log.nextChangeset().tables == [Self.player: rows(inserted: 2)])
    try await db.write(script: "UPDATE player SET score = score + 1, name = name WHERE id < 3")
    #expect(
      try await log.nextChangeset().tables == [Self.player: rows(updated: 2, columns: ["score"])])
    try await db.write(script: "DELETE FROM player WHERE id = 1; INSERT INTO map VALUES (1, 'm')")
    #expect(
      try await log.nextChangeset().tables
        == [Self.player: rows(deleted: 1), Self.map: rows(inserted: 1)])
    #expect(log.commits.allSatisfy { $0.origin == .own && $0.kind == .data })
    let newest = db.database.commits.ordinal
    #expect(log.commits.map(\.ordinal) == [newest - 2, newest - 1, newest])
    #expect(log.commits.last?.tables == .named(["map", "player"]))
    #expect(log.commits.last?.rows == Commit.RowCounts(inserted: 1, deleted: 1))
  }

  @Test(
    arguments: [
      "INSERT INTO player(id) VALUES (9); DELETE FROM player WHERE id = 9",
      "UPDATE player SET score = 0; UPDATE player SET score = id * 10",
      "DELETE FROM player WHERE id = 2; INSERT INTO player VALUES (2, 'bob', 20)",
      "UPDATE player SET id = 7 WHERE id = 1; UPDATE player SET id = 1 WHERE id = 7",
      "SAVEPOINT a; DELETE FROM player; ROLLBACK TO a; RELEASE a",
      "SAVEPOINT a; INSERT INTO player(id) VALUES (9); SAVEPOINT b; DELETE FROM player;"
        + "RELEASE b; ROLLBACK TO a; RELEASE a",
      "INSERT OR IGNORE INTO player(id) VALUES (1)",
      "REPLACE INTO player VALUES (1, 'ada', 10)",
      "INSERT INTO player VALUES (1, '', 0) ON CONFLICT DO UPDATE SET name = 'ada'",
    ])
  func `what ended as it began is no change of its table`(_ script: String) async throws {
    let (db, log) = try await make()
    try await db.write(script: script + "; INSERT INTO map VALUES (1, 'fence')")
    let changeset = try await log.nextChangeset()
    #expect(changeset == Changeset([Self.map: rows(inserted: 1)]))
  }

  @Test(arguments: StorageKind.allCases)
  func `a transaction that changes nothing delivers nothing`(_ kind: StorageKind) async throws {
    let (db, log) = try await make(kind)
    let recorder = db.database.record(integer: "SELECT sum(score) FROM player")
    try await recorder.expect(60)
    try await db.write(script: "UPDATE player SET score = score")
    try await db.write(script: "SELECT 1")
    try await db.write(script: "")
    try await db.write(script: "UPDATE player SET score = 31 WHERE id = 3")
    try await recorder.expect(61)
    // The update that changed nothing may be told, since SQLite wrote pages; the others may not,
    // but in memory, where there is no telling.
    if kind != .memory { #expect(log.count(.own) <= 2) }
    #expect(log.count(.external) == 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a rollback is an event, and no commit`(_ kind: StorageKind) async throws {
    let (db, log) = try await make(kind)
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("DELETE FROM player")
        throw Unexpected("changed my mind")
      }
    }
    guard case .rollback = try await log.nextEvent() else {
      Issue.record("expected a rollback")
      return
    }
    // One that had nothing to undo is none.
    await #expect(throws: Unexpected.self) {
      try await db.database.write { _ in throw Unexpected("never mind") }
    }
    try await db.write(script: "DELETE FROM player WHERE id = 1")
    #expect(try await log.nextChangeset().tables == [Self.player: rows(deleted: 1)])
    #expect(log.commits.count == 1)
  }

  @Test
  func `a moved rowid is a row less and a row more`() async throws {
    let (db, log) = try await make()
    try await db.write(script: "UPDATE player SET id = 9 WHERE id = 1")
    #expect(
      try await log.nextChangeset().tables == [Self.player: rows(inserted: 1, deleted: 1)])
    // All rows move on by one, over one another: one end goes, the other comes.
    try await db.write(script: "DELETE FROM player WHERE id = 9; UPDATE player SET id = 10 - id")
    let changeset = try await log.nextChangeset()
    #expect(changeset.tables == [Self.player: rows(inserted: 2, deleted: 3)])
  }

  @Test
  func `the values that triggers and foreign keys change are counted`() async throws {
    let db = try await TemporaryDatabase(
      .memory,
      schema: """
        \(TemporaryDatabase.players);
        CREATE TABLE score (id INTEGER PRIMARY KEY, player REFERENCES player ON DELETE CASCADE);
        CREATE TABLE journal (what);
        CREATE TRIGGER t AFTER DELETE ON score BEGIN INSERT INTO journal VALUES (old.id); END;
        INSERT INTO player(id) VALUES (1), (2);
        INSERT INTO score(player) VALUES (1), (1), (2);
        """)
    try await db.run("PRAGMA foreign_keys = ON")
    let log = CommitLog(db.database)
    try await db.write(script: "DELETE FROM player WHERE id = 1")
    #expect(
      try await log.nextChangeset().tables == [
        Self.player: rows(deleted: 1), TableID(name: "score"): rows(deleted: 2),
        TableID(name: "journal"): rows(inserted: 2),
      ])
  }

  @Test
  func `upsert, replace and insert from select are counted by what they did`() async throws {
    let (db, log) = try await make()
    try await db.write(
      script: """
        INSERT INTO player VALUES (1, 'ann', 10), (4, 'dan', 40)
        ON CONFLICT DO UPDATE SET name = excluded.name
        """)
    #expect(
      try await log.nextChangeset().tables
        == [Self.player: rows(inserted: 1, updated: 1, columns: ["name"])])
    try await db.write(script: "REPLACE INTO player SELECT id + 1, name, score FROM player")
    // 2, 3 and 4 are replaced, 5 is new; row 2 has another name and score, as have the others.
    #expect(
      try await log.nextChangeset().tables
        == [Self.player: rows(inserted: 1, updated: 3, columns: ["name", "score"])])
    try await db.write(
      script: "DELETE FROM player WHERE id > 1; CREATE UNIQUE INDEX by_name ON player(name)")
    _ = try await log.nextChangeset()
    // A row that has to make way, because a unique index says so, is gone.
    try await db.write(script: "REPLACE INTO player VALUES (9, 'ann', 1)")
    #expect(
      try await log.nextChangeset().tables[Self.player] == rows(inserted: 1, deleted: 1))
  }
}
