import ObservationEngine
import Testing

struct ValueTests {
  /// One of each storage class, and those that only bits tell apart. All differ.
  static let different: [Value] = [
    nil, 0, 1, .real(0.0), .real(-0.0), 1.0, .integer(.min), .integer(.max),
    .real(9_007_199_254_740_992), .integer(9_007_199_254_740_993), .real(.infinity), "", "a", "A",
    "é", .text("e\u{301}"), .blob([]), .blob([0]), .blob([0x61]), "0",
  ]

  @Test
  func `values are equal when storage class and bits are`() {
    for (i, left) in Self.different.enumerated() {
      for (j, right) in Self.different.enumerated() {
        #expect((left == right) == (i == j), "\(left) and \(right)")
        if i == j { #expect(left.hashValue == right.hashValue) }
      }
    }
    #expect(Set(Self.different).count == Self.different.count)
  }

  @Test
  func `results are equal when all bits, the order and the column names are`() {
    let result = RowSet(columns: ["a", "b"], rows: [[1, "x"], [2, "y"]])
    #expect(result == RowSet(columns: ["a", "b"], rows: [[1, "x"], [2, "y"]]))
    #expect(result != RowSet(columns: ["a", "b"], rows: [[2, "y"], [1, "x"]]))
    #expect(result != RowSet(columns: ["a", "B"], rows: [[1, "x"], [2, "y"]]))
    #expect(result != RowSet(columns: ["a", "b"], rows: [[1.0, "x"], [2, "y"]]))
    #expect(result != RowSet(columns: ["a", "b"], rows: [[1, "x"]]))
    #expect(RowSet(columns: ["a"], rows: []) != .empty)
  }

  @Test
  func `a row gives values by name as SQLite compares names, the first of several`() throws {
    let row = Row(columns: ["Name", "x", "NAME"], values: ["ada", nil, "bob"])
    let (name, none, other): (String, Value, String) = try (row["name"], row["X"], row[2])
    #expect(name == "ada" && none == .null && other == "bob")
    #expect(try row.decode(0, as: String.self) == "ada")
    #expect(try row.decode(1, as: String?.self) == nil)
  }

  @Test
  func `decoding refuses what would lose information`() {
    #expect(Int.fromValue(.real(1)) == nil)
    #expect(Int.fromValue("1") == nil)
    #expect(Double.fromValue(.integer(3)) == 3)
    #expect(Double.fromValue(.integer(9_007_199_254_740_993)) == nil)
    #expect(Bool.fromValue(0) == false)
    #expect(Bool.fromValue(2) == true)
    #expect(String.fromValue(.blob([0x61])) == nil)
    #expect([UInt8].fromValue(.blob([1, 2])) == [1, 2])
    #expect(Int?.fromValue(.null) == .some(.none))
    #expect(Int?.fromValue("x") == nil)
    #expect(Int64.fromValue(.null) == nil)
    #expect(Value.fromValue(.null) == .null)
  }

  @Test
  func `decoding says which column is at fault`() {
    let row = Row(columns: ["name"], values: ["ada"])
    let mismatch = #expect(throws: DatabaseError.self) { try row.decode(0, as: Int.self) }
    #expect(mismatch?.code == .mismatch)
    #expect(mismatch?.message.contains("name") == true)
    let range = #expect(throws: DatabaseError.self) { try row.decode(1, as: Int.self) }
    #expect(range?.code == .range)
    #expect(throws: DatabaseError.self) { try row.decode(-1, as: Int.self) }
  }

  @Test
  func `an error shows its statement`() {
    let error = DatabaseError(code: .error, message: "no such table: x", sql: "SELECT * FROM x")
    #expect("\(error)" == "no such table: x — in: SELECT * FROM x")
    #expect(DatabaseError.Code(rawValue: 2067).primary == .constraint)
  }

  @Test
  func `timestamps and durations compare and convert`() {
    #expect(Timestamp(microseconds: 1) < Timestamp(microseconds: 2))
    #expect(Duration.milliseconds(250).nanoseconds == 250_000_000)
    #expect(Duration.seconds(1 << 60).nanoseconds == .max)
  }
}
