import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// The file written to, or cut, past SQLite: what people do with `cp` and `truncate`.
@Suite(.fewAtOnce)
struct RewrittenFileTests {
  private func bytes(_ db: TemporaryDatabase, _ file: String) throws -> [UInt8] {
    try db.folder.bytes(file)
  }

  /// Puts other content into the same inode.
  private func overwrite(_ db: TemporaryDatabase, with content: [UInt8]) throws {
    try db.folder.write(content, to: "test.db")
  }

  @Test(arguments: StorageKind.files, ["delete", "wal"])
  func `a file emptied and filled again shows its new content`(
    _ kind: StorageKind, journal: String
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada")
    if kind == .wal { #expect(try await db.other("PRAGMA wal_checkpoint(PASSIVE)") == 0) }
    try await db.makeOther("new.db", name: "bob", journal: journal)
    let content = try bytes(db, "new.db")
    #expect(truncate(db.path, 0) == 0)
    // Without tables there is no result, but an error, or nothing: the table is awaited.
    while true { if case .failure = try await recorder.next().result { break } }
    try overwrite(db, with: content)
    try await recorder.settle(on: "bob")
    #expect(try await db.other("INSERT INTO player(name) VALUES ('eve')") == 0)
    try await recorder.settle(on: "bob,eve")
    try await db.write(script: "INSERT INTO player(name) VALUES ('me')")
    try await recorder.settle(on: "bob,eve,me")
    await recorder.stop()
    await db.database.close()
    #expect(try await db.check() == ["ok", "bob,eve,me"])
  }

  /// The write passes for the checkpoint's, but page 1 is another one.
  @Test func `what is committed after a restore just behind a checkpoint is shown`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintainsEagerly = true
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) FROM map")
    try await recorder.settle(on: 0)
    let insertion = "INSERT INTO map(name) VALUES ('x')"
    // In another process: closing the file in this one would let go of its locks. SQLite waits for readers, but not
    // for a process that has just opened the file and reads its log from the beginning.
    let script = """
      while r=$(sqlite3 -cmd '.timeout 30000' "$1" 'PRAGMA wal_checkpoint(TRUNCATE)') && [ "$r" != '0|0|0' ]
      do :; done
      [ "$r" = '0|0|0' ] && dd if="$2" of="$1" conv=notrunc bs=1M status=none && sqlite3 -cmd '.timeout 30000' "$1" "$3"
      """
    for version in 1...30 {
      let new = try await db.makeOther("new.db", name: "bob", journal: "wal", version: version)
      let words = ["sh", "-c", script, "sh", db.path, new, insertion]
      let restore = try await RunningProgram.run(words)
      #expect(restore.status == 0, "\(restore.errors)")
      try await recorder.settle(on: 1)
      unlink(new)
      #expect(try await db.other(insertion) == 0)
      try await recorder.settle(on: 2)
    }
  }

  @Test(arguments: StorageKind.files)
  func `a file cut in the middle is an error of the panel, which a good file ends`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(
      script: """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO map(name) SELECT hex(randomblob(20)) FROM n;
        INSERT INTO player(name) VALUES ('ada');
        """)
    if kind == .wal { #expect(try await db.other("PRAGMA wal_checkpoint(TRUNCATE)") == 0) }
    let panel = Panel(
      db.database, "SELECT max(length(map.name)) || player.name FROM map, player")
    try await panel.settle(on: "40ada")
    #expect(truncate(db.path, 8192) == 0)
    try await panel.settle(onTrouble: "damaged")
    let new = try await db.makeOther("new.db", name: "bob")
    #expect(
      await (try ExternalProcess(["exec", new, "INSERT INTO map(name) VALUES ('x')"])).ended() == 0)
    #expect(rename(new, db.path) == 0)
    try await panel.settle(on: "1bob")
  }

  @Test(arguments: [0, 24])
  func `a file that is written over is an event, and no thousand million commits`(
    _ offset: Int
  ) async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let log = CommitLog(db.database)
    let panel = Panel(db.database, "SELECT group_concat(name) FROM player")
    try await panel.settle(on: "ada")
    let size = try bytes(db, "test.db").count
    // All of it, or the counter alone and what is behind it, which SQLite notices by itself.
    let noise = [UInt8](repeating: 0x53, count: size - offset)
    let file = open(db.path, O_WRONLY | O_CLOEXEC)
    #expect(pwrite(file, noise, noise.count, off_t(offset)) == noise.count)
    close(file)
    try await panel.settle(onTrouble: offset == 0 ? "not an SQLite database" : "malformed")
    // The panel may have tried again by itself before.
    try await log.expect(.external, count: 1)
    #expect(log.count(.external) <= 3)
    let new = try await db.makeOther("new.db", name: "bob")
    #expect(rename(new, db.path) == 0)
    try await panel.settle(on: "bob")
    // Each look may find the file another one: while it is written to, once it is no database, when it is
    // replaced, and when it can be opened.
    try await log.expect(.external, count: 2)
    #expect(log.count(.external) <= 5)
  }

  /// A database of the same form whose change counter is the same, and so is the number of its pages.
  private func makeTwin(_ db: TemporaryDatabase, name: String) async throws -> [UInt8] {
    let own = try bytes(db, "test.db")
    unlink(db.folder.path("twin.db"))
    try await db.makeOther("twin.db", name: name)
    var twin = try bytes(db, "twin.db")
    #expect(twin.count == own.count)
    twin.replaceSubrange(24..<28, with: own[24..<28])
    twin.replaceSubrange(92..<96, with: own[92..<96])
    return twin
  }

  /// How a user puts another content into a file.
  enum Restore: CaseIterable, Sendable {
    case emptyFirst, inPlace, bodyAlone

    func put(_ content: [UInt8], into path: String) {
      let flags = O_WRONLY | O_CLOEXEC | (self == .emptyFirst ? O_TRUNC : 0)
      let file = open(path, flags)
      let offset = self == .bodyAlone ? 100 : 0
      let rest = Array(content[offset...])
      #expect(pwrite(file, rest, rest.count, off_t(offset)) == rest.count)
      close(file)
    }
  }

  /// As SQLite has cached pages by the counter, connections that stay open would show them for ever.
  @Test(arguments: Restore.allCases, [true, false])
  func `another content with the same change counter is shown`(
    _ restore: Restore, isListening: Bool
  ) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    if !isListening {
      configuration.fileEvents = FileEvents(open: { -1 }, blindFileSystem: { _ in nil })
    }
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada")
    for name in ["bob", "eve"] {
      restore.put(try await makeTwin(db, name: name), into: db.path)
      try await recorder.settle(on: name)
      // Read before and after, by connections that were open meanwhile.
      #expect(try await db.database.read { try $0.fetchOne("SELECT name FROM player") } == name)
    }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('zoe')") == 0)
    try await recorder.settle(on: "eve,zoe")
    #expect(try await db.check() == ["ok", "eve,zoe"])
  }

  @Test(arguments: [0, 50, 99])
  func `a file cut below its header, and made again, is shown`(_ size: Int) async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let panel = Panel(db.database, "SELECT group_concat(name) FROM player")
    try await panel.settle(on: "ada")
    for name in ["bob", "eve"] {
      let twin = try await makeTwin(db, name: name)
      #expect(truncate(db.path, off_t(size)) == 0)
      try await panel.settle(onTrouble: size == 0 ? "no such table" : "damaged")
      try overwrite(db, with: twin)
      try await panel.settle(on: name)
    }
    #expect(try await db.other("INSERT INTO player(name) VALUES ('zoe')") == 0)
    try await panel.settle(on: "eve,zoe")
  }

  @Test
  func `a file emptied and filled by commits up to the same change counter is shown`() async throws
  {
    let db = try await TemporaryDatabase(.rollbackJournal)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let panel = Panel(db.database, "SELECT group_concat(name) FROM player")
    try await panel.settle(on: "ada")
    #expect(truncate(db.path, 0) == 0)
    try await panel.settle(onTrouble: "no such table")
    // Two commits, as above.
    let insert = "INSERT INTO player(name) VALUES ('bob')"
    #expect(
      try await db.other("\(TemporaryDatabase.players); \(TemporaryDatabase.maps)", insert) == 0)
    try await panel.settle(on: "bob")
  }

  @Test
  func `a checkpoint is not taken for somebody who writes past the log`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let notices = NoticeLog(db.database)
    let log = CommitLog(db.database)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    for number in 1...60 {
      try await other.send("INSERT INTO player(name) VALUES (hex(randomblob(\(number * 30))))")
      let mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][number % 4]
      try await other.send("PRAGMA wal_checkpoint(\(mode))")
    }
    try await log.expect(.external, count: 60)
    #expect(log.count(.external) == 60)
    #expect(notices.texts == [])
  }

  @Test(arguments: StorageKind.files)
  func `a restore by the backup API of another process is shown`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada'), ('zoe')")
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada,zoe")
    let backup = try await db.makeOther("backup.db", name: "bob")
    let other = try await ExternalProcess.serve(db.path)
    try await other.send(".restore \(backup)")
    try await recorder.settle(on: "bob")
    try await other.send("INSERT INTO player(name) VALUES ('eve')")
    try await recorder.settle(on: "bob,eve")
    try await db.write(script: "INSERT INTO player(name) VALUES ('me')")
    try await recorder.settle(on: "bob,eve,me")
  }

  @Test(arguments: StorageKind.files)
  func `VACUUM by another process is one commit that changes no result`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada'), ('bob')")
    let log = CommitLog(db.database)
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada,bob")
    let other = try await ExternalProcess.serve(db.path)
    for number in 1...3 {
      try await other.send("VACUUM")
      _ = try await log.nextCommit()
      #expect(log.count(.external) == 2 * number - 1)
      try await other.send("INSERT INTO player(name) VALUES ('eve')")
      _ = try await log.nextCommit()
      #expect(log.count(.external) == 2 * number)
    }
    try await recorder.settle(on: "ada,bob,eve,eve,eve")
  }
}
