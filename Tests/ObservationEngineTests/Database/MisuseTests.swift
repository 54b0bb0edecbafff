import CSQLite
import DatabaseConsole
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// What goes wrong is said, and does no harm.
@Suite(.fewAtOnce)
struct MisuseTests {
  @Test(arguments: StorageKind.allCases)
  func `a connection that was kept is an error`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let database = db.database
    // The synchronous forms let anything out.
    let kept = await Task.detached { () -> [Unchecked] in
      [try? database.readWaiting { $0 }, try? database.writeWaiting { $0 }]
        .compactMap { $0.map(Unchecked.init) }
    }.value
    try #require(kept.count == 2)
    func check() {
      for connection in kept.map(\.value) {
        let uses: [(Connection) throws -> Void] = [
          { _ = try $0.fetchAll("SELECT 1") }, { try $0.execute("DELETE FROM player") },
          { try $0.execute(script: "SELECT 1") }, { _ = try $0.fetchOne("SELECT 1") as Int? },
          { try $0.forEachRow("SELECT 1") { _ in } }, { try $0.inTransaction {} },
          { try $0.savepoint {} }, { try $0.afterNextTransaction { _ in } },
          { try $0.withBlob(table: "player", column: "name", rowid: 1) { _ = $0.count } },
        ]
        for use in uses {
          let error = #expect(throws: DatabaseError.self) { try use(connection) }
          #expect(error?.code == .misuse)
          #expect(error?.message.contains("outside of the closure") == true)
        }
      }
    }
    check()
    await database.close()
    check()
  }

  private struct Unchecked: @unchecked Sendable {
    let value: Connection
  }

  @Test
  func `a kept connection stops the program where nothing can be thrown`() async throws {
    await #expect(processExitsWith: .failure) {
      let connection = try Database(inMemory: Configuration()).readWaiting { $0 }
      _ = connection.isInTransaction
    }
  }

  @Test
  func `VACUUM within a write names the method for it`() async throws {
    let db = try await TemporaryDatabase()
    let error = await #expect(throws: DatabaseError.self) { try await db.write(script: "VACUUM") }
    #expect(
      error?.description.hasPrefix("cannot VACUUM from within a transaction; use database.vacuum()")
        == true)
  }

  @Test
  func `a blob that was kept is an error`() async throws {
    let db = try await TemporaryDatabase(.memory)
    try await db.write(script: "INSERT INTO player(id, name) VALUES (1, 'ada')")
    try await db.database.write { connection in
      let kept = try connection.withBlob(
        table: "player", column: "name", rowid: 1, isWritable: true
      ) { $0 }
      let uses: [() throws -> Void] = [
        { _ = try kept.read(count: 1) }, { try kept.write([1]) }, { try kept.move(toRow: 1) },
        {
          try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try kept.read(into: $0) }
        },
      ]
      for use in uses {
        let error = #expect(throws: DatabaseError.self) { try use() }
        #expect(error?.code == .misuse)
      }
      #expect(kept.count == 0)
    }
  }

  @Test
  func `a connection of an outer closure is good within an inner one`() async throws {
    let (a, b) = (try await TemporaryDatabase(), try await TemporaryDatabase())
    try await a.database.write { [b = b.database] outer in
      try b.readWaiting { _ in try outer.execute("INSERT INTO player DEFAULT VALUES") }
    }
    #expect(try await a.integer("SELECT count(*) FROM player") == 1)
  }

  // MARK: - Double quotes

  @Test(arguments: StorageKind.allCases)
  func `a misspelt column in double quotes is an error`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    for sql in [
      "DELETE FROM player WHERE \"scorre\" > 1", "SELECT \"nmae\" FROM player",
      "CREATE INDEX i ON player(\"nmae\")",
    ] {
      let error = await #expect(throws: DatabaseError.self) {
        try await db.database.write { try $0.execute(SQL(raw: sql)) }
      }
      #expect(error?.message.contains("no such column") == true, "\(sql)")
      // At the console, too.
      await #expect(throws: DatabaseError.self) { try await db.run(sql) }
    }
    await #expect(throws: DatabaseError.self) {
      try await db.database.write { try $0.deleteAll(from: "player", where: "\"scorre\" > 1") }
    }
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }

  @Test(arguments: StorageKind.files)
  func `a file whose views or triggers need texts in double quotes works`(
    _ kind: StorageKind
  ) async throws {
    let views = [
      "CREATE VIEW greeting AS SELECT \"hello\" AS text",
      """
      CREATE TRIGGER rename AFTER UPDATE OF name ON player BEGIN
        INSERT INTO map(name) VALUES ("changed"); END
      """,
      """
      CREATE TRIGGER welcome AFTER INSERT ON player BEGIN
        INSERT INTO map(name) VALUES ("new"); END
      """,
    ]
    for view in views {
      let db = try await TemporaryDatabase(kind)
      try await db.write(script: view)
      let reopened = try Database(path: db.path)
      try await reopened.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('ada')")
        try connection.execute("UPDATE player SET name = 'eve'")
        if view.contains("VIEW") {
          #expect(try connection.fetchOne("SELECT text FROM greeting", as: String.self) == "hello")
        } else {
          #expect(try connection.fetchOne("SELECT count(*) FROM map", as: Int.self) == 1)
        }
      }
      if view.contains("VIEW") {
        let text: String? = try await reopened.read { try $0.fetchOne("SELECT text FROM greeting") }
        #expect(text == "hello")
        // It is the only reason: without the view, names are names again.
        try await reopened.write { try $0.execute("DROP VIEW greeting") }
        await #expect(throws: DatabaseError.self) {
          try await reopened.read { try $0.fetchAll("SELECT \"hello\"") }
        }
      }
      await reopened.close()
    }
  }

  @Test
  func `views and triggers with quoted names, or broken ones, are no reason for texts`()
    async throws
  {
    let db = try await TemporaryDatabase(
      schema: """
        CREATE TABLE t ("a" INTEGER PRIMARY KEY, "b" AS ("a" + 1));
        CREATE VIEW v AS SELECT "a" FROM "t";
        CREATE VIEW broken AS SELECT missing, "a" FROM t;
        CREATE TRIGGER r AFTER INSERT ON t BEGIN UPDATE t SET "a" = "a" WHERE "a" = new."a"; END;
        """)
    let reopened = try Database(path: db.path)
    defer { reopened.close() }
    for database in [db.database, reopened] {
      await #expect(throws: DatabaseError.self) {
        try await database.read { try $0.fetchAll("SELECT \"missing\" FROM t") }
      }
      #expect(try await database.read { try $0.fetchAll("SELECT * FROM v").rows.isEmpty })
    }
  }

  // MARK: - Messages

  @Test(arguments: ["key", "rekey", "hexkey", "HexRekey", "textkey", "textrekey"])
  func `a key is refused where nothing would be encrypted`(_ pragma: String) async throws {
    guard sqlite3_compileoption_used("HAS_CODEC") == 0 else { return }
    let sql = "PRAGMA \(pragma) = 'secret'"
    var configuration = Configuration()
    configuration.prepareConnection = { try $0.execute(SQL(raw: sql)) }
    let folder = try TemporaryFolder()
    let opened = #expect(throws: DatabaseError.self) {
      try Database(path: folder.path("a.db"), configuration: configuration)
    }
    #expect(opened?.message.contains("would not encrypt") == true)
    let db = try await TemporaryDatabase(.memory)
    let run = await #expect(throws: DatabaseError.self) { try await db.run(sql) }
    #expect(run?.message.contains("would not encrypt") == true)
  }

  @Test
  func `the remedy for a broken UNIQUE constraint is no circle`() async throws {
    let db = try await TemporaryDatabase(
      .memory, schema: "CREATE TABLE user (id INTEGER PRIMARY KEY, email TEXT UNIQUE)")
    try await db.write(script: "INSERT INTO user VALUES (1, 'a'), (2, 'b')")
    let unique = await #expect(throws: DatabaseError.self) {
      try await db.database.write { try $0.insertOrUpdate(in: "user", ["id": 2, "email": "a"]) }
    }
    #expect(
      unique?.message
        == "UNIQUE constraint failed: user.email; another row has the same value there; update or delete that one"
    )
    let key = await #expect(throws: DatabaseError.self) {
      try await db.database.write { try $0.insert(into: "user", ["id": 2]) }
    }
    #expect(
      key?.message.hasSuffix("a row with this key exists already; insertOrUpdate updates it")
        == true)
  }

  @Test(arguments: [true, false])
  func `a missing folder is named`(_ createsFile: Bool) throws {
    var configuration = Configuration()
    configuration.createsFile = createsFile
    let folder = try TemporaryFolder()
    let missing = folder.path("no")
    let error = #expect(throws: DatabaseError.self) {
      try Database(path: "\(missing)/such/x.db", configuration: configuration)
    }
    #expect(
      error?.message == "\(missing)/such/x.db: there is no folder \(missing)/such; create it first")
  }

  @Test
  func `values and parameters are counted in words`() throws {
    let database = try Database(inMemory: Configuration())
    let error = #expect(throws: DatabaseError.self) {
      try database.readWaiting { try $0.fetchAll("SELECT ?", [1, 2]) }
    }
    #expect(error?.message == "2 values were given for 1 parameter")
  }

  // MARK: - Transactions

  private struct Refused: Error {}

  private final class Guard: TransactionObserver {
    let refuses: Bool
    let log = Mutex<[String]>([])
    init(refuses: Bool = false) { self.refuses = refuses }
    func willCommit(_ transaction: PendingTransaction) throws {
      log.withLock { $0.append("will") }
      if refuses { throw Refused() }
    }
    func didCommit(_ connection: Connection, _ commit: Commit?) {
      log.withLock { $0.append(commit == nil ? "nothing" : "did") }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a refused statement outside of a transaction throws the observer's error`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    db.database.add(transactionObserver: Guard(refuses: true))
    let insertion: SQL = "INSERT INTO player DEFAULT VALUES"
    await #expect(throws: Refused.self) {
      try await db.database.withoutTransaction { connection in
        #expect(throws: Refused.self) { try connection.execute(insertion) }
        #expect(throws: Refused.self) { try connection.execute(script: insertion.text) }
        return try connection.fetchAll("\(insertion) RETURNING id").rows.count
      }
    }
    await #expect(throws: Refused.self) {
      try await db.database.write { try $0.execute(insertion) }
    }
  }

  @Test(arguments: StorageKind.allCases, [true, false])
  func `a write that changes nothing is no commit`(
    _ kind: StorageKind, _ isObserved: Bool
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let observer = Guard()
    let notices = Mutex<[Int]>([])
    var subscription: ObservationSubscription?
    if isObserved {
      db.database.add(transactionObserver: observer)
      subscription = db.database.onCommit { commit in
        notices.withLock { $0.append(commit.ordinal) }
      }
    }
    let before = db.database.commits.ordinal
    try await db.database.write { _ in }
    try await db.database.write { try $0.execute("DELETE FROM player") }
    try await db.database.write { _ = try $0.fetchAll("SELECT * FROM player") }
    #expect(db.database.commits.ordinal == before)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(db.database.commits.ordinal == before + 1)
    // The same values, a setting of the file, an index and a table are commits.
    for sql in [
      "UPDATE player SET id = id", "PRAGMA user_version = 7", "CREATE INDEX i ON player(name)",
      "REINDEX i", "CREATE TABLE more (x)", "DELETE FROM player", "DROP TABLE more",
    ] {
      try await db.database.write { try $0.execute(SQL(raw: sql)) }
    }
    #expect(db.database.commits.ordinal == before + 8)
    if isObserved {
      let log = observer.log.withLock { $0 }
      #expect(log.prefix(3) == ["nothing", "nothing", "nothing"])
      #expect(log.dropFirst(3) == Array(repeating: ["will", "did"], count: 8).flatMap(\.self)[...])
      #expect(notices.withLock { $0.count } == 8)
    }
    withExtendedLifetime(subscription) {}
  }

  // MARK: - Opening

  @Test
  func `a file is opened without blocking the task`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let path = db.path
    let database = try await Database.open(path: path)
    #expect(try await database.read { try $0.count(of: "player") } == 0)
    await database.close()
    let task = Task { try await Database.open(path: path) }
    task.cancel()
    do {
      try await task.value.close()
    } catch { #expect(error is CancellationError) }
    await #expect(throws: DatabaseError.self) {
      try await Database.open(path: db.folder.path("no/such.db"))
    }
  }

  @Test
  func `cancelling the opening of a locked file ends at once`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let holder = try await TemporaryDatabaseLock(db.path)
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(600_000)
    let path = db.path
    let task = Task { [configuration] in
      try await Database.open(path: path, configuration: configuration)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    try await holder.release()
  }

  /// Another connection that locks the file for itself.
  private final class TemporaryDatabaseLock: Sendable {
    let database: Database

    init(_ path: String) async throws {
      var configuration = Configuration()
      configuration.keepsConnectionsOpen = true
      database = try Database(path: path, configuration: configuration)
      _ = try await database.run(statement: "BEGIN EXCLUSIVE", rowLimit: 1)
    }

    func release() async throws {
      _ = try await database.run(statement: "ROLLBACK", rowLimit: 1)
      await database.close()
    }
  }

  // MARK: - Defaults

  @Test
  func `a new file gets the WAL mode, and an existing one keeps its own`() async throws {
    let folder = try TemporaryFolder()
    func mode(_ name: String, _ configuration: Configuration = Configuration()) async throws
      -> String?
    {
      let database = try Database(path: folder.path(name), configuration: configuration)
      defer { database.close() }
      return try await database.read { try $0.fetchOne("PRAGMA journal_mode") }
    }
    #expect(try await mode("new.db") == "wal")
    var delete = Configuration()
    delete.journalMode = .delete
    #expect(try await mode("old.db", delete) == "delete")
    let old = try Database(path: folder.path("old.db"), configuration: delete)
    try await old.write { try $0.execute("CREATE TABLE t (x)") }
    await old.close()
    #expect(try await mode("old.db") == "delete")
    var careful = Configuration()
    careful.createsFile = false
    _ = try folder.write("", to: "empty.db")
    #expect(try await mode("empty.db", careful) == "delete")
    #expect(try await mode("empty.db") == "wal")
  }

  @Test
  func `foreign keys are enforced by default`() async throws {
    let database = try Database(inMemory: Configuration())
    try await database.write {
      try $0.execute(
        script: "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p(id))")
    }
    let error = await #expect(throws: DatabaseError.self) {
      try await database.write { try $0.execute("INSERT INTO c VALUES (1)") }
    }
    #expect(error?.code == .foreignKey)
  }

  // MARK: - Erasing, scalars, results of updates

  @Test(arguments: StorageKind.allCases)
  func `everything is erased in one call`(_ kind: StorageKind) async throws {
    let schema = """
      CREATE TABLE p (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
      CREATE TABLE c (p REFERENCES p(id));
      CREATE INDEX i ON p(name);
      CREATE VIEW v AS SELECT * FROM p;
      CREATE TRIGGER r AFTER INSERT ON p BEGIN INSERT INTO c VALUES (new.id); END;
      CREATE VIRTUAL TABLE words USING fts5(text);
      INSERT INTO p(name) VALUES ('ada');
      INSERT INTO words VALUES ('hello');
      """
    let db = try await TemporaryDatabase(kind, schema: schema)
    let left = "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
    let tables = db.database.record(integer: left)
    try await tables.expect(try await db.integer(left))
    try await db.database.eraseAll()
    try await tables.expect(0)
    try await db.write(script: schema)
    #expect(try await db.integer("SELECT id FROM p") == 1)
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.write { try $0.execute("INSERT INTO c VALUES (99)") }
    }
    #expect(error?.code == .foreignKey, "they are enforced again")
    let database = db.database
    try await Task.detached { try database.eraseAllWaiting() }.value
    #expect(try await db.integer(left) == 0)
  }

  @Test
  func `a scalar of no row is nil, and so is NULL`() async throws {
    let db = try await TemporaryDatabase(.memory)
    let none: SQL = "SELECT score FROM player WHERE id = 1"
    try await db.database.read { connection in
      #expect(try connection.fetchOne(none, as: Int.self) == nil)
      #expect(try connection.fetch(.scalar(none, as: String.self)) == nil)
      let typed: Double? = try connection.fetchOne(none)
      #expect(typed == nil)
      #expect(try connection.fetchOne(none, as: Value.self) == nil)
      #expect(try connection.fetchOne("SELECT NULL", as: Int.self) == nil)
      // For a type that has NULL, a row with it differs from no row.
      #expect(try connection.fetchOne("SELECT NULL", as: Value.self) == .some(.null))
      #expect(try connection.fetchOne("SELECT NULL", as: Int?.self) == .some(nil))
      #expect(try connection.fetchOne(none, as: Int?.self) == .none)
      #expect(throws: DatabaseError.self) { try connection.fetchOne("SELECT 'x'", as: Int.self) }
    }
    let scores = Recorder(db.database.observe(.scalar(none, as: Int.self)))
    try await scores.expect(nil)
    try await db.write(script: "INSERT INTO player(id, score) VALUES (1, 7)")
    try await scores.expect(7)
  }

  @Test(arguments: StorageKind.allCases)
  func `what is read then knows what the updates returned`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let insertion: SQL = "INSERT INTO player(name) VALUES ('ada')"
    let name = try await db.database.write { db in
      try db.execute(insertion)
      return db.lastInsertedRowid
    } thenRead: { db, id in
      try db.fetchOne("SELECT name FROM player WHERE id = ?", [id], as: String.self)
    }
    #expect(name == "ada")
    let database = db.database
    let (id, count) = try await Task.detached {
      try database.writeWaiting { db in
        try db.execute(insertion)
        return db.lastInsertedRowid
      } thenRead: { db, id in
        (id, try db.count(of: "player"))
      }
    }.value
    #expect(id == 2)
    #expect(count == 2)
    // Within a write it joins.
    try await database.write { [database] _ in
      let id = try database.writeWaiting { db in
        try db.execute(insertion)
        return db.lastInsertedRowid
      } thenRead: { _, id in
        id
      }
      #expect(id == 3)
    }
  }
}
