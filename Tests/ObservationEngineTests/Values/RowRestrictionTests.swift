import Testing

@testable import ObservationEngine

/// Which rows a query's text says that it reads.
struct RowRestrictionTests {
  /// `schema.table.column: operands` of the first restriction.
  private func restriction(_ sql: String) -> String? {
    QueryShape.rowRestrictions(sql).first.map { found in
      let operands = found.operands.map { operand in
        switch operand {
        case .literal(.integer(let number)): "\(number)"
        case .literal(.text(let text)): "'\(text)'"
        case .literal(let value): "\(value)"
        case .parameter(let index, let name): "\(index)\(name ?? "")"
        }
      }
      return "\(found.schema.map { $0 + "." } ?? "")\(found.table).\(found.column): "
        + operands.joined(separator: " ")
    }
  }

  @Test(
    arguments: [
      ("SELECT * FROM player WHERE id = 1", "player.id: 1"),
      ("select name from Player where ID == -7;", "Player.ID: -7"),
      ("SELECT * FROM t WHERE -9223372036854775808 = id", "t.id: -9223372036854775808"),
      ("SELECT * FROM t WHERE name = 'o''hara'", "t.name: 'o'hara'"),
      ("SELECT * FROM t WHERE 'x' = \"the name\"", "t.the name: 'x'"),
      ("SELECT * FROM main.[t 1] AS p WHERE p.id IS 3", "main.t 1.id: 3"),
      ("SELECT p.* FROM t p WHERE P.id IN (1, +2, 'a', ?)", "t.id: 1 2 'a' 1"),
      ("SELECT * FROM t WHERE T.rowid = :id", "t.rowid: 1:id"),
      ("SELECT ?, ?5, :a FROM t WHERE x = :a AND y > ?", "t.x: 6:a"),
      ("SELECT ?5 FROM t WHERE x = ?", "t.x: 6"),
      ("SELECT @a FROM t WHERE x IN (?2, @a, $a, ?)", "t.x: 2?2 1@a 3$a 4"),
      ("SELECT count(*), max(x) FROM t WHERE id = 1 GROUP BY y HAVING y > 2", "t.id: 1"),
      ("SELECT * FROM t WHERE a > 3 AND id = 1 ORDER BY a COLLATE NOCASE LIMIT 5", "t.id: 1"),
      ("SELECT * FROM t WHERE ((id = 1) AND (a OR b))", "t.id: 1"),
      ("SELECT * FROM t WHERE a BETWEEN 1 AND 2 AND id = 1", "t.id: 1"),
      ("SELECT * FROM t WHERE NOT a AND id = 1", "t.id: 1"),
      ("SELECT * FROM t WHERE (CASE WHEN a THEN b END) AND id = 1", "t.id: 1"),
      ("SELECT lower(name) FROM t WHERE name LIKE ? AND team = ?", "t.team: 2"),
      ("SELECT * FROM t -- WHERE x = 1\nWHERE /* y = 2 AND */ id = 3", "t.id: 3"),
    ])
  func `an equation that must be true names column and values`(_ sql: String, expected: String) {
    #expect(restriction(sql) == expected)
  }

