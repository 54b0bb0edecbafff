import TestSupport
import Testing

@testable import ObservationEngine

/// Two marks are the same as long as nothing was committed, on whatever connection.
@Suite(.fewAtOnce)
struct SnapshotMarkTests {
  private static func mark(_ queue: ConnectionQueue) throws -> SnapshotMark? {
    try queue.performAndWait { connection in
      try connection.markedSnapshot { $0.snapshotMark }
    }
  }

  private static func someMark(_ queue: ConnectionQueue) throws -> SnapshotMark {
    try #require(try mark(queue))
  }

  @Test(arguments: StorageKind.files)
  func `marks change with a commit, whoever made it`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let readers = try #require(db.database.readers)
    let queues = [readers.makeQueue(label: "a"), readers.makeQueue(label: "b")]
    defer { for queue in queues { queue.shutDown() } }
    let before = try queues.map(Self.someMark)
    #expect(before[0].isSame(as: before[0]) && before[0].isSame(as: before[1]))
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let after = try queues.map(Self.someMark)
    #expect(!before[0].isSame(as: after[0]) && !before[0].isSame(as: after[1]))
    #expect(after[1].isSame(as: after[0]))
    if kind == .wal {
      let own = try Self.someMark(db.database.writer.queue)
      #expect(after[0].isSame(as: own))
      try await db.run("PRAGMA wal_checkpoint(TRUNCATE)")
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      #expect(try !own.isSame(as: Self.someMark(queues[0])))
    } else {
      #expect(try Self.mark(db.database.writer.queue) == nil, "it may have kept its lock")
    }
  }

  @Test(arguments: StorageKind.files)
  func `nothing is known any more once the connection is closed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let readers = try #require(db.database.readers)
    let queues = [readers.makeQueue(label: "a"), readers.makeQueue(label: "b")]
    let mark = try Self.someMark(queues[0])
    #expect(try mark.isSame(as: Self.someMark(queues[1])))
    queues[0].shutDown()
    #expect(try !mark.isSame(as: Self.someMark(queues[1])))
    queues[1].shutDown()
  }

  @Test
  func `a mark is that of the snapshot, however fast a writer commits`() async throws {
    let db = try await TemporaryDatabase(.wal, schema: "CREATE TABLE counter(value)")
    try await db.write(script: "INSERT INTO counter VALUES (0)")
    let queue = try #require(db.database.readers).makeQueue(label: "a")
    defer { queue.shutDown() }
    _ = try Self.someMark(queue)
    let writer = Task {
      for _ in 1...300 { try await db.run("UPDATE counter SET value = value + 1") }
    }
    let looks = try await queue.perform { connection in
      var looks: [(value: Int, position: UInt32?)] = []
      while looks.last?.value != 300 {
        try looks.append(
          connection.markedSnapshot { connection in
            let value = try connection.fetchOne("SELECT value FROM counter", as: Int.self)
            return (value ?? 0, connection.snapshotMark?.position)
          })
      }
      return looks
    }
    try await writer.value
    let offsets = looks.compactMap { value, position in position.map { Int($0) - value } }
    #expect(Set(offsets).count == 1, "each commit adds one to both")
    #expect(offsets.count > looks.count * 9 / 10)
  }

  @Test
  func `a database in memory, or with another one attached, has none`() async throws {
    let db = try await TemporaryDatabase(.memory)
    #expect(try Self.mark(db.database.writer.queue) == nil)
    let file = try await TemporaryDatabase(.wal)
    let queue = try #require(file.database.readers).makeQueue(label: "a")
    defer { queue.shutDown() }
    _ = try Self.someMark(queue)
    try queue.performAndWait { try $0.execute(engine: "ATTACH ':memory:' AS more") }
    #expect(try Self.mark(queue) == nil)
  }
}
