import TestSupport
import Testing

@testable import ObservationEngine

extension QueryState {
  /// The result of a query that has no other SELECT.
  func rows() -> [[Value]]? {
    let (rows, areTied) = lines.outputs(in: range, before: [end].compactMap(\.self))
    return areTied ? nil : rows
  }
}

/// States that changed rows bring up to date, against what a look at all rows says.
struct QueryStateTests {
  private static let table = MaintainedTable(
    id: TableID(name: "t"), name: "t",
    columns: [
      MaintainedTable.Column(name: "a", foldedName: "a", affinity: .blob, collation: .binary)
    ], identity: ["rowid"], keyPlaces: [], hasDescendingIndex: false)

  private func state(_ sql: String, first: Int = 0, end: Int? = nil) throws -> QueryState {
    let select = try SelectText(sql)
    let sources = try QuerySources(select) { _, _ in .table(Self.table) }
    return try QueryState(MaintenancePlan(select, sources), bounds: (first, end))
  }

  private func noFinish(_: [Value], _: [Value]) throws -> [Value] { [] }

  private func reason(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return (error as? NotMaintainable)?.reason }
    return nil
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `the first rows stay those of all rows`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (first, end) = (
      Int.random(in: 0...3, using: &random), Int.random(in: 4...9, using: &random)
    )
    var rows: [Int64: Int64] = [:]
    var state = try state("SELECT a FROM t ORDER BY a DESC", first: first, end: end)
    var isFilled = false
    var comparisons = 0
    for step in 0..<300 {
      var deltas: [[Value]] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let rowid = Int64.random(in: 1...60, using: &random)
        // Distinct keys: no ties.
        let key = random.onceIn(3) ? nil : Int64.random(in: 0...1_000, using: &random) * 64 + rowid
        guard !deltas.contains(where: { $0[1] == .integer(rowid) }) else { continue }
        if let old = rows[rowid] {
          deltas.append([-1, .integer(rowid), .integer(old), .integer(old)])
        }
        if let key { deltas.append([1, .integer(rowid), .integer(key), .integer(key)]) }
        rows[rowid] = key
      }
      if isFilled, reason({ _ = try state.apply(deltas, noFinish) }) != nil { isFilled = false }
      let sorted = rows.values.sorted(by: >)
      if !isFilled {
        state = try self.state("SELECT a FROM t ORDER BY a DESC", first: first, end: end)
        for (rowid, key) in rows.sorted(by: { $0.value > $1.value }).prefix(state.stateCount!) {
          try state.fill([1, .integer(rowid), .integer(key), .integer(key)])
        }
        try state.didFill(noFinish)
        isFilled = true
      } else {
        comparisons += 1
      }
      let expected = Array(sorted.dropFirst(first).prefix(end - first)).map { [Value.integer($0)] }
      #expect(state.rows() == expected, "seed \(seed), step \(step)")
    }
    #expect(comparisons > 200, "seed \(seed)")
  }

  @Test func `rows with equal keys and different outputs have no order`() throws {
    var state = try state("SELECT a, a + 1 FROM t ORDER BY a", first: 1, end: 3)
    let rows: [[Int64]] = [
      [1, 1, 10, 10, 0], [1, 2, 20, 20, 0], [1, 3, 20, 20, 0], [1, 4, 30, 30, 0],
    ]
    for row in rows {
      try state.fill(row.map { .integer($0) })
    }
    #expect(state.rows() == [[20, 0], [20, 0]])
    _ = try state.apply([[1, 5, 20, 20, 1]], noFinish)
    // One of three is not returned, and nothing says which.
    #expect(state.rows() == nil)
    _ = try state.apply([[-1, 5, 20, 20, 1], [1, 6, 10, 10, 7]], noFinish)
    // The tie begins before the rows that are returned.
    #expect(state.rows() == nil)
    _ = try state.apply([[-1, 6, 10, 10, 7], [1, 7, 30, 30, 7]], noFinish)
    // It is behind them.
    #expect(state.rows() == [[20, 0], [20, 0]])
  }

  @Test func `a row that wasn't known can't be taken away`() throws {
    var state = try state("SELECT a FROM t ORDER BY a", end: 3)
    try state.fill([1, 1, 5, 5])
    #expect(
      reason { _ = try state.apply([[-1, 2, 4, 4]], noFinish) } == "a row that is gone wasn't known"
    )
  }

  @Test func `integers add up as SQLite adds them`() throws {
    var state = try state(
      "SELECT count(*), count(a), sum(a), avg(a), total(a), min(a), max(a) FROM t")
    try state.didFill(noFinish)
    #expect(state.rows() == [[0, 0, nil, nil, 0.0, nil, nil]])
    _ = try state.apply([[1, 3], [1, nil], [1, 4]], noFinish)
    #expect(state.rows() == [[3, 2, 7, 3.5, 7.0, 3, 4]])
    _ = try state.apply([[-1, 3], [-1, nil], [-1, 4]], noFinish)
    #expect(state.rows() == [[0, 0, nil, nil, 0.0, nil, nil]])
  }

  @Test(
    arguments: [
      ("sum", [1.1], "a sum of REAL values depends on their order"),
      ("avg", ["1"], "a sum of REAL values depends on their order"),
      ("sum", [.integer(.max), 1], "a sum so large depends on the order of its values"),
      ("sum", [.integer(.min)], "a sum so large depends on the order of its values"),
      ("total", [.integer(1 << 53), 1], "a sum so large depends on the order of its values"),
      ("min", [1, 1.0], "equal values are stored in two ways"),
      ("max", [0.0, -0.0], "equal values are stored in two ways"),
    ] as [(String, [Value], String)])
  func `what depends on the order of rows isn't given`(
    _ function: String, _ values: [Value], _ expected: String
  ) throws {
    var state = try state("SELECT \(function)(a) FROM t")
    try state.didFill(noFinish)
    #expect(
      reason { _ = try state.apply(values.map { [1, $0] }, noFinish) } == expected)
  }

  @Test func `the extremum is known until the last of its rows is gone`() throws {
    var state = try state("SELECT max(a) FROM t")
    for value in [7, 9, 9, 8] as [Value] { try state.fill([1, value]) }
    try state.didFill(noFinish)
    #expect(state.rows() == [[9]])
    _ = try state.apply([[-1, 9]], noFinish)
    #expect(state.rows() == [[9]])
    // A greater one comes as the last one goes.
    _ = try state.apply([[-1, 9], [1, 11]], noFinish)
    #expect(state.rows() == [[11]])
    #expect(
      reason { _ = try state.apply([[-1, 11]], noFinish) }
        == "the least or greatest value is gone")
  }

  @Test func `REAL values add up as long as no order of them rounds`() throws {
    var state = try state("SELECT sum(a), avg(a), total(a) FROM t")
    try state.didFill(noFinish)
    _ = try state.apply([[1, 0.25], [1, 2], [1, -3.0]], noFinish)
    #expect(state.rows() == [[-0.75, -0.25, -0.75]])
    _ = try state.apply([[-1, 0.25], [1, -0.0], [1, 1.0]], noFinish)
    // SQLite's sum begins at 0.0, which -0.0 doesn't change.
    #expect(state.rows() == [[0.0, 0.0, 0.0]])
    _ = try state.apply([[-1, -3.0], [-1, 1.0], [-1, -0.0]], noFinish)
    #expect(state.rows() == [[2, 2.0, 2.0]])
    let reason = reason { _ = try state.apply([[1, 0x1p52], [1, 0.5]], noFinish) }
    #expect(reason == "a sum so large depends on the order of its values")
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `rows are added up in the order in which they are visited`(_ seed: UInt64) throws {
    let select = try SelectText("SELECT a, sum(a) FROM t GROUP BY a")
    let sources = try QuerySources(select) { _, _ in .table(Self.table) }
    let visiting = try VisitingOrder([.init(place: .select(0), text: "SCAN t")], sources)
    let plan = try MaintenancePlan(select, sources, visiting: visiting, addsUpInOrder: true)
    #expect(plan.deltaSQL(1).contains(#""t"."livequery weight", "t".rowid, a, a"#))
    #expect(plan.sumSQL(of: "x") == #"SELECT sum(c0) FROM "x""#)
    var state = try QueryState(plan, bounds: (0, nil))
    var random = SeededRandom(seed: seed)
    // One group: what is added up is told by the rows, of which each has its rowid in its tenths.
    var (rowids, visited) = (Set<Int64>(), [Int64]())
    let addUp: QueryState.AddUp = { rows in
      visited = rows.compactMap { $0.values[1].integer }
      return [.real(0.1)]
    }
    func row(_ weight: Int64, _ rowid: Int64) -> [Value] {
      [.integer(weight), .integer(rowid), "x", .real(Double(rowid) / 10)]
    }
    for rowid in [7, 3, 5] as [Int64] {
      try state.fill(row(1, rowid))
      rowids.insert(rowid)
    }
    try state.didFill(noFinish, addingUp: addUp)
    for _ in 0..<200 {
      let rowid = Int64.random(in: 1...30, using: &random)
      let isGone = rowids.contains(rowid)
      if isGone { rowids.remove(rowid) } else { rowids.insert(rowid) }
      visited = []
      _ = try state.apply([row(isGone ? -1 : 1, rowid)], noFinish, addingUp: addUp)
      // Values that add up exactly are in no need of it.
      if !visited.isEmpty { #expect(visited == rowids.sorted(), "seed \(seed)") }
    }
    let missing = row(-1, (1...31).first { !rowids.contains($0) }!)
    #expect(
      reason { _ = try state.apply([missing], noFinish, addingUp: addUp) }
        == "a row that is gone wasn't known")
  }

  @Test func `distinct values are counted until the last of each is gone`() throws {
    var state = try state("SELECT count(DISTINCT a) FROM t")
    for value in ["x", "y", nil, "x"] as [Value] { try state.fill([1, value]) }
    try state.didFill(noFinish)
    #expect(state.rows() == [[2]])
    _ = try state.apply([[-1, "x"]], noFinish)
    #expect(state.rows() == [[2]])
    let bytes = state.byteCount
    _ = try state.apply([[-1, "x"], [1, 7]], noFinish)
    #expect(state.rows() == [[2]])
    #expect(state.byteCount == bytes)
    // 7.0 is not another value than 7.
    _ = try state.apply([[1, 7.0], [1, -0.0], [1, 0], [1, 0.5]], noFinish)
    #expect(state.rows() == [[4]])
  }

  @Test func `HAVING hides groups that are kept`() throws {
    var state = try state("SELECT a, count(*) FROM t GROUP BY a HAVING count(*) > 1")
    let finish: QueryState.Finish = { aggregates, _ in [aggregates[0] == 1 ? 0 : 1] }
    try state.fill([1, "x"])
    try state.didFill(finish)
    #expect(state.rows() == [])
    _ = try state.apply([[1, "x"], [1, "y"]], finish)
    #expect(state.rows() == [["x", 2]])
    _ = try state.apply([[-1, "x"], [2, "y"]], finish)
    #expect(state.rows() == [["y", 3]])
  }

  @Test func `a group is there as long as it has rows`() throws {
    var state = try state("SELECT a, count(*) FROM t GROUP BY a")
    try state.fill([1, "x"])
    try state.fill([1, nil])
    try state.didFill(noFinish)
    #expect(state.rows() == [[nil, 1], ["x", 1]])
    _ = try state.apply([[-1, nil], [1, "x"], [1, "b"]], noFinish)
    #expect(state.rows() == [["b", 1], ["x", 2]])
    _ = try state.apply([[1, 2.5], [1, 1.0], [1, 1.0]], noFinish)
    #expect(state.rows() == [[1.0, 2], [2.5, 1], ["b", 1], ["x", 2]])
    #expect(
      reason { _ = try state.apply([[1, 1]], noFinish) }
        == "equal values by which it groups are stored in two ways")
  }

  @Test func `a text that isn't UTF-8 is not compared`() throws {
    var state = try state("SELECT a FROM t ORDER BY a")
    #expect(
      reason { try state.fill([1, 1, "a\u{FFFD}", 0]) } == "a text that may not be UTF-8")
  }

  @Test func `numbers compare exactly`() {
    let ascending: [Value] = [
      nil, .real(-.infinity), .integer(.min), -1, -0.5, 0, 0.5, 1, .integer((1 << 53) - 1),
      .real(0x1p53), .integer((1 << 53) + 1), .integer(.max), .real(0x1p63), "", "a", "ab", "b",
      .blob([]), .blob([0]), .blob([0, 1]),
    ]
    for (left, first) in ascending.enumerated() {
      for (right, second) in ascending.enumerated() {
        let order = first.compared(to: second)
        #expect(order.signum() == (left - right).signum(), "\(first) and \(second)")
      }
    }
    #expect(Value.integer(1).compared(to: .real(1)) == 0)
    #expect(Value.real(0).compared(to: .real(-0.0)) == 0)
  }
}
