import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// The file moved, deleted or reached by another way while it is open.
@Suite(.fewAtOnce)
struct MovedFileTests {
  @Test(arguments: StorageKind.files)
  func `a file moved away is missed, left alone, and found again when it comes back`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let log = CommitLog(db.database)
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada")
    // Its log stays behind, as with anybody who moves the file alone.
    let moved = db.folder.path("moved.db")
    #expect(rename(db.path, moved) == 0)
    _ = try await log.first { if case .fileMissing = $0 { true } else { false } }
    let identity = try #require(DatabaseFile.identity(of: moved))
    try await wait(for: "its connections to be closed") {
      ProcessFile(identity).connections == 0
    }
    #expect(recorder.values.last == "ada", "the last value stays")
    if kind == .wal { #expect(db.folder.names.contains("test.db-wal"), "the log is left alone") }
    #expect(rename(moved, db.path) == 0)
    _ = try await log.nextCommit()
    #expect(try await db.other("INSERT INTO player(name) VALUES ('bob')") == 0)
    try await recorder.settle(on: "ada,bob")
    try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
    try await recorder.settle(on: "ada,bob,eve")
    await recorder.stop()
    await db.database.close()
    #expect(db.folder.names == ["test.db"])
  }

  @Test(arguments: StorageKind.files)
  func `a file that another program has open may be moved away, and another put there`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let other = try await ExternalProcess.serve(db.path)
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada")
    let new = try await db.makeOther("new.db", name: "bob")
    for suffix in ["", "-wal", "-shm"] {
      rename(db.path + suffix, db.folder.path("moved.db") + suffix)
    }
    #expect(rename(new, db.path) == 0)
    try await recorder.settle(on: "bob")
    // It goes on with what it has open, which is no concern of the observer any more.
    if kind == .wal { try await other.send("INSERT INTO player(name) VALUES ('zoe')") }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('eve')") == 0)
    try await recorder.settle(on: "bob,eve")
    #expect(!recorder.values.contains("ada,zoe"))
  }

  @Test(arguments: StorageKind.files)
  func `a file replaced behind a symbolic link is observed in its place`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    mkdir(db.folder.path("links"), 0o755)
    let link = db.folder.path("links/link.db")
    #expect(symlink("../test.db", link) == 0)
    let database = try Database(path: link, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let recorder = database.record(TemporaryDatabase.names)
    try await recorder.settle(on: "ada")
    for name in ["bob", "eve"] {
      let new = try await db.makeOther("new.db", name: name, journal: "wal")
      db.delete(["-wal", "-shm"])
      #expect(rename(new, db.path) == 0)
      try await recorder.settle(on: name)
      #expect(try await db.other("UPDATE player SET name = name || '!'") == 0)
      try await recorder.settle(on: name + "!")
    }
    #expect(TemporaryFolderNames.of(db.folder.path("links")) == ["link.db"])
  }

  @Test(arguments: StorageKind.files)
  func `a link that leads nowhere for a while is a missing file`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let link = db.folder.path("link.db")
    #expect(symlink(db.path, link) == 0)
    let database = try Database(path: link, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let log = CommitLog(database)
    let recorder = database.record(TemporaryDatabase.names)
    try await recorder.settle(on: "ada")
    #expect(unlink(link) == 0)
    _ = try await log.first { if case .fileMissing = $0 { true } else { false } }
    let new = try await db.makeOther("new.db", name: "bob")
    #expect(symlink(new, link) == 0)
    try await recorder.settle(on: "bob")
    #expect(
      await (try ExternalProcess(["exec", new, "INSERT INTO player(name) VALUES ('eve')"])).ended()
        == 0)
    try await recorder.settle(on: "bob,eve")
  }
}

/// What is in a folder that no test made as a whole.
enum TemporaryFolderNames {
  static func of(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
