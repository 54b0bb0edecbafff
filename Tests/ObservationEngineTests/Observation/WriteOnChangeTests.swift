import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Handlers that write behind the commits of a region, and calls at the beginning.
@Suite(.fewAtOnce)
struct WriteOnChangeTests {
  private static let players: SQL = "SELECT count(*) FROM player"
  private struct Refused: Error {}

  /// Writes a row of `map` with the number of players for each commit to them.
  private func follow(
    _ db: TemporaryDatabase, startsImmediately: Bool = false, _ errors: Errors = Errors()
  ) -> ObservationSubscription {
    db.database.writeOnChange(
      of: .table("player"), startsImmediately: startsImmediately, onError: errors.note
    ) { db, commit in
      let count: Int = try db.count(of: "player")
      try db.execute("INSERT INTO map(name) VALUES (?)", ["\(commit.count): \(count)"])
    }
  }

  private final class Errors: Sendable {
    let all = Mutex<[any Error]>([])
    func note(_ error: any Error) { all.withLock { $0.append(error) } }
  }

  private func maps(_ db: TemporaryDatabase) async throws -> [String] {
    try await db.database.read { try $0.fetchAll("SELECT name FROM map ORDER BY id") { try $0[0] } }
  }

  private func insert(_ db: TemporaryDatabase) async throws {
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
  }

