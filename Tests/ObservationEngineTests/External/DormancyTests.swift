import DatabaseConsole
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// What goes on around a dormant observer, with SQLite's files and other processes; when it becomes
/// dormant, and what it does then, is in ``DetectorTests``.
///
/// One test waits for the second that idle connections stay open. The others have less time, and wait for
/// what dormancy allows.
@Suite(.fewAtOnce)
struct DormancyTests {
  /// Connections close as soon as nothing happens.
  private static var soonDormant: Configuration {
    var configuration = Configuration()
    configuration.idleTimeout = .milliseconds(20)
    configuration.pollInterval = .milliseconds(10)
    return configuration
  }

  /// Waits until SQLite has removed the -wal file, as it does when the last connection is closed.
  private func becomeDormant(_ db: TemporaryDatabase) async throws {
    try await wait(for: "the WAL to be removed") { !db.folder.names.contains("test.db-wal") }
  }

  @Test
  func `another process can leave WAL mode, and its commits are noticed`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.soonDormant)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await becomeDormant(db)
    let other = try await ExternalProcess.serve(db.path, "--busy", "0")
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    try await recorder.expect(1)
    // The other process is the second one now; it ends, and the file is left alone again.
    await other.finish()
    try await becomeDormant(db)
    let third = try await ExternalProcess.serve(db.path, "--journal", "delete")
    try await third.send("INSERT INTO player(name) VALUES ('bob')")
    try await recorder.expect(2)
    try await third.send("INSERT INTO player(name) VALUES ('eve')")
    try await recorder.expect(3)
    #expect(log.count(.own) == 0)
  }

  @Test
  func `an own write after dormancy is an own commit`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.soonDormant)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for number in 1...2 {
      try await becomeDormant(db)
      try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
      let commit = try await log.nextCommit()
      #expect(commit.origin == .own, "\(commit)")
      try await recorder.expect(number)
    }
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    #expect(try await log.nextCommit().origin == .external)
    try await recorder.expect(3)
    #expect(log.count(.own) == 2)
    #expect(log.count(.external) == 1)
  }

  /// Returns once all that is idle was asked to close.
  private func closeWhatIsIdle(_ db: TemporaryDatabase, _ recorder: Recorder<Int>) async throws {
    // It makes the observer open its connection, which is asked after the writer.
    #expect(try await db.other("INSERT INTO player(name) VALUES ('ada')") == 0)
    try await recorder.expect(1)
    let file = try #require(DatabaseFile.identity(of: db.path))
    try await wait(for: "the observer to be closed, but not the writer nor the watch") {
      ProcessFile(file).connections <= 2
    }
  }

  /// In all of them another connection would behave otherwise, and nobody would know.
  @Test(arguments: [
    ("PRAGMA foreign_keys = ON", "PRAGMA foreign_keys", 1),
    ("CREATE TEMP TABLE note AS SELECT 7 AS n", "SELECT n FROM note", 7),
    ("ATTACH ':memory:' AS side", "SELECT count(*) FROM side.sqlite_schema", 0),
  ])
  func `what was set, attached or made in temp stays`(
    _ change: String, _ question: String, _ answer: Int64
  ) async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.soonDormant)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await becomeDormant(db)
    try await db.run(change)
    try await closeWhatIsIdle(db, recorder)
    let rows = try await db.run(question).rows
    #expect(rows?.rows.first?.first == .integer(answer))
  }

  @Test
  func `rows in a temporary table that every connection is given stay, too`() async throws {
    var configuration = Self.soonDormant
    configuration.prepareConnection = { connection in
      try connection.execute(script: "CREATE TEMP TABLE note (n)")
    }
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    // The table alone is no reason to stay open.
    try await becomeDormant(db)
    try await db.run("INSERT INTO note VALUES (7)")
    try await closeWhatIsIdle(db, recorder)
    let rows = try await db.run("SELECT n FROM note").rows
    #expect(rows?.rows.first?.first == .integer(7))
  }

  @Test
  func `a file that is opened anew has nothing of that, and says so before anything runs`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.run("PRAGMA foreign_keys = ON")
    for name in ["-wal", "-shm"] { #expect(unlink(db.path + name) == 0) }
    _ = try await log.nextCommit()
    let error = await #expect(throws: DatabaseError.self) {
      try await db.run("INSERT INTO player(name) VALUES ('ada')")
    }
    #expect(error?.message.contains("opened again") == true)
    #expect(try await db.integer("SELECT count(*) FROM player") == 0)
    try await db.run("INSERT INTO player(name) VALUES ('ada')")
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }

  @Test
  func `a short commit to a dormant database is noticed`() async throws {
    // The one end-to-end check of what users get.
    let db = try await TemporaryDatabase(.wal, configuration: Configuration())
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await becomeDormant(db)
    // Opens, commits and closes: the log is gone again when the observer looks.
    let short = try ExternalProcess([
      "exec", db.path, "INSERT INTO player(name) VALUES ('ada')",
    ])
    #expect(await short.ended() == 0)
    try await recorder.expect(1)
  }

  @Test(arguments: [false, true])
  func `a commit in another journal mode at the moment of going dormant is noticed`(
    _ hasFrames: Bool
  ) async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    if !hasFrames { _ = try await db.database.checkpoint(.truncate) }
    await db.database.close()
    // It has the log open, so that nothing is made or removed when the engine comes and goes.
    let other = Mutex<PlainConnection?>(try PlainConnection(db.path))
    try other.withLock { try $0?.run("SELECT * FROM player") }
    let hook = ClosingHook(db.path) {
      other.withLock { connection in
        // Refused as long as any connection has the log open.
        guard (try? connection?.run("PRAGMA journal_mode = delete")) != nil else { return }
        try? connection?.run("INSERT INTO player(name) VALUES ('eve')")
        connection = nil
      }
    }
    let database = try Database(path: db.path, configuration: Self.soonDormant)
    defer { database.close() }
    let recorder = database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(1)
    try await recorder.expect(2)
    withExtendedLifetime(hook) {}
    await recorder.stop()
  }

  @Test
  func `short commits to a database that is dormant again and again are noticed`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.soonDormant)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for number in 1...3 {
      // From the second time on there was no log when it went dormant, and there is none afterwards.
      try await becomeDormant(db)
      let short = try ExternalProcess([
        "exec", db.path, "INSERT INTO player(name) VALUES ('ada')",
      ])
      #expect(await short.ended() == 0)
      try await recorder.expect(number)
    }
  }

  @Test
  func `a file renamed over a dormant database is observed in its place`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.soonDormant)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let make = try ExternalProcess([
      "exec", db.folder.path("new.db"), TemporaryDatabase.players,
      "INSERT INTO player(name) VALUES ('ada'), ('bob')",
    ])
    #expect(await make.ended() == 0)
    try await becomeDormant(db)
    let replace = try ExternalProcess(["replace", db.path, db.folder.path("new.db")])
    #expect(await replace.ended() == 0)
    try await recorder.expect(2)
  }
}
