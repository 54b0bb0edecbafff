import DatabaseConsole
import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// What is maintained of an observed database, and what has its queries run again.
///
/// Each maintained result is compared with that of the query, as always in a debug build.
@Suite(.fewAtOnce)
struct MaintainedResultTests {
  private struct Scene {
    let db: TemporaryDatabase
    let recorder: Recorder<RowSet>
    let sql: String

    init(
      _ sql: String, _ schema: String = TemporaryDatabase.players,
      rows: String = "INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)",
      kind: StorageKind = .wal, change: (inout Configuration) -> Void = { _ in }
    ) async throws {
      var configuration = TemporaryDatabase.alwaysOpen
      configuration.maintainsEagerly = true
      change(&configuration)
      db = try await TemporaryDatabase(kind, configuration: configuration, schema: schema)
      try await db.write(script: rows)
      self.sql = sql
      recorder = db.database.record(.rows(SQL(raw: sql)))
      _ = try await recorder.next()
    }

    var report: MaintainedQueries.Report {
      db.database.coordinator.runner.maintained.report(of: sql, [])
        ?? MaintainedQueries.Report(reason: "it never ran")
    }

    /// Waits until the state was read.
    func awaitState() async throws {
      try await wait(for: "the state of \(sql), which says \(report.reason)") {
        report.stateBytes > 0
      }
    }

    func awaitReason(_ reason: String) async throws {
      try await wait(for: "\(reason), not \(report)") { report.reason == reason }
    }

    /// Whether a commit came while the snapshot was opened, or the connection was opened only then.
    var hasBadLuck: Bool {
      ["its snapshot can't be placed", "a commit isn't known yet"].contains(report.reason)
    }

    /// Commits a change until its reason is the one for which the query runs.
    func awaitReason(_ reason: String, repeating statement: String) async throws {
      try await wait(for: "\(reason), not \(report)") {
        try await db.run(statement)
        return report.reason == reason
      }
    }

    func run(_ statement: String) async throws -> [[Value]] {
      try await db.run(statement)
      return try await recorder.next().value.rows
    }
  }

