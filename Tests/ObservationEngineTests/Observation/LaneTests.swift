import ObservationEngine
import TestSupport
import Testing

/// Queries that take longer than their budget hold up nobody.
@Suite(.fewAtOnce)
struct LaneTests {
  /// Reads a table, and never ends.
  private static let endless: SQL = """
    WITH RECURSIVE n (i) AS (SELECT count(*) FROM player UNION ALL SELECT i + 1 FROM n)
    SELECT count(*) FROM n
    """

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.refreshBudget = .milliseconds(20)
    configuration.snapshotBudget = nil
    return configuration
  }

  @Test(arguments: StorageKind.files)
  func `a query that never ends does not hold up the others`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, configuration: Self.configuration)
    let group = db.database.panels([
      .rows(Self.endless), .rows("SELECT count(*) FROM player"),
    ])
    let first = try #require(await group.next())
    #expect(first.stale[0]?.reason.contains("slow") == true)
    #expect(try first.results[1]?.get().rows == [[0]])
    for number in 1...5 {
      // A reader in its own snapshot does not keep a WAL writer from writing.
      if kind == .rollbackJournal { break }
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      var rows: [[Value]]?
      while rows != [[.integer(Int64(number))]] {
        let refresh = try #require(await group.next())
        #expect(refresh.results[0] == nil)
        rows = try refresh.results[1]?.get().rows ?? rows
      }
    }
    // Cancelled, it has an error as its result; until then it may not have begun to run.
    let cancelling = Task {
      while !Task.isCancelled {
        db.database.interrupt()
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    var failure: DatabaseError?
    while failure == nil {
      failure = try #require(await group.next()).error(0)
    }
    cancelling.cancel()
    _ = await cancelling.result
    #expect(failure?.code.primary == .interrupted)
    #expect(failure?.message == "the statement was cancelled")
    db.database.shutDown()
  }

  @Test(arguments: StorageKind.allCases)
  func `a slow query gets its value, and follows later commits`(_ kind: StorageKind) async throws {
    var configuration = Configuration()
    configuration.refreshBudget = .zero
    let db = try await TemporaryDatabase(kind, configuration: configuration)
    let sql = """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
      SELECT count(*) + (SELECT count(*) FROM player) FROM n
      """
    let recorder = db.database.record(integer: sql)
    let quick = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(20_000)
    try await quick.expect(0)
    for number in 1...5 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await recorder.expect(20_000 + number)
      try await quick.expect(number)
    }
  }

  /// Beyond its budget, a query is cancelled and runs again: that isn't its result.
  @Test(arguments: StorageKind.files)
  func `a closure that handles the error of a slow query has the value of the query`(
    _ kind: StorageKind
  ) async throws {
    struct OtherError: Error {}
    let db = try await TemporaryDatabase(kind, configuration: Self.configuration)
    let slow: SQL = """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
      SELECT count(*) + (SELECT count(*) FROM player) FROM n
      """
    let value = Recorder(
      db.database.observe { (try? $0.fetchOne(slow, as: Int.self)) ?? -1 })
    let error = Recorder(
      db.database.observe { connection in
        do { return try connection.fetchOne(slow, as: Int.self) ?? -1 } catch { throw OtherError() }
      })
    for recorder in [value, error] { try await recorder.expect(1_000_000) }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    for recorder in [value, error] { try await recorder.expect(1_000_001) }
  }

  @Test
  func `a query that never ends is cancelled with its observation`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    do {
      let group = db.database.panels([.rows(Self.endless)])
      #expect(try #require(await group.next()).stale[0] != nil)
    }
    // The slow lane is free for the next, and closing does not wait.
    let recorder = db.database.record(
      integer: """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
        SELECT count(*) FROM n
        """)
    try await recorder.expect(300_000)
    await recorder.stop()
    await db.database.close()
    #expect(db.folder.names == ["test.db"])
  }

  @Test
  func `shutting down does not wait for a query that never ends`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: Self.configuration)
    let group = db.database.panels([.rows(Self.endless)])
    #expect(try #require(await group.next()).stale[0] != nil)
    // The time limit of the suite ends it otherwise.
    db.database.shutDown()
    #expect(db.folder.names == ["test.db"])
  }
}
