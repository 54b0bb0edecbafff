import TestSupport
import Testing

@testable import ObservationEngine

/// States that are filled from totals, against those that are filled row by row.
struct GroupTotalsTests {
  /// The results of both kinds of state; that of totals is `nil` where they don't suffice.
  private func results(
    _ sql: String, _ values: String, isLarge: Bool = false
  ) throws -> (totals: [[Value]]?, rows: [[Value]]?) {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { connection in
      try connection.execute(script: "CREATE TABLE t(id INTEGER PRIMARY KEY, k, x); \(values)")
      if isLarge {
        try connection.execute("INSERT INTO t VALUES (\(GroupTotals.manyRows + 1), 'last', 1)")
      }
    }
    return try database.readWaiting { connection in
      let plan = try PlannedQuery(QueryKey(sql: sql, arguments: []), on: connection).plans[0]
      let reader = StateReader(connection, plan, [])
      func state(_ fill: (inout QueryState) throws -> Void) throws -> QueryState {
        var state = try QueryState(plan, bounds: (0, nil))
        try fill(&state)
        try state.didFill(reader.finish)
        return state
      }
      func rows(_ fill: (inout QueryState) throws -> Void) throws -> [[Value]]? {
        do { return try state(fill).rows() } catch is NotMaintainable { return nil }
      }
      var totals: [[Value]]?
      if let sums = plan.totals {
        var suffice = true
        totals = try rows { state in
          for row in try connection.fetch(engine: sums.sql) {
            suffice = try suffice && state.fill(sums, row)
          }
        }
        if !suffice { totals = nil }
      }
      let all = try rows { state in
        for row in try connection.fetch(engine: plan.stateSQL(count: nil)) {
          try state.fill(row)
        }
      }
      return (totals, all)
    }
  }

  @Test(arguments: [
    "SELECT count(*), count(x), sum(x), avg(x), total(x) FROM t",
    "SELECT k, sum(x) - count(*) FROM t GROUP BY k",
    "SELECT DISTINCT k FROM t ORDER BY 1",
    "SELECT k, sum(x) FILTER (WHERE id > 2) FROM t WHERE x > -3 GROUP BY 1 HAVING count(*) > 1",
  ])
  func `totals of integers fill a state as their rows do`(_ sql: String) throws {
    for values in [
      "INSERT INTO t(k, x) VALUES ('a', 3), ('b', -4), ('a', NULL), (NULL, 5), ('b', 5), (x'00', 1)",
      "INSERT INTO t(k, x) VALUES (1.5, 4503599627370496), (1.5, -1), (2, 7)", "",
    ] {
      let (totals, rows) = try results(sql, values)
      #expect(totals != nil && totals == rows, "\(values)")
    }
  }

  @Test(
    arguments: [
      ("SELECT sum(x) FROM t", "(1, 1), (1, 1.5)"), ("SELECT avg(x) FROM t", "(1, '2'), (1, 3)"),
      ("SELECT k, count(*) FROM t GROUP BY k", "(1, 0), (1.0, 0)"),
      ("SELECT k, count(*) FROM t GROUP BY k", "(0.0, 0), (-0.0, 0)"),
      ("SELECT DISTINCT k FROM t ORDER BY k", "(2, 0), (3, 1), (2.0, 0)"),
    ])
  func `values that may be stored in two ways need their rows`(
    _ sql: String, _ values: String
  ) throws {
    #expect(try results(sql, "INSERT INTO t(k, x) VALUES \(values)").totals == nil)
  }

  @Test func `the least and the greatest value of a large table come from totals`() throws {
    let sql = "SELECT k, min(x), max(x) FROM t GROUP BY k"
    let values =
      "INSERT INTO t(k, x) VALUES ('a', 3), ('a', 'z'), ('b', 2.5), ('b', NULL), ('c', NULL)"
    let (totals, rows) = try results(sql, values, isLarge: true)
    #expect(totals != nil && totals == rows)
    #expect(try results(sql, values).totals == nil)
    for pair in ["('a', 1), ('a', 1.0)", "('a', 0.0), ('a', -0.0)"] {
      let values = "INSERT INTO t(k, x) VALUES \(pair)"
      #expect(try results(sql, values, isLarge: true).totals == nil)
    }
  }
}
