import ObservationEngine
import TestSupport
import Testing

@testable import DatabaseConsole

/// What all values of a column have in common.
@Suite struct StatisticsTests {
  @Test func `columns are summarized as their values are counted one by one`() async throws {
    var random = SeededRandom(seed: 77)
    let rows = (0..<500).map { _ -> (String, Int?) in
      ("t\(random.next() % 40)", random.next() % 5 == 0 ? nil : Int(random.next() % 100))
    }
    let temporary = try await TemporaryDatabase(schema: "CREATE TABLE \"a b\" (\"x\"\"y\", n INT)")
    try await temporary.database.write { db in
      for (text, number) in rows {
        try db.execute("INSERT INTO \"a b\" VALUES (\(text), \(number))")
      }
    }
    let found = try await temporary.database.statistics(of: "a b", columns: ["x\"y", "n"]) {
      false
    }
    let numbers = rows.compactMap(\.1)
    #expect(
      found["n"]
        == ColumnStatistics(
          rows: 500, nulls: Int64(500 - numbers.count), least: .integer(Int64(numbers.min() ?? 0)),
          greatest: .integer(Int64(numbers.max() ?? 0)), distinct: Int64(Set(numbers).count)))
    #expect(found["x\"y"]?.distinct == Int64(Set(rows.map(\.0)).count))
  }

  @Test func `what the time is too short for is missing`() async throws {
    let temporary = try await TemporaryDatabase(schema: "CREATE TABLE t (a, b)")
    try await temporary.database.write { db in
      try db.execute(
        """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
        INSERT INTO t SELECT i, i FROM n
        """)
    }
    let found = try await temporary.database.statistics(of: "t", columns: ["a", "b"]) { true }
    #expect(found == [:])
  }
}
