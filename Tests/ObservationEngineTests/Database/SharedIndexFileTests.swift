import CLinux
import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// A -shm file belongs to a path, and locks on it to the process: another database may come to the path while
/// both are open.
struct SharedIndexFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path("test.db") }

  init() throws { folder = try TemporaryFolder() }

  private func make(_ name: String) async throws {
    let process = try ExternalProcess([
      "exec", folder.path(name), "--journal", "wal", "--sync", "OFF", "CREATE TABLE t (a)",
    ])
    guard await process.ended() == 0 else { throw Unexpected("\(name) was not made") }
  }

  /// A connection that has the -shm file open.
  private func open() throws -> Connection {
    var options = Connection.Options()
    options.isReader = true
    let connection = try DatabaseFile(path: path, configuration: Configuration()).open(options)
    connection.wal.isOn = try connection.journalMode == "wal"
    #expect(connection.wal.indexState() != .absent)
    return connection
  }

  @Test
  func `closing a database that was moved away keeps the locks of the one in its place`()
    async throws
  {
    try await make("test.db")
    let old = try open()
    let former = try #require(DatabaseFile.identity(of: path))
    for suffix in ["", "-wal", "-shm"] {
      rename(path + suffix, folder.path("moved.db") + suffix)
    }
    try await make("test.db")
    let new = try open()
    // As the detector does before it sees that the file was replaced.
    for suffix in ["", "-shm"] {
      _ = ProcessFile(former).descriptor(for: path + suffix)
    }
    let files = ["", "-shm"].map { Glibc.open(path + $0, O_RDONLY | O_CLOEXEC) }
    // A descriptor that is closed drops the locks of the process.
    defer { for file in files { close(file) } }
    defer { new.close() }
    old.close()
    #expect(lq_is_locked(files[1], 128, 1) == 1, "other processes see that the -shm file is in use")
    #expect(lq_is_locked(files[0], 0x4000_0002, 510) == 1, "and the database")
  }

  @Test
  func `descriptors on another database's files are closed with that one`() async throws {
    try await make("test.db")
    let old = try open()
    let former = try #require(DatabaseFile.identity(of: path))
    for suffix in ["", "-wal", "-shm"] {
      rename(path + suffix, folder.path("moved.db") + suffix)
    }
    try await make("test.db")
    let new = try open()
    let index = try #require(DatabaseFile.identity(of: path + "-shm"))
    _ = ProcessFile(former).descriptor(for: path + "-shm")
    old.close()
    #expect(OpenDescriptors.identities()?.contains(index) == true)
    new.close()
    #expect(OpenDescriptors.identities()?.contains(index) == false)
  }

  @Test
  func `a -shm file that stayed is not truncated while the replaced database is open`()
    async throws
  {
    try await make("test.db")
    let old = try open()
    let state = old.wal.indexState()
    try await make("new.db")
    #expect(rename(folder.path("new.db"), path) == 0)
    #expect(throws: DatabaseError.self) { try open() }
    #expect(old.wal.indexState() == state)
    old.close()
    let new = try open()
    defer { new.close() }
    #expect(try new.fetch(engine: "SELECT count(*) FROM t").first?.first == .integer(0))
  }
}
