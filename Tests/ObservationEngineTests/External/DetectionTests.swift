import ObservationEngine
import TestSupport
import Testing

/// How another process writes: SQLite's journal modes.
enum JournalMode: String, CaseIterable, Sendable {
  case wal, delete, truncate, persist, memory, off

  var storage: StorageKind { self == .wal ? .wal : .rollbackJournal }
}

/// Commits of a real second process.
@Suite(.fewAtOnce)
struct DetectionTests {
  @Test(arguments: JournalMode.allCases, ["OFF", "NORMAL", "FULL"])
  func `each commit of another process is noticed`(_ mode: JournalMode, sync: String) async throws {
    let db = try await TemporaryDatabase(mode.storage)
    let other = try await ExternalProcess.serve(
      db.path, "--journal", mode.rawValue, "--sync", sync)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let before = db.database.commits.ordinal
    for number in 1...10 {
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      let commit = try await log.nextCommit()
      #expect(commit.origin == .external)
      #expect(commit.count == 1)
      #expect(commit.ordinal == before + number)
      try await recorder.expect(number)
    }
  }

  @Test(arguments: JournalMode.allCases.filter { $0 != .off })
  func `a rollback of another process is silent`(_ mode: JournalMode) async throws {
    let db = try await TemporaryDatabase(mode.storage)
    let other = try await ExternalProcess.serve(
      db.path, "--journal", mode.rawValue, "--sync", "OFF")
    let log = CommitLog(db.database)
    for _ in 1...5 {
      try await other.send("BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('ada')")
      // The changed pages reach the file, or its WAL, before the transaction ends.
      try await other.send(".spill")
      try await other.send("ROLLBACK")
      try await other.send("BEGIN IMMEDIATE; COMMIT")
      // The fence: had the rollback been noticed, it would come first.
      try await other.send("INSERT INTO map(name) VALUES ('tower')")
      let fence = try await log.nextCommit()
      #expect(fence.count == 1)
    }
    #expect(log.commits.count == 5)
  }

  @Test(arguments: JournalMode.allCases)
  func `a burst of commits is counted in full`(_ mode: JournalMode) async throws {
    let db = try await TemporaryDatabase(mode.storage)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "300", "--journal", mode.rawValue, "--sync", "OFF",
      "--sql", "INSERT INTO player(name) VALUES ('ada')",
    ])
    #expect(await flood.ended() == 0)
    try await log.expect(.external, count: 300)
    try await recorder.expect(300, via: Array(1..<300))
    #expect(log.count(.external) == 300)
    #expect(recorder.values == recorder.values.sorted(), "states come in commit order")
  }

  @Test
  func `a checkpoint that resets the log is silent`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let other = try await ExternalProcess.serve(db.path)
    let log = CommitLog(db.database)
    for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      #expect(try await log.nextCommit().count == 1)
      #expect(try await other.send("PRAGMA wal_checkpoint(\(mode))").first?.first == "0")
    }
    // The fence.
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    #expect(try await log.nextCommit().count == 1)
    #expect(log.commits.count == 5)
  }

  @Test(arguments: StorageKind.files)
  func `VACUUM and a change of the schema are noticed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    let log = CommitLog(db.database)
    let recorder = db.database.record(.rows("SELECT * FROM map"))
    try await recorder.expect(RowSet(columns: ["id", "name"], rows: []))
    try await other.send("ALTER TABLE map ADD COLUMN width DEFAULT 3")
    #expect(try await log.nextCommit().origin == .external)
    try await recorder.expect(RowSet(columns: ["id", "name", "width"], rows: []))
    try await other.send("VACUUM")
    #expect(try await log.nextCommit().origin == .external)
  }

  @Test(arguments: StorageKind.files)
  func `a commit of another connection in this process is noticed`(_ kind: StorageKind) async throws
  {
    let db = try await TemporaryDatabase(kind)
    let second = try Database(path: db.path)
    defer { second.close() }
    let log = CommitLog(db.database)
    try await second.write { try $0.execute("INSERT INTO player(name) VALUES ('ada')") }
    #expect(try await log.nextCommit().origin == .external)
    // And the other way round, while both hold descriptors and locks on one file.
    let secondLog = CommitLog(second)
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
    #expect(try await log.nextCommit().origin == .own)
    #expect(try await secondLog.nextCommit().origin == .external)
  }

  @Test(arguments: StorageKind.files)
  func `the first commit to an empty file is noticed, and told from an own one`(
    _ kind: StorageKind
  ) async throws {
    for isOwn in [true, false] {
      let db = try await TemporaryDatabase(.rollbackJournal, schema: "")
      let log = CommitLog(db.database)
      let recorder = db.database.record(integer: "SELECT count(*) FROM sqlite_schema")
      try await recorder.expect(0)
      let other = try await ExternalProcess.serve(
        db.path, "--journal", kind == .wal && !isOwn ? "wal" : "delete")
      if isOwn {
        try await db.write(script: TemporaryDatabase.players)
      } else {
        try await other.send(TemporaryDatabase.players)
      }
      try await recorder.expect(1)
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      try await log.expect(.external, count: 1)
      // The fence.
      try await other.send("INSERT INTO player(name) VALUES ('bob')")
      try await log.expect(.external, count: 2)
      #expect(log.commits.filter { $0.origin == .own }.count == (isOwn ? 1 : 0))
      if isOwn { #expect(log.count(.external) == 2, "\(log.commits)") }
    }
  }
}
