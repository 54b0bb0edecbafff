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

  /// A database whose function `counted` returns what it is given, and counts its calls.
  private static func database(counting runs: Counter) async throws -> TemporaryDatabase {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [
      CustomFunction("counted", argumentCount: 1, isDeterministic: true) { arguments in
        runs.increment()
        return arguments[0]
      }
    ]
    return try await TemporaryDatabase(configuration: configuration)
  }

  @Test
  func `queries of equal SQL and values run once in a refresh, mapped or not`() async throws {
    let runs = Counter()
    let db = try await Self.database(counting: runs)
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

  // MARK: - Within a refresh

  private static let numbers: SQL = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    SELECT i, (SELECT count(*) FROM player) FROM n
    """

  @Test(arguments: StorageKind.allCases)
  func `one row is observed, and the rest is not read`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let endless: SQL = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT i, (SELECT count(*) FROM player) AS players FROM n
      """
    let recorders = [
      db.database.record(.scalar(endless, as: Int.self)),
      Recorder(db.database.observe { try $0.fetchOne(endless) }),
      Recorder(db.database.observe { try $0.fetchOne(endless) { try $0[0] as Int } }),
    ]
    for recorder in recorders { try await recorder.expect(1) }
    let players = Recorder(
      db.database.observe { try $0.fetchOne(endless) { try $0["players"] as Int } })
    try await players.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await players.expect(1)
  }

  @Test(arguments: [1, 99, 100, 101, 5_000])
  func `rows are observed one by one, and not held`(_ count: Int) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    // Room for two hundred.
    configuration.limits.resultBytes = 16_000
    let db = try await TemporaryDatabase(configuration: configuration)
    let sums = Recorder(
      db.database.observe { db in
        var sum = 0
        for _ in 1...2 {
          try db.forEachRow("\(Self.numbers) LIMIT \(count)") { row in
            // Another query meanwhile.
            let more = try db.fetchOne("SELECT 1 FROM player", as: Int.self) ?? 0
            sum += try row[0] as Int + more
          }
        }
        return sum
      })
    try await sums.expect(count * (count + 1))
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await sums.expect(count * (count + 3))
    // One row that exceeds the room is not held either.
    let sizes = Recorder(
      db.database.observe { db in
        var sizes: [Int] = []
        try db.forEachRow(
          "SELECT zeroblob(20000) UNION ALL SELECT zeroblob(1) UNION ALL SELECT zeroblob(20000)"
        ) { row in sizes.append(try (row[0] as [UInt8]).count) }
        return sizes
      })
    try await sizes.expect([20_000, 1, 20_000])
    let all = Recorder(db.database.observe { try $0.fetchAll(Self.numbers).count })
    #expect(try await all.expectError().code == .tooBig)
  }

  @Test
  func `what fails after some rows fails there, within a refresh as without`() async throws {
    let db = try await TemporaryDatabase()
    let sql: SQL = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9)
      SELECT CASE WHEN i < 5 THEN i ELSE abs(-9223372036854775807 - 1) END FROM n
      """
    let body: @Sendable (Connection) throws -> [Int] = { db in
      var numbers = [try db.fetchOne(sql, as: Int.self) ?? -1]
      let error = #expect(throws: DatabaseError.self) {
        try db.forEachRow(sql) { row in numbers.append(try row[0]) }
      }
      #expect(error?.message == "integer overflow")
      numbers.append(try db.fetchOne(sql, as: Int.self) ?? -1)
      return numbers
    }
    #expect(try db.database.readWaiting(body) == [1, 1, 2, 3, 4, 1])
    try await Recorder(db.database.observe(body)).expect([1, 1, 2, 3, 4, 1])
  }

  @Test
  func `few rows that are read one by one are read once`() async throws {
    let runs = Counter()
    let db = try await Self.database(counting: runs)
    let sql: SQL = "SELECT counted(id) FROM player"
    let all = Recorder(
      db.database.observe { db -> [Int] in
        var ids = [try db.fetchOne(sql, as: Int.self) ?? 0]
        try db.forEachRow(sql) { ids.append(try $0[0]) }
        return try ids + db.fetchAll(sql) { try $0[0] }
      })
    try await all.expect([0])
    try await db.write(script: "INSERT INTO player(id) VALUES (7), (8)")
    try await all.expect([7, 7, 8, 7, 8])
    #expect(runs.value == 2)
  }
}
