import TestSupport
import Testing

@testable import ObservationEngine

/// The application uses the file with SQLite alone, in the same process: with any descriptor on a file that is
/// closed, POSIX drops all locks of the process on it.
@Suite(.fewAtOnce)
struct OtherUserTests {
  @Test(arguments: StorageKind.files)
  func `a transaction of the application keeps its locks when the engine closes`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let file = try #require(DatabaseFile.identity(of: db.path))
    let application = try PlainConnection(db.path)
    try application.run("BEGIN IMMEDIATE; INSERT INTO player (name) VALUES ('ada')")
    // As the detector does.
    for suffix in ["", "-shm"] { _ = ProcessFile(file).descriptor(for: db.path + suffix) }
    await db.database.close()
    #expect(ProcessFile(file).connections == 0)
    let other = try await ExternalProcess.serve(db.path, "--busy", "0")
    await #expect(throws: ExternalProcess.Failure.self) {
      try await other.send("INSERT INTO player (name) VALUES ('eve')")
    }
    try application.run("COMMIT")
    try await other.send("INSERT INTO player (name) VALUES ('eve')")
    #expect(try application.integer("SELECT count(*) FROM player") == 2)
  }

  @Test
  func `a descriptor that was kept is used again, and closed after the application's`() async throws
  {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let file = try #require(DatabaseFile.identity(of: db.path))
    let application = try PlainConnection(db.path)
    try application.run("SELECT * FROM player")
    let first = try #require(ProcessFile(file).descriptor(for: db.path))
    await db.database.close()
    let database = try Database(path: db.path, configuration: TemporaryDatabase.alwaysOpen)
    #expect(ProcessFile(file).descriptor(for: db.path) == first)
    application.close()
    await database.close()
    #expect(OpenDescriptors.identities()?.contains(file) == false)
  }

  @Test
  func `who makes a file keeps its locks when the engine looks`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("test.db")
    let maker = try PlainConnection(path)
    try maker.run(
      "\(TemporaryDatabase.players); BEGIN IMMEDIATE; INSERT INTO player (name) VALUES ('ada')")
    let file = try DatabaseFile(path: path, configuration: Configuration())
    // The second time it looks through the descriptor that it kept.
    for _ in 1...2 { #expect(FileProbe.isBeingMade(file)) }
    let other = try await ExternalProcess.serve(path, "--busy", "0")
    await #expect(throws: ExternalProcess.Failure.self) {
      try await other.send("INSERT INTO player (name) VALUES ('eve')")
    }
    try maker.run("COMMIT")
    #expect(!FileProbe.isBeingMade(file))
    maker.close()
    #expect(!FileProbe.isBeingMade(file))
    let identity = try #require(DatabaseFile.identity(of: path))
    #expect(OpenDescriptors.identities()?.contains(identity) == false)
  }

  @Test
  func `a file that the engine makes is not left open`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("test.db")
    _ = try DatabaseFile(path: path, configuration: Configuration())
    let identity = try #require(DatabaseFile.identity(of: path))
    #expect(OpenDescriptors.identities()?.contains(identity) == false)
  }
}
