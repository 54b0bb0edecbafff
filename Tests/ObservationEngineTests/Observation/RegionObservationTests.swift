import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Handlers that are called on the writer after each commit of a region.
@Suite(.fewAtOnce)
struct RegionObservationTests {
  private static let sql: SQL = "SELECT count(*) FROM player"

  @Test(arguments: StorageKind.allCases)
  func `each own commit is told, with the state that it left, before write returns`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let counts = Journal<Int>()
    let ordinals = Journal<Int>()
    let subscription = db.database.onChange(of: .table("player")) { connection, commit in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
      ordinals.append(commit.ordinal)
      #expect(commit.origin == .own)
      #expect(commit.tables == .named(["player"]))
    }
    for number in 1...50 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      #expect(counts.entries.count == number)
    }
    #expect(counts.entries == Array(1...50))
    #expect(ordinals.entries == ordinals.entries.sorted())
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `no write comes between a commit and its handlers`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let counts = Journal<Int>()
    let subscription = db.database.onChange(of: .table("player")) { connection, _ in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    try await withThrowingTaskGroup { group in
      for _ in 1...8 {
        group.addTask {
          for _ in 1...25 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
        }
      }
      try await group.waitForAll()
    }
    #expect(counts.entries == Array(1...200))
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `statements of the console are told when they are committed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let counts = Journal<Int>()
    let subscription = db.database.onChange(of: .table("player")) { connection, _ in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    try await db.run("INSERT INTO player DEFAULT VALUES")
    #expect(counts.entries == [1])
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    #expect(counts.entries == [1])
    try await db.run("COMMIT")
    #expect(counts.entries == [1, 3])
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `a rollback, a savepoint that is undone, and other tables are not told`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let told = Counter()
    let subscription = db.database.onChange(of: .table("player")) { _, _ in told.increment() }
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        throw Unexpected("changed my mind")
      }
    }
    try await db.database.write { connection in
      try connection.execute("INSERT INTO map DEFAULT VALUES")
      try? connection.savepoint {
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        throw Unexpected("changed my mind")
      }
    }
    #expect(told.value == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(told.value == 1)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `the connection of a handler only reads`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let errors = Journal<DatabaseError.Code?>()
    let subscription = db.database.onChange(of: .table("player")) { connection, _ in
      do {
        try connection.execute("DELETE FROM player")
        errors.append(nil)
      } catch {
        errors.append((error as? DatabaseError)?.code.primary)
      }
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(errors.entries == [.readOnly])
    #expect(try await db.integer(Self.sql.text) == 1)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `handlers are called in the order of their coming, and see one state`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    let subscriptions = (1...5).map { number in
      db.database.onChange(of: .table("player")) { connection, _ in
        let count = (try? connection.fetchOne(Self.sql, as: Int.self)) ?? -1
        journal.append("\(number):\(count)")
      }
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(journal.entries == ["1:1", "2:1", "3:1", "4:1", "5:1"])
    subscriptions[2].cancel()
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(journal.entries.dropFirst(5) == ["1:2", "2:2", "4:2", "5:2"])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test(arguments: StorageKind.allCases)
  func `after the end of the subscription nothing is told`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let told = Counter()
    var subscription: ObservationSubscription? = db.database.onChange(of: .table("player")) {
      _, _ in told.increment()
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(subscription != nil)
    subscription = nil
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(told.value == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `queries state a region by what they read`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let told = Counter()
    let subscription = db.database.onChange(
      of: .read(
        by: Query.scalar(Self.sql, as: Int.self),
        Query.rows("SELECT name FROM map") { row in try row[0] as String })
    ) { _, _ in told.increment() }
    try await db.write(script: "INSERT INTO map(name) VALUES ('tower')")
    #expect(told.value == 1)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(told.value == 2)
    try await db.write(script: "UPDATE player SET score = 5")
    #expect(told.value == 2)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `a write that reads afterwards is told as any other`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let counts = Journal<Int>()
    let subscription = db.database.onChange(of: .table("player")) { connection, _ in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    for number in 1...3 {
      let read: Int? = try await db.database.write { connection in
        _ = try connection.execute("INSERT INTO player DEFAULT VALUES")
      } thenRead: { connection, _ in
        try connection.fetchOne(Self.sql)
      }
      #expect(read == number)
    }
    #expect(counts.entries == [1, 2, 3])
    subscription.cancel()
  }

  @Test(arguments: StorageKind.files)
  func `a database that can only be read tells of the commits of others`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.isReadOnly = true
    let reader = try Database(path: db.path, configuration: configuration)
    let counts = Journal<Int>()
    let subscription = reader.onChange(of: .table("player")) { connection, _ in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    try await other.send("INSERT INTO player DEFAULT VALUES")
    #expect(await counts.entry(at: 0) == 1)
    subscription.cancel()
    await reader.close()
    await other.finish()
  }

  @Test(arguments: StorageKind.files)
  func `commits of another process are told once they are noticed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    let counts = Journal<Int>()
    let subscription = db.database.onChange(of: .table("player")) { connection, commit in
      #expect(commit.origin == .external)
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    for _ in 1...5 { try await other.send("INSERT INTO player DEFAULT VALUES") }
    try await wait(for: "five players") { counts.entries.last == 5 }
    #expect(counts.entries == counts.entries.sorted())
    subscription.cancel()
    await other.finish()
  }

  @Test(arguments: StorageKind.files)
  func `a foreign commit is not read through a transaction of the console`(
    _ kind: StorageKind
  ) async throws {
    guard kind == .wal else { return }
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    let counts = Journal<Int>()
    let subscription = db.database.onChange(of: .table("player")) { connection, _ in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    // The console only reads yet, so that the other process can commit.
    try await db.run("BEGIN")
    try await db.run("SELECT count(*) FROM map")
    let log = CommitLog(db.database)
    try await other.send("INSERT INTO player DEFAULT VALUES")
    try await log.expect(.external, count: 1)
    #expect(counts.entries.isEmpty)
    try await db.run("COMMIT")
    #expect(await counts.entry(at: 0) == 1)
    subscription.cancel()
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `a sequence of commits merges what was not taken`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var iterator = db.database.changes(in: .table("player") + .table("map")).makeAsyncIterator()
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let first = try #require(await iterator.take())
    #expect(first.count == 1)
    #expect(first.tables == .named(["player"]))
    for table in ["player", "map", "player"] {
      try await db.write(script: "INSERT INTO \(table) DEFAULT VALUES")
    }
    let merged = try #require(await iterator.take())
    #expect(merged.count == 3)
    #expect(merged.ordinal == first.ordinal + 3)
    #expect(merged.tables == .named(["map", "player"]))
  }

  @Test(arguments: StorageKind.allCases)
  func `closing the database ends a sequence of commits`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let commits = db.database.changes(in: .fullDatabase)
    let started = Journal<Void>()
    let task = Task {
      let iterator = commits.makeAsyncIterator()
      started.append(())
      var copy = iterator
      var count = 0
      while await copy.take() != nil { count += 1 }
      return count
    }
    _ = await started.entry(at: 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    await db.database.close()
    #expect(await task.value == 1)
  }

  // MARK: - Notifying

  @Test(arguments: StorageKind.allCases)
  func `notifyChanges refreshes those who observe the region`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let outside = Mutex(0)
    let players = Recorder(
      db.database.observe { connection -> Int in
        _ = try connection.fetchOne(Self.sql, as: Int.self)
        return outside.withLock { $0 }
      })
    let maps = Counter()
    let other = Recorder(
      db.database.observe { connection -> Int in
        maps.increment()
        return try connection.count(of: "map")
      })
    try await players.expect(0)
    try await other.expect(0)
    let commits = Journal<Commit>()
    let subscription = db.database.onChange(of: .table("player")) { _, commit in
      commits.append(commit)
    }
    outside.withLock { $0 = 1 }
    db.database.notifyChanges(in: .table("player"))
    try await players.expect(1)
    let commit = try #require(await commits.entry(at: 0))
    #expect(commit.tables == .named(["player"]))
    outside.withLock { $0 = 2 }
    db.database.notifyChanges(in: .fullDatabase)
    try await players.expect(2)
    #expect(commits.entries.count == 2)
    try await wait(for: "a fetch of maps") { maps.value == 2 }
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `notifyChanges is told after the writes that were asked for before`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let counts = Journal<Int>()
    let subscription = db.database.onChange(of: .table("map")) { connection, _ in
      counts.append((try? connection.fetchOne(Self.sql)) ?? -1)
    }
    for _ in 1...3 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    db.database.notifyChanges(in: .table("map"))
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(counts.entries == [3])
    subscription.cancel()
  }
}
