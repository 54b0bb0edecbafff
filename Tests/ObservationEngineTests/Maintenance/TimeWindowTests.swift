import DatabaseConsole
import TestSupport
import Testing

@testable import ObservationEngine

/// Queries that compare rows with the present are kept up to date as time passes.
@Suite(.fewAtOnce)
struct TimeWindowTests {
  private static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE sale(id INTEGER PRIMARY KEY, item INT, amount INT, sold TEXT, at INT);
    CREATE INDEX sale_sold ON sale(sold);
    CREATE TABLE visit(at TEXT, page TEXT, PRIMARY KEY (at, page)) WITHOUT ROWID
    """

  private static let queries = [
    "SELECT count(*), sum(amount) FROM sale WHERE sold >= datetime('now', '-1 day')",
    "SELECT id, sold FROM sale WHERE at > unixepoch('now') - 3600 ORDER BY amount DESC, id LIMIT 3",
    "SELECT id FROM sale WHERE CAST(strftime('%s', 'now') AS INTEGER) - 7200 <= at ORDER BY amount, id DESC",
    "SELECT item, count(*) FILTER (WHERE sold >= datetime('now', '-' || ?1 || ' days')), count(*) "
      + "FROM sale GROUP BY item",
    "SELECT count(*) FROM sale WHERE date(sold) = date('now')",
    "SELECT strftime('%H', sold), count(*) FROM sale "
      + "WHERE sold BETWEEN datetime('now', '-1 day') AND datetime('now', '-1 hour') AND amount > 3 GROUP BY 1",
    "SELECT count(*) FROM sale s WHERE (s.sold NOT BETWEEN '2024-01-02' AND datetime('now')) OR amount = 1",
    "SELECT name, sum(amount) FROM sale JOIN item i ON i.id = item AND current_timestamp < sold GROUP BY name",
    "SELECT CASE WHEN at <= unixepoch('now') THEN 'due' ELSE 'later' END, count(*) FROM sale GROUP BY 1",
    "SELECT a.id, b.id FROM sale a JOIN sale b ON a.item = b.item AND a.amount < b.amount "
      + "WHERE a.sold > datetime('now', '-1 hour') AND b.sold > datetime('now', '-2 hours') ORDER BY a.id, b.id",
    "SELECT i.id, count(s.id), max(s.amount) FROM item i "
      + "LEFT JOIN sale s ON s.item = i.id AND s.sold > datetime('now', 'start of day') GROUP BY i.id",
    "SELECT name FROM item i WHERE EXISTS (SELECT * FROM sale WHERE item = i.id AND at < unixepoch('now')) "
      + "ORDER BY i.id",
    "SELECT page, count(*) FROM visit WHERE at >= datetime('now', '-3 hours') GROUP BY page",
    "WITH fresh AS (SELECT * FROM sale WHERE sold > datetime('now', '-1 day')) "
      + "SELECT item, max(amount) FROM fresh GROUP BY item HAVING count(*) > 1",
    "SELECT DISTINCT item FROM sale WHERE sold > (datetime('now', '-1 hour')) ORDER BY 1",
    "SELECT 'sales', count(*) FROM sale WHERE sold >= datetime('now', '-1 day') "
      + "UNION ALL SELECT 'visits', count(*) FROM visit WHERE at >= datetime('now', '-3 hours') "
      + "UNION ALL SELECT page, count(*) FROM visit WHERE at >= datetime('now', '-1 day') GROUP BY page",
    "SELECT id, sold AS at, 'sale' FROM sale WHERE amount > ?1 AND sold >= datetime('now', '-' || ?1 || ' days') "
      + "UNION ALL SELECT page, at, 'visit' FROM visit WHERE at >= datetime('now', '-1 day') "
      + "ORDER BY at DESC, 1 LIMIT 7",
    "SELECT count(*), max(amount) FROM sale WHERE at > unixepoch('now') - 2 * 24 * 3600 AND amount <> 3",
    "SELECT id FROM sale WHERE at BETWEEN unixepoch('now') - 2 * (3600 + ?1 * 60) AND unixepoch('now') ORDER BY id",
    "SELECT count(*) FROM sale WHERE 1.00001 * unixepoch('now') - (17000) * ?1 < at",
    "SELECT id FROM sale WHERE at < (unixepoch('now') - 3600) * 1 ORDER BY id",
    "SELECT date('now'), count(*) FROM sale",
    "SELECT id, unixepoch('now') - at AS age FROM sale ORDER BY amount DESC, id LIMIT 5",
    "SELECT item, max(at) FROM sale GROUP BY item HAVING max(at) > unixepoch('now')",
    "SELECT page, max(at) > datetime('now', '-1 day'), count(*) FILTER (WHERE at < datetime('now')) "
      + "FROM visit GROUP BY page",
    "SELECT count(*) * 100.0 / (SELECT count(*) FROM sale WHERE sold >= datetime('now', '-2 days')) FROM sale "
      + "WHERE sold >= datetime('now', '-1 day')",
    "SELECT (SELECT count(*) FROM sale WHERE sold >= datetime('now', '-1 day')) AS today, "
      + "(SELECT page FROM visit WHERE at >= datetime('now', '-1 day') ORDER BY at DESC, page LIMIT 1) AS last",
    "SELECT item, count(*), sum(count(*)) OVER (ORDER BY item) FROM sale WHERE sold >= datetime('now', '-1 day') GROUP BY item",
    "SELECT item, n, lag(n) OVER (ORDER BY item) FROM (SELECT item, count(*) AS n FROM sale "
      + "WHERE sold >= datetime('now', '-1 day') GROUP BY item) ORDER BY 1 DESC",
    "SELECT id FROM sale WHERE at > unixepoch('now') - 86400 "
      + "AND amount >= (SELECT max(amount) FROM sale WHERE at > unixepoch('now') - 86400) ORDER BY id",
    // The last days, and those that have rows.
    "WITH RECURSIVE day(d) AS (SELECT date('now', '-3 days') UNION ALL SELECT date(d, '+1 day') FROM day "
      + "WHERE d < date('now')) SELECT d, count(s.id), max(amount) FROM day LEFT JOIN sale AS s ON date(s.sold) = d GROUP BY d ORDER BY d",
    "WITH RECURSIVE day(d) AS (SELECT date('now', '-3 days') UNION ALL SELECT date(d, '+1 day') FROM day "
      + "WHERE d < date('now')), sums AS (SELECT date(sold) AS d, count(*) AS n FROM sale GROUP BY 1) "
      + "SELECT day.d, coalesce(n, 0) FROM day LEFT JOIN sums ON sums.d = day.d ORDER BY day.d",
    "WITH RECURSIVE hour(h) AS (SELECT strftime('%Y-%m-%d %H', 'now', '-5 hours') UNION ALL "
      + "SELECT strftime('%Y-%m-%d %H', h || ':00', '+1 hour') FROM hour LIMIT 6) SELECT h, count(*) FROM hour "
      + "JOIN visit ON substr(visit.at, 1, 13) = h WHERE visit.at < datetime('now') GROUP BY h ORDER BY h",
    "SELECT amount, name, n FROM item i JOIN (SELECT item, amount, count(*) AS n, max(sold) AS last FROM sale GROUP BY item, amount) AS s "
      + "ON s.item = i.id WHERE last > datetime('now', '-1 day') ORDER BY i.id, amount",
  ]

  /// A plain file of its own, its rows, and what their changes are.
  private final class Scene {
    let connection: Connection
    var random: SeededRandom

    init(seed: UInt64) throws {
      random = SeededRandom(seed: seed)
      connection = try Connection(path: ":memory:", options: Connection.Options())
      for statement in TimeWindowTests.schema.split(separator: ";") {
        try connection.execute(engine: String(statement))
      }
      for item in 1...5 {
        try connection.execute(engine: "INSERT INTO item VALUES (\(item), 'i\(item)')")
      }
      for _ in 0..<60 { try change() }
      _ = try connection.renewIfSchemaChanged()
    }

    deinit { connection.close() }

    /// A moment within four days.
    func time() -> String {
      "datetime('2024-01-01', '+\(Int.random(in: 0..<5_760, using: &random)) minutes')"
    }

    func change() throws {
      let id = Int.random(in: 1...90, using: &random)
      let (item, amount) = (
        Int.random(in: 1...6, using: &random), Int.random(in: 1...9, using: &random)
      )
      let time = time()
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        try connection.execute(
          engine:
            "REPLACE INTO sale VALUES (\(id), \(item), \(amount), \(time), unixepoch(\(time)))")
      case 6: try connection.execute(engine: "DELETE FROM sale WHERE id = \(id)")
      case 7: try connection.execute(engine: "REPLACE INTO visit VALUES (\(time), 'p\(item)')")
      case 8:
        try connection.execute(engine: "DELETE FROM visit WHERE page = 'p\(item)' AND at < \(time)")
      default: try connection.execute(engine: "REPLACE INTO item VALUES (\(item), 'i\(amount)')")
      }
    }

    /// The moments of a query at a made-up time.
    func moments(_ query: PlannedQuery, at time: String) throws -> [Value] {
      guard case .text(let now)? = try connection.fetch(engine: "SELECT \(time)").first?.first
      else {
        throw Unexpected("no time")
      }
      let list = query.moments.map {
        $0.replacing("'now'", with: "'\(now)'")
          .replacing("current_timestamp", with: "datetime('\(now)')")
      }.joined(separator: ", ")
      return try connection.fetch(
        engine: "SELECT \(list)", list.contains("?") ? query.parameters : [])[0]
    }
  }

  @Test(arguments: queries, 1...3 as ClosedRange<UInt64>)
  func `a state is the result as of its moments`(_ sql: String, _ seed: UInt64) throws {
    let scene = try Scene(seed: seed)
    let arguments: QueryArguments = sql.contains("?1") ? [2] : []
    let query = try PlannedQuery(QueryKey(sql: sql, arguments: arguments), on: scene.connection)
    #expect(!query.moments.isEmpty)
    var state = try ResultState(query, asOf: scene.moments(query, at: scene.time()))
    try state.fill(scene.connection, limit: .max)
    var (compared, moved) = (0, 0)
    for step in 0..<60 {
      let old = try TableRows(of: query, scene.connection)
      for _ in 0..<Int.random(in: 0...2, using: &scene.random) { try scene.change() }
      let changes = try TableRows(of: query, scene.connection).changes(since: old)
      let later = try scene.moments(query, at: scene.time())
      do {
        _ = try state.apply(changes, scene.connection)
        if try state.move(to: later, scene.connection) { moved += 1 }
      } catch is NotMaintainable {
        state = try ResultState(query, asOf: later)
        try state.fill(scene.connection, limit: .max)
      }
      guard let rows = try state.rows(scene.connection)?.rows else { continue }
      compared += 1
      let expected = try scene.connection.fetch(
        engine: query.wholeText, query.parameters + later)
      #expect(rows == expected, "seed \(seed), step \(step), \(sql) as of \(later)")
    }
    #expect(compared > 40 && moved > 5, "\(compared) compared, \(moved) moved")
  }

  @Test(
    arguments: [
      (
        "SELECT date('now') AS today, id FROM sale ORDER BY today, id",
        "it sorts by what it computes with the same value for all rows"
      ),
      (
        "SELECT date('now') AS today, count(*) FROM sale GROUP BY today",
        "it groups by a value that is the same for all rows"
      ),
      (
        "SELECT count(*) FROM sale WHERE julianday('now') - julianday(sold) < 7",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT count(*) FROM sale WHERE at * 2 > unixepoch()",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT count(*) FROM sale WHERE at > unixepoch() - 3600 * amount",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT count(*) FROM sale WHERE at > strftime('%S', 'now') * 1e14 * 1e14",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT count(*) FROM sale WHERE at > strftime('%S', 'now') * 9e999",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT count(*) FROM sale WHERE at > unixepoch() IS amount",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT count(*) FROM sale WHERE max(at, unixepoch()) > 7",
        "it depends on the time other than by comparing a column with it"
      ),
      (
        "SELECT item, max(at) FROM sale GROUP BY item HAVING max(at) > unixepoch() AND item > 1",
        "it compares an aggregate with the time"
      ),
      (
        "SELECT count(*) FROM sale JOIN item WHERE max(sale.at, item.id) > unixepoch()",
        "it compares other values than a table's with the time"
      ),
      (
        "SELECT count(*) FROM item i LEFT JOIN sale s ON s.item = i.id WHERE coalesce(s.at, 5) < unixepoch('now')",
        "it compares other values than a table's with the time"
      ),
      (
        "SELECT count(*) FROM sale WHERE sold > datetime('now') AND date(sold, ?) > '2024'",
        "it calls date() with what isn't constant"
      ),
      (
        "SELECT count(*) FROM sale WHERE at > unixepoch('now') AND date(?) = sold",
        "it depends on date('now')"
      ),
      ("SELECT count(*) FROM fresh", "the view fresh depends on the time"),
    ])
  func `other uses of the time have the query run`(_ sql: String, _ reason: String) throws {
    let scene = try Scene(seed: 1)
    try scene.connection.execute(
      engine: "CREATE VIEW fresh AS SELECT * FROM sale WHERE sold > date('now')")
    _ = try scene.connection.renewIfSchemaChanged()
    let arguments: QueryArguments = sql.contains("?") ? ["now"] : []
    do {
      _ = try PlannedQuery(QueryKey(sql: sql, arguments: arguments), on: scene.connection)
      Issue.record("it has a plan")
    } catch let refusal as NotMaintainable {
      #expect(refusal.reason == reason)
    }
  }

  /// Rows that leave a window one after the other, each when its time has come.
  @Test func `rows leave a window although nothing is committed`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintainsEagerly = true
    configuration.timeDependentRefreshInterval = .milliseconds(20)
    let db = try await TemporaryDatabase(
      .wal, configuration: configuration, schema: "CREATE TABLE e(id INTEGER PRIMARY KEY, at REAL)")
    let sql = "SELECT count(*) FROM e WHERE at > julianday('now', '-1 hour')"
    let recorder = db.database.record(.rows(SQL(raw: sql)))
    #expect(try await recorder.next().value.rows == [[0]])
    try await db.run(
      """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
      INSERT INTO e SELECT i, julianday('now', '-1 hour', '+' || (2 + i * 0.1) || ' seconds') FROM n
      """)
    var counts: [Int64] = []
    while counts.last != 0 || counts.count < 2 {
      if case .integer(let count)? = try await recorder.next().value.rows.first?.first {
        counts.append(count)
      }
    }
    // Each is compared with what the query returns as of the same moment, by the audit.
    #expect(counts.first == 40 && counts == counts.sorted(by: >))
    let report = try #require(db.database.coordinator.runner.maintained.report(of: sql, []))
    #expect(report.maintained > report.runs, "\(report)")
  }
}
