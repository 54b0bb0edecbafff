import ObservationEngine
import TestSupport
import Testing

/// Random queries and changes in a real SQLite: whatever a restriction leaves out does not matter.
@Suite(.timeLimit(.minutes(10)))
struct RandomRestrictionTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `a change outside of a restriction does not change the result`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let database = try Database(inMemory: Configuration())
    defer { database.close() }
    try database.writeWaiting { try $0.execute(script: RestrictedQuery.schema) }
    var (recognised, decided) = (0, 0)
    for step in 0..<600 {
      let query = RestrictedQuery(using: &random)
      let restrictions = QueryShape.rowRestrictions(query.sql).compactMap { query.usable($0) }
      if !restrictions.isEmpty { recognised += 1 }
      for _ in 0..<12 {
        let change = RestrictedQuery.change(using: &random)
        let (results, rows) = try database.writeWaiting { connection in
          func look() throws -> (RowSet, RowSet) {
            (
              try connection.fetchAll(SQL(raw: query.sql), query.arguments),
              try connection.fetchAll(query.all)
            )
          }
          let before = try look()
          try connection.execute(SQL(raw: change))
          let after = try look()
          return ([before.0, after.0], [before.1, after.1])
        }
        guard results[0] != results[1] else { continue }
        let changed = Set(rows[0].rows).symmetricDifference(rows[1].rows)
        for restriction in restrictions {
          decided += 1
          let isInside = changed.contains { row in
            restriction.values.contains(row[restriction.column])
          }
          #expect(isInside, "seed \(seed), step \(step): \(query) after \(change)")
        }
      }
    }
    // The grammar must not make the test an empty one.
    #expect(recognised > 100 && decided > 100, "seed \(seed): \(recognised), \(decided)")
  }
}

/// A query of about the recognised form, with its arguments.
private struct RestrictedQuery: CustomStringConvertible {
  static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
    CREATE INDEX by_a ON t(a);
    INSERT INTO t VALUES (1, 1, 'x'), (2, 2, 'y'), (3, NULL, 'x'), (4, 1, NULL), (5, 0, 'z')
    """

  let sql: String
  private(set) var positional: [Value] = []
  let all: SQL = "SELECT id, a, b FROM t ORDER BY id"
  var arguments: QueryArguments { QueryArguments(positional) }
  var description: String { "\(sql) \(positional)" }

  init(using random: inout SeededRandom) {
    var values: [Value] = []
    let alias = ["", " AS p", " p"].randomElement(using: &random)!
    let prefix = alias.isEmpty ? ["", "t."] : ["", "p."]
    func column(_ name: String) -> String { prefix.randomElement(using: &random)! + name }
    func operand(_ column: String) -> String {
      let literal: (String, Value)
      if column == "b" {
        let text = ["x", "y", "z"].randomElement(using: &random)!
        literal = ("'\(text)'", .text(text))
      } else {
        let number = Int64.random(in: 0...6, using: &random)
        literal = (["", "", "+"].randomElement(using: &random)! + "\(number)", .integer(number))
      }
      guard random.onceIn(3) else { return literal.0 }
      values.append(random.onceIn(6) ? .null : literal.1)
      return "?"
    }
    func condition(_ depth: Int) -> String {
      let name = ["id", "rowid", "a", "b", "a"].randomElement(using: &random)!
      switch Int.random(in: 0..<(depth > 0 ? 16 : 10), using: &random) {
      case 0, 1: return "\(column(name)) = \(operand(name))"
      case 2: return "\(operand(name)) == \(column(name))"
      case 3: return "\(column(name)) IS \(operand(name))"
      case 4: return "\(column(name)) IN (\(operand(name)), \(operand(name)))"
      case 5:
        let end = random.onceIn(2) ? "" : " AND \(column("id")) = \(operand("id"))"
        return "\(column("a")) BETWEEN \(operand("a"))" + (end.isEmpty ? " AND 2" : end)
      case 6: return "\(column("a")) > \(operand("a"))"
      case 7: return "\(column(name)) NOT IN (\(operand(name)))"
      case 8: return "\(column(name)) IS NOT \(operand(name))"
      case 9: return "\(column(name)) = \(operand(name)) = \(operand("a"))"
      case 10: return "NOT \(condition(depth - 1))"
      case 11: return "\(condition(depth - 1)) OR \(condition(depth - 1))"
      case 12:
        let conditions = (0..<3).map { _ in condition(0) }.joined(separator: " AND ")
        return "CASE WHEN \(conditions) THEN 0 ELSE \(condition(depth - 1)) END"
      case 13: return "(\(condition(depth - 1)))"
      default: return "\(condition(depth - 1)) AND \(condition(depth - 1))"
      }
    }
    let items = ["*", "count(*)", "a, b", "max(b), sum(a)", "id"].randomElement(using: &random)!
    let end = ["", " ORDER BY a DESC, id", " LIMIT 2", " GROUP BY b HAVING count(*) > 0"]
      .randomElement(using: &random)!
    let parts = (0...Int.random(in: 0...2, using: &random)).map { _ in condition(2) }
    sql = "SELECT \(items) FROM t\(alias) WHERE \(parts.joined(separator: " AND "))\(end)"
    positional = values
  }

  /// Column index and values, when the operands are of the column's type.
  func usable(_ found: StatedRestriction) -> (column: Int, values: [Value])? {
    let column = ["id": 0, "rowid": 0, "a": 1, "b": 2][found.column]
    let values = found.operands.map { operand in
      switch operand {
      case .literal(let value): value
      case .parameter(let index, _): positional[index - 1]
      }
    }
    return column.map { ($0, values) }
  }

  static func change(using random: inout SeededRandom) -> String {
    let id = Int.random(in: 0...6, using: &random)
    let a = ["NULL", "0", "1", "2", "3"].randomElement(using: &random)!
    let b = ["NULL", "'x'", "'y'", "'z'"].randomElement(using: &random)!
    return switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: "INSERT OR REPLACE INTO t VALUES (\(id), \(a), \(b))"
    case 2: "DELETE FROM t WHERE id = \(id)"
    case 3: "UPDATE t SET a = \(a) WHERE id = \(id)"
    case 4: "UPDATE OR IGNORE t SET id = \(id) WHERE id = \(6 - id)"
    default: "UPDATE t SET b = \(b) WHERE id = \(id)"
    }
  }
}
