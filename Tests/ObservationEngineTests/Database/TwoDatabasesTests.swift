import Dispatch
import ObservationEngine
import TestSupport
import Testing

/// Closures of one database that use another one.
@Suite(.fewAtOnce)
struct TwoDatabasesTests {
  @Test(arguments: StorageKind.allCases)
  func `a closure may read and write another database, and come back`(
    _ kind: StorageKind
  ) async throws {
    let first = try await TemporaryDatabase(kind)
    let second = try await TemporaryDatabase(kind)
    try await first.database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      try second.database.writeWaiting { other in
        _ = try other.execute("INSERT INTO player(name) VALUES ('bob')")
        // Joins the transaction of `first` that is open around this.
        try first.database.writeWaiting {
          _ = try $0.execute("INSERT INTO player(name) VALUES ('eve')")
        }
        let count: Int = try first.database.readWaiting {
          try $0.count(of: "player")
        }
        #expect(count == 2)
      }
      let count: Int = try second.database.readWaiting {
        try $0.count(of: "player")
      }
      #expect(count == 1)
    }
    #expect(try await first.integer("SELECT count(*) FROM player") == 2)
  }

  @Test(arguments: StorageKind.allCases)
  func `closures that would wait for each other get an error, and both databases go on`(
    _ kind: StorageKind
  ) async throws {
    let first = try await TemporaryDatabase(kind)
    let second = try await TemporaryDatabase(kind)
    let bothInside = Rendezvous(count: 2)
    @Sendable func write(_ outer: Database, _ inner: Database) throws {
      try outer.writeWaiting { connection in
        _ = try connection.execute("INSERT INTO player(name) VALUES ('outer')")
        bothInside.meet()
        try inner.writeWaiting { _ = try $0.execute("INSERT INTO player(name) VALUES ('inner')") }
      }
    }
    async let one = onThread { try write(first.database, second.database) }
    async let two = onThread { try write(second.database, first.database) }
    let failures = await [one, two].compactMap { $0 }
    // One of them gives way, and so the other one can end.
    #expect(failures.count == 1)
    #expect((failures.first as? DatabaseError)?.code == .busy)
    #expect((failures.first as? DatabaseError)?.message.contains("wait for ever") == true)
    let counts = [
      try await first.integer("SELECT count(*) FROM player"),
      try await second.integer("SELECT count(*) FROM player"),
    ]
    #expect(counts == [1, 1])
  }

  @Test
  func `cancelling a task cancels what its closure does in another database`() async throws {
    let first = try await TemporaryDatabase(.wal)
    let second = try await TemporaryDatabase(.memory)
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let endless = Task {
      try await first.database.write { connection in
        try connection.execute("INSERT INTO player(name) VALUES ('eve')")
        try second.database.readWaiting { other in
          continuation.yield()
          _ = try other.fetchAll(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
            """)
        }
      }
    }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    endless.cancel()
    await #expect(throws: (any Error).self) { try await endless.value }
    #expect(try await first.integer("SELECT count(*) FROM player") == 0)
    #expect(try await second.integer("SELECT count(*) FROM player") == 0)
  }

  @Test
  func `a task that a closure starts does not believe that it is within it`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let inner = try await db.database.write { connection in
      _ = try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      return Task {
        try await db.database.write { try $0.execute("INSERT INTO player(name) VALUES ('bob')") }
      }
    }
    _ = try await inner.value
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  /// Runs `body` on a thread of its own.
  ///
  /// - Returns: What it threw.
  private func onThread(_ body: @escaping @Sendable () throws -> Void) async -> (any Error)? {
    do {
      try await onOwnThread(body)
      return nil
    } catch { return error }
  }
}

/// Lets threads go on once so many have come.
private final class Rendezvous: Sendable {
  private let count: Int
  private let arrivals = DispatchSemaphore(value: 0)
  private let arrived = Counter()

  init(count: Int) { self.count = count }

  func meet() {
    arrived.increment()
    if arrived.value >= count { for _ in 0..<count { arrivals.signal() } }
    arrivals.wait()
  }
}
