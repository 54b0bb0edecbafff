import Dispatch
import ObservationEngine
import TestSupport
import Testing

/// `write(_:thenRead:)`.
@Suite(.fewAtOnce)
struct WriteThenReadTests {
  @Test(arguments: StorageKind.allCases)
  func `the read sees what the updates left`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    for number in 1...20 {
      let count = try await db.database.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      } thenRead: { connection, _ -> Int in
        try connection.count(of: "player")
      }
      #expect(count == number)
    }
    // And creates what it reads.
    let names = try await db.database.write { connection in
      try connection.execute(script: "CREATE TABLE extra (x); INSERT INTO extra VALUES ('new')")
    } thenRead: { db, _ in
      try db.fetchAll("SELECT x FROM extra").rows
    }
    #expect(names == [["new"]])
  }

  @Test
  func `in WAL mode further writes go on while it reads, and it does not see them`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let database = db.database
    let counts = try await database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
    } thenRead: { connection, _ -> [Int] in
      let first = try connection.count(of: "player")
      // From a thread of its own: a write within a read would be refused.
      let done = DispatchSemaphore(value: 0)
      DispatchQueue(label: "livequery.test.writer").async {
        try? database.writeWaiting { _ = try $0.execute("INSERT INTO player DEFAULT VALUES") }
        done.signal()
      }
      done.wait()
      return [first, try connection.count(of: "player")]
    }
    #expect(counts == [1, 1])
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  @Test(arguments: StorageKind.files)
  func `it never sees a commit of another process, however close`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try Database(path: db.path, configuration: TemporaryDatabase.alwaysOpen)
    defer { other.close() }
    let follower = EventFollower.acting(afterCommitsOf: db.database) { _ in
      // On the writer's queue after COMMIT, before the reader takes its snapshot: as another
      // process would commit at the worst of all moments.
      if kind == .wal {
        try? other.writeWaiting { _ = try $0.execute("INSERT INTO player(name) VALUES ('eve')") }
      }
    }
    defer { withExtendedLifetime(follower) {} }
    for number in 1...5 {
      let counts = try await db.database.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      } thenRead: { connection, _ -> [Int] in
        [
          try connection.count(of: "player", where: "name = 'ada'"),
          try connection.count(of: "player", where: "name = 'eve'"),
        ]
      }
      #expect(counts == [number, kind == .wal ? number - 1 : 0])
    }
    if kind == .wal {
      #expect(try await db.integer("SELECT count(*) FROM player WHERE name = 'eve'") == 5)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `updates that throw are undone and nothing is read; a read that throws undoes nothing`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let reads = Counter()
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('eve')")
        throw Unexpected("changed my mind")
      } thenRead: { _, _ in
        reads.increment()
      }
    }
    #expect(reads.value == 0)
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      } thenRead: { _, _ in
        throw Unexpected("cannot decode")
      }
    }
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.write { _ in
      } thenRead: { db, _ in
        _ = try db.execute("DELETE FROM player")
      }
    }
    #expect(error?.code.primary == .readOnly)
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  @Test(arguments: StorageKind.allCases)
  func `the waiting form does the same, and joins a write around it`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.database.withoutTransaction { _ in }
    let count = try await db.database.write { connection -> Int in
      try db.database.writeWaiting {
        _ = try $0.execute("INSERT INTO player(name) VALUES ('ada')")
      } thenRead: { db, _ in
        try db.count(of: "player")
      }
    }
    #expect(count == 1)
    let database = db.database
    let outside = try await onOwnThread {
      try database.writeWaiting {
        _ = try $0.execute("INSERT INTO player(name) VALUES ('bob')")
      } thenRead: { db, _ in
        try db.fetchOne("SELECT count(*) FROM player", as: Int.self)
      }
    }
    #expect(outside == 2)
  }

  @Test
  func `the log is copied into the file although reads hold it`() async throws {
    let db = try await TemporaryDatabase(.wal, schema: "CREATE TABLE t (x)")
    try await db.run("PRAGMA wal_autocheckpoint = 20")
    for _ in 1...100 {
      _ = try await db.database.write { connection in
        try connection.execute("INSERT INTO t VALUES (randomblob(3000))")
      } thenRead: { db, _ in
        try db.fetchOne("SELECT count(*) FROM t", as: Int.self)
      }
    }
    let result = try await db.database.checkpoint()
    // 100 commits wrote more than 200 pages; without checkpoints all of them would be in the log.
    #expect(try #require(result.logPages) < 60)
  }

  @Test
  func `a cancelled task cancels the updates, or the read, and both connections go on`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    let endless =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    for isInRead in [false, true] {
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let task = Task {
        try await db.database.write { connection in
          try connection.execute("INSERT INTO player(name) VALUES ('ada')")
          if !isInRead {
            continuation.yield()
            _ = try connection.fetchAll(SQL(raw: endless))
          }
        } thenRead: { connection, _ in
          continuation.yield()
          _ = try connection.fetchAll(SQL(raw: endless))
        }
      }
      var iterator = started.makeAsyncIterator()
      await iterator.next()
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      #expect(try await db.integer("SELECT count(*) FROM player") == (isInRead ? 1 : 0))
    }
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
  }
}
