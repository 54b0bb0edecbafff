import ObservationEngine
import TestSupport
import Testing

/// Transactions as values.
@Suite(.fewAtOnce)
struct TransactionValueTests {
  private func insert(_ name: String) -> Transaction {
    .execute("INSERT INTO player(name) VALUES (\(name))")
  }

  private func names(_ db: TemporaryDatabase) async throws -> [String] {
    try await db.database.read { connection in
      try connection.fetchAll("SELECT name FROM player ORDER BY id") { row in try row[0] }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `steps run in their order, in one transaction`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database, noticesOthers: false)
    let rename = Transaction { try $0.execute("UPDATE player SET name = name || '!'") }
    let nothing: Transaction? = nil
    let first: Transaction = [insert("ada"), rename, nothing, insert("bob")]
    try await db.database.commit([first, nothing, [nothing, rename]])
    #expect(try await names(db) == ["ada!!", "bob!"])
    try await db.database.commit(Transaction(["eve", "zoe"].map { insert($0) }))
    try await db.database.commit([insert("max"), nil])
    #expect(try await names(db) == ["ada!!", "bob!", "eve", "zoe", "max"])
    #expect(log.count(.own) == 3)
  }

  @Test(arguments: StorageKind.allCases)
  func `it is committed whole, or not at all`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.commit([insert("ada"), .execute("nonsense"), insert("bob")])
    }
    #expect(error?.sql == "nonsense")
    #expect(try await names(db) == [])
    await #expect(throws: Unexpected.self) {
      try await db.database.commit([insert("ada"), Transaction { _ in throw Unexpected("no") }])
    }
    #expect(try await names(db) == [])
  }

  @Test
  func `the ordinal is that of the commit which observers are told`() async throws {
    let db = try await TemporaryDatabase()
    let log = CommitLog(db.database, noticesOthers: false)
    let first = try await db.database.commit(insert("ada"))
    try await db.write(script: "INSERT INTO map(name) VALUES ('x')")
    let second = try await db.database.commit(insert("bob"))
    #expect(log.commits.map(\.ordinal).first == first)
    #expect(log.commits.map(\.ordinal).last == second)
    #expect(log.commits.count == 3)
  }

  @Test
  func `what writes nothing has no ordinal`() async throws {
    let db = try await TemporaryDatabase()
    #expect(try await db.database.commit([]) == nil)
    #expect(Transaction([]).isEmpty && ([nil] as Transaction).isEmpty)
    #expect(try await db.database.commit(.execute("DELETE FROM player WHERE id = 5")) == nil)
    #expect(try await db.database.commit(insert("ada")) != nil)
  }

  @Test
  func `an observer sees all of it at once`() async throws {
    let db = try await TemporaryDatabase()
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.database.commit(Transaction((1...5).map { insert("p\($0)") }))
    try await recorder.expect(5)
  }

  @Test
  func `within a write it is a part, and undone alone`() async throws {
    let db = try await TemporaryDatabase()
    let (ada, bob, eve) = (insert("ada"), insert("bob"), insert("eve"))
    try await db.database.write { connection in
      try connection.apply(ada)
      #expect(throws: DatabaseError.self) {
        try connection.apply([bob, .execute("nonsense")])
      }
      try db.database.commitWaiting(eve)
    }
    #expect(try await names(db) == ["ada", "eve"])
    #expect(throws: Never.self) { try db.database.commitWaiting(bob) }
  }

  @Test
  func `after close, and on a database that can only be read, it is refused`() async throws {
    let db = try await TemporaryDatabase()
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try Database(path: db.path, configuration: configuration)
    let refused = await #expect(throws: DatabaseError.self) {
      try await reader.commit(insert("ada"))
    }
    #expect(refused?.code.primary == .readOnly)
    await reader.close()
    await db.database.close()
    let closed = await #expect(throws: DatabaseError.self) {
      try await db.database.commit(insert("ada"))
    }
    #expect(closed?.code == .misuse)
  }

  @Test
  func `a cancelled transaction is undone`() async throws {
    let db = try await TemporaryDatabase()
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let endless = Transaction { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      continuation.yield()
      _ = try connection.fetchAll(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    }
    let task = Task { try await db.database.commit(endless) }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try await names(db) == [])
  }
}
