import Dispatch
import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// A program that ends last leaves its commits in the file, though an observer has the file open.
@Suite(.fewAtOnce)
struct SavedLogTests {
  private func logSize(_ db: TemporaryDatabase) -> Int64 {
    DatabaseFile.size(of: db.path + "-wal") ?? -1
  }

  @Test
  func `the log of a program that ended is copied into the file and emptied`() async throws {
    // The connections stay open: closing them would copy it as well.
    let db = try await TemporaryDatabase(.wal)
    let recorder = db.recordNames()
    try await recorder.settle(on: nil)
    #expect(try await db.other("INSERT INTO player(name) VALUES ('ada')") == 0)
    try await recorder.settle(on: "ada")
    try await wait(for: "an empty log") { self.logSize(db) == 0 }
    // Then a backup can be copied over the file: no log is left that undoes it.
    try await db.makeOther("backup.db", name: "bob")
    try db.folder.write(try db.folder.bytes("backup.db"), to: "test.db")
    try await recorder.settle(on: "bob")
    await recorder.stop()
    await db.database.close()
    #expect(try await db.check() == ["ok", "bob"])
  }

  @Test
  func `a log is left alone while another program has the file open`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let recorder = db.recordNames()
    let other = try await ExternalProcess.serve(db.path)
    try await recorder.settle(on: nil)
    #expect(try await db.other("INSERT INTO player(name) VALUES ('ada')") == 0)
    try await recorder.settle(on: "ada")
    let first = try db.folder.bytes("test.db-wal")
    #expect(!first.isEmpty)
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    try await recorder.settle(on: "ada,bob")
    // The frame is added behind those of the first program: had the log been emptied, its header would be new.
    // The file need not grow, as it may hold old frames behind them.
    #expect(try db.folder.bytes("test.db-wal").prefix(32) == first.prefix(32))
    other.kill()
    await other.ended()
    try await wait(for: "an empty log") { self.logSize(db) == 0 }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('eve')") == 0)
    try await recorder.settle(on: "ada,bob,eve")
  }

  @Test
  func `commits before and after the log was emptied are told by their tables`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let log = CommitLog(db.database)
    let recorder = db.recordNames()
    try await recorder.settle(on: nil)
    for _ in 1...3 {
      try await log.expectNamed(["map"]) {
        try await db.other("INSERT INTO map(name) VALUES ('x')")
      }
      try await wait(for: "an empty log") { self.logSize(db) == 0 }
    }
    #expect(!log.commits.contains { $0.count > 1 })
  }

  @Test
  func `a writer that waits for no lock waits for the emptying of the log`() async throws {
    var impatient = TemporaryDatabase.alwaysOpen
    impatient.busyTimeout = .zero
    let db = try await TemporaryDatabase(.wal, configuration: impatient)
    let identity = try #require(DatabaseFile.identity(of: db.path))
    let emptyings = try #require(ProcessFile(identity).emptyings)
    let insert = "INSERT INTO player(name) VALUES ('ada')"
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("BEGIN IMMEDIATE")
    func expectRefusal() async {
      await #expect(throws: DatabaseError.self) { try await db.write(script: insert) }
    }
    await expectRefusal()
    // Those that are over are no reason to go on waiting.
    emptyings.run {}
    await expectRefusal()

    let mayEnd = DispatchSemaphore(value: 0)
    DispatchQueue(label: "emptying").async { emptyings.run { mayEnd.wait() } }
    try await wait(for: "its begin") { emptyings.count % 2 == 1 }
    let write = Task { try await db.write(script: insert) }
    // If the write comes later than that, it meets no lock.
    try await Task.sleep(for: .milliseconds(50))
    try await other.send("COMMIT")
    mayEnd.signal()
    try await write.value
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }
}
