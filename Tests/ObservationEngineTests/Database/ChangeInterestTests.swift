import ObservationEngine
import TestSupport
import Testing

/// A write pays for those who watch it, and nobody is missed.
@Suite(.fewAtOnce)
struct ChangeInterestTests {
  private static let player = TableID(name: "player")

  /// The changesets of own commits, for a follower that asks for nothing.
  private func changesets(
    of database: Database, _ write: () async throws -> Void
  ) async throws -> [Changeset] {
    let journal = Journal<Changeset>()
    let follower = EventFollower(database) { event, changeset in
      if case .commit = event { journal.append(changeset) }
    }
    try await write()
    return withExtendedLifetime(follower) { journal.entries }
  }

  @Test(arguments: StorageKind.allCases)
  func `of a table that nobody reads it is told that it changed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let told = try await changesets(of: db.database) {
      try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    }
    #expect(told.map(\.tables) == [[Self.player: .bulk(reason: "no follower requested its rows")]])
    #expect(told.first?.rowCounts == nil)
  }

  @Test
  func `of a table that is read only the columns and rows that are read are followed`() async throws
  {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(
      script: "INSERT INTO player(id, name, score) VALUES (1, 'a', 1), (2, 'b', 2)")
    let recorder = db.database.record(integer: "SELECT score FROM player WHERE id = 1")
    try await recorder.expect(1)
    let told = try await changesets(of: db.database) {
      try await db.write(script: "UPDATE player SET name = 'c' WHERE id = 1")
      try await db.write(script: "UPDATE player SET score = 7 WHERE id = 2")
      try await db.write(script: "UPDATE player SET score = 8 WHERE id = 1")
    }
    // Neither a column that nobody reads nor another row is a change of what is followed.
    #expect(told.map(\.touchesInternals) == [true, true, false])
    guard case .rows(let difference)? = told.last?.tables[Self.player] else {
      throw Unexpected("\(told)")
    }
    #expect(difference.counts == Commit.RowCounts(updated: 1))
    #expect(difference.updatedColumns == ["score"])
    try await recorder.expect(8)
  }

  @Test
  func `changed rows are kept for those who want them, whole`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(
      script: "INSERT INTO player(id, name, score) VALUES (1, 'a', 1), (2, 'b', 2)")
    var rows: EventFollower? = EventFollower(db.database, wanting: .all(wantsRows: true)) { _, _ in
    }
    let told = try await changesets(of: db.database) {
      try await db.write(
        script: """
          UPDATE player SET score = 5 WHERE id = 1; DELETE FROM player WHERE id = 2;
          INSERT INTO player(id, name) VALUES (3, 'c')
          """)
    }
    let columns = ["id", "name", "score"]
    let changes = try #require(told.first?.rowChanges(of: Self.player))
    #expect(
      Set(changes.map(\.kind.rawValue)) == ["insert", "update", "delete"] && changes.count == 3)
    let update = try #require(changes.first { $0.kind == .update })
    #expect(update.key == .rowid(1))
    #expect(update.old == Row(columns: columns, values: [1, "a", 1]))
    #expect(update.new == Row(columns: columns, values: [1, "a", 5]))
    withExtendedLifetime(rows) {}
    rows = nil
    let later = try await changesets(of: db.database) {
      try await db.write(script: "UPDATE player SET score = 6")
    }
    #expect(later.first?.rowChanges(of: Self.player) == nil, "nobody asked any more")
  }

  @Test
  func `an observation that begins within a transaction sees what it commits`() async throws {
    let db = try await TemporaryDatabase(.wal)
    // Nobody follows the database when its rows are inserted.
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player(name) VALUES ('ada')")
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.run("COMMIT")
    try await recorder.expect(1)
  }

  @Test
  func `commits that nobody follows are numbered too`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let before = db.database.commits.ordinal
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    #expect(db.database.commits.ordinal == before + 1)
  }

  @Test
  func `large rows are not kept beyond a bound of memory`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(
      script: """
        INSERT INTO player(name, score)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
        SELECT hex(zeroblob(50000)), i FROM n
        """)
    let log = CommitLog(db.database)
    try await db.write(script: "UPDATE player SET score = score + 1")
    guard case .bulk(let reason)? = try await log.nextChangeset().tables[Self.player] else {
      throw Unexpected("rows of ten megabytes were kept")
    }
    #expect(reason.hasPrefix("more than "))
  }
}
