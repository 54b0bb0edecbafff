import Glibc
import ObservationEngine
import TestSupport
import Testing

/// What happens to the file as a whole while it is observed.
@Suite(.fewAtOnce)
struct FileLifeTests {
  private static let names: SQL = "SELECT group_concat(name) FROM player"

  private func record(_ db: TemporaryDatabase) -> Recorder<String?> {
    db.database.record(Query.scalar(Self.names, as: String.self))
  }

  /// Another database of the same form, whose player is `name`, beside the observed one.
  private func makeOther(
    _ db: TemporaryDatabase, _ file: String, name: String, journal: String = "delete"
  ) async throws {
    let process = try ExternalProcess([
      "exec", db.folder.path(file), "--journal", journal, TemporaryDatabase.players,
      "INSERT INTO player(name) VALUES ('\(name)')",
    ])
    #expect(await process.ended() == 0)
  }

  @Test(arguments: StorageKind.files, ["delete", "wal"])
  func `a file renamed over the database is observed in its place`(
    _ kind: StorageKind, journal: String
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let log = CommitLog(db.database)
    let recorder = record(db)
    try await recorder.expect("ada")
    for name in ["bob", "eve"] {
      try await makeOther(db, "new.db", name: name, journal: journal)
      // As a careful program does it: the -wal of the old file must not meet the new one.
      for suffix in ["-wal", "-shm"] { unlink(db.path + suffix) }
      #expect(rename(db.folder.path("new.db"), db.path) == 0)
      try await recorder.expect(name)
      _ = try await log.first {
        if case .commit(let commit) = $0 { commit.kind == .fileReplaced } else { false }
      }
      // From here on its commits are noticed as before.
      let other = try await ExternalProcess.serve(db.path)
      try await other.send("UPDATE player SET name = name || '!'")
      try await recorder.expect(name + "!")
      try await db.write(script: "UPDATE player SET name = '\(name)'")
      try await recorder.expect(name)
    }
  }

  @Test(arguments: StorageKind.files)
  func `a file that is deleted and made again is found again`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let log = CommitLog(db.database)
    let recorder = record(db)
    try await recorder.expect("ada")
    for suffix in ["", "-wal", "-shm"] { unlink(db.path + suffix) }
    _ = try await log.first { if case .fileMissing = $0 { true } else { false } }
    #expect(recorder.values == ["ada"], "the last value stays")
    try await makeOther(db, "test.db", name: "bob")
    // Between its creation and its first row it may be seen without tables.
    var last: String?
    while last != "bob" {
      if case .success(let value) = try await recorder.next().result { last = value }
    }
  }

  @Test
  func `a change to WAL by another process is noticed, and commits after it`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    #expect(try await other.send("PRAGMA journal_mode = WAL") == [["wal"]])
    #expect(try await log.nextCommit().origin == .external)
    for number in 1...5 {
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      try await recorder.expect(2 * number - 1)
      try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
      try await recorder.expect(2 * number)
    }
    #expect(log.count(.own) == 5)
  }

  @Test(arguments: StorageKind.files)
  func `a database behind a symbolic link is observed, and followed to another`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    mkdir(db.folder.path("links"), 0o755)
    let link = db.folder.path("links/link.db")
    #expect(symlink(db.path, link) == 0)
    let database = try Database(path: link)
    defer { database.close() }
    let recorder = database.record(Query.scalar(Self.names, as: String.self))
    try await recorder.expect("ada")
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    try await recorder.expect("ada,bob")
    try await makeOther(db, "second.db", name: "eve")
    #expect(symlink(db.folder.path("second.db"), link + "2") == 0)
    #expect(rename(link + "2", link) == 0)
    try await recorder.expect("eve")
  }

  @Test(arguments: StorageKind.files)
  func `close removes the files that SQLite made`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = record(db)
    try await recorder.expect(nil)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.expect("ada")
    if kind == .wal { #expect(db.folder.names == ["test.db", "test.db-shm", "test.db-wal"]) }
    await recorder.stop()
    await db.database.close()
    #expect(db.folder.names == ["test.db"])
  }

  @Test
  func `a file overwritten by what is no database gives an error, and can come back`() async throws
  {
    let db = try await TemporaryDatabase(.rollbackJournal)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let recorder = record(db)
    try await recorder.expect("ada")
    try await makeOther(db, "new.db", name: "bob")
    let junk = [UInt8](repeating: 0x41, count: 8192)
    let file = open(db.path, O_WRONLY | O_CLOEXEC)
    #expect(pwrite(file, junk, junk.count, 0) == junk.count)
    close(file)
    #expect(rename(db.folder.path("new.db"), db.path) == 0)
    var last: String?
    while last != "bob" {
      if case .success(let value) = try await recorder.next().result { last = value }
    }
  }
}
