import ObservationEngine
import TestSupport
import Testing

/// No query holds a snapshot for longer than it may.
@Suite(.fewAtOnce)
struct SnapshotBudgetTests {
  /// Ends at once while nobody plays, and never with a player.
  private static let growing: SQL = """
    WITH RECURSIVE n (i) AS (
      SELECT 1 UNION ALL SELECT i + 1 FROM n
      WHERE i < 3 OR EXISTS (SELECT 1 FROM player WHERE name = 'endless'))
    SELECT count(*) + (SELECT count(*) FROM player) FROM n
    """
  private static let endless = "INSERT INTO player (name) VALUES ('endless')"

  private static func configuration(_ timer: ManualTimer) -> Configuration {
    var configuration = timer.configuration
    configuration.refreshBudget = .milliseconds(10)
    configuration.snapshotBudget = .milliseconds(60)
    return configuration
  }

  @Test(arguments: StorageKind.allCases)
  func `a query that never ends has the reason as its error, which names the remedy`(
    _ kind: StorageKind
  ) async throws {
    let timer = ManualTimer()
    let db = try await TemporaryDatabase(kind, configuration: Self.configuration(timer))
    try await db.write(script: Self.endless)
    let group = db.database.panels([.rows(Self.growing), .rows("SELECT 1")])
    var failure: DatabaseError?
    while failure == nil {
      failure = try #require(await group.next()).error(0)
    }
    #expect(failure?.code == .interrupted)
    #expect(
      failure?.message == "cancelled after 60 ms, not to hold up writers; "
        + "Configuration.snapshotBudget allows more")
    db.database.shutDown()
  }

  @Test(arguments: StorageKind.allCases)
  func `what was cancelled keeps its value, and gets the newest one after a rest`(
    _ kind: StorageKind
  ) async throws {
    let timer = ManualTimer()
    let db = try await TemporaryDatabase(kind, configuration: Self.configuration(timer))
    let group = db.database.panels([
      .rows(Self.growing), .rows("SELECT count(*) FROM player"),
    ])
    let first = try #require(await group.next())
    #expect(try first.results[0]?.get().rows == [[3]])
    try await db.write(script: Self.endless)
    var reason: String?
    while reason?.hasPrefix("cancelled after 60 ms") != true {
      let refresh = try #require(await group.next())
      #expect(refresh.results[0] == nil, "it keeps its value")
      reason = refresh.stale[0]?.reason
    }
    // Not before the rest is over; the others go on.
    try await db.write(script: "DELETE FROM player")
    var count: RowSet?
    var isStale = true
    while count?.rows != [[0]] {
      let refresh = try #require(await group.next())
      #expect(refresh.results[0] == nil)
      isStale = refresh.stale[0] != nil
      count = try refresh.results[1]?.get() ?? count
    }
    // Its value is the one it had: only that it is not stale any more is told. On a busy machine the rest is over by now.
    if isStale {
      try await timer.ring()
      while try #require(await group.next()).stale[0] != nil {}
    }
    try await db.write(script: "INSERT INTO player (name) VALUES ('ada')")
    var result: RowSet?
    while result == nil { result = try #require(await group.next()).results[0]?.get() }
    #expect(result?.rows == [[4]])
  }

  @Test
  func `after its rest it is not tried again without a commit`() async throws {
    let timer = ManualTimer()
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration(timer))
    try await db.write(script: Self.endless)
    let runs = Journal<Int>()
    let endless = Self.growing
    let recorder = Recorder(
      db.database.observe { connection in
        runs.append(1)
        return try connection.fetchAll(endless)
      })
    // Once in the shared snapshot, once in its own.
    let update = try await recorder.next()
    #expect(throws: DatabaseError.self) { try update.value }
    timer.advance(by: .seconds(2))
    let witness = db.database.record(integer: "SELECT 1")
    try await witness.expect(1)
    #expect(runs.entries.count == 2)
    try await db.write(script: "INSERT INTO map (name) VALUES ('delta')")
    _ = await runs.entry(at: 2)
    withExtendedLifetime(recorder) {}
    db.database.shutDown()
  }

  @Test
  func `without a budget nothing is cancelled`() async throws {
    let timer = ManualTimer()
    var configuration = Self.configuration(timer)
    configuration.snapshotBudget = nil
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(
      integer: """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000)
        SELECT count(*) FROM n
        """)
    try await recorder.expect(2_000_000)
  }

  @Test
  func `a snapshot ends when the log has grown under it`() async throws {
    let timer = ManualTimer()
    var configuration = Self.configuration(timer)
    configuration.snapshotBudget = .seconds(600)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let group = db.database.panels([.rows(Self.growing)])
    _ = try #require(await group.next())
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "6000", "--pause", "0.2", "--sync", "OFF", "--busy", "0",
      "--sql", "INSERT INTO player (name) VALUES ('endless')",
    ])
    var reason: String?
    while reason?.hasPrefix("cancelled") != true {
      reason = try #require(await group.next()).stale[0]?.reason
    }
    #expect(reason?.hasSuffix("to let the WAL be reset; tried again") == true, "\(reason ?? "")")
    #expect(await flood.ended() == 0)
    let size = try #require(DatabaseFile.size(of: db.path + "-wal"))
    #expect(size <= HarmlessLogTests.bound)
    db.database.shutDown()
  }

  @Test
  func `a shared snapshot ends as well, and without what took longest it comes to its end`()
    async throws
  {
    // The system's own timer: one of the others can be what took longest, and is then read again after a rest.
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.refreshBudget = .seconds(600)
    configuration.snapshotBudget = .seconds(600)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let group = db.database.panels([
      .rows("SELECT count(*) FROM player"), .rows(Self.growing),
      .rows("SELECT ifnull(max(id), 0) FROM player"),
    ])
    _ = try #require(await group.next())
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "6000", "--pause", "0.2", "--sync", "OFF", "--busy", "0",
      "--sql", "INSERT INTO player (name) VALUES ('endless')",
    ])
    var count: [[Value]]?
    var largest: [[Value]]?
    while count != [[6_000]] {
      let refresh = try #require(await group.next())
      count = try refresh.results[0]?.get().rows ?? count
      largest = try refresh.results[2]?.get().rows ?? largest
      // On a busy machine one of them can be what took longest.
      if refresh.stale[0] == nil, refresh.stale[2] == nil {
        #expect(count == largest, "panels never disagree")
      }
      #expect(refresh.results[1] == nil)
    }
    #expect(await flood.ended() == 0)
    let size = try #require(DatabaseFile.size(of: db.path + "-wal"))
    #expect(size <= HarmlessLogTests.bound)
    db.database.shutDown()
  }

  /// Records the query that grows, and when it runs.
  private static func record(_ db: TemporaryDatabase, _ runs: Journal<String>) -> Recorder<Int> {
    Recorder(
      db.database.observe { connection in
        runs.append("begins")
        defer { runs.append("ends") }
        return try connection.fetchOne(growing, as: Int.self) ?? -1
      })
  }

  @Test
  func `a query gives way to a writer that has not waited yet`() async throws {
    let timer = ManualTimer()
    var configuration = Self.configuration(timer)
    configuration.snapshotBudget = .seconds(600)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let runs = Journal<String>()
    let recorder = Self.record(db, runs)
    try await recorder.expect(3)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF", "--busy", "0")
    try await other.send(Self.endless)
    // At first in the shared snapshot, then in its own, where it would go on for ever.
    #expect(await runs.entry(at: 4) == "begins")
    try await other.send("BEGIN IMMEDIATE; INSERT INTO player (name) VALUES ('ada')")
    #expect(await runs.entry(at: 5) == "ends")
    try await wait(for: "the lock to go, which ends a moment later") {
      do {
        try await other.send("COMMIT")
        return true
      } catch is ExternalProcess.Failure {
        return false
      }
    }
    db.database.shutDown()
  }

  @Test(arguments: [false, true])
  func `a query gives way to a writer of this process that waits`(
    _ isSecondDatabase: Bool
  ) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.refreshBudget = .milliseconds(10)
    configuration.snapshotBudget = .seconds(600)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let second = try isSecondDatabase ? Database(path: db.path, configuration: configuration) : nil
    defer { second?.close() }
    let runs = Journal<String>()
    let recorder = Self.record(db, runs)
    try await recorder.expect(3)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF", "--busy", "60000")
    try await other.send(Self.endless)
    // At first in the shared snapshot, then in its own, where it would go on for ever.
    #expect(await runs.entry(at: 4) == "begins")
    try await (second ?? db.database).write { connection in
      try connection.execute(script: "UPDATE player SET name = 'ada'")
    }
    #expect(await runs.entry(at: 5) == "ends")
    try await recorder.expect(4)
    await recorder.stop()
  }
}
