import CSQLite
import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// Undoing the last own transaction: what comes back, and what is refused with which reason.
@Suite(.fewAtOnce)
struct UndoTests {
  private func make(
    _ schema: String = TemporaryDatabase.players, _ kind: StorageKind = .wal,
    enforcesForeignKeys: Bool = false, rows: String = ""
  ) async throws -> (TemporaryDatabase, UndoJournal) {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.enforcesForeignKeys = enforcesForeignKeys
    let db = try await TemporaryDatabase(kind, configuration: configuration, schema: schema)
    if !rows.isEmpty { try await db.write(script: rows) }
    return (db, UndoJournal(db.database))
  }

  private static let people =
    "INSERT INTO player VALUES (1, 'ada', 10), (2, 'bob', 20), (3, 'eve', 30)"

  private func content(_ db: TemporaryDatabase, of table: String = "player") async throws -> RowSet
  {
    try await db.database.read { try $0.fetchAll("SELECT * FROM \(raw: table) ORDER BY 1") }
  }

  /// Undoes the newest transaction; the reason when that is refused.
  private func undo(_ journal: UndoJournal) async throws -> String? {
    let latest = try #require(journal.latest)
    do {
      try await journal.undo(latest.ordinal)
      return nil
    } catch let error as DatabaseError {
      return error.message
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `rows inserted, updated, deleted and renumbered are as before`(
    _ kind: StorageKind
  ) async throws {
    let (db, journal) = try await make(kind: kind)
    let before = try await content(db)
    try await db.write(
      script: """
        INSERT INTO player VALUES (9, 'new', 1); UPDATE player SET score = 99 WHERE id = 1;
        DELETE FROM player WHERE id = 2; UPDATE player SET id = 7 WHERE id = 3;
        """)
    #expect(try await undo(journal) == nil)
    #expect(try await content(db) == before)
    #expect(journal.latest == nil)
  }

  private func make(kind: StorageKind) async throws -> (TemporaryDatabase, UndoJournal) {
    try await make(TemporaryDatabase.players, kind, rows: Self.people)
  }

  @Test func `values of every storage class come back as they were`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE v (a, b REAL, c TEXT, d)",
      rows: "INSERT INTO v VALUES (1, 2, '3', x'00ff'), (NULL, 1.5, 'é' || char(10), 9e99)")
    let before = try await db.database.read { try $0.fetchAll("SELECT rowid, * FROM v") }
    try await db.write(script: "UPDATE v SET a = 0, b = 0, c = '', d = NULL; DELETE FROM v")
    #expect(try await undo(journal) == nil)
    #expect(try await db.database.read { try $0.fetchAll("SELECT rowid, * FROM v") } == before)
  }

