import TestSupport
import Testing

@testable import ObservationEngine

/// Two marks are the same as long as nothing was committed, on whatever connection.
@Suite(.fewAtOnce)
struct SnapshotMarkTests {
  private static func mark(_ queue: ConnectionQueue) throws -> SnapshotMark? {
    try queue.performAndWait { connection in
      try connection.markingSnapshots {
        try connection.snapshot { $0.snapshotMark }
      }
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

  @Test(arguments: StorageKind.files)
  func `a commit between the beginning and the look leaves no mark`(_ kind: StorageKind)
    async throws
  {
    // With a rollback journal nobody can commit then.
    guard kind == .wal else { return }
    let db = try await TemporaryDatabase(kind)
    let queue = try #require(db.database.readers).makeQueue(label: "a")
    defer { queue.shutDown() }
    _ = try Self.someMark(queue)
    let mark = try queue.performAndWait { connection in
      try connection.markingSnapshots {
        try connection.snapshot { connection in
          try db.database.writer.queue.performAndWait { writer in
            try writer.execute(script: "INSERT INTO player DEFAULT VALUES")
          }
          return connection.snapshotMark
        }
      }
    }
    #expect(mark == nil)
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
