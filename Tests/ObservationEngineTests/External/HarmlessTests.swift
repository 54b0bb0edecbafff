import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// What an observer must not do to those who write.
@Suite(.fewAtOnce)
struct HarmlessTests {
  @Test
  func `an observer holds no transaction: a checkpoint truncates the whole log`() async throws {
    var configuration = Configuration()
    // Otherwise the state of the query is read right after it ran.
    configuration.maintenanceMemory = 0
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF", "--busy", "0")
    for number in 1...30 {
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      try await recorder.expect(number)
      // Busy, frames in the log, frames checkpointed; without any patience.
      let result = try await other.send("PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(result == [["0", "0", "0"]])
    }
  }

  @Test
  func `a writer without patience is never refused in WAL mode`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "1000", "--sync", "OFF", "--busy", "0",
      "--sql", "INSERT INTO player(name) VALUES ('ada')",
    ])
    #expect(await flood.ended() == 0, "it would have ended with an error")
    try await recorder.expect(1_000, via: Array(1..<1_000))
  }

  @Test
  func `an exclusive writer makes results stale, with the reason, until it ends`() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(50)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let other = try await ExternalProcess.serve(db.path)
    let group = db.database.panels([.rows("SELECT count(*) FROM player")])
    let first = try #require(await group.next())
    #expect(try first.results[0]?.get().rows == [[0]])
    try await other.send("BEGIN EXCLUSIVE; INSERT INTO player(name) VALUES ('ada')")
    group.refresh()
    var stale: Staleness?
    while stale == nil { stale = try #require(await group.next()).stale[0] }
    #expect(stale?.reason.contains("locked") == true)
    try await other.send("COMMIT")
    var result: RowSet?
    var isStale = true
    while result == nil || isStale {
      let refresh = try #require(await group.next())
      isStale = refresh.stale[0] != nil
      if let new = refresh.results[0] { result = try new.get() }
    }
    #expect(result?.rows == [[1]])
  }

  @Test
  func `a lock that changed nothing is no longer stale when it goes`() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(50)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let other = try await ExternalProcess.serve(db.path)
    let group = db.database.panels([.rows("SELECT count(*) FROM player")])
    _ = try #require(await group.next())
    try await other.send("BEGIN EXCLUSIVE")
    group.refresh()
    while try #require(await group.next()).stale.isEmpty {}
    try await other.send("ROLLBACK")
    while try #require(await group.next()).stale[0] != nil {}
  }

  @Test
  func `an own commit refused by a reader leaves commits of others noticed`() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(50)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let log = CommitLog(db.database)
    let other = try await ExternalProcess.serve(db.path)
    // SQLite asks the commit hook, then finds the reader, and rolls back the lone statement.
    for sql in ["CREATE TABLE extra (id)", "INSERT INTO player(name) VALUES ('eve')"] {
      try await other.send("BEGIN; SELECT count(*) FROM player")
      await #expect(throws: DatabaseError.self) { try await db.run(sql) }
      try await other.send("COMMIT")
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      _ = try await log.first {
        if case .commit(let commit) = $0 { commit.origin == .external } else { false }
      }
    }
    #expect(log.count(.own) == 0)
    #expect(log.count(.external) == 2)
  }

  @Test
  func `a second observer of this process does not drop the locks of a transaction`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let other = try await ExternalProcess.serve(db.path, "--busy", "0")
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    _ = try await db.run("BEGIN IMMEDIATE")
    _ = try await db.run("INSERT INTO player(name) VALUES ('ada')")
    for _ in 0..<3 {
      // POSIX locks are the process's: a careless close would drop the writer's.
      let second = try Database(path: db.path)
      let secondRecorder = second.record(integer: "SELECT count(*) FROM player")
      try await secondRecorder.expect(0)
      await secondRecorder.stop()
      await second.close()
      await #expect(throws: ExternalProcess.Failure.self) {
        try await other.send("BEGIN IMMEDIATE")
      }
    }
    _ = try await db.run("COMMIT")
    try await recorder.expect(1)
    try await other.send("BEGIN IMMEDIATE; ROLLBACK")
  }
}
