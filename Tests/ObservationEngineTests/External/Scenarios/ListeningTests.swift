import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// Where inotify is not to be had, or sees nothing, and where other file systems are.
@Suite(.fewAtOnce)
struct ListeningTests {
  private func database(
    _ kind: StorageKind, _ events: FileEvents
  ) async throws -> TemporaryDatabase {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.fileEvents = events
    configuration.pollInterval = .milliseconds(20)
    return try await TemporaryDatabase(kind, configuration: configuration)
  }

  /// What is watched by polling alone: commits, and what happens to the file.
  private func expectAllNoticed(_ db: TemporaryDatabase, notice: String) async throws {
    let notices = NoticeLog(db.database)
    let log = CommitLog(db.database)
    let recorder = db.recordNames()
    try await recorder.settle(on: nil)
    try await notices.first(containing: notice)
    try await notices.first(containing: "looking every 20 ms")
    let other = try await ExternalProcess.serve(db.path)
    for number in 1...5 {
      try await other.send("INSERT INTO map(name) VALUES ('tower')")
      try await log.expect(.external, count: number)
    }
    #expect(log.count(.external) == 5)
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    await other.finish()
    let new = try await db.makeOther("new.db", name: "bob")
    db.delete(["-wal", "-shm"])
    #expect(rename(new, db.path) == 0)
    try await recorder.settle(on: "bob")
    #expect(unlink(db.path) == 0)
    _ = try await log.first { if case .fileMissing = $0 { true } else { false } }
  }

  @Test(arguments: StorageKind.files)
  func `without an inotify descriptor it looks now and then, and says so`(
    _ kind: StorageKind
  ) async throws {
    let db = try await database(
      kind,
      FileEvents(
        open: {
          errno = EMFILE
          return -1
        }, blindFileSystem: { _ in nil }))
    try await expectAllNoticed(db, notice: "fs.inotify limits")
    #expect(db.database.pollingNotice != nil)
  }

  @Test(arguments: StorageKind.files)
  func `without a watch to be had it looks now and then, and says so`(
    _ kind: StorageKind
  ) async throws {
    // A descriptor that takes no watch, as when fs.inotify.max_user_watches is reached.
    let db = try await database(
      kind,
      FileEvents(
        open: { Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }, blindFileSystem: { _ in nil }))
    try await expectAllNoticed(db, notice: "fs.inotify limits")
    #expect(db.database.pollingNotice != nil)
  }

  @Test(arguments: StorageKind.files)
  func `on a file system that makes no events it looks now and then, and says so`(
    _ kind: StorageKind
  ) async throws {
    let db = try await database(
      kind,
      // Watches nothing, as there: the descriptor is that of an empty pipe.
      FileEvents(open: { Self.silentDescriptor() }, blindFileSystem: { _ in "NFS" }))
    try await expectAllNoticed(db, notice: "NFS reports no changes")
    #expect(db.database.pollingNotice != nil)
  }

  /// An inotify descriptor whose queue nobody fills.
  private static func silentDescriptor() -> Int32 { FileEvents.system.open() }

  @Test
  func `which file systems make no events is known by their numbers`() throws {
    let folder = try TemporaryFolder()
    #expect(FileEvents.system.blindFileSystem(folder.path) == nil)
    #expect(FileEvents.system.blindFileSystem(folder.path("missing")) == nil)
  }

  @Test(arguments: StorageKind.files)
  func `a file in memory, on a tmpfs, is watched like any other`(_ kind: StorageKind) async throws {
    let folder = try MemoryFolder()
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.journalMode = kind == .wal ? .wal : nil
    let database = try Database(path: folder.path + "/test.db", configuration: configuration)
    defer { database.close() }
    try await database.write { try $0.execute(script: TemporaryDatabase.players) }
    let log = CommitLog(database)
    let recorder = database.record(TemporaryDatabase.names)
    try await recorder.settle(on: nil)
    #expect(database.pollingNotice == nil)
    let other = try await ExternalProcess.serve(folder.path + "/test.db")
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    try await recorder.settle(on: "ada")
    for number in 2...20 {
      try await other.send("INSERT INTO player(name) VALUES ('bob')")
      try await log.expect(.external, count: number)
    }
    #expect(log.count(.external) == 20)
    if kind == .wal {
      try await log.expectNamed(["player"]) { try await other.send("UPDATE player SET score = 1") }
    }
    await other.finish()
    for suffix in ["", "-wal", "-shm"] { unlink(folder.path + "/test.db" + suffix) }
    _ = try await log.first { if case .fileMissing = $0 { true } else { false } }
  }
}

/// A folder in /dev/shm, which is a tmpfs; where there is none, one among the temporary files, which
/// are on a tmpfs on many such machines.
private final class MemoryFolder {
  let path: String

  init() throws {
    var template = Array("/dev/shm/livequery-test-XXXXXX".utf8CString)
    if mkdtemp(&template) != nil {
      path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      substitute = nil
    } else {
      let folder = try TemporaryFolder()
      substitute = folder
      path = folder.path
    }
  }

  private let substitute: TemporaryFolder?

  deinit {
    guard substitute == nil else { return }
    for name in TemporaryFolderNames.of(path) { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