  @Test(
    arguments: [
      // More than one table, or more than one SELECT.
      "SELECT * FROM a, b WHERE a.id = 1", "SELECT * FROM a JOIN b WHERE id = 1",
      "SELECT * FROM t WHERE id = 1 UNION SELECT * FROM u WHERE id = 1",
      "SELECT (SELECT max(x) FROM t) FROM t WHERE id = 1",
      "SELECT * FROM t WHERE id = 1 AND EXISTS (SELECT 1 FROM u)",
      "SELECT * FROM t WHERE id = 1 AND a IN (VALUES (1))",
      "SELECT * FROM (SELECT * FROM t) WHERE id = 1", "SELECT * FROM f(1) WHERE id = 1",
      "WITH t AS (SELECT 1 AS id) SELECT * FROM t WHERE id = 1",
      "SELECT * FROM t WHERE id = 1 ORDER BY (SELECT 1)",
      "SELECT sum(x) OVER () FROM t WHERE id = 1",
      "SELECT sum(x) FILTER (WHERE y) FROM t WHERE id = 1",
      "SELECT sum(x) OVER w FROM t WHERE id = 1 WINDOW w AS ()",
      "EXPLAIN SELECT * FROM t WHERE id = 1", "UPDATE t SET a = 1 WHERE id = 1",
      "SELECT * FROM t WHERE id = 1; SELECT 1",
      // Not a conjunction.
      "SELECT * FROM t WHERE id = 1 OR a", "SELECT * FROM t WHERE (id = 1 AND a) OR b",
      "SELECT * FROM t WHERE (id = 1 OR a)", "SELECT * FROM t WHERE NOT (id = 1)",
      "SELECT * FROM t WHERE NOT id = 1", "SELECT * FROM t WHERE a BETWEEN 1 AND id = 1",
      "SELECT * FROM t WHERE CASE WHEN a AND id = 1 AND b THEN 1 ELSE 0 END",
      // Not an equation of a column with a value.
      "SELECT * FROM t", "SELECT * FROM t WHERE id", "SELECT * FROM t WHERE id > 1",
      "SELECT * FROM t WHERE id != 1", "SELECT * FROM t WHERE id = other",
      "SELECT * FROM t WHERE id + 0 = 1", "SELECT * FROM t WHERE id = 1 + 1",
      "SELECT * FROM t WHERE id = 1 = 1", "SELECT * FROM t WHERE id = 1 IS NULL",
      "SELECT * FROM t WHERE id IS NULL", "SELECT * FROM t WHERE id IS NOT 1",
      "SELECT * FROM t WHERE id NOT IN (1)", "SELECT * FROM t WHERE id IN (1, a)",
      "SELECT * FROM t WHERE id IN u", "SELECT * FROM t WHERE id IN ()",
      "SELECT * FROM t WHERE id = NULL", "SELECT * FROM t WHERE null = 1",
      "SELECT * FROM t WHERE current_date = 'x'", "SELECT * FROM t WHERE -id = 1",
      "SELECT * FROM t WHERE name = 'x' COLLATE NOCASE", "SELECT * FROM t WHERE id = \"x\"",
      "SELECT * FROM t WHERE (id, a) = (1, 2)", "SELECT * FROM t WHERE f(id) = 1",
      // Values of which the text does not tell what they are.
      "SELECT * FROM t WHERE id = 1.0", "SELECT * FROM t WHERE id = 1e3",
      "SELECT * FROM t WHERE id = 9223372036854775808", "SELECT * FROM t WHERE id = 0x10",
      "SELECT * FROM t WHERE id = x'01'", "SELECT * FROM t WHERE id = - - 1",
      // Names that belong to something else, or cannot be told.
      "SELECT * FROM t AS p WHERE t.id = 1", "SELECT * FROM t WHERE u.id = 1",
      "SELECT * FROM main.t WHERE main.t.id = 1", "SELECT * FROM t INDEXED BY i WHERE id = 1",
      "SELECT * FROM t AS 'p' WHERE id = 1", "SELECT sqlite_offset(a) FROM t WHERE id = 1",
      "SELECT * FROM t WHERE (id = 1", "SELECT * FROM t WHERE id = 1)", "", ";", "SELECT",
    ])
  func `what may read other rows has no restriction`(_ sql: String) {
    #expect(restriction(sql) == nil)
  }

  @Test
  func `each equation of a conjunction is a restriction by itself`() {
    let found = QueryShape.rowRestrictions(
      "SELECT * FROM t WHERE team = 3 AND (id IN (1, 2) AND (name IS ? AND a < b))")
    #expect(found.map(\.column) == ["team", "id", "name"])
    #expect(found.map(\.operands.count) == [1, 2, 1])
  }

  /// In a row older than the column, `TEXT DEFAULT true` is a number.
  @Test(
    arguments: [("1", 1, true), ("0", 0, true), ("1", 0, false), ("2", 1, false)]
      as [(String, Int64, Bool)])
  func `a number in a column of texts is compared as one`(
    _ text: String, _ number: Int64, _ matters: Bool
  ) {
    let part = Region.Part(
      columns: ["f"], restriction: RowRestriction(.named("f"), in: [.text(text)]))
    var interest = TableInterest()
    interest.formUnion(part)
    var difference = RowDifference(interest: interest)
    difference.counts.deleted = 1
    difference.keep(
      [RowDifference.Entry(key: .rowid(1), old: [.integer(number)], new: nil)], columns: ["f"])
    #expect(difference.affects(part) == matters)
  }
}
