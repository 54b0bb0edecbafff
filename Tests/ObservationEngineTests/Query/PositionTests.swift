import ObservationEngine
import TestSupport
import Testing

/// Reading columns by position.
@Suite(.fewAtOnce)
struct PositionTests {
  private func one<Output: ColumnConvertible & Equatable>(
    _ sql: SQL, _ arguments: QueryArguments = [], as type: Output.Type = Output.self
  ) throws -> Output {
    let database = try Database(inMemory: Configuration())
    let all = try database.readWaiting { db in
      try db.fetchAll(sql, arguments) { row in try row[0] as Output }
    }
    return try #require(all.first)
  }

  private func message(_ body: (Connection) throws -> Void) throws -> String {
    let database = try Database(inMemory: Configuration())
    let error = try #require(
      throws: DatabaseError.self, performing: { try database.readWaiting(body) })
    return error.message
  }

  @Test
  func `each type reads what it holds exactly`() throws {
    #expect(try one("SELECT 1", as: Bool.self))
    #expect(try one("SELECT -128", as: Int8.self) == .min)
    #expect(try one("SELECT -32768", as: Int16.self) == .min)
    #expect(try one("SELECT -2147483648", as: Int32.self) == .min)
    #expect(try one("SELECT ?", [Int64.min], as: Int64.self) == .min)
    #expect(try one("SELECT ?", [Int64.max], as: Int.self) == .max)
    #expect(try one("SELECT 255", as: UInt8.self) == .max)
    #expect(try one("SELECT 65535", as: UInt16.self) == .max)
    #expect(try one("SELECT 4294967295", as: UInt32.self) == .max)
    #expect(try one("SELECT ?", [Int64.max], as: UInt64.self) == UInt64(Int64.max))
    #expect(try one("SELECT 7", as: UInt.self) == 7)
    #expect(try one("SELECT 0.5", as: Double.self) == 0.5)
    #expect(try one("SELECT 3", as: Double.self) == 3)
    #expect(try one("SELECT 0.1", as: Float.self) == 0.1)
    #expect(try one("SELECT ?", ["a\0é"], as: String.self) == "a\0é")
    #expect(try one("SELECT ''", as: String.self) == "")
    #expect(try one("SELECT x'00ff'", as: [UInt8].self) == [0, 255])
    #expect(try one("SELECT x''", as: [UInt8].self) == [])
    #expect(try one("SELECT NULL", as: Int?.self) == nil)
    #expect(try one("SELECT 5", as: Int?.self) == 5)
    #expect(try one("SELECT 'x'", as: Value.self) == "x")
    #expect(try one("SELECT 'blue'", as: Squad.self) == .blue)
  }

  @Test
  func `what does not fit says which column, and what to do`() throws {
    #expect(
      try message { _ = try $0.fetchAll("SELECT NULL AS n") { row in try row[0] as Int } }
        == "column 0 (n) is NULL, which Int cannot hold: read Int?, or declare the column NOT NULL")
    #expect(
      try message { _ = try $0.fetchAll("SELECT 1, 200 AS n") { row in try row[1] as Int8 } }
        == "column 1 (n) holds an integer out of the range of Int8: read a wider type")
    #expect(
      try message { _ = try $0.fetchAll("SELECT '1' AS n") { row in try row[0] as Int } }
        == "column 0 (n) holds text that does not fit Int")
    #expect(
      try message { _ = try $0.fetchAll("SELECT 'green' AS t") { row in try row[0] as Squad } }
        == "column 0 (t) holds text that does not fit Squad")
    #expect(
      try message {
        _ = try $0.fetchAll("SELECT 9007199254740993 AS n") { row in try row[0] as Double }
      }
        == "column 0 (n) holds an integer that does not fit Double")
  }

  @Test(arguments: [-1, 2, Int.max])
  func `a column that is not there is an error, also for an optional`(_ index: Int) throws {
    let expected = "there is no column \(index); the row has 2, counted from 0"
    #expect(
      try message { _ = try $0.fetchAll("SELECT 1, 2") { row in try row[index] as Int } }
        == expected)
    #expect(
      try message { _ = try $0.fetchAll("SELECT 1, 2") { row in try row[index] as Int? } }
        == expected)
    #expect(
      try message { _ = try $0.fetchAll("SELECT 1, 2") { row in try row[index] as Value } }
        == expected)
  }

  @Test
  func `columns are read by name too, and rows copied`() throws {
    let database = try Database(inMemory: Configuration())
    try database.readWaiting { db throws in
      let all = try db.fetchAll("SELECT 1 AS Id, 'ada' AS name, NULL AS name") { row in
        #expect(row.count == 3)
        #expect(row.columns == ["Id", "name", "name"])
        #expect(try row["name"] as String == "ada", "the first of several")
        #expect(try row["ID"] as Int == 1)
        #expect(try row.isNull(2))
        #expect(try !row.isNull(0))
        #expect(try row.decode(1, as: String.self) == "ada")
        return try row.copy()
      }
      #expect(all == [Row(columns: ["Id", "name", "name"], values: [1, "ada", nil])])
    }
    #expect(
      try message { _ = try $0.fetchAll("SELECT 1 AS a") { row in try row["b"] as Int } }
        == "there is no column b; there are a")
  }

  @Test
  func `the first row, each row, and none`() throws {
    let database = try Database(inMemory: Configuration())
    try database.readWaiting { db throws in
      let sql: SQL = "SELECT value FROM json_each(?) ORDER BY 1"
      #expect(try db.fetchOne(sql, ["[3,1,2]"]) { row in try row[0] as Int } == 1)
      #expect(try db.fetchOne(sql, ["[]"]) { row in try row[0] as Int } == nil)
      var sum = 0
      try db.forEachRow(sql, ["[3,1,2]"]) { row in sum += try row[0] }
      #expect(sum == 6)
      #expect(try db.fetchAll(sql, ["[]"]) { row in try row[0] as Int }.isEmpty)
    }
  }

  @Test
  func `queries may run within a row, the same one too, and after an error`() throws {
    let database = try Database(inMemory: Configuration())
    try database.readWaiting { db throws in
      let sql: SQL = "SELECT value FROM json_each('[1,2]')"
      let pairs = try db.fetchAll(sql) { row in
        let outer: Int = try row[0]
        return try db.fetchAll(sql) { row in outer * 10 + (try row[0] as Int) }
      }
      #expect(pairs == [[11, 12], [21, 22]])
      for _ in 0..<3 {
        #expect(throws: Unexpected.self) {
          try db.fetchAll(sql) { _ -> Int in throw Unexpected("stop") }
        }
        #expect(throws: DatabaseError.self) { try db.fetchAll(sql, [1]) { _ in 0 } }
      }
      #expect(try db.fetchAll(sql) { row in try row[0] as Int } == [1, 2])
    }
  }

  @Test
  func `a query with typed rows is observed, and runs once with others of its SQL`() async throws {
    let db = try await TemporaryDatabase()
    let calls = Journal<Int>()
    var configuration = Configuration()
    configuration.functions = [
      CustomFunction("counted", argumentCount: 1, isDeterministic: true) { arguments in
        calls.append(1)
        return arguments[0]
      }
    ]
    let database = try Database(path: db.path, configuration: configuration)
    let sql: SQL = "SELECT counted(id), name FROM player ORDER BY id"
    let typed = Query.rows(sql) { row in try Named(id: row[0], name: row[1]) }
    let plain = Query.rows(sql)
    let both = Recorder(
      database.observe { db in
        Pair(typed: try db.fetch(typed), plain: try db.fetch(plain).rows.count)
      })
    try await both.expect(Pair(typed: [], plain: 0))
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await both.expect(Pair(typed: [Named(id: 1, name: "ada")], plain: 1))
    #expect(calls.entries.count == both.updates.count - 1, "once per refresh with a row")
    await both.stop()
    await database.close()
  }
}

private enum Squad: String, ColumnConvertible { case red, blue }

private struct Named: Equatable, Sendable {
  var id: Int
  var name: String
}

private struct Pair: Equatable, Sendable {
  var typed: [Named]
  var plain: Int
}
