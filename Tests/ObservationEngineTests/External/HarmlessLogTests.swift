import ObservationEngine
import TestSupport
import Testing

/// A steady writer beside an observed dashboard: the log stays as small as without it.
@Suite(.fewAtOnce)
struct HarmlessLogTests {
  /// The size of a log at which SQLite's automatic checkpoint begins it anew, in bytes.
  static let limit: Int64 = 1_000 * (4_096 + 24)
  /// What is promised is twice the limit. The rest is for machines that keep the reader from noticing for as
  /// long as a writer needs for hundreds of commits; unwatched, the log would grow to six times the limit.
  static let bound = 3 * limit

  private static let panels = [
    "SELECT count(*) FROM player", "SELECT max(score) FROM player",
    "SELECT id, name FROM player ORDER BY id DESC LIMIT 10",
    "SELECT id, name FROM player ORDER BY id LIMIT 10", "SELECT count(*) FROM map",
    "SELECT name, count(*) FROM map GROUP BY name", "SELECT sum(id) FROM map",
    "SELECT 1 FROM player WHERE id = 1",
  ]
  /// A tenth of a second or more, whenever it runs.
  private static let slow = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
    SELECT count(*) + (SELECT count(*) FROM map) FROM n
    """

  @Test(arguments: [false, true])
  func `a log never grows to twice its limit under a steady writer`(withSlow: Bool) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.minimumRefreshInterval = .milliseconds(16)
    configuration.refreshBudget = .milliseconds(20)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    try await db.write(script: "INSERT INTO map (name) VALUES ('delta')")
    let panels = withSlow ? Self.panels.dropLast() + [Self.slow] : Self.panels
    let group = db.database.panels(panels.map { .rows(SQL(raw: $0)) })
    while try #require(await group.next()).results.isEmpty {}
    // Once the last other program has ended, the log is emptied.
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("SELECT count(*) FROM player")
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "8000", "--pause", "0.2", "--sync", "OFF", "--busy", "0",
      "--sql", "INSERT INTO player (name) VALUES ('ada')",
    ])
    let refreshes = Task {
      var count = 0
      while await group.next() != nil { count += 1 }
      return count
    }
    #expect(await flood.ended() == 0, "it would have ended with an error")
    // While another program has it open a log is never cut: its size is the largest that it had.
    let size = try #require(DatabaseFile.size(of: db.path + "-wal"))
    #expect(size > Self.limit / 2, "what was written was not enough to fill the log")
    #expect(size <= Self.bound)
    await other.finish()
    db.database.shutDown()
    #expect(await refreshes.value > 1)
  }

  @Test
  func `a log never grows to twice its limit beside a query that never ends`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.refreshBudget = .milliseconds(10)
    configuration.snapshotBudget = .seconds(600)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let group = db.database.panels([
      .rows(
        """
        WITH RECURSIVE n (i) AS (SELECT count(*) FROM player UNION ALL SELECT i + 1 FROM n)
        SELECT count(*) FROM n
        """)
    ])
    // It runs on its own now; what it waits for never comes.
    #expect(try #require(await group.next()).stale[0] != nil)
    // Once the last other program has ended, the log is emptied.
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("SELECT count(*) FROM player")
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "8000", "--pause", "0.2", "--sync", "OFF", "--busy", "0",
      "--sql", "INSERT INTO player (name) VALUES ('ada')",
    ])
    #expect(await flood.ended() == 0, "it would have ended with an error")
    let size = try #require(DatabaseFile.size(of: db.path + "-wal"))
    #expect(size <= Self.bound)
    await other.finish()
    db.database.shutDown()
  }
}
