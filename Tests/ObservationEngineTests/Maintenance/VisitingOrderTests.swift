import Testing

@testable import ObservationEngine

/// In which order SQLite visits rows, as its query plan says.
struct VisitingOrderTests {
  private static func table(_ name: String) -> MaintainedTable {
    var table = MaintainedTable(
      id: TableID(name: name), name: name,
      columns: ["id", "a", "b"].map {
        MaintainedTable.Column(name: $0, foldedName: $0, affinity: .integer, collation: .binary)
      }, identity: ["rowid"], keyPlaces: [], hasDescendingIndex: false)
    table.indexes = [
      MaintainedTable.Index(
        name: "by a", isTable: false,
        columns: [
          .init(content: .column(1), isDescending: true, collation: .binary),
          .init(content: .rowid, isDescending: false, collation: .binary),
        ]),
      MaintainedTable.Index(
        name: "folded", isTable: false,
        columns: [.init(content: .column(2), isDescending: false, collation: nil)]),
    ]
    return table
  }

  private func order(_ plan: [String], inner: [String] = []) throws -> VisitingOrder {
    let sources = try QuerySources(SelectText("SELECT 1 FROM t AS x, u, u2 ORDER BY 1")) {
      .table(Self.table($1))
    }
    return try VisitingOrder(
      plan.map { .init(place: .select(0), text: $0) } + inner.map { .init(text: $0) },
      sources)
  }

  private func reason(_ plan: [String]) -> String? {
    do { _ = try order(plan) } catch { return (error as? NotMaintainable)?.reason }
    return nil
  }