  @Test
  func `a query of which one row is fetched, or each row by itself, is maintained`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintainsEagerly = true
    let db = try await TemporaryDatabase(configuration: configuration)
    try await db.write(script: "INSERT INTO player(score) VALUES (0)")
    let (best, list) = (
      "SELECT max(score) FROM player", "SELECT name, score FROM player ORDER BY score DESC LIMIT 2"
    )
    let recorders = [
      db.database.record(.scalar(SQL(raw: best), as: Int.self).map { $0 ?? 0 }),
      Recorder(
        db.database.observe { db in
          var first: Int?
          try db.forEachRow(SQL(raw: list)) { first = try first ?? $0[1] }
          return first ?? 0
        }),
    ]
    for recorder in recorders { try await recorder.expect(0) }
    func report(_ sql: String) -> MaintainedQueries.Report? {
      db.database.coordinator.runner.maintained.report(of: sql, [])
    }
    for sql in [best, list] {
      try await wait(for: "the state of \(sql)") { (report(sql)?.stateBytes ?? 0) > 0 }
    }
    var score = 0
    for sql in [best, list] {
      let before = report(sql)?.maintained ?? 0
      // The first commits may come before the state is known to be of their time.
      try await wait(for: "\(sql) is maintained") {
        score += 1
        try await db.run("INSERT INTO player(score) VALUES (\(score))")
        for recorder in recorders { try await recorder.expect(score) }
        return (report(sql)?.maintained ?? 0) > before
      }
    }
  }

  @Test(
    arguments: [
      ("SELECT count(*) FROM player WHERE score > 15", [[3]]),
      ("SELECT name, score FROM player ORDER BY score DESC LIMIT 2", [["d", 40], ["c", 30]]),
      ("SELECT score > 15, sum(score) FROM player GROUP BY 1", [[0, 10], [1, 90]]),
      ("SELECT max(score) - min(score) AS span FROM player", [[30]]),
      (
        "SELECT 'all', count(*) FROM player UNION ALL SELECT 'good', count(*) FROM player WHERE score > 15",
        [["all", 4], ["good", 3]]
      ),
      (
        "SELECT name, score FROM player UNION ALL SELECT 'best', max(score) FROM player WHERE id < 4 "
          + "ORDER BY score DESC, name LIMIT 2", [["d", 40], ["best", 30]]
      ),
    ] as [(String, [[Value]])])
  func `an own commit is applied to the state`(
    _ sql: String, _ expected: [[Value]]
  ) async throws {
    let scene = try await Scene(sql)
    try await scene.awaitState()
    let runs = scene.report.runs
    #expect(try await scene.run("INSERT INTO player VALUES (4, 'd', 40)") == expected)
    #expect(scene.report.isMaintained || scene.hasBadLuck)
    #expect(scene.report.runs == runs || scene.hasBadLuck)
  }

  @Test(arguments: [
    "SELECT name > 'b', sum(score / 7.0), avg(score * 0.1), count(*) FROM player GROUP BY 1",
    "SELECT total(p.score / 7.0) FROM player p JOIN player q ON q.id = p.id + 1",
    "SELECT 'all', sum(score / 7.0) FROM player UNION ALL SELECT name, total(score * 0.1) FROM player GROUP BY name "
      + "UNION ALL SELECT 'names', count(*) FROM (SELECT DISTINCT name FROM player)",
    "SELECT sum(score / 7.0) AS s FROM player UNION ALL SELECT score FROM player WHERE score % 2 "
      + "UNION ALL SELECT avg(p.score / 3.0) FROM player p JOIN player q ON q.id = p.id + 1 ORDER BY s DESC",
  ])
  func `REAL values are added up in the order in which the query visits them`(
    _ sql: String
  ) async throws {
    let scene = try await Scene(sql)
    // A state without the order is read first.
    try await wait(for: "a state with the order, not \(scene.report)") {
      try await scene.db.run("UPDATE player SET score = score + 3 WHERE id = 2")
      return scene.report.isMaintained
    }
    // In front of all others, and in their midst.
    try await scene.db.run("INSERT INTO player VALUES (-7, 'b', 11), (40, 'z', 13), (20, 'y', 17)")
    try await scene.db.run("UPDATE player SET id = 30 WHERE id = -7")
    let expected = try await scene.db.database.read {
      try $0.fetch(Query<RowSet>.rows(SQL(raw: sql)))
    }
    try await wait(for: "\(expected), not \(scene.report)") {
      try await scene.recorder.next().value.rows == expected.rows
    }
  }

  private static let teams = """
    CREATE TABLE team(id INTEGER PRIMARY KEY, title);
    CREATE TABLE player(id INTEGER PRIMARY KEY, name, team REFERENCES team, score INT);
    CREATE TABLE tag(player INT, tag TEXT, PRIMARY KEY (player, tag)) WITHOUT ROWID;
    CREATE VIEW scored AS SELECT p.name AS who, title, score FROM player AS p JOIN team ON team.id = p.team
    """

  @Test(
    arguments: [
      (
        "SELECT title, sum(score), count(DISTINCT name) FROM player p JOIN team t ON t.id = p.team GROUP BY 1",
        [["Blue", 71, 4], ["Red", 30, 1]]
      ),
      (
        "SELECT who, title FROM scored ORDER BY score DESC LIMIT 2",
        [["d", "Blue"], ["c", "Red"]]
      ),
      ("SELECT DISTINCT title FROM scored WHERE score > 15 ORDER BY 1", [["Blue"], ["Red"]]),
      (
        "WITH t AS (SELECT tag, score FROM tag JOIN player ON id = player) "
          + "SELECT tag, max(score) FROM t GROUP BY tag HAVING count(*) > 1 ORDER BY 2",
        [["fast", 40]]
      ),
      (
        "SELECT a.name, b.name FROM player a, player b WHERE a.score > b.score + 15 "
          + "ORDER BY a.score, b.score",
        [["b", "x"], ["c", "x"], ["c", "a"], ["d", "x"], ["d", "a"], ["d", "b"]]
      ),
      ("SELECT tag, player FROM tag ORDER BY player DESC, tag LIMIT 1", [["fast", 4]]),
      (
        "SELECT t.id, title, count(p.id), sum(score) FROM team t LEFT JOIN player p ON p.team = t.id "
          + "GROUP BY t.id, title ORDER BY t.id", [[1, "Red", 1, 30], [2, "Blue", 4, 71]]
      ),
      (
        "SELECT name, (SELECT count(*) FROM player q WHERE q.team = p.team) FROM player p "
          + "WHERE EXISTS (SELECT * FROM tag WHERE player = p.id AND tag = 'fast') ORDER BY name",
        [["c", 1], ["d", 4]]
      ),
      (
        "SELECT name FROM player WHERE id NOT IN (SELECT player FROM tag) ORDER BY 1",
        [["b"], ["x"]]
      ),
      (
        "SELECT title, tag FROM team LEFT JOIN player p ON p.team = team.id LEFT JOIN tag ON p.id = player "
          + "WHERE score > 5 ORDER BY score",
        [["Blue", "slow"], ["Blue", nil], ["Red", "fast"], ["Blue", "fast"]]
      ),
    ] as [(String, [[Value]])])
  func `commits to several tables are applied`(_ sql: String, _ expected: [[Value]]) async throws {
    let scene = try await Scene(
      sql, Self.teams,
      rows: """
        INSERT INTO team VALUES (1, 'Red'), (2, 'Green');
        INSERT INTO player VALUES (1, 'a', 1, 10), (2, 'b', 2, 20), (3, 'c', 1, 30);
        INSERT INTO tag VALUES (1, 'slow'), (3, 'fast')
        """)
    try await scene.awaitState()
    let runs = scene.report.runs
    let other = try await ExternalProcess.serve(scene.db.path)
    try await scene.db.database.write { connection in
      try connection.execute("UPDATE team SET title = 'Blue' WHERE id = 2")
      try connection.execute("UPDATE player SET team = 2 WHERE id = 1")
      try connection.execute("INSERT INTO player VALUES (4, 'd', 2, 40)")
      try connection.execute("INSERT INTO tag VALUES (4, 'fast')")
    }
    try await wait(for: "a maintained result, not \(scene.report)") {
      scene.report.maintained > 0 || scene.hasBadLuck
    }
    #expect(scene.report.runs == runs || scene.hasBadLuck)
    try await other.send("INSERT INTO player VALUES (5, 'x', 2, 1)")
    try await wait(for: "\(expected) of \(sql)") {
      try await scene.recorder.next().value.rows == expected
    }
  }

  @Test(arguments: [
    (
      "SELECT id FROM player WHERE score + (SELECT avg(score) FROM player) > 15 ORDER BY id",
      "UPDATE player SET score = score + 1 WHERE id = 1",
      "what changed in player can concern all rows"
    ),
    (
      "SELECT id FROM player p WHERE name NOT IN (SELECT title FROM team) ORDER BY id",
      "INSERT INTO team VALUES (NULL, NULL)", "NULL in a list"
    ),
    (
      "SELECT id FROM player p WHERE score >= (SELECT min(score) FROM player q WHERE q.team = p.team) ORDER BY id",
      "INSERT INTO player VALUES (NULL, 'd', 1, 9.5)", "the least or greatest of REAL values"
    ),
    (
      "SELECT id FROM player p WHERE score >= (SELECT sum(score) FROM player q WHERE q.team = p.team) ORDER BY id",
      "INSERT INTO player VALUES (NULL, 'd', 1, 5000000000)",
      "a sum of other values than small whole numbers"
    ),
    (
      "SELECT p.id, title FROM player p LEFT JOIN team t ON t.title = p.score ORDER BY p.id, title",
      "INSERT INTO team VALUES (NULL, '10.0')", "it compares a text that equals a number"
    ),
    (
      "SELECT count(*), sum(n) FROM (SELECT title, count(*) AS n FROM team GROUP BY title) g JOIN player p "
        + "ON g.title = p.score WHERE p.id = 1",
      "INSERT INTO team VALUES (NULL, '10.0')", "it compares a text that equals a number"
    ),
    (
      "SELECT max(t.title) FROM team t JOIN player p ON t.title = p.score WHERE p.id = 1",
      "INSERT INTO team VALUES (NULL, '10.0')", "it compares a text that equals a number"
    ),
    (
      "SELECT count(DISTINCT t.title) FROM team t JOIN player p ON t.title = p.score WHERE p.id = 1",
      "INSERT INTO team VALUES (NULL, '10.0')", "it compares a text that equals a number"
    ),
  ])
  func `what can't be traced to rows has the query run`(
    _ sql: String, _ change: String, _ reason: String
  ) async throws {
    let scene = try await Scene(
      sql, Self.teams,
      rows: """
        INSERT INTO team VALUES (1, 'Red'), (2, 'Green');
        INSERT INTO player VALUES (1, 'a', 1, 10), (2, 'b', 2, 20), (3, 'c', 1, 30)
        """)
    try await scene.awaitState()
    try await scene.awaitReason(reason, repeating: change)
  }

  @Test func `REAL values that may equal one text have the query run`() async throws {
    let scene = try await Scene(
      "SELECT p.half, count(*) FROM tag t JOIN (SELECT score / 2.0 AS half FROM player GROUP BY score / 2.0) p "
        + "ON p.half = t.tag GROUP BY p.half ORDER BY p.half",
      Self.teams,
      rows: "INSERT INTO player VALUES (1, 'a', NULL, 10); INSERT INTO tag VALUES (1, '5.0')")
    try await scene.awaitReason(
      "it compares a REAL value that may equal a text",
      repeating: "UPDATE player SET name = name || '!' WHERE id = 1")
  }

  @Test func `a text that equals a number matters behind the lines that are shown, too`()
    async throws
  {
    let numbers = [String](repeating: "(NULL, 10)", count: 40).joined(separator: ", ")
    let scene = try await Scene(
      "SELECT p.name, t.title, t.id FROM player p JOIN team t ON t.title = p.score ORDER BY p.id, t.title, t.id LIMIT 4",
      Self.teams,
      rows:
        "INSERT INTO team VALUES \(numbers), (NULL, '10'); INSERT INTO player VALUES (1, 'a', 1, 10)"
    )
    try await scene.awaitReason(
      "it compares a text that equals a number",
      repeating: "INSERT INTO team VALUES (NULL, 10)")
  }

  @Test func `a commit by another process is applied to the state`() async throws {
    let scene = try await Scene("SELECT count(*), sum(score) FROM player")
    let other = try await ExternalProcess.serve(scene.db.path)
    var sum: Int64 = 60
    // It takes a moment until the rows of such commits are known.
    try await wait(for: "a maintained result") {
      try await other.send("UPDATE player SET score = score + 1 WHERE id = 1")
      sum += 1
      #expect(try await scene.recorder.next().value.rows == [[3, .integer(sum)]])
      return scene.report.isMaintained
    }
  }

  @Test func `commits by both are applied in their order`() async throws {
    let scene = try await Scene("SELECT count(*), max(score) FROM player")
    let other = try await ExternalProcess.serve(scene.db.path)
    var (count, best): (Int64, Int64) = (3, 30)
    try await wait(for: "results maintained from both") {
      let before = scene.report.maintained
      best += 1
      try await other.send("UPDATE player SET score = \(best) WHERE id = 1")
      #expect(
        try await scene.recorder.next().value.rows == [[.integer(count), .integer(best)]])
      count += 1
      #expect(
        try await scene.run("INSERT INTO player VALUES (NULL, 'x', 0)")
          == [[.integer(count), .integer(best)]])
      return scene.report.maintained == before + 2
    }
  }

  /// What comes during a refresh is kept for the next one.
  @Test func `a commit during a refresh has no query run`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintainsEagerly = true
    let db = try await TemporaryDatabase(configuration: configuration)
    let (best, count) = ("SELECT max(score) FROM player", "SELECT count(*) FROM player")
    let commits = Mutex(0)
    let writer = db.database.writer.queue
    let recorder = Recorder(
      db.database.observe { connection in
        let first: Int? = try connection.fetchOne(SQL(raw: best))
        if commits.withLock({ count in
          defer { count = max(0, count - 1) }
          return count > 0
        }) {
          _ = try writer.performAndWait { try $0.execute("INSERT INTO player(score) VALUES (0)") }
        }
        let second: Int? = try connection.fetchOne(SQL(raw: count))
        return [first ?? 0, second ?? 0]
      })
    try await recorder.expect([0, 0])
    let reports = {
      [best, count].map { db.database.coordinator.runner.maintained.report(of: $0, []) }
    }
    let other = try await ExternalProcess.serve(db.path)
    var (score, rows) = (0, 0)
    try await wait(for: "both are maintained, not \(reports())") {
      (score, rows) = (score + 1, rows + 2)
      let before = reports()
      commits.withLock { $0 = 1 }
      try await other.send("INSERT INTO player(score) VALUES (\(score))")
      // The snapshot is older than the commit during the refresh.
      try await recorder.expect([score, rows - 1])
      try await recorder.expect([score, rows])
      return zip(before, reports()).allSatisfy { before, after in
        after?.runs == before?.runs && after?.maintained == (before?.maintained ?? 0) + 2
      }
    }
  }

  /// The hooks don't have the rows of own commits to such a table; pages have those of foreign ones.
  @Test(arguments: [
    "SELECT points, count(*), max(name) FROM player GROUP BY points",
    "SELECT id, name, score, label FROM player WHERE points > 3 ORDER BY points DESC, id LIMIT 5",
    "SELECT p.label, count(*) FROM player p JOIN player q ON q.points = p.points GROUP BY p.label ORDER BY 1",
    // Those that are computed when they are read.
    "SELECT half, count(*), max(initial), min(half) FROM player GROUP BY half ORDER BY half",
    "SELECT id, initial, half FROM player WHERE half > 3 ORDER BY half DESC, id LIMIT 5",
    "SELECT group_concat(initial) FROM player WHERE half BETWEEN 3 AND 9",
    "SELECT p.half, count(*) FROM player p LEFT JOIN player q ON q.initial = p.initial AND q.half = p.half GROUP BY 1",
  ])
  func `tables with generated columns are maintained`(
    _ sql: String
  ) async throws {
    let scene = try await Scene(
      sql,
      """
      CREATE TABLE player(id INTEGER PRIMARY KEY, half AS (score / 2), name TEXT,
        points REAL AS (score % 7 * 1.0) STORED, score INTEGER, label AS (name || '/' || score) STORED,
        initial TEXT AS (substr(label, 1, 1) || half) VIRTUAL);
      CREATE INDEX by_half ON player(half)
      """,
      rows: "INSERT INTO player(id, name, score) VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 30)")
    let other = try await ExternalProcess.serve(scene.db.path)
    var number = 0
    try await wait(for: "maintained results, not \(scene.report)") {
      number += 1
      try await other.send(
        "INSERT INTO player(name, score) VALUES ('n\(number % 5)', \(number + 4)); "
          + "UPDATE player SET score = score + 1, name = name || \(number) WHERE id = 1 + \(number) % 3"
      )
      return scene.report.maintained > 12
    }
    let foreign = scene.report.maintained
    try await wait(for: "results maintained from own commits, not \(scene.report)") {
      number += 1
      try await scene.db.run(
        "UPDATE player SET score = score + \(number) WHERE id = 1 + \(number) % 3")
      return scene.report.maintained > foreign + 3
    }
    try await scene.db.run("UPDATE player SET score = 6, name = 'last'")
    let truth = try await scene.db.database.read { try $0.fetchAll(SQL(raw: sql)).rows }
    try await wait(for: "the last result") { try await scene.recorder.next().value.rows == truth }
  }

  /// The program of the query numbers columns as they are stored: computed ones stand last.
  @Test func `an automatic index of a table with generated columns tells no order`() async throws {
    let scene = try await Scene(
      "SELECT player.score FROM q JOIN player ON player.points = q.x ORDER BY q.x",
      """
      CREATE TABLE player(id INTEGER PRIMARY KEY, half AS (score / 2), name, points, score);
      CREATE TABLE q(id INTEGER PRIMARY KEY, x); INSERT INTO q VALUES (1, 1), (2, 2)
      """,
      rows: "INSERT INTO player(name, points, score) VALUES ('a', 1, 100), ('b', 1, 200)")
    let other = try await ExternalProcess.serve(scene.db.path)
    for score in (1...20).reversed() {
      try await other.send("INSERT INTO player(name, points, score) VALUES ('c', 1, \(score))")
      let rows = try await scene.recorder.next().value.rows
      #expect(rows == ((score...20).map { [.integer(Int64($0))] } + [[100], [200]]))
    }
  }

  @Test func `commits to other tables, more than are kept, leave no gap`() async throws {
    let scene = try await Scene(
      "SELECT count(*) FROM player", TemporaryDatabase.players + "; CREATE TABLE other(x)")
    try await scene.awaitState()
    for number in 0...RecentCommits.limit {
      try await scene.db.run("INSERT INTO other VALUES (\(number))")
    }
    let runs = scene.report.runs
    #expect(try await scene.run("INSERT INTO player VALUES (4, 'd', 40)") == [[4]])
    #expect(scene.hasBadLuck || scene.report.runs == runs)
  }

  @Test func `commits that are kept for a query in use are applied in their order`() async throws {
    // Many commits come before each refresh.
    let scene = try await Scene("SELECT sum(score) FROM player") {
      $0.minimumRefreshInterval = .milliseconds(500)
    }
    try await scene.awaitState()
    let count = 2 * RecentCommits.limit + 1
    for _ in 1...count {
      try await scene.db.run("UPDATE player SET score = score + 1 WHERE id = 1")
    }
    let sum: [[Value]] = [[.integer(60 + Int64(count))]]
    while try await scene.recorder.next().value.rows != sum {}
  }

  @Test func `observers of one query share its state, which goes with the last`() async throws {
    let scene = try await Scene("SELECT count(*) FROM player")
    let second = scene.db.database.record(Query.count(of: "player"))
    #expect(try await second.next().value == 3)
    try await scene.awaitState()
    _ = try await scene.run("DELETE FROM player WHERE id = 1")
    #expect(try await second.next().value == 2)
    await scene.recorder.stop()
    await second.stop()
    try await wait(for: "the state to go") {
      scene.db.database.coordinator.runner.maintained.report(of: scene.sql, []) == nil
    }
    #expect(
      scene.db.database.coordinator.runner.maintained.interest(in: TableID(name: "player")) == nil)
  }

  @Test func `what would have to run again after a pause is counted while it is maintained`()
    async throws
  {
    let scene = try await Scene("SELECT count(*) FROM player")
    let maintained = scene.db.database.coordinator.runner.maintained
    try await scene.awaitState()
    let runCost = scene.report.runCost
    #expect(runCost > 0 && maintained.costOfRunning == runCost)
    await scene.recorder.stop()
    try await wait(for: "the state to go") { maintained.costOfRunning == 0 }
  }

  @Test func `a schema that changes has the state read again`() async throws {
    let scene = try await Scene("SELECT * FROM player ORDER BY id")
    try await scene.awaitState()
    try await scene.db.run("ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'red'")
    let rows = try await scene.recorder.next().value
    #expect(rows.columns.count == 4)
    try await scene.awaitState()
    #expect(try await scene.run("DELETE FROM player WHERE id < 3") == [[3, "c", 30, "red"]])
    // The rows that the column's default completes aren't known as they were.
    _ = try await scene.run("INSERT INTO player VALUES (4, 'd', 40, 'blue')")
    try await scene.db.run("DROP TABLE player")
    await #expect(throws: DatabaseError.self) { try await scene.recorder.next().value }
    try await scene.db.run(TemporaryDatabase.players)
    _ = try await scene.recorder.next()
    #expect(try await scene.run("INSERT INTO player VALUES (1, 'a', 1)") == [[1, "a", 1]])
  }

  @Test func `a key that only changes its form is one row`() async throws {
    let scene = try await Scene(
      "SELECT a, b FROM t ORDER BY a", "CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID",
      rows: "INSERT INTO t VALUES (0, 1), (5, 2)")
    try await scene.awaitState()
    #expect(try await scene.run("UPDATE t SET a = -0.0 WHERE a = 0") == [[-0.0, 1], [5, 2]])
    #expect(try await scene.run("UPDATE t SET a = 0, b = 7 WHERE a = 0") == [[0, 7], [5, 2]])
    #expect(scene.report.isMaintained || scene.hasBadLuck)
  }

  @Test func `a whole number as a REAL key is one row, however it is written`() async throws {
    let scene = try await Scene(
      "SELECT count(*), total(b) FROM t", "CREATE TABLE t(a REAL PRIMARY KEY, b) WITHOUT ROWID",
      rows: "INSERT INTO t VALUES (1, 10), (2, 20)")
    try await scene.awaitState()
    try await scene.db.database.write { connection in
      try connection.execute("INSERT INTO t VALUES (3, 30), (4, 40)")
      try connection.execute("DELETE FROM t WHERE a = 3")
      try connection.execute("UPDATE t SET a = 2 WHERE a = 2")
      try connection.execute("UPDATE t SET a = 5 WHERE a = 4")
    }
    #expect(try await scene.recorder.next().value.rows == [[3, 70.0]])
    #expect(scene.report.isMaintained || scene.hasBadLuck)
  }

  @Test func `a VACUUM that may renumber rows has the query run`() async throws {
    let scene = try await Scene(
      "SELECT rowid, a FROM t ORDER BY a", "CREATE TABLE t(a)",
      rows: "INSERT INTO t VALUES (1), (2), (3)")
    try await scene.awaitState()
    _ = try await scene.run("DELETE FROM t WHERE a = 1")
    try await scene.db.run("VACUUM")
    #expect(try await scene.recorder.next().value.rows == [[1, 2], [2, 3]])
    #expect(try await scene.run("INSERT INTO t VALUES (4)") == [[1, 2], [2, 3], [3, 4]])
  }

  @Test func `equal order keys come in the order in which SQLite visits rows`() async throws {
    let scene = try await Scene(
      "SELECT name FROM player ORDER BY score DESC LIMIT 2",
      rows: "INSERT INTO player VALUES (1, 'a', 10), (2, 'b', 30), (3, 'c', 30)")
    try await scene.awaitState()
    let runs = scene.report.runs
    #expect(
      try await scene.run("INSERT INTO player VALUES (4, 'd', 30), (0, 'z', 30)") == [["z"], ["b"]])
    #expect(scene.report.isMaintained || scene.hasBadLuck)
    #expect(try await scene.run("DELETE FROM player WHERE id = 0") == [["b"], ["c"]])
    #expect(scene.report.isMaintained || scene.hasBadLuck)
    #expect(scene.report.runs == runs || scene.hasBadLuck)
  }

  /// When the state was read, no order could be seen.
  @Test func `the first equal order keys have the state read again`() async throws {
    let scene = try await Scene("SELECT name FROM player ORDER BY score DESC LIMIT 2")
    try await scene.awaitState()
    #expect(try await scene.run("INSERT INTO player VALUES (4, 'd', 30)") == [["c"], ["d"]])
    #expect(!scene.report.isMaintained)
    var number = 4
    try await wait(for: "a state that has the tie") {
      number += 1
      let rows = try await scene.run(
        "UPDATE player SET name = 'd\(number)' WHERE id = 4")
      #expect(rows == [["c"], [.text("d\(number)")]])
      return scene.report.isMaintained
    }
  }

  /// ANALYZE has the connection that runs it choose another index, which has another order.
  @Test func `equal order keys have the query run on a connection that has another plan`()
    async throws
  {
    let scene = try await Scene(
      "SELECT name FROM player WHERE team = 1 AND score = 1",
      """
      CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team INTEGER, score INTEGER);
      CREATE INDEX by_team ON player(team, name);
      CREATE INDEX by_score ON player(score)
      """,
      rows: """
        INSERT INTO player VALUES (1, 'z', 1, 1), (2, 'a', 1, 1);
        WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO player SELECT i, 'x', i, 1 FROM n;
        ANALYZE
        """)
    try await scene.awaitState()
    try await scene.db.run("UPDATE player SET team = 1, score = id WHERE id > 2")
    try await scene.db.run("ANALYZE")
    // Small refreshes run on that connection, unless the machine is busy. The engine compares each result itself.
    for number in 1...20 {
      let rows = try await scene.run("UPDATE player SET name = \(number) - id WHERE id < 3")
      #expect(rows.count == 2)
    }
  }

  @Test func `equal order keys have the query run as long as they show`() async throws {
    let scene = try await Scene(
      "SELECT name FROM player ORDER BY score DESC LIMIT 2",
      TemporaryDatabase.players + "; CREATE INDEX by_score ON player(score)")
    try await scene.awaitState()
    let runs = scene.report.runs
    _ = try await scene.run("INSERT INTO player VALUES (4, 'd', 30)")
    let tie = "rows with equal order keys can come in any order"
    #expect(scene.report.reason == tie || scene.hasBadLuck)
    #expect(scene.report.runs == runs + 1)
    // It may have been read again for the order of the tied rows.
    try await scene.awaitState()
    #expect(try await scene.run("DELETE FROM player WHERE id = 3") == [["d"], ["b"]])
    #expect(scene.report.isMaintained || scene.hasBadLuck)
    #expect(scene.report.runs == runs + 1 || scene.hasBadLuck)
  }

  @Test func `lines of two SELECTs that are tied have the query run`() async throws {
    let scene = try await Scene(
      "SELECT 'low', count(*) FROM player WHERE score < 15 UNION ALL "
        + "SELECT 'high', count(*) FROM player WHERE score > 15 ORDER BY 2 DESC")
    try await scene.awaitState()
    let runs = scene.report.runs
    _ = try await scene.run("INSERT INTO player VALUES (4, 'd', 1)")
    let tie = "rows with equal order keys can come in any order"
    #expect(scene.report.reason == tie || scene.hasBadLuck)
    #expect(scene.report.runs == runs + 1)
    #expect(
      try await scene.run("INSERT INTO player VALUES (5, 'e', 2)") == [["low", 3], ["high", 2]])
    #expect(scene.report.isMaintained || scene.hasBadLuck)
    #expect(scene.report.stateCount == 2)
  }

  @Test func `a transaction with more rows than are captured has the query run`() async throws {
    let scene = try await Scene("SELECT count(*) FROM player")
    try await scene.awaitState()
    let rows = try await scene.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 60010)
      INSERT INTO player(id) SELECT i FROM n
      """)
    #expect(rows == [[60004]])
    #expect(!scene.report.isMaintained)
  }

  @Test func `a failed or undone statement changes nothing`() async throws {
    let scene = try await Scene("SELECT count(*), total(score) FROM player")
    try await scene.awaitState()
    try await scene.db.database.write { connection in
      try? connection.savepoint {
        try connection.execute("DELETE FROM player")
        throw CancellationError()
      }
      try connection.execute("UPDATE player SET score = score + 1 WHERE id = 1")
      #expect(throws: DatabaseError.self) {
        try connection.execute("INSERT INTO player VALUES (9, 'x', 1), (1, 'y', 2)")
      }
    }
    #expect(try await scene.recorder.next().value.rows == [[3, 61.0]])
  }

  @Test func `maintaining leaves the writer's counts alone`() async throws {
    let scene = try await Scene("SELECT count(*) FROM player")
    try await scene.awaitState()
    _ = try await scene.run("INSERT INTO player VALUES (70, 'x', 1), (80, 'y', 2)")
    #expect(scene.report.isMaintained || scene.hasBadLuck)
    let counts = try await scene.db.database.write { connection in
      try connection.fetchAll("SELECT changes(), last_insert_rowid()").rows
    }
    #expect(counts == [[2, 80]])
  }

  private static let spelledInTwoWays =
    "two of its words that differ only in how Unicode spells them"

  @Test(arguments: [
    (
      "SELECT count(*) FROM player WHERE name = 'a'",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT COLLATE RTRIM, score INT)",
      "name isn't compared by BINARY or NOCASE"
    ),
    (
      "SELECT count(*) FROM player WHERE date(name) > '2024-01-01' OR id",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name DEFAULT 'now', score)",
      "a time that is now"
    ),
    (
      "SELECT count(*) FROM player WHERE date(name) > '2024-01-01' OR id",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name DEFAULT (x'6e6f77'), score)",
      "a time that is now"
    ),
    (
      "SELECT count(*) FROM player WHERE date(name) > '2024-01-01' OR id",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name DEFAULT ('NOW' || char(0) || 'x'), score)",
      "a time that is now"
    ),
    (
      "SELECT id, json_array(tags) FROM player",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score, tags AS (json_array(name)))",
      "tags is computed when it is read, and may be JSON in JSON"
    ),
    (
      "SELECT count(*), JSON_group_object(id, tags) FROM player",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score, tags AS (json_array(name)))",
      "tags is computed when it is read, and may be JSON in JSON"
    ),
    (
      "SELECT count(*) FROM player", "PRAGMA encoding = 'UTF-16le'; \(TemporaryDatabase.players)",
      "its texts are stored as UTF-16"
    ),
    (
      "SELECT a.id, sum(b.score) FROM player a JOIN player b ON b.id = a.id GROUP BY a.id ORDER BY a.id DESC",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, name, score REAL)",
      "the order in which it visits rows isn't known (it reads backwards)"
    ),
    (
      "SELECT sqlite_version() FROM player ORDER BY 1", TemporaryDatabase.players,
      "it calls sqlite_version()"
    ),
    (
      "SELECT sum(name = '\u{E9}'), sum(name = 'e\u{301}') FROM player",
      TemporaryDatabase.players, spelledInTwoWays
    ),
    (
      "SELECT count(\u{E9}) FROM p",
      """
      CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score);
      CREATE VIEW p AS SELECT id, name AS \u{E9}, score AS e\u{301} FROM player
      """, spelledInTwoWays
    ),
    (
      "WITH K AS (SELECT id FROM player), \u{212A} AS (SELECT 1) SELECT count(*) FROM K",
      TemporaryDatabase.players, spelledInTwoWays
    ),
    (
      "SELECT count(\u{338}a) FROM player",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, \u{338}a)", "a name that begins with an accent"
    ),
    (
      "SELECT id FROM player ORDER BY name, id",
      """
      CREATE TABLE player(id INTEGER PRIMARY KEY); ALTER TABLE player ADD COLUMN name TEXT DEFAULT (FALSE);
      CREATE INDEX by_name ON player(name)
      """, "indexes can differ from name, a text that is true by default"
    ),
    (
      "SELECT count(*) FROM player",
      "CREATE TABLE player(id INTEGER PRIMARY KEY, \u{E9}, e\u{301})",
      "player has columns that differ only in how Unicode spells them"
    ),
  ])
  func `what can't be maintained says why`(
    _ sql: String, _ schema: String, _ reason: String
  ) async throws {
    let scene = try await Scene(
      sql, schema,
      rows: "INSERT INTO player(id) VALUES (1)")
    if schema.contains("REAL") {
      let change = "UPDATE player SET score = ifnull(score, 0) + 1.1"
      return try await scene.awaitReason(reason, repeating: change)
    }
    try await scene.awaitReason(reason)
  }

  @Test func `functions of the application aren't taken for SQLite's`() async throws {
    let scene = try await Scene("SELECT lower(name) FROM player ORDER BY id") {
      $0.functions = [CustomFunction("lower", argumentCount: 1) { $0[0] }]
    }
    try await scene.awaitReason("lower() isn't SQLite's own here")
  }

  @Test func `nothing is maintained without memory, or without a WAL`() async throws {
    let without = try await Scene("SELECT count(*) FROM player") { $0.maintenanceMemory = 0 }
    _ = try await without.run("DELETE FROM player WHERE id = 1")
    #expect(without.report.reason == "it never ran")
    let rollback = try await Scene("SELECT count(*) FROM player", kind: .rollbackJournal)
    try await rollback.awaitReason("the database isn't in WAL mode")
    _ = try await rollback.run("DELETE FROM player WHERE id = 1")
  }

  @Test func `a state ends with the connections, because commits count from 0 then`() async throws {
    let scene = try await Scene("SELECT count(*) FROM player") {
      $0.keepsConnectionsOpen = false
      $0.idleTimeout = .milliseconds(20)
      $0.pollInterval = .milliseconds(10)
    }
    for count in 4...12 as ClosedRange<Int64> {
      // The last connection to close removes the WAL, whose index counts from 0 again.
      try await wait(for: "the WAL to go") { !scene.db.folder.names.contains("test.db-wal") }
      try await SQLiteShell(scene.db.path).run("INSERT INTO player(name) VALUES ('x')")
      #expect(try await scene.recorder.next().value.rows == [[.integer(count)]])
    }
  }

  @Test func `a state that doesn't fit isn't kept`() async throws {
    let scene = try await Scene("SELECT * FROM player ORDER BY id") {
      $0.maintenanceMemory = 100
    }
    try await scene.awaitReason("its state is larger than 0 MB")
  }

  @Test func `SQL that SQLite doesn't take is made of a query once`() async throws {
    let scene = try await Scene("SELECT -score AS s FROM player WHERE s < 0 ORDER BY id")
    let reason = "SQLite doesn't take what is made of it: no such column: s"
    try await scene.awaitReason(reason)
    _ = try await scene.run("UPDATE player SET score = score + 1")
    try await scene.awaitReason(reason)
  }
}