  @Test func `values that rows exchanged and that are unique are exchanged back`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT UNIQUE)",
      rows: "INSERT INTO u VALUES (1, 'a'), (2, 'b')")
    let before = try await content(db, of: "u")
    try await db.write(
      script: "UPDATE u SET name = 'x' WHERE id = 1; UPDATE u SET name = 'a' WHERE id = 2;"
        + "UPDATE u SET name = 'b' WHERE id = 1")
    #expect(try await undo(journal) == nil)
    #expect(try await content(db, of: "u") == before)
  }

  @Test func `a table without rowids is undone by its key`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE w (a TEXT, b INT, n, PRIMARY KEY (b, a)) WITHOUT ROWID",
      rows: "INSERT INTO w VALUES ('x', 1, 10), ('y', 1, 20)")
    let before = try await content(db, of: "w")
    try await db.write(
      script: "UPDATE w SET b = 5 WHERE a = 'x'; DELETE FROM w WHERE a = 'y';"
        + "INSERT INTO w VALUES ('z', 9, 0)")
    #expect(try await undo(journal) == nil)
    #expect(try await content(db, of: "w") == before)
  }

  @Test func `what a trigger and a foreign key action did is undone, and neither runs again`()
    async throws
  {
    let (db, journal) = try await make(
      """
      CREATE TABLE p (id INTEGER PRIMARY KEY);
      CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE);
      CREATE TABLE log (text);
      CREATE TRIGGER t AFTER DELETE ON p BEGIN INSERT INTO log VALUES ('gone ' || old.id); END;
      CREATE TRIGGER u AFTER INSERT ON p BEGIN INSERT INTO log VALUES ('came ' || new.id); END;
      """, enforcesForeignKeys: true, rows: "INSERT INTO p VALUES (1); INSERT INTO c VALUES (5, 1)")
    let log = try await content(db, of: "log")
    try await db.write(script: "DELETE FROM p")
    #expect(try await db.integer("SELECT count(*) FROM c") == 0)
    #expect(try await undo(journal) == nil)
    #expect(try await db.integer("SELECT count(*) FROM p JOIN c ON c.p = p.id") == 1)
    #expect(try await content(db, of: "log") == log)
    // Both are as they were: the next transaction has its trigger and its action again.
    try await db.write(script: "DELETE FROM p")
    #expect(try await db.integer("SELECT count(*) FROM c") == 0)
    #expect(try await db.integer("SELECT count(*) FROM log WHERE text = 'gone 1'") == 1)
  }

  @Test func `one transaction after the other is undone, and an undo is none of them`()
    async throws
  {
    let (db, journal) = try await make(rows: Self.people)
    let before = try await content(db)
    for id in 1...3 { try await db.run("DELETE FROM player WHERE id = \(id)") }
    for _ in 1...3 { #expect(try await undo(journal) == nil) }
    #expect(try await content(db) == before)
    #expect(journal.latest == nil)
  }

  @Test func `the newest transaction is described`() async throws {
    let (db, journal) = try await make(rows: Self.people)
    try await db.run("UPDATE player SET score = 0 WHERE id < 3")
    let latest = try #require(journal.latest)
    #expect(latest.ordinal == db.database.commits.ordinal)
    #expect(latest.refusal == nil)
    #expect(
      latest.tables == [.init(name: "player", rows: Commit.RowCounts(updated: 2))])
  }

  @Test(arguments: [
    (
      "UPDATE player SET score = 5 WHERE id = 1",
      "row 1 of player is changed by a later transaction"
    ),
    ("DELETE FROM player WHERE id = 1", "row 1 of player is gone"),
    ("INSERT INTO player VALUES (2, 'again', 0)", "row 2 of player is there again"),
    ("ALTER TABLE player ADD COLUMN extra", "player has another form now"),
    ("DROP TABLE player", "player has another form now"),
  ])
  func `what somebody changed since is not overwritten`(
    _ later: String, _ reason: String
  ) async throws {
    let (db, journal) = try await make(rows: Self.people)
    try await db.write(
      script: "UPDATE player SET score = 0 WHERE id = 1; DELETE FROM player WHERE id = 2")
    // By another connection, as another process would.
    let other = try Database(path: db.path)
    try await other.write { try $0.execute(script: later) }
    let commits = db.database.commits.ordinal
    let ordinal = try #require(journal.latest).ordinal
    #expect(try await undo(journal) == "tx \(ordinal) cannot be undone: \(reason)")
    // Nothing was committed.
    #expect(db.database.commits.ordinal == commits)
    await other.close()
  }

  @Test(arguments: ["", "ON CONFLICT REPLACE", "ON CONFLICT IGNORE"])
  func `a newer row with the same unique value is not overwritten`(
    _ conflict: String
  ) async throws {
    let (db, journal) = try await make(
      "CREATE TABLE u (id INTEGER PRIMARY KEY, name TEXT UNIQUE \(conflict))",
      rows: "INSERT INTO u VALUES (1, 'a')")
    try await db.run("DELETE FROM u")
    let other = try Database(path: db.path)
    try await other.write { try $0.execute("INSERT INTO u VALUES (2, 'a')") }
    #expect(
      try await undo(journal)?.hasSuffix("UNIQUE constraint failed: u.name, by a row that is newer")
        == true)
    #expect(try await content(db, of: "u").rows == [[2, "a"]])
    await other.close()
  }

  @Test(arguments: [StorageKind.wal, .rollbackJournal])
  func `rows that were looked at after another program's commit are not undone`(
    _ kind: StorageKind
  ) async throws {
    let (db, journal) = try await make(kind: kind)
    let path = db.path
    for isInterrupted in [false, true] {
      try await db.database.withoutTransaction { connection in
        // The engine looks once the closure returns.
        connection.withUnsafeHandle {
          _ = sqlite3_exec($0, "UPDATE player SET score = 0 WHERE id < 3", nil, nil, nil)
          guard isInterrupted else { return }
          var other: OpaquePointer?
          #expect(sqlite3_open(path, &other) == SQLITE_OK)
          let sql = "UPDATE player SET score = 7 WHERE id = 1"
          #expect(sqlite3_exec(other, sql, nil, nil, nil) == SQLITE_OK)
          sqlite3_close(other)
        }
      }
      let message = try await undo(journal)
      if isInterrupted {
        #expect(message?.contains("another program committed right behind it") == true)
        #expect(try await db.integer("SELECT score FROM player WHERE id = 1") == 7)
      } else {
        #expect(message == nil)
        #expect(try await db.integer("SELECT score FROM player WHERE id = 1") == 10)
      }
    }
  }

  @Test func `a row that somebody refers to by now is not removed`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p ON DELETE CASCADE)",
      enforcesForeignKeys: true)
    try await db.run("INSERT INTO p VALUES (1)")
    let other = try Database(path: db.path)
    try await other.write { try $0.execute("INSERT INTO c VALUES (1)") }
    #expect(
      try await undo(journal)?
        .hasSuffix("a row of c would refer to a row of p that is gone") == true)
    #expect(try await db.integer("SELECT count(*) FROM c") == 1)
    await other.close()
  }

  @Test(arguments: [
    ("CREATE TABLE other (x)", "it changed the schema"),
    ("ALTER TABLE player RENAME COLUMN score TO points", "it changed the schema"),
    (
      "INSERT INTO generated(a) VALUES (1)",
      "generated has a VIRTUAL column before its key"
    ),
    ("INSERT INTO search VALUES ('text')", "belongs to a virtual table"),
    (
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60000)"
        + " INSERT INTO player(id) SELECT i + 10 FROM n", "more than 50 000 rows changed"
    ),
    ("DELETE FROM big", "more than 4 MB of rows changed"),
    ("UPDATE broken SET t = 'whole'", "not valid UTF-8"),
    ("INSERT INTO broken VALUES (CAST(x'62fe' AS TEXT))", "not valid UTF-8"),
    ("UPDATE broken SET t = CAST(x'fffe' AS TEXT)", "not valid UTF-8"),
  ])
  func `what was not captured row by row is refused`(
    _ statement: String, _ reason: String
  ) async throws {
    let (db, journal) = try await make(
      """
      \(TemporaryDatabase.players); CREATE TABLE generated (b AS (a + 1), a INTEGER PRIMARY KEY);
      CREATE VIRTUAL TABLE search USING fts5(text); CREATE TABLE broken (t); CREATE TABLE big (b);
      """,
      rows: """
        INSERT INTO broken VALUES (CAST(x'61ff62' AS TEXT));
        INSERT INTO big VALUES (zeroblob(3000000)), (zeroblob(1500000));
        """)
    try await db.run(statement)
    let message = try await undo(journal)
    #expect(message?.contains(reason) == true, "\(message ?? "undone")")
  }

  @Test(arguments: [
    "b AS (a + 1), c AS (a || 'x') STORED", "b AS (a + 1) STORED", "b AS (a + 1), c",
  ])
  func `rows with generated columns come back`(_ columns: String) async throws {
    let (db, journal) = try await make(
      "CREATE TABLE t (a, \(columns))", rows: "INSERT INTO t(a) VALUES (1), (2), (3)")
    func rows() async throws -> [[Value]] {
      try await db.database.read { try $0.fetchAll("SELECT * FROM t").rows }
    }
    let before = try await rows()
    for statement in [
      "UPDATE t SET a = a + 1 WHERE a > 1; DELETE FROM t WHERE a = 1",
      // Computed columns of so many rows aren't known.
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500) INSERT INTO t(a) SELECT i FROM n",
    ] {
      try await db.write(script: statement)
      let after = try await rows()
      let last = try #require(journal.latest)
      #expect(try await undo(journal) == nil)
      #expect(try await rows() == before)
      try await journal.redo(last.ordinal)
      #expect(try await rows() == after)
      #expect(try await undo(journal) == nil)
    }
  }

  @Test func `text with an embedded NUL comes back as it was`() async throws {
    let (db, journal) = try await make(
      "CREATE TABLE t (x)", rows: "INSERT INTO t VALUES (CAST(x'610062' AS TEXT))")
    try await db.run("UPDATE t SET x = CAST(x'610063' AS TEXT)")
    #expect(try await undo(journal) == nil)
    #expect(try await db.integer("SELECT hex(x) = '610062' AND typeof(x) = 'text' FROM t") == 1)
  }

  @Test(arguments: [
    ["UPDATE player SET score = 1 WHERE 0"], ["BEGIN", "COMMIT"], ["PRAGMA user_version = 7"],
    [
      "BEGIN", "INSERT INTO player VALUES (8, 'x', 1)", "DELETE FROM player WHERE id = 8", "COMMIT",
    ],
  ])
  func `what changed no rows is passed over`(_ statements: [String]) async throws {
    let (db, journal) = try await make(rows: Self.people)
    let before = try await content(db)
    try await db.run("DELETE FROM player WHERE id = 1")
    for statement in statements { try await db.run(statement) }
    #expect(try await undo(journal) == nil)
    #expect(try await content(db) == before)
    // Nor does it end redoing.
    for statement in statements { try await db.run(statement) }
    let undone = try #require(journal.latestUndone)
    try await journal.redo(undone.ordinal)
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  @Test func `VACUUM is no transaction to undo, and the one before it still is`() async throws {
    let (db, journal) = try await make(rows: Self.people)
    let before = try await content(db)
    try await db.run("DELETE FROM player WHERE id = 2")
    try await db.run("VACUUM")
    let rows = try #require(journal.rows(of: db.database.commits.ordinal))
    #expect(rows.tables.isEmpty)
    #expect(rows.remark == "VACUUM changed no rows")
    #expect(try await undo(journal) == nil)
    #expect(try await content(db) == before)
    try await db.run("VACUUM")
    let undone = try #require(journal.latestUndone)
    try await journal.redo(undone.ordinal)
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  @Test(arguments: [
    ("x", true), ("x INTEGER PRIMARY KEY", false), ("x INT PRIMARY KEY", true),
    ("x INTEGER PRIMARY KEY DESC", true), ("x, y, PRIMARY KEY (x, y)", true),
  ])
  func `rows that a VACUUM may have numbered anew are not undone, with that reason`(
    _ columns: String, _ isRefused: Bool
  ) async throws {
    let (db, journal) = try await make(
      "CREATE TABLE t (\(columns))", rows: "INSERT INTO t(x) VALUES (1), (2), (3)")
    try await db.run("DELETE FROM t WHERE x = 1")
    try await db.run("VACUUM")
    let message = try await undo(journal)
    let reason = "VACUUM has renumbered the rows of t since"
    #expect(message?.hasSuffix(reason) ?? false == isRefused, "\(message ?? "undone")")
    #expect(try await db.integer("SELECT count(*) FROM t") == (isRefused ? 2 : 3))
  }

  @Test func `nothing is undone within an open transaction, nor by an old number`() async throws {
    let (db, journal) = try await make(rows: Self.people)
    try await db.run("DELETE FROM player WHERE id = 1")
    let first = try #require(journal.latest).ordinal
    try await db.run("DELETE FROM player WHERE id = 2")
    await #expect(throws: DatabaseError.self) { try await journal.undo(first) }
    try await db.run("BEGIN")
    #expect(try await undo(journal)?.hasPrefix("a transaction is open") == true)
    try await db.run("ROLLBACK")
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
    #expect(try await undo(journal) == nil)
  }

  @Test func `a temporary trigger that would change more is refused`() async throws {
    let (db, journal) = try await make(
      "\(TemporaryDatabase.players); CREATE TABLE log (x)", rows: Self.people)
    try await db.run(
      "CREATE TEMP TRIGGER t AFTER INSERT ON player BEGIN INSERT INTO log VALUES (1); END")
    try await db.run("DELETE FROM player WHERE id = 1")
    #expect(try await undo(journal)?.hasSuffix("a temporary trigger changes further rows") == true)
    #expect(try await db.integer("SELECT count(*) FROM log") == 0)
  }

  @Test func `random transactions are undone to the last byte`() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    let (db, journal) = try await make(rows: Self.people)
    for round in 1...60 {
      let before = try await content(db)
      var script = ""
      for _ in 1...Int.random(in: 1...6, using: &random) {
        let id = Int.random(in: 1...8, using: &random)
        let number = Int.random(in: 0...3, using: &random)
        script +=
          [
            "INSERT OR REPLACE INTO player VALUES (\(id), 'n\(number)', \(number));",
            "DELETE FROM player WHERE id = \(id);",
            "UPDATE player SET score = \(number) WHERE id % 3 = \(number);",
            "UPDATE OR IGNORE player SET id = \(id) WHERE score = \(number);",
            "SAVEPOINT s; DELETE FROM player; ROLLBACK TO s; RELEASE s;",
          ].randomElement(using: &random) ?? ""
      }
      try await db.write(script: script)
      let after = try await content(db)
      guard after != before else { continue }
      #expect(try await undo(journal) == nil, "seed \(seed) round \(round): \(script)")
      #expect(try await content(db) == before, "seed \(seed) round \(round): \(script)")
      // And on with it, so that the rows wander.
      if Bool.random(using: &random) { try await db.write(script: script) }
    }
  }
}
