import ObservationEngine
import TestSupport
import Testing

struct BindingTests {
  private func fetch(_ sql: String, _ arguments: QueryArguments = []) throws -> [Value] {
    let database = try Database(inMemory: Configuration())
    return try database.readWaiting { try $0.fetchAll(SQL(raw: sql), arguments).rows.first ?? [] }
  }

  @Test(arguments: ValueTests.different)
  func `a value comes back as it was bound`(_ value: Value) throws {
    #expect(try fetch("SELECT ?", [value]) == [value])
  }

  @Test
  func `text with a NUL, and a NaN, are what SQLite makes of them`() throws {
    #expect(try fetch("SELECT ?", ["a\0b"]) == [.text("a\0b")])
    #expect(try fetch("SELECT ?", [Double.nan]) == [nil])
    #expect(try fetch("SELECT CAST(x'61ff62' AS TEXT)") == ["a\u{fffd}b"])
    let large = String(repeating: "é", count: 1_000_000)
    #expect(try fetch("SELECT ?, length(?1)", [large]) == [.text(large), 1_000_000])
  }

  @Test
  func `parameters take values by position and by name`() throws {
    #expect(try fetch("SELECT ?, ?", [1, 2]) == [1, 2])
    #expect(try fetch("SELECT ?2, ?1", [1, 2]) == [2, 1])
    #expect(try fetch("SELECT :a, @b, $c", ["a": 1, "b": 2, "c": 3]) == [1, 2, 3])
    #expect(try fetch("SELECT :a, :a", ["a": 1]) == [1, 1])
    #expect(try fetch("SELECT :a, ?", QueryArguments([2], named: ["a": 1])) == [1, 2])
    #expect(try fetch("SELECT :a, :b", [1, 2]) == [1, 2], "by position, when no name is given")
    #expect(try fetch("SELECT :a", ["a": 1, "unused": 2]) == [1], "names may serve many queries")
  }

  @Test
  func `a parameter without a value is named`() {
    let named = #expect(throws: DatabaseError.self) { try fetch("SELECT :who") }
    #expect(named?.message == "parameter :who has no value")
    #expect(named?.code == .range)
    let second = #expect(throws: DatabaseError.self) { try fetch("SELECT ?, ?", [1]) }
    #expect(second?.message == "parameter ?2 has no value")
  }

  @Test
  func `surplus values are refused`() {
    let error = #expect(throws: DatabaseError.self) { try fetch("SELECT ?", [1, 2]) }
    #expect(error?.message == "2 values were given for 1 parameter")
    #expect(throws: DatabaseError.self) { try fetch("SELECT 1", [1]) }
  }

  @Test
  func `a cached statement does not keep the values of its last run`() throws {
    let database = try Database(inMemory: Configuration())
    let values: [Value] = [1, nil, "x", 1]
    let rows = try database.readWaiting { connection in
      try values.flatMap { try connection.fetchAll("SELECT ?", [$0]).rows }
    }
    #expect(rows == values.map { [$0] })
    #expect(throws: DatabaseError.self) {
      try database.readWaiting { connection in
        _ = try connection.fetchAll("SELECT ?", [1])
        _ = try connection.fetchAll("SELECT ?", [])
      }
    }
  }

  @Test
  func `bound values are no part of an error`() throws {
    let error = #expect(throws: DatabaseError.self) {
      try fetch("SELECT abs(?)", [Int64.min])
    }
    #expect(error?.sql == "SELECT abs(?)")
    #expect(error.map { !"\($0)".contains("9223372036854775808") } == true)
  }
}
