import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// Redoing what was undone, and the rows of own commits that are kept to be shown.
@Suite(.fewAtOnce)
struct RedoTests {
  private func make(
    _ schema: String = TemporaryDatabase.players, _ kind: StorageKind = .wal,
    rows: String = "INSERT INTO player VALUES (1, 'ada', 10), (2, 'bob', 20), (3, 'eve', 30)"
  ) async throws -> (TemporaryDatabase, UndoJournal) {
    let db = try await TemporaryDatabase(kind, schema: schema)
    if !rows.isEmpty { try await db.write(script: rows) }
    return (db, UndoJournal(db.database))
  }

  private func content(_ db: TemporaryDatabase) async throws -> RowSet {
    try await db.database.read { try $0.fetchAll("SELECT * FROM player ORDER BY 1") }
  }

  private func undo(_ journal: UndoJournal) async throws {
    try await journal.undo(try #require(journal.latest).ordinal)
  }

  /// Redoes what was undone last; the reason when that is refused.
  private func redo(_ journal: UndoJournal) async throws -> String? {
    let latest = try #require(journal.latestUndone)
    do {
      try await journal.redo(latest.ordinal)
      return nil
    } catch let error as DatabaseError {
      return error.message
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `what was undone is done again, and can be undone again`(_ kind: StorageKind) async throws {
    let (db, journal) = try await make(TemporaryDatabase.players, kind)
    let before = try await content(db)
    try await db.write(
      script: """
        INSERT INTO player VALUES (9, 'new', 1); UPDATE player SET score = 99 WHERE id = 1;
        DELETE FROM player WHERE id = 2; UPDATE player SET id = 7 WHERE id = 3;
        """)
    let after = try await content(db)
    for _ in 1...3 {
      try await undo(journal)
      #expect(try await content(db) == before)
      #expect(journal.latest == nil)
      #expect(try await redo(journal) == nil)
      #expect(try await content(db) == after)
      #expect(journal.latestUndone == nil)
      #expect(journal.latest?.ordinal == db.database.commits.ordinal)
    }
  }

  @Test func `one after the other is redone, the one undone last first`() async throws {
    let (db, journal) = try await make()
    var states = [try await content(db)]
    for id in 1...3 {
      try await db.run("DELETE FROM player WHERE id = \(id)")
      states.append(try await content(db))
    }
    for _ in 1...3 { try await undo(journal) }
    for state in states.dropFirst() {
      #expect(try await redo(journal) == nil)
      #expect(try await content(db) == state)
    }
  }

  @Test func `another own commit ends redoing, and is named as the reason`() async throws {
    let (db, journal) = try await make()
    try await db.run("DELETE FROM player WHERE id = 1")
    let ordinal = try #require(journal.latest).ordinal
    try await undo(journal)
    #expect(journal.redoingEndedBy == nil)
    try await db.run("UPDATE player SET score = 0 WHERE id = 3")
    #expect(journal.latestUndone == nil)
    #expect(journal.redoingEndedBy == db.database.commits.ordinal)
    await #expect(throws: DatabaseError.self) { try await journal.redo(ordinal) }
    try await undo(journal)
    #expect(journal.redoingEndedBy == nil)
    #expect(try await redo(journal) == nil)
  }

  @Test(arguments: [
    (
      "UPDATE player SET score = 5 WHERE id = 1",
      "row 1 of player is changed by a later transaction"
    ),
    ("DELETE FROM player WHERE id = 2", "row 2 of player is gone"),
    ("INSERT INTO player VALUES (9, 'theirs', 0)", "row 9 of player is there again"),
    ("ALTER TABLE player ADD COLUMN extra", "player has another form now"),
  ])
  func `what somebody changed since is not overwritten`(
    _ later: String, _ reason: String
  ) async throws {
    let (db, journal) = try await make()
    try await db.write(
      script: """
        UPDATE player SET score = 0 WHERE id = 1; DELETE FROM player WHERE id = 2;
        INSERT INTO player VALUES (9, 'mine', 0)
        """)
    let ordinal = try #require(journal.latest).ordinal
    try await undo(journal)
    let other = try Database(path: db.path)
    try await other.write { try $0.execute(script: later) }
    let theirs = try await content(db)
    #expect(try await redo(journal) == "tx \(ordinal) cannot be redone: \(reason)")
    #expect(try await content(db) == theirs)
    // It is refused, and not forgotten.
    #expect(journal.latestUndone?.ordinal == ordinal)
    await other.close()
  }

  @Test func `random transactions go back and forth to the last byte`() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let (db, journal) = try await make()
    var states = [try await content(db)]
    var place = 0
    for step in 1...150 {
      let choice = Int.random(in: 0...3, using: &random)
      if choice == 0, place > 0 {
        try await undo(journal)
        place -= 1
      } else if choice == 1, place < states.count - 1 {
        #expect(try await redo(journal) == nil, "seed \(seed) step \(step)")
        place += 1
      } else if place < 15 {
        let id = Int.random(in: 1...6, using: &random)
        let number = Int.random(in: 0...9, using: &random)
        let script =
          [
            "INSERT OR REPLACE INTO player VALUES (\(id), 'n\(number)', \(number))",
            "DELETE FROM player WHERE id = \(id)",
            "UPDATE player SET score = score + 1, name = name || id",
            "UPDATE OR IGNORE player SET id = \(id) WHERE score > \(number)",
          ].randomElement(using: &random) ?? ""
        // One that changes nothing would be none to undo.
        try await db.write(script: script + "; INSERT INTO player(name) VALUES ('\(step)')")
        states = Array(states[...place]) + [try await content(db)]
        place += 1
      }
      #expect(try await content(db) == states[place], "seed \(seed) step \(step)")
    }
  }

  // MARK: Rows

  @Test func `the rows of another process's commits are kept, and nothing of them is undone`()
    async throws
  {
    let (db, journal) = try await make()
    let other = try await ExternalProcess.serve(db.path)
    let log = CommitLog(db.database)
    var rows: CommitRows?
    // It takes a moment until it is known whose the pages are.
    try await wait(for: "a commit of which the rows are known") {
      try await other.send("UPDATE player SET score = score + 1 WHERE id = 2")
      let commit = try await log.nextCommit()
      // The journal hears of it on the same thread.
      try await wait(for: "the rows") { journal.rows(of: commit.ordinal) != nil }
      rows = journal.rows(of: commit.ordinal)
      return rows?.tables.first?.rows.count == 1
    }
    let table = try #require(rows?.tables.first)
    #expect(table.name == "player")
    #expect(table.counts == Commit.RowCounts(updated: 1))
    #expect(table.rows.first?.old?.first == 2)
    #expect(journal.latest == nil)
  }

  @Test func `the rows of own commits are kept, in the order of their keys`() async throws {
    let (db, journal) = try await make()
    try await db.write(
      script: """
        UPDATE player SET score = 99 WHERE id = 2; DELETE FROM player WHERE id = 1;
        INSERT INTO player VALUES (9, 'new', 1)
        """)
    let rows = try #require(journal.rows(of: db.database.commits.ordinal))
    #expect(rows.remark == nil)
    #expect(
      rows.tables == [
        CommitRows.Table(
          name: "player", columns: ["id", "name", "score"],
          rows: [
            .init(key: .rowid(1), old: [1, "ada", 10], new: nil),
            .init(key: .rowid(2), old: [2, "bob", 20], new: [2, "bob", 99]),
            .init(key: .rowid(9), old: nil, new: [9, "new", 1]),
          ], counts: Commit.RowCounts(inserted: 1, updated: 1, deleted: 1))
      ])
    try await undo(journal)
    // An undo is a commit that has rows too.
    #expect(journal.rows(of: db.database.commits.ordinal)?.tables.first?.rows.count == 3)
  }

  @Test func `of many rows the first are kept and all are counted`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE w (a TEXT PRIMARY KEY) WITHOUT ROWID", rows: "")
    try await db.run(
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)"
        + " INSERT INTO w SELECT printf('%04d', i) FROM n")
    let table = try #require(journal.rows(of: db.database.commits.ordinal)?.tables.first)
    #expect(table.counts == Commit.RowCounts(inserted: 1000))
    let expected = (1...200).map { number in
      Value.text(String(repeating: "0", count: 4 - String(number).count) + String(number))
    }
    #expect(table.rows.compactMap { $0.new?.first } == expected)
  }

  @Test func `rows that were not captured say why, and old commits are forgotten`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE g (b AS (a + 1), a INTEGER PRIMARY KEY); \(TemporaryDatabase.players)")
    try await db.run("INSERT INTO g(a) VALUES (1)")
    let first = db.database.commits.ordinal
    #expect(
      journal.rows(of: first)?.tables.first?.missing?.contains("VIRTUAL column") == true)
    for number in 1...200 { try await db.run("UPDATE player SET score = 100 + \(number)") }
    #expect(journal.rows(of: first) == nil)
    #expect(journal.rows(of: db.database.commits.ordinal)?.tables.first?.rows.count == 3)
    let other = try Database(path: db.path)
    try await other.write { try $0.execute("DELETE FROM player") }
    await other.close()
    #expect(journal.rows(of: first + 400) == nil)
  }
}
