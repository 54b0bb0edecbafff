import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// Databases that belong to a program which keeps accounts of its own.
@Suite(.fewAtOnce)
struct FileOwnerTests {
  private func makeDatabase(_ folder: TemporaryFolder, journal: String = "wal") async throws
    -> String
  {
    let path = folder.path("db.sqlite")
    let make = try ExternalProcess([
      "exec", path, "--journal", journal, "--sync", "OFF", TemporaryDatabase.players,
    ])
    #expect(await make.ended() == 0)
    return path
  }

  private static func fuse() -> Configuration {
    var configuration = Configuration()
    configuration.pollInterval = .milliseconds(5)
    configuration.fileEvents.blindFileSystem = { _ in "FUSE" }
    return configuration
  }

  /// Which file tells of the owner, and what is said of it.
  @Test(arguments: [
    (FileOwner.rqlite, "raft.db", "HTTP API"), (.liteFS, "db.sqlite-pos", "primary"),
  ])
  func `a database that has an owner is only read, and its log is left as it is`(
    _ owner: FileOwner, marker: String, remedy: String
  ) async throws {
    let folder = try TemporaryFolder()
    let path = try await makeDatabase(folder)
    try folder.write("", to: marker)
    // The owner dies without closing it: its log stays.
    let program = try await ExternalProcess.serve(path)
    try await program.send("INSERT INTO player(name) VALUES ('ada')")
    let database = try Database(path: path, configuration: Self.fuse())
    #expect(database.file?.owner == owner)
    #expect(database.configuration.isReadOnly)
    let recorder = database.record(TemporaryDatabase.names)
    try await recorder.settle(on: "ada")
    #expect(database.ownerNotice?.contains(remedy) == true)
    let error = await #expect(throws: DatabaseError.self) {
      try await database.write { try $0.execute("DELETE FROM player") }
    }
    #expect(error?.code.primary == .readOnly)
    #expect(error?.message.contains(remedy) == true)
    try await program.send("INSERT INTO player(name) VALUES ('bob')")
    try await recorder.settle(on: "ada,bob")
    let log = try folder.bytes("db.sqlite-wal")
    let content = try folder.bytes("db.sqlite")
    program.kill()
    await program.ended()
    await recorder.stop()
    await database.close()
    #expect(try folder.bytes("db.sqlite-wal") == log)
    #expect(try folder.bytes("db.sqlite") == content)
  }

  @Test
  func `other databases have no owner`() async throws {
    let folder = try TemporaryFolder()
    let path = try await makeDatabase(folder)
    func owner(_ fileSystem: String?) -> FileOwner? {
      FileOwner(ofFileAt: path, fileSystem: { _ in fileSystem })
    }
    #expect(owner("FUSE") == nil)
    try folder.write("", to: "db.sqlite-pos")
    #expect(owner(nil) == nil)
    #expect(owner("NFS") == nil)
    #expect(owner("FUSE") == .liteFS)
    // The Raft log itself is not what rqlite keeps in SQLite.
    try folder.write("", to: "raft.db")
    #expect(owner(nil) == .rqlite)
    #expect(FileOwner(ofFileAt: folder.path("raft.db"), fileSystem: { _ in nil }) == nil)
  }
}
