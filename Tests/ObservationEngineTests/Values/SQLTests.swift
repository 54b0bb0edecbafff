import ObservationEngine
import TestSupport
import Testing

/// SQL whose interpolated values become parameters.
struct SQLTests {
  private func fetch(_ sql: SQL, _ arguments: QueryArguments = []) throws -> [[Value]] {
    try Database(inMemory: Configuration()).readWaiting { db in
      try db.fetchAll(sql, arguments).map(\.values)
    }
  }

  private func message(_ sql: SQL, _ arguments: QueryArguments = []) throws -> String {
    try #require(throws: DatabaseError.self) { try fetch(sql, arguments) }.message
  }

  @Test
  func `values of all kinds are bound, whatever they contain`() throws {
    enum Team: String, ValueConvertible { case red }
    let name = "'; DROP TABLE player; -- ?"
    let (none, bytes): (Int?, [UInt8]) = (nil, [1, 2])
    let sql: SQL = """
      SELECT \(name), \(7), \(UInt8(8)), \(1.5), \(true), \(nil), \(none), \(bytes), \(Team.red), \
      \(Value.real(2))
      """
    #expect(sql.text == "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?")
    #expect(try fetch(sql) == [[.text(name), 7, 8, 1.5, 1, nil, nil, .blob(bytes), "red", 2.0]])
  }

  @Test(arguments: [true, false])
  func `a text is a value, however it is written`(_ isRed: Bool) {
    let sql: SQL = "SELECT \("1 + 1"), \(isRed ? "a" : "b"), \("x" + "y")"
    #expect(sql.text == "SELECT ?, ?, ?")
    #expect(sql.arguments == ["1 + 1", isRed ? "a" : "b", "xy"])
  }

  @Test
  func `names are quoted, and raw text is taken as it is`() throws {
    let sql: SQL = "SELECT 1 AS \(identifier: "a \"b\""), 2 AS \(raw: "c")"
    #expect(sql.text == "SELECT 1 AS \"a \"\"b\"\"\", 2 AS c")
    let columns = try Database(inMemory: Configuration()).readWaiting {
      try $0.fetchAll(sql).columns
    }
    #expect(columns == ["a \"b\"", "c"])
  }

  @Test
  func `a list has a parameter for each value, and may be empty`() throws {
    let numbers: SQL = "SELECT column1 FROM (VALUES (1), (2), (3))"
    func some(_ wanted: [Int]) throws -> [[Value]] {
      try fetch("\(numbers) WHERE column1 IN (\(values: wanted))")
    }
    #expect(try some([3, 1]) == [[1], [3]])
    #expect(try some([]) == [])
    #expect(try fetch("\(numbers) WHERE column1 NOT IN (\(values: [] as [Int]))").count == 3)
    #expect(try fetch("SELECT \(values: ["a", nil, "b"])") == [["a", nil, "b"]])
    #expect(try fetch("VALUES (\(values: Set(["one"])))") == [["one"]])
  }

  @Test
  func `pieces keep their values, in the order of the text`() throws {
    let inner: SQL = "\(1) + \(2)"
    let middle: SQL = "\(0), \(inner), \(inner)"
    #expect(try fetch("SELECT \(middle), \(9)") == [[0, 3, 3, 9]])
  }

  @Test
  func `equal literals give equal texts, whatever their values`() {
    func sql(_ id: Int) -> SQL { "SELECT * FROM player WHERE id = \(id)" }
    #expect(sql(1).text == sql(2).text)
    #expect(sql(1) != sql(2))
    #expect(sql(1) == sql(1))
  }

  @Test
  func `a plain literal takes values next to it, and so does one with values of its own by name`()
    throws
  {
    #expect(try fetch("SELECT ?, ?2", [1, 2]) == [[1, 2]])
    #expect(try fetch("SELECT :a, \(2), :a", ["a": 1]) == [[1, 2, 1]])
    #expect(try fetch("SELECT \(1), :a, \(3)", QueryArguments(named: ["a": 2])) == [[1, 2, 3]])
  }

  @Test
  func `values by position do not mix with interpolated ones`() throws {
    let expected = "interpolated values and values by position (?) can't be mixed"
    #expect(try message("SELECT ?, \(1)", [2]).hasPrefix(expected))
    let piece: SQL = "\(1)"
    #expect(try message("SELECT ?, \(piece)", [2]).hasPrefix(expected))
    #expect(try message("SELECT ?, \(1)") == "parameter ?2 has no value")
  }

  @Test
  func `a parameter within quotes is refused with its remedy`() throws {
    let part = "a"
    #expect(
      try message("SELECT '%\(part)%'")
        == "1 value was given for 0 parameters; a ? within quotes is text: join texts with || instead"
    )
    #expect(try fetch("SELECT 'bab' LIKE '%' || \(part) || '%'") == [[1]])
    #expect(try message("SELECT 1", [1]) == "1 value was given for 0 parameters")
  }

  @Test
  func `a value that can't be stored fails when it is bound, and is named`() throws {
    let reason = """
      can't be bound: a UInt64 is greater than SQLite's largest integer, 9223372036854775807; \
      store it as text or a BLOB
      """
    let large = UInt64.max
    let piece: SQL = "\(1), \(large)"
    #expect(try message("SELECT ?, ?", [1, large]) == "value 2 \(reason)")
    #expect(try message("SELECT \(large)") == "value 1 \(reason)")
    #expect(try message("SELECT \(0), \(piece)") == "value 3 \(reason)")
    #expect(try message("SELECT \(values: [1, large])") == "value 2 \(reason)")
    #expect(try message("SELECT :a", ["a": large]) == "the value of a \(reason)")
    #expect(try message("SELECT ?, :a", QueryArguments([1], named: ["a": large])).contains("of a "))
    let error = #expect(throws: DatabaseError.self) { try fetch("SELECT \(large)") }
    #expect(error?.code == .mismatch)
    #expect(error?.sql == "SELECT ?")
  }

  @Test
  func `arguments are made of arrays and dictionaries, and the last of two names counts`() throws {
    let (texts, numbers): ([String], [String: Int?]) = (["a", "b"], ["x": 1, "y": nil])
    #expect(try fetch("SELECT ?, ?", QueryArguments(texts)) == [["a", "b"]])
    #expect(try fetch("SELECT :x, :y", QueryArguments(named: numbers)) == [[1, nil]])
    let mixed: [(any ValueConvertible)?] = ["a", 1, nil]
    #expect(try fetch("SELECT ?, ?, ?", QueryArguments(mixed)) == [["a", 1, nil]])
    #expect(try fetch("SELECT :x", ["x": UInt64.max, "x": 2]) == [[2]])
    #expect(([1, "a"] as QueryArguments) == QueryArguments([1, "a"]))
  }

  @Test(arguments: 1...20)
  func `any nesting of pieces binds the values of its text in order`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var values: [Value] = []
    // The oracle: values in the order in which they are written.
    func list(_ depth: Int) -> SQL {
      var sql: SQL = "0"
      values.append(0)
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        switch Int.random(in: 0...(depth > 3 ? 2 : 3), using: &random) {
        case 0:
          let value = ValueTests.different[
            Int.random(in: ValueTests.different.indices, using: &random)]
          values.append(value)
          sql = "\(sql), \(value)"
        case 1:
          values.append(7)
          sql = "\(sql), \(raw: "7")"
        case 2:
          let some = (0...Int.random(in: 0...2, using: &random)).map { Value.integer(Int64($0)) }
          values += some
          sql = "\(sql), \(values: some)"
        default: sql = "\(sql), \(list(depth + 1))"
        }
      }
      return sql
    }
    let sql = list(0)
    #expect(try fetch("SELECT \(sql)") == [values], "seed \(seed): \(sql.text)")
  }
}

