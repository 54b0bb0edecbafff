import RandomProof
import TestSupport
import Testing

@testable import ObservationEngine

/// SQL reads changed rows as it reads the rows of their table.
struct DeltaTableTests {
  private static let types = [
    "INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", "", "VARCHAR(3)", "DOUBLE",
  ]

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `expressions have the same values over both`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let connection = try Connection(path: ":memory:", options: Connection.Options())
    defer { connection.close() }
    let types = (0..<4).map { _ in Self.types.randomElement(using: &random)! }
    let list = zip(RandomQuery.columns, types).map { "\($0) \($1)" }.joined(separator: ", ")
    try connection.execute(engine: "CREATE TABLE t(id INTEGER PRIMARY KEY, \(list))")
    for _ in 0..<40 {
      let values = (0..<4).map { _ in RandomQuery.value(&random) }.joined(separator: ", ")
      try connection.execute(engine: "INSERT INTO t VALUES (NULL, \(values))")
    }
    let rows = try connection.fetch(engine: "SELECT * FROM t ORDER BY id")
    let affinities = [Affinity.integer] + types.map { Affinity(declared: $0) }
    let columns = zip(["id"] + RandomQuery.columns, affinities).map {
      DeltaTable.Column(name: $0, affinity: $1)
    }
    let delta = try #require(try connection.deltaTable(of: TableID(name: "t"), columns))
    delta.rows = rows.map { DeltaTable.Row(weight: 1, rowid: $0[0].integer!, values: $0) }
    #expect(try connection.fetch(engine: "SELECT * FROM \"\(delta.name)\"") == rows)
    for _ in 0..<300 {
      let expression = RandomQuery.expression(&random)
      let condition = RandomQuery.condition(&random)
      func sql(_ table: String) -> String {
        "SELECT rowid, \(expression) FROM \(table) AS t WHERE \(condition) ORDER BY id"
      }
      let arguments: [Value] = [1, "a"]
      let expected = Result { try connection.fetch(engine: sql("t"), arguments) }
      let result = Result { try connection.fetch(engine: sql("\"\(delta.name)\""), arguments) }
      switch (expected, result) {
      case (.success(let expected), .success(let result)):
        #expect(result == expected, "seed \(seed), \(types): \(sql("t"))")
      case (.failure, .failure): break
      default: Issue.record("seed \(seed), \(types): \(sql("t"))")
      }
    }
  }

  @Test func `the columns of a table are those of the delta, in SELECT * as well`() throws {
    let connection = try Connection(path: ":memory:", options: Connection.Options())
    defer { connection.close() }
    let delta = try #require(
      try connection.deltaTable(
        of: TableID(name: "t"),
        [.init(name: "a\"b", affinity: .text), .init(name: "c", affinity: .real)]))
    delta.rows = [DeltaTable.Row(weight: -1, rowid: 7, values: ["x", 1.5])]
    let statement = try connection.prepare("SELECT * FROM \"\(delta.name)\"")
    #expect(statement.columnNames == ["a\"b", "c"])
    #expect(
      try connection.fetch(engine: "SELECT \"livequery weight\", rowid FROM \"\(delta.name)\"")
        == [[-1, 7]])
  }

  @Test func `they are made again when the schema changes`() throws {
    let connection = try Connection(path: ":memory:", options: Connection.Options())
    defer { connection.close() }
    try connection.execute(engine: "CREATE TABLE t(a)")
    _ = try connection.renewIfSchemaChanged()
    let first = try #require(
      try connection.deltaTable(of: TableID(name: "t"), [.init(name: "a", affinity: .blob)]))
    let name = first.name
    #expect(try connection.fetch(engine: "SELECT * FROM \"\(name)\"") == [])
    try connection.execute(engine: "ALTER TABLE t ADD COLUMN b")
    _ = try connection.renewIfSchemaChanged()
    #expect(throws: DatabaseError.self) {
      try connection.fetch(engine: "SELECT rowid FROM \"\(name)\"")
    }
    let second = try #require(
      try connection.deltaTable(
        of: TableID(name: "t"),
        [.init(name: "a", affinity: .blob), .init(name: "b", affinity: .blob)]))
    #expect(second.name == name && second !== first)
    #expect(try connection.prepare("SELECT * FROM \"\(name)\"").columnNames == ["a", "b"])
  }

  @Test func `reading changed rows leaves no trace on the connection`() throws {
    let connection = try Connection(path: ":memory:", options: Connection.Options())
    defer { connection.close() }
    try connection.execute(engine: "CREATE TABLE t(a)")
    try connection.execute(engine: "INSERT INTO t VALUES (1), (2)")
    let delta = try #require(
      try connection.deltaTable(of: TableID(name: "t"), [.init(name: "a", affinity: .blob)]))
    delta.rows = [DeltaTable.Row(weight: 1, rowid: 9, values: [3])]
    #expect(try connection.fetch(engine: "SELECT count(*) FROM \"\(delta.name)\"") == [[1]])
    #expect(connection.changes == 2)
    #expect(connection.totalChanges == 2)
    #expect(connection.lastInsertedRowid == 2)
    #expect(try connection.fetch(engine: "SELECT count(*) FROM temp.sqlite_schema") == [[0]])
  }
}
