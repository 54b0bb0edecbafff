import CSQLite
import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// The lock of a WAL database that readers leave to those who write.
struct SparedLockTests {
  private static let exclusive = SQLITE_SHM_LOCK | SQLITE_SHM_EXCLUSIVE
  private static let unlock = SQLITE_SHM_UNLOCK | SQLITE_SHM_EXCLUSIVE

  private func open(_ db: TemporaryDatabase, isReader: Bool = true) throws -> Connection {
    var options = Connection.Options()
    options.isReader = isReader
    let file = try DatabaseFile(path: db.path, configuration: Configuration())
    return try file.open(options)
  }

  /// What SQLite does with the lock of this number when it asks for it, or gives it back.
  private func ask(_ connection: Connection, _ lock: Int32, _ flags: Int32) throws -> Int32 {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    let methods = try #require(file?.pointee.pMethods)
    return methods.pointee.xShmLock(file, lock, 1, flags)
  }

  @Test
  func `a reader asks in vain for the lock of writers while the index is whole`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let reader = try open(db)
    defer { reader.close() }
    #expect(try ask(reader, 0, Self.exclusive) == SQLITE_BUSY)
    // Other locks are as they are.
    #expect(try ask(reader, 1, Self.exclusive) == SQLITE_OK)
    #expect(try ask(reader, 1, Self.unlock) == SQLITE_OK)
    // Whoever writes has it.
    let writer = try open(db, isReader: false)
    defer { writer.close() }
    #expect(try ask(writer, 0, Self.exclusive) == SQLITE_OK)
    #expect(try ask(writer, 0, Self.unlock) == SQLITE_OK)
  }

  @Test
  func `an index that a dead writer left half written is repaired by a reader`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let reader = try open(db)
    defer { reader.close() }
    let index = Glibc.open(db.path + "-shm", O_RDWR | O_CLOEXEC)
    // Not closed: that would drop the locks of the process.
    var change: UInt32 = 77
    #expect(pwrite(index, &change, 4, 8) == 4)
    reader.wal.isOn = true
    #expect(reader.wal.indexState() == .torn)
    #expect(try ask(reader, 0, Self.exclusive) == SQLITE_OK)
    #expect(try ask(reader, 0, Self.unlock) == SQLITE_OK)
    let count = try reader.fetch(engine: "SELECT count(*) FROM player").first?.first
    #expect(count == .integer(1))
  }

  @Test
  func `a reader empties a log all the same when it is told to`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let reader = try open(db)
    defer { reader.close() }
    #expect(!reader.emptyLog(noting: LogEmptyings()) { false })
    #expect(DatabaseFile.size(of: db.path + "-wal") != 0)
    #expect(reader.emptyLog(noting: LogEmptyings()) { true })
    #expect(DatabaseFile.size(of: db.path + "-wal") == 0)
    #expect(try ask(reader, 0, Self.exclusive) == SQLITE_BUSY)
  }
}
