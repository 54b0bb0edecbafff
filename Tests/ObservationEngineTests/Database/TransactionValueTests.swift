import ObservationEngine
import TestSupport
import Testing

/// Transactions as values.
@Suite(.fewAtOnce)
struct TransactionValueTests {
  private func insert(_ name: String) -> Transaction {
    .execute("INSERT INTO player(name) VALUES (?)", [.text(name)])
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
    var sum = insert("ada") + rename + nothing + insert("bob")
    sum += nothing
    sum += nothing + rename
    try await db.database.commit(sum)
    #expect(try await names(db) == ["ada!!", "bob!"])
    try await db.database.commit([insert("eve"), insert("zoe")].combined())
    try await db.database.commit([insert("max"), nil].combined())
    #expect(try await names(db) == ["ada!!", "bob!", "eve", "zoe", "max"])
    #expect(log.count(.own) == 3)
  }

  @Test(arguments: StorageKind.allCases)
  func `it is committed whole, or not at all`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.commit(insert("ada") + .execute("nonsense") + insert("bob"))
    }
    #expect(error?.sql == "nonsense")
    #expect(try await names(db) == [])
    await #expect(throws: Unexpected.self) {
      try await db.database.commit(insert("ada") + Transaction { _ in throw Unexpected("no") })
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
    #expect(try await db.database.commit(Transaction()) == nil)
    #expect(Transaction().isEmpty && ([] as [Transaction]).combined().isEmpty)
    #expect(try await db.database.commit(.execute("DELETE FROM player WHERE id = 5")) == nil)
    #expect(try await db.database.commit(insert("ada")) != nil)
  }

  @Test
  func `an observer sees all of it at once`() async throws {
    let db = try await TemporaryDatabase()
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.database.commit((1...5).map { insert("p\($0)") }.combined())
    try await recorder.expect(5)
  }

  @Test
  func `within a write it is a part, and undone alone`() async throws {
    let db = try await TemporaryDatabase()
    let (ada, bob, eve) = (insert("ada"), insert("bob"), insert("eve"))
    try await db.database.write { connection in
      try connection.apply(ada)
      #expect(throws: DatabaseError.self) {
        try connection.apply(bob + .execute("nonsense"))
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
    await reader.finish()
    await db.database.finish()
    let closed = await #expect(throws: DatabaseError.self) {
      try await db.database.commit(insert("ada"))
    }
    #expect(closed?.code == .misuse)
  }

  @Test
  func `effects answer with values, in order, and errors are answers`() async throws {
    let db = try await TemporaryDatabase()
    let effects = DatabaseEffects(db.database)
    let responses = Journal<DatabaseResponse>()
    await effects.perform([
      .commit(insert("ada")), .commit(.execute("nonsense")), .commit(Transaction()),
      .commit(Transaction { _ in throw Unexpected("no") }), .commit(insert("bob")),
    ]) { responses.append($0) }
    let told = responses.entries
    #expect(told.count == 5)
    guard case .committed(let first?) = told[0], case .failed(let error) = told[1],
      case .failed(let other) = told[3], case .committed(let last?) = told[4]
    else { throw Unexpected("\(told)") }
    #expect(first < last)
    #expect(error.sql == "nonsense")
    #expect(told[2] == .committed(ordinal: nil))
    #expect(other.message == "no")
    #expect(try await names(db) == ["ada", "bob"])
  }

  @Test
  func `a cancelled effect is undone, and says so`() async throws {
    let db = try await TemporaryDatabase()
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let endless = Transaction { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      continuation.yield()
      _ = try connection.fetchAll(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
    }
    let task = Task { await DatabaseEffects(db.database).perform(.commit(endless)) }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    task.cancel()
    guard case .failed(let error) = await task.value else { throw Unexpected("committed") }
    #expect(error.code.primary == .interrupted)
    #expect(try await names(db) == [])
  }
}
