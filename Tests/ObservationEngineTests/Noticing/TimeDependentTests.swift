import ObservationEngine
import TestSupport
import Testing

/// Results that change as time goes by: refreshed by a stated timer, and by nothing else than that
/// and commits.
@Suite(.fewAtOnce)
struct TimeDependentTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, due TEXT); INSERT INTO t VALUES (1, '2000-01-01');
    CREATE VIEW overdue AS SELECT id, random() AS luck FROM t WHERE due < date('now');
    CREATE VIEW dated AS SELECT id, date(due) AS day FROM t;
    CREATE VIEW behind AS WITH q AS (SELECT * FROM overdue) SELECT * FROM q
    """

  @Test(arguments: StorageKind.allCases)
  func `it is fetched again when the timer rings, as often as it rings`(
    _ kind: StorageKind
  ) async throws {
    let timer = ManualTimer()
    let db = try await TemporaryDatabase(kind, configuration: timer.configuration)
    let recorder = db.database.record(integer: "SELECT random()")
    var seen: Set<Int> = []
    for number in 1...4 {
      seen.insert(try await recorder.next().value)
      #expect(seen.count == number)
      try await timer.ring()
    }
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(-1), .zero])
  func `no interval stops the program`(_ duration: Duration) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.timeDependentRefreshInterval = duration
    configuration.minimumRefreshInterval = min(duration, .zero)
    configuration.refreshBudget = max(duration, .seconds(1))
    configuration.snapshotBudget = max(duration, .seconds(1))
    configuration.busyTimeout = duration
    configuration.pollInterval = duration
    let db = try await TemporaryDatabase(configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) + 0 * random() FROM player")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    await db.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func `what equals the last value is not delivered`(_ kind: StorageKind) async throws {
    let timer = ManualTimer()
    let query = try await ObservedQuery(
      kind, Self.schema, "SELECT count(*) FROM t WHERE due < datetime('now')",
      configuration: timer.configuration)
    for _ in 1...3 { try await timer.ring() }
    try await query.notices("INSERT INTO t VALUES (2, '2001-01-01')")
    #expect(query.recorder.updates.count == 2)
  }

  @Test(
    arguments: [
      "SELECT count(*) FROM overdue", "SELECT id FROM overdue", "SELECT id FROM behind",
      "SELECT CURRENT_TIMESTAMP", "SELECT (SELECT julianday()) FROM t",
      "SELECT a.id FROM t AS a JOIN overdue AS b ON a.id = b.id",
      "WITH now(x) AS (SELECT datetime('now')) SELECT 1 FROM now, t WHERE due < x",
      "SELECT id FROM t ORDER BY random()",
    ])
  func `the time is found wherever it hides`(_ sql: String) async throws {
    let timer = ManualTimer()
    let runs = Counter()
    let db = try await TemporaryDatabase(
      .wal, configuration: timer.configuration, schema: Self.schema)
    let recorder = Recorder(
      db.database.observe { connection in
        runs.increment()
        return try connection.fetchAll(SQL(raw: sql))
      })
    _ = try await recorder.next()
    for number in 1...3 {
      try await timer.ring()
      // The next timer is set when the fetch is done.
      try await wait(for: "timer \(number + 1)") { timer.count == number + 1 }
      #expect(runs.value == number + 1)
    }
  }

  @Test
  func `a parameter that is bound to now is the time, and another is not`() async throws {
    let timer = ManualTimer()
    let db = try await TemporaryDatabase(
      .wal, configuration: timer.configuration, schema: Self.schema)
    let sql = "SELECT count(*) FROM t WHERE due < date(?)"
    let fixed = db.database.record(integer: sql, ["2026-11-20"])
    try await fixed.expect(1)
    try await db.write(script: "INSERT INTO t VALUES (2, '2001-01-01')")
    try await fixed.expect(2)
    #expect(timer.count == 0)
    let moving = db.database.record(integer: sql, ["now"])
    try await moving.expect(2)
    try await timer.ring()
  }

  @Test(arguments: StorageKind.allCases)
  func `no timer runs when nobody asks for the time, or has ceased to`(
    _ kind: StorageKind
  ) async throws {
    let timer = ManualTimer()
    let query = try await ObservedQuery(
      kind, Self.schema, "SELECT id, date(day) FROM dated", configuration: timer.configuration)
    try await query.notices("INSERT INTO t VALUES (2, '2001-01-01')")
    #expect(timer.count == 0)
    let random = query.db.database.record(integer: "SELECT random()")
    _ = try await random.next()
    try await wait(for: "the timer") { timer.count == 1 }
    await random.stop()
    // It rings once more, finds nobody, and is not set again.
    try await timer.ring()
    try await query.ignores("CREATE TABLE IF NOT EXISTS t (x)")
    #expect(timer.count == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `the timer refreshes the time alone`(_ kind: StorageKind) async throws {
    let timer = ManualTimer()
    let query = try await ObservedQuery(
      kind, Self.schema, "SELECT count(*) FROM t", configuration: timer.configuration)
    let random = query.db.database.record(integer: "SELECT random()")
    _ = try await random.next()
    try await query.ignores { _ in
      try await timer.ring()
      _ = try await random.next()
    }
  }

  @Test
  func `without an interval only commits refresh it`() async throws {
    let timer = ManualTimer()
    var configuration = timer.configuration
    configuration.timeDependentRefreshInterval = nil
    let db = try await TemporaryDatabase(.wal, configuration: configuration, schema: Self.schema)
    let recorder = db.database.record(.rows("SELECT id, luck FROM overdue"))
    _ = try await recorder.next()
    try await db.write(script: "UPDATE t SET due = '2001-01-01'")
    _ = try await recorder.next()
    #expect(timer.count == 0)
  }

  @Test
  func `the system's timer rings by itself`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.timeDependentRefreshInterval = .milliseconds(1)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT random()")
    for _ in 1...3 { _ = try await recorder.next() }
  }
}
