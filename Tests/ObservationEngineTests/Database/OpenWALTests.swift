import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// What closing the last connection does with its log.
@Suite(.fewAtOnce)
struct OpenWALTests {
  /// A connection that is alone, with a commit that is in its log only.
  private func open(_ db: TemporaryDatabase) throws -> Connection {
    db.database.close()
    let file = try DatabaseFile(path: db.path, configuration: TemporaryDatabase.alwaysOpen)
    let connection = try file.open(Connection.Options())
    try connection.execute(script: "INSERT INTO player(name) VALUES ('ada')")
    return connection
  }

  @Test
  func `the usual end copies the log and deletes it`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try open(db).close()
    #expect(db.folder.names == ["test.db"])
    #expect(try await db.check() == ["ok", "ada"])
  }

  @Test
  func `what comes to the paths while a deleted log is copied is another's`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let connection = try open(db)
    db.delete(["-wal", "-shm"])
    let decide = try #require(connection.lease.logEnding)
    connection.lease.logEnding = { connection in
      defer {
        for name in ["test.db-shm", "test.db-wal"] {
          _ = try? db.folder.write("another's", to: name)
        }
      }
      return decide(connection)
    }
    connection.close()
    #expect(try db.folder.text("test.db-shm") == "another's")
    #expect(try db.folder.text("test.db-wal") == "another's")
    // Nothing is lost of the old log either.
    db.delete(["-wal", "-shm"])
    #expect(try await db.check() == ["ok", "ada"])
  }

  @Test
  func `a log that has nothing leaves one alone that stands beside another file`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let new = try await db.makeOther("new.db", name: "bob", journal: "wal")
    await db.database.close()
    let file = try DatabaseFile(path: db.path, configuration: TemporaryDatabase.alwaysOpen)
    let connection = try file.open(Connection.Options())
    #expect(connection.wal.logHeader() == [])
    db.delete(["-wal", "-shm"])
    rename(new, db.path)
    let other = try file.open(Connection.Options())
    connection.close()
    #expect(db.folder.names == ["test.db", "test.db-shm", "test.db-wal"])
    other.close()
    #expect(db.folder.names == ["test.db"])
  }

  @Test
  func `files that nobody here has open are not those of a connection`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let connection = try open(db)
    defer { connection.close() }
    let file = try DatabaseFile(path: db.path, configuration: TemporaryDatabase.alwaysOpen)
    let files = WALFiles(openBeside: file)
    #expect(!files.isIncomplete && files == WALFiles(beside: file))
    db.delete(["-wal"])
    #expect(WALFiles(openBeside: file) == WALFiles(log: nil, index: files.index))
    try db.folder.write("another's", to: "test.db-wal")
    #expect(WALFiles(openBeside: file) == WALFiles(log: nil, index: files.index))
    #expect(files.fate(WALFiles(beside: file)) == .replaced)
  }
}