/// Conditions and orders with interpolated values.
struct SQLConditionTests {
  private func withPlayers(_ body: (Connection) throws -> Void) throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(
        table: "player", columns: ["id": "INTEGER PRIMARY KEY", "name": "TEXT", "score": "INT"])
      for (name, score) in [("ada", 3), ("bob", 5), ("eve", 7)] {
        try db.insert(into: "player", ["name": name, "score": score])
      }
      try body(db)
    }
  }

  @Test
  func `conditions and orders bind their values, each its own`() throws {
    try withPlayers { db throws in
      func names(_ condition: SQL, _ arguments: QueryArguments = [], orderBy order: SQL) throws
        -> [Value?]
      {
        try db.fetchAll(from: "player", where: condition, arguments, orderBy: order)
          .map { $0["name"] ?? nil }
      }
      let (least, first) = (4, "eve")
      let order: SQL = "name = \(first) DESC, name"
      #expect(try names("score > \(least)", orderBy: order) == ["eve", "bob"])
      #expect(try names("score < ?", [7], orderBy: order) == ["ada", "bob"])
      #expect(try names("score < :n", ["n": 9], orderBy: order) == ["eve", "ada", "bob"])
      #expect(try names("true", orderBy: "\(identifier: "score") DESC") == ["eve", "bob", "ada"])
      #expect(try db.count(of: "player", where: "name = \(first)") == 1)
      #expect(try db.exists(in: "player", where: "score = \(least)") == false)
      #expect(try db.fetch(.count(of: "player", where: "score > \(least)")) == 2)
    }
  }

  @Test
  func `rows are changed under conditions with values, next to values that are set`() throws {
    try withPlayers { db throws in
      let (name, score): (String, Int?) = ("bob", nil)
      #expect(
        try db.updateAll(
          in: "player", set: ["score": score, "name": "Bob"], where: "name = \(name)")
          == 1)
      #expect(try db.fetchOne(from: "player", key: 2) == ["id": 2, "name": "Bob", "score": nil])
      #expect(try db.deleteAll(from: "player", where: "name IN (\(values: ["ada", "eve"]))") == 2)
      let surplus = #expect(throws: DatabaseError.self) { try db.deleteAll(from: "player", [1]) }
      #expect(surplus?.code == .range)
      #expect(try db.count(of: "player") == 1)
    }
  }

  @Test
  func `a column whose value can't be stored is named`() throws {
    try withPlayers { db throws in
      let error = #expect(throws: DatabaseError.self) {
        try db.insert(into: "player", ["name": "x", "score": UInt64.max])
      }
      #expect(error?.message.hasPrefix("player.score can't be stored: a UInt64 is greater") == true)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a query with values is observed by the rows that it reads`(_ kind: StorageKind) async throws
  {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 3), (2, 'bob', 5)")
    let fetches = Counter()
    let id = 2
    let score = Query.scalar("SELECT score FROM player WHERE id = \(id)", as: Int.self)
    let recorder = Recorder(
      db.database.observe { connection -> Int? in
        fetches.increment()
        return try connection.fetch(score)
      })
    try await recorder.expect(5)
    try await db.write(script: "UPDATE player SET score = 4 WHERE id = 1")
    try await db.write(script: "UPDATE player SET score = 6 WHERE id = 2")
    try await recorder.expect(6)
    #expect(fetches.value == 2)
  }
}