  @Test(arguments: StorageKind.allCases)
  func `a handler writes behind each commit, before the next write`(_ kind: StorageKind)
    async throws
  {
    let db = try await TemporaryDatabase(kind)
    let subscription = follow(db)
    // All are asked for before the first has begun.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...5 { group.addTask { try await insert(db) } }
      try await group.waitForAll()
    }
    #expect(try await maps(db) == (1...5).map { "1: \($0)" })
    // Before `write` returns.
    try await insert(db)
    #expect(try await maps(db).count == 6)
    // Other tables, and what is rolled back, call nothing.
    try await db.write(script: "INSERT INTO map(name) VALUES ('other')")
    await #expect(throws: Refused.self) {
      try await db.database.write { connection in
        try connection.execute("DELETE FROM player")
        throw Refused()
      }
    }
    #expect(try await maps(db).count == 7)
    subscription.cancel()
    try await insert(db)
    #expect(try await maps(db).count == 7)
  }

  @Test(arguments: StorageKind.allCases)
  func `it is not called for its own commits, but for those of another`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = Mutex<[String]>([])
    // The first one writes what both observe.
    let first = db.database.writeOnChange(
      of: .table("player") + .table("map"), onError: { _ in }
    ) { db, _ in
      log.withLock { $0.append("first") }
      if try db.count(of: "player") < 3 { try db.execute("INSERT INTO player DEFAULT VALUES") }
    }
    let second = db.database.writeOnChange(of: .table("player"), onError: { _ in }) { _, _ in
      log.withLock { $0.append("second") }
    }
    let seen = Mutex<[Int]>([])
    let reader = db.database.onChange(of: .table("player")) { connection, _ in
      let count = try? connection.fetchOne(Self.players, as: Int.self)
      seen.withLock { $0.append(count ?? -1) }
    }
    try await insert(db)
    #expect(log.withLock { $0 } == ["first", "second", "second"])
    // Handlers that read see both commits, each by itself.
    #expect(seen.withLock { $0 } == [1, 2])
    withExtendedLifetime((first, second, reader)) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `an error rolls back what the handler did, and no more`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let errors = Errors()
    let subscription = db.database.writeOnChange(of: .table("player"), onError: errors.note) {
      db, _ in
      try db.execute("INSERT INTO map(name) VALUES ('x')")
      throw Refused()
    }
    try await insert(db)
    #expect(errors.all.withLock { $0.count { $0 is Refused } } == 1)
    #expect(try await maps(db) == [])
    #expect(try await db.integer(Self.players.text) == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `several commits of one job are told one by one, after the job`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let subscription = follow(db)
    try await db.database.withoutTransaction { connection in
      for _ in 1...2 { try connection.execute("INSERT INTO player DEFAULT VALUES") }
      #expect(try connection.fetchOne("SELECT count(*) FROM map", as: Int.self) == 0)
    }
    #expect(try await maps(db) == ["1: 2", "1: 2"])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `calls wait for the end of a transaction of the console`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let subscription = follow(db)
    try await insert(db)
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("COMMIT")
    #expect(try await maps(db) == ["1: 1", "1: 2"])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: StorageKind.files)
  func `commits of another connection are followed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let subscription = follow(db)
    let other = try Database(path: db.path)
    try await other.write { try $0.execute("INSERT INTO player DEFAULT VALUES") }
    try await wait(for: "the handler") { try await !maps(db).isEmpty }
    await other.close()
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `the writer's cancellation does not reach the handler`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let errors = Errors()
    let started = Mutex<Task<Void, any Error>?>(nil)
    let subscription = db.database.writeOnChange(of: .table("player"), onError: errors.note) {
      db, _ in
      started.withLock { $0 }?.cancel()
      try db.execute(
        """
        INSERT INTO map(name) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n LIMIT 5000)
        SELECT i FROM n
        """)
    }
    try await db.database.withoutTransaction { _ in }
    let task = Task { [database = db.database] in
      try await database.write { connection in
        // The handler must know the task.
        while started.withLock({ $0 == nil }) {}
        try connection.execute("INSERT INTO player DEFAULT VALUES")
      }
      return ()
    }
    started.withLock { $0 = task }
    try await task.value
    #expect(errors.all.withLock { $0.isEmpty })
    #expect(try await maps(db).count == 5_000)
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `closing the database is told`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let errors = Errors()
    let subscription = follow(db, errors)
    try await insert(db)
    #expect(errors.all.withLock { $0.isEmpty })
    await db.database.close()
    let error = errors.all.withLock { $0.first } as? DatabaseError
    #expect(error?.code == .misuse)
    #expect(errors.all.withLock { $0.count } == 1)
    let late = Errors()
    let second = follow(db, startsImmediately: true, late)
    try await wait(for: "the error") { late.all.withLock { !$0.isEmpty } }
    withExtendedLifetime((subscription, second)) {}
  }

  // MARK: - The first call

  @Test(arguments: StorageKind.allCases)
  func `a first call comes before the subscription`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await insert(db)
    let seen = Mutex<[String]>([])
    let database = db.database
    let handler: @Sendable (Connection, Commit) -> Void = { connection, commit in
      let count = try? connection.fetchOne(Self.players, as: Int.self)
      seen.withLock { $0.append("\(commit.count): \(count ?? -1)") }
    }
    let (reader, queries) = await Task.detached {
      let reader = database.onChange(of: .table("player"), startsImmediately: true, handler)
      #expect(seen.withLock { $0 } == ["0: 1"])
      let queries = database.onChange(
        of: .read(by: Query<Int>.count(of: "player")), startsImmediately: true, handler)
      #expect(seen.withLock { $0 } == ["0: 1", "0: 1"])
      return (reader, queries)
    }.value
    try await insert(db)
    #expect(seen.withLock { $0 } == ["0: 1", "0: 1", "1: 2", "1: 2"])
    let writer = await Task.detached { follow(db, startsImmediately: true) }.value
    #expect(try await maps(db) == ["0: 2"])
    // Within a write: what that has done so far.
    let inner = Mutex<ObservationSubscription?>(nil)
    try await database.write { [database] connection in
      try connection.execute("DELETE FROM player")
      let subscription = database.onChange(of: .table("player"), startsImmediately: true, handler)
      inner.withLock { $0 = subscription }
      #expect(seen.withLock { $0.last } == "0: 0")
    }
    withExtendedLifetime((reader, queries, writer, inner.withLock { $0 })) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `a sequence of commits may begin with none`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var iterator = db.database.changes(in: .table("player"), startsImmediately: true)
      .makeAsyncIterator()
    #expect(await iterator.take()?.count == 0)
    try await insert(db)
    #expect(await iterator.take()?.count == 1)
  }
}
