import ObservationEngine
import TestSupport
import Testing

/// Queries with types, and the verbs that fetch.
@Suite(.fewAtOnce)
struct QueryTests {
  private static let endless: SQL = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
    """

  @Test
  func `one row is fetched, and the rest is not read`() throws {
    try Database(inMemory: Configuration()).readWaiting { db throws in
      #expect(try db.fetchOne(Self.endless) == 1)
      #expect(try db.fetchOne(Self.endless) { row in try row[0] as Int } == 1)
      #expect(try db.fetch(.scalar(Self.endless, as: Int.self)) == 1)
    }
  }

  @Test
  func `a statement of which one row is taken has its whole effect`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db throws in
      try db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY)")
      let first = try db.fetchOne(
        "INSERT INTO t VALUES (\(5)), (\(6)) RETURNING id", as: Int.self)
      #expect(first == 5)
      #expect(try db.count(of: "t") == 2)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a mapped query has the results of its transformation, and its errors`(
    _ kind: StorageKind
  ) async throws {
    struct Odd: Error {}
    let db = try await TemporaryDatabase(kind)
    let even = Query.count(of: "player").map { count in
      guard count.isMultiple(of: 2) else { throw Odd() }
      return count / 2
    }
    #expect(even.sql == Query.count(of: "player").sql)
    let ada = Query.count(of: "player", where: "name = \("ada")")
    #expect(ada.map { $0 }.arguments == ["ada"])
    let recorder = db.database.record(even)
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(throws: Odd.self) { try db.database.readWaiting { try $0.fetch(even) } }
    await #expect(throws: Odd.self) { try await recorder.expectError() }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
  }

  @Test
  func `queries of equal SQL and values run once in a refresh, mapped or not`() async throws {
    let runs = Counter()
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [
      CustomFunction("counted", argumentCount: 1, isDeterministic: true) { arguments in
        runs.increment()
        return arguments[0]
      }
    ]
    let db = try await TemporaryDatabase(configuration: configuration)
    let least = 0
    let query = Query.scalar(
      "SELECT counted(count(*)) FROM player WHERE id > \(least)", as: Int.self)
    let both = Recorder(
      db.database.observe { connection -> [Int] in
        [try connection.fetch(query) ?? -1, try connection.fetch(query.map { ($0 ?? -1) * 10 })]
      })
    try await both.expect([0, 0])
    let before = runs.value
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await both.expect([1, 10])
    #expect(runs.value == before + 1)
  }
}
