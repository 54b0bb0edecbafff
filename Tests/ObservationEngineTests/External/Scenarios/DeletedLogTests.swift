import DatabaseConsole
import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// The -wal and -shm files deleted by hand while they are open.
@Suite(.fewAtOnce)
struct DeletedLogTests {
  private static let files = [["-wal"], ["-shm"], ["-wal", "-shm"]]

  /// Without maintained results: to read their state, another connection is opened a moment after a
  /// result. If the log is deleted while SQLite opens it, it makes a new one.
  private static var configuration: Configuration {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintenanceMemory = 0
    return configuration
  }

  @Test(arguments: files)
  func `what only a deleted log holds is written to the file when nobody else has it open`(
    _ files: [String]
  ) async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    let notices = NoticeLog(db.database)
    let log = CommitLog(db.database)
    let recorder = db.recordNames()
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    db.delete(files)
    // Whoever opens it before it is opened anew may meet an index without its log.
    try await log.expect(.external, count: 1)
    #expect(notices.texts.contains { $0.contains("was deleted") })
    #expect(try await db.other("INSERT INTO player(name) VALUES ('bob')") == 0)
    try await recorder.settle(on: "ada,bob")
    try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
    try await recorder.settle(on: "ada,bob,eve")
    await recorder.stop()
    await db.database.close()
    #expect(db.folder.names == ["test.db"])
    #expect(try await db.check() == ["ok", "ada,bob,eve"])
  }

  @Test(arguments: files)
  func `a program that goes on with a deleted log is followed, and loses nothing when it ends`(
    _ files: [String]
  ) async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    let other = try await ExternalProcess.serve(db.path)
    let notices = NoticeLog(db.database)
    let recorder = db.recordNames()
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    db.delete(files)
    try await notices.first(containing: "was deleted while other programs have it open")
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    try await recorder.settle(on: "ada,bob")
    #expect(
      files.contains { !db.folder.names.contains("test.db" + $0) }, "nothing new is made beside it")
    await other.finish()
    // The observer is the last that has the log, and saves it.
    try await wait(for: "a new log") {
      db.folder.names == ["test.db", "test.db-shm", "test.db-wal"]
    }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('eve')") == 0)
    try await recorder.settle(on: "ada,bob,eve")
    await recorder.stop()
    await db.database.close()
    #expect(db.folder.names == ["test.db"])
    #expect(try await db.check() == ["ok", "ada,bob,eve"])
  }

  @Test
  func `a new log beside a deleted one is followed, and never written over`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let first = try await ExternalProcess.serve(db.path)
    #expect(try await first.send("PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "0")
    let notices = NoticeLog(db.database)
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada")
    // The first keeps the deleted log, whose commit nobody else sees.
    db.delete(["-wal", "-shm"])
    let second = try await ExternalProcess.serve(db.path)
    try await first.send("INSERT INTO player(name) VALUES ('lost')")
    try await second.send("INSERT INTO player(name) VALUES ('bob')")
    try await recorder.settle(on: "ada,bob")
    #expect(!notices.texts.isEmpty)
    try await second.send("INSERT INTO player(name) VALUES ('eve')")
    try await recorder.settle(on: "ada,bob,eve")
    second.kill()
    first.kill()
    await second.ended()
    await first.ended()
    await recorder.stop()
    await db.database.close()
    #expect(try await db.check() == ["ok", "ada,bob,eve"])
  }

  @Test
  func `closing a database whose log was replaced leaves the new log alone`() async throws {
    // Without an observation nobody looks after the files.
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await db.database.withoutTransaction { connection in
      _ = try connection.checkpoint(.truncate)
    }
    try await db.write(script: "INSERT INTO player(name) VALUES ('lost')")
    db.delete(["-wal", "-shm"])
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    other.kill()
    await other.ended()
    await db.database.close()
    #expect(try await db.check() == ["ok", "ada,bob"])
  }

  @Test
  func `closing a database saves its log when only an empty one was made in its place`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    db.delete(["-wal", "-shm"])
    // It has nothing to read yet, and leaves an empty log behind.
    #expect(try await db.other("SELECT count(*) FROM sqlite_schema") == 0)
    #expect(DatabaseFile.size(of: db.path + "-wal") == 0)
    await db.database.close()
    #expect(try await db.check() == ["ok", "ada"])
  }

  @Test
  func `a second database of this process lets go of the log as well`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    let second = try Database(path: db.path, configuration: Self.configuration)
    defer { second.close() }
    let recorder = db.recordNames()
    let secondRecorder = second.record(TemporaryDatabase.names)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    try await secondRecorder.settle(on: "ada")
    db.delete(["-wal", "-shm"])
    try await wait(for: "a new log") {
      db.folder.names == ["test.db", "test.db-shm", "test.db-wal"]
    }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('bob')") == 0)
    try await recorder.settle(on: "ada,bob")
    try await secondRecorder.settle(on: "ada,bob")
    await secondRecorder.stop()
  }

  @Test
  func `one opened beside a deleted index lets go as well, though it misses nothing`() async throws
  {
    var configuration = Self.configuration
    configuration.fileEvents = FileEvents(open: { -1 }, blindFileSystem: { _ in nil })
    configuration.pollInterval = .seconds(3_600)
    // It looks when it is told to.
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let group = db.database.panels([.rows("SELECT 1")])
    let recorder = db.recordNames()
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    try await db.database.withoutTransaction { connection in
      _ = try connection.checkpoint(.truncate)
    }
    db.delete(["-wal", "-shm"])
    // SQLite gives it the index that the process has open; what it does not find beside the file it
    // cannot lose.
    let second = try Database(path: db.path, configuration: Self.configuration)
    defer { second.close() }
    let secondRecorder = second.record(TemporaryDatabase.names)
    try await secondRecorder.settle(on: "ada")
    group.refresh()
    try await wait(for: "an index") { db.folder.names.contains("test.db-shm") }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('bob')") == 0)
    try await secondRecorder.settle(on: "ada,bob")
    await secondRecorder.stop()
  }

  @Test
  func `nothing is opened beside a deleted log before it is known what becomes of it`() async throws
  {
    var configuration = Self.configuration
    configuration.fileEvents = FileEvents(open: { -1 }, blindFileSystem: { _ in nil })
    configuration.pollInterval = .seconds(3_600)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let group = db.database.panels([.rows("SELECT 1")])
    let recorder = db.recordNames()
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    db.delete(["-wal"])
    var impatient = Self.configuration
    impatient.busyTimeout = .zero
    let early = try? Database(path: db.path, configuration: impatient)
    let count = try? await early?.read { try $0.count(of: "player") }
    #expect(count == nil)
    await early?.close()
    #expect(!db.folder.names.contains("test.db-wal"))
    group.refresh()
    try await wait(for: "a new log") { db.folder.names.contains("test.db-wal") }
    let second = try Database(path: db.path, configuration: Self.configuration)
    defer { second.close() }
    let found = try await second.read { try $0.count(of: "player") }
    #expect(found == 1)
    await recorder.stop()
  }

  @Test
  func `a database that observes nothing lets go of the log as well`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    let recorder = db.recordNames()
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    let second = try Database(path: db.path, configuration: Self.configuration)
    defer { second.close() }
    #expect(try await second.read { try $0.fetchOne("SELECT name FROM player") } == "ada")
    db.delete(["-wal", "-shm"])
    try await wait(for: "a new log") {
      db.folder.names == ["test.db", "test.db-shm", "test.db-wal"]
    }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('bob')") == 0)
    try await recorder.settle(on: "ada,bob")
    let count = try await second.read { try $0.count(of: "player") }
    #expect(count == 2)
  }

  @Test
  func `a transaction that is open when the log is let go is rolled back, and says so`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    let notices = NoticeLog(db.database)
    let log = CommitLog(db.database)
    let recorder = db.recordNames()
    try await recorder.settle(on: nil)
    try await db.run("BEGIN IMMEDIATE")
    try await db.run("INSERT INTO player(name) VALUES ('ada')")
    db.delete(["-wal", "-shm"])
    try await notices.first(containing: "was deleted")
    await #expect(throws: DatabaseError.self) { try await db.run("COMMIT") }
    try await log.expect(.external, count: 1)
    // Whoever opens the file at the moment in which it is let go can be refused.
    try await wait(for: "a commit") {
      try await db.other("INSERT INTO player(name) VALUES ('bob')") == 0
    }
    try await recorder.settle(on: "bob")
  }
}