  @Test func `loops nest in the order of the plan`() throws {
    let order = try order(
      [
        "SCAN u USING COVERING INDEX by a", "BLOOM FILTER ON x (a=?)",
        "SEARCH x USING INTEGER PRIMARY KEY (rowid=?)",
        "SEARCH main.u2 USING INDEX by a (a=? AND rowid>?) LEFT-JOIN",
        "CORRELATED SCALAR SUBQUERY 1", "USE TEMP B-TREE FOR GROUP BY",
      ], inner: ["SCAN somewhere else"])
    #expect(order.loops.map(\.leaf) == [1, 0, 2])
    #expect(
      order.loops.map { $0.columns.map(\.name) } == [
        ["\"a\"", "rowid"], ["rowid"], ["\"a\"", "rowid"],
      ])
    #expect(order.isDescending == [true, false, false, true, false])
  }

  @Test(
    arguments: [
      (["SCAN x", "SCAN u"], "not every table has a loop"),
      (["SCAN x", "SCAN u", "SCAN u2", "SCAN u2"], "not every table has a loop"),
      (
        ["SCAN x", "SCAN u", "SEARCH u2 USING AUTOMATIC COVERING INDEX (a=?)"],
        "SEARCH u2 USING AUTOMATIC COVERING INDEX (a=?)"
      ),
      (
        ["SCAN x", "SCAN u", "SEARCH u2 USING INDEX folded (b=?)"],
        "SEARCH u2 USING INDEX folded (b=?)"
      ),
      (
        ["SCAN x", "SCAN u", "SEARCH u2 USING INDEX gone (b=?)"], "SEARCH u2 USING INDEX gone (b=?)"
      ),
      (["CO-ROUTINE x", "SCAN u", "SCAN u2"], "CO-ROUTINE x"),
      (["MULTI-INDEX OR", "SCAN u", "SCAN u2"], "MULTI-INDEX OR"),
      (
        [
          "SCAN x", "SCAN u", "SEARCH u2 USING INDEX by a (a=? AND rowid=?)",
          "USING INDEX list FOR IN-OPERATOR",
        ], "SEARCH u2 USING INDEX by a (a=? AND rowid=?)"
      ),
      (
        [
          "SCAN x", "SCAN u", "SEARCH u2 USING INDEX by a (a=? AND rowid=?)", "LIST SUBQUERY 1",
        ], "SEARCH u2 USING INDEX by a (a=? AND rowid=?)"
      ),
    ] as [([String], String)])
  func `a step that isn't certain to follow one tree has no order`(
    _ plan: [String], _ expected: String
  ) {
    #expect(
      reason(plan) == "the order in which it visits rows isn't known (\(expected))")
  }

  @Test func `an automatic index is sorted by all that it has`() throws {
    let sources = try QuerySources(SelectText("SELECT 1 FROM u, t AS x ORDER BY 1")) {
      .table(Self.table($1))
    }
    let plan = ["SCAN u", "SEARCH x USING AUTOMATIC PARTIAL COVERING INDEX (b=?)"].map {
      VisitingOrder.Step(place: .select(0), text: $0)
    }
    let index: VisitingOrder.AutomaticIndex = [2, 1, nil]
    let order = try VisitingOrder(plan, sources, automatic: [TableID(name: "t"): [index]])
    #expect(order.loops[1].columns.map(\.name) == ["\"b\"", "\"a\"", "rowid"])
    // Of two, it isn't known which one the step reads.
    #expect(throws: NotMaintainable.self) {
      try VisitingOrder(plan, sources, automatic: [TableID(name: "t"): [index, index]])
    }
  }

  @Test func `scalar subqueries are numbered as they stand in the SQL`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting {
      try $0.execute(script: (1...4).map { "CREATE TABLE t\($0)(a, b)" }.joined(separator: ";"))
    }
    let sql = """
      SELECT a, (SELECT sum(a) FROM t2) FROM t1 WHERE b > (SELECT avg(a) FROM t3 WHERE b = 1) \
      AND b IN (SELECT a FROM t4) ORDER BY (SELECT max(b) FROM t4 WHERE t4.a = t1.a)
      """
    let steps = try database.readWaiting { try $0.queryPlan(of: sql) }
    for (number, table) in [(0, "t2"), (1, "t3")] {
      #expect(steps.filter { $0.place == .scalar(number) }.map(\.text) == ["SCAN \(table)"])
    }
    #expect(!steps.contains { $0.place == .scalar(2) })
  }

  @Test(arguments: ["", " ORDER BY 1"])
  func `the steps of each SELECT of a compound are its own`(_ order: String) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting {
      try $0.execute(script: (1...5).map { "CREATE TABLE t\($0)(a, b)" }.joined(separator: ";"))
    }
    let selects = (1...5).map { "SELECT sum(a) FROM t\($0) WHERE b IN (SELECT a FROM t1)" }
    let sql = selects.joined(separator: " UNION ALL ") + order
    let steps = try database.readWaiting { try $0.queryPlan(of: sql) }
    for number in 0..<5 {
      let own = steps.filter { $0.place == .select(number) && $0.text.hasPrefix("SCAN ") }
      #expect(own.map(\.text) == ["SCAN t\(number + 1)"])
    }
    #expect(!steps.contains { $0.place == .select(5) })
    let second = try QuerySources(SelectText("SELECT sum(a) FROM t AS t2")) {
      .table(Self.table($1))
    }
    #expect(try VisitingOrder(steps, of: .select(1), second).loops.map(\.leaf) == [0])
    #expect(throws: NotMaintainable.self) { try VisitingOrder(steps, of: .select(2), second) }
  }

  @Test func `the columns of an automatic index are read from the program`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting {
      try $0.execute(
        script: """
          CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c REAL, d); CREATE TABLE u(a, b, x);
          INSERT INTO t VALUES (1, 1, 1, 1.5, 5)
          """)
    }
    let found = try database.readWaiting { connection in
      try connection.automaticIndexes(
        "SELECT sum(t.c * 0.1) FROM u CROSS JOIN t ON t.b = u.b WHERE t.d = 5 AND u.x > t.a")
    }
    #expect(found == [TableID(name: "t"): [[4, 2, 1, 3, nil]]])
  }
}
