import Dispatch
import ObservationEngine
import TestSupport
import Testing

/// What is left of a write whose task was cancelled.
@Suite(.fewAtOnce)
struct CancellationTests {
  @Test(arguments: StorageKind.allCases)
  func `a cancelled write is rolled back, and the writer goes on`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database, noticesOthers: false)
    for _ in 1...10 {
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let endless = Task {
        try await db.database.write { connection in
          try connection.execute("INSERT INTO player(name) VALUES ('eve')")
          continuation.yield()
          try connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
            INSERT INTO player(score) SELECT i FROM n WHERE i < 0
            """)
        }
      }
      var iterator = started.makeAsyncIterator()
      await iterator.next()
      endless.cancel()
      let error = await #expect(throws: (any Error).self) { try await endless.value }
      let isInterruption =
        error is CancellationError || (error as? DatabaseError)?.code.primary == .interrupted
      #expect(isInterruption)
    }
    #expect(log.commits.isEmpty)
    #expect(try await db.integer("SELECT count(*) FROM player") == 0)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }

  /// SQLite itself would run what takes few steps, and COMMIT.
  @Test(arguments: StorageKind.allCases, [true, false])
  func `a cancelled write commits nothing, even if its closure goes on`(
    _ kind: StorageKind, _ runsMore: Bool
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let isCancelled = DispatchSemaphore(value: 0)
    let write = Task {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('eve')")
        continuation.yield()
        isCancelled.wait()
        if runsMore {
          #expect(throws: DatabaseError.self) {
            try connection.execute("INSERT INTO player(name) VALUES ('bob')")
          }
        }
      }
    }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    write.cancel()
    isCancelled.signal()
    await #expect(throws: (any Error).self) { try await write.value }
    #expect(try await db.integer("SELECT count(*) FROM player") == 0)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }

  @Test
  func `a write that waits behind another one never begins when it is cancelled`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let first = Task {
      try await db.database.write { connection in
        continuation.yield()
        _ = try connection.fetchAll(
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
      }
    }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    let begun = Counter()
    let second = Task { try await db.database.write { _ in begun.increment() } }
    second.cancel()
    first.cancel()
    await #expect(throws: (any Error).self) { try await first.value }
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(begun.value == 0)
  }

  @Test
  func `interrupt cancels what runs, on all connections`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let endless = Task {
      try await db.database.read { connection in
        continuation.yield()
        return try connection.fetchAll(
          "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
      }
    }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    db.database.interrupt()
    let error = await #expect(throws: DatabaseError.self) { try await endless.value }
    #expect(error?.code.primary == .interrupted)
    #expect(try await db.integer("SELECT 1") == 1)
  }
}
