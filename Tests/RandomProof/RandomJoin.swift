internal import TestSupport

/// Queries of several tables, of views, of SELECTs in FROM and in expressions, over the table `t` of ``RandomQuery``,
/// `o(id INTEGER PRIMARY KEY, a, e)` and `w(a, f, PRIMARY KEY (a, f)) WITHOUT ROWID`.
enum RandomJoin {
  static func schema(_ random: inout SeededRandom) -> [String] {
    let types = ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", ""]
    func type() -> String { types.randomElement(using: &random)! }
    // Where the key doesn't come first, values aren't stored in the places of their columns.
    let values = ["a \(type())", "f \(type())", "r REAL"].shuffled(using: &random)
    var statements = [
      "CREATE TABLE o(id INTEGER PRIMARY KEY, a \(type())\(RandomQuery.collation(&random)), "
        + "e \(type())\(RandomQuery.collation(&random)))",
      "CREATE TABLE w(\(values.joined(separator: ", ")), PRIMARY KEY (a, f)) WITHOUT ROWID",
      "CREATE VIEW vw AS SELECT t.a AS va, o.e, t.id AS vi, t.c AS day FROM t JOIN o ON t.b = o.a "
        + "WHERE t.c IS NOT NULL",
      "CREATE VIEW zw(y, x) AS SELECT e, count(*) FROM o GROUP BY e",
      "CREATE VIEW uw AS SELECT a, 1 AS n, 'o' AS kind FROM o WHERE e <> 1 UNION ALL SELECT a, f, 'w' FROM w "
        + "UNION ALL SELECT o.e, t.b, t.c FROM t JOIN o ON o.a = t.a",
    ]
    if random.onceIn(2) { statements.append("CREATE INDEX ko ON o(a)") }
    if random.onceIn(3) { statements.append("CREATE INDEX lo ON o(e DESC)") }
    return statements
  }

  private struct Source {
    /// What stands before SELECT.
    var with = ""
    let from: String
    let columns: [String]
    /// What tells its rows apart; empty when nothing does.
    var keys: [String] = []
  }

  private static let sources = [
    Source(
      from: "t JOIN o ON t.a = o.a", columns: ["t.a", "o.a", "b", "c", "e", "t.id", "o.id"],
      keys: ["t.rowid", "o.id"]),
    Source(from: "t, o", columns: ["t.a", "o.a", "d", "e", "t.rowid"], keys: ["t.rowid", "o.id"]),
    Source(
      from: "t AS x JOIN t AS y ON x.b = y.a",
      columns: ["x.a", "y.b", "x.c", "y.d", "x.id", "y.id"],
      keys: ["x.rowid", "y.rowid"]),
    Source(
      from: "t JOIN o USING (a)", columns: ["a", "t.b", "c", "e", "o.id"],
      keys: ["t.rowid", "o.id"]),
    Source(
      from: "o CROSS JOIN w ON w.a = o.e", columns: ["o.a", "w.a", "e", "f", "id"],
      keys: ["id", "w.a", "f"]),
    Source(from: "vw", columns: ["va", "e", "vi"]),
    Source(from: "vw INNER JOIN o q ON vw.va = q.id", columns: ["va", "vw.e", "vi", "q.e", "q.a"]),
    Source(
      from: "(SELECT a, f AS g FROM w WHERE f > 0 OR a IS NULL) AS q JOIN t ON q.a = t.a",
      columns: ["q.a", "g", "t.b", "t.id"], keys: ["q.a", "g", "t.rowid"]),
    Source(
      with: "WITH p AS (SELECT * FROM o WHERE e <> 1) ", from: "p, p AS r",
      columns: ["p.a", "r.e", "p.id", "r.id"], keys: ["p.id", "r.id"]),
    Source(
      from: "t JOIN o ON t.a = o.a JOIN w ON w.f = o.e",
      columns: ["t.b", "o.e", "w.f", "t.id", "o.id", "w.a"],
      keys: ["t.rowid", "o.id", "w.a", "w.f"]),
    Source(from: "zw", columns: ["x", "y"]),
    Source(
      from: "t LEFT JOIN o ON t.a = o.a", columns: ["t.a", "o.a", "e", "b", "o.id", "t.id"],
      keys: ["t.rowid", "o.id"]),
    Source(
      from: "o LEFT OUTER JOIN w ON w.a = o.e AND w.f > 0",
      columns: ["o.a", "w.a", "f", "e", "id"],
      keys: ["id", "w.a", "f"]),
    Source(
      from: "t JOIN o ON t.a = o.a LEFT JOIN w ON w.a = o.e",
      columns: ["t.b", "o.e", "w.f", "t.id", "o.id"], keys: ["t.rowid", "o.id", "w.a", "w.f"]),
    Source(
      from: "o LEFT JOIN t USING (a)", columns: ["a", "t.b", "e", "o.id", "t.id"],
      keys: ["o.id", "t.rowid"]),
    Source(from: "t LEFT JOIN vw ON vi = t.id", columns: ["t.a", "va", "b", "t.id"]),
    Source(from: "w", columns: ["a", "f"], keys: ["a", "f"]),
    Source(
      from: "(SELECT a, count(*) AS n, max(id) AS m FROM t GROUP BY a) AS q",
      columns: ["q.a", "n", "m"], keys: ["q.a"]),
    Source(
      from: "(SELECT DISTINCT e, a FROM o) AS q JOIN t ON t.a = q.a",
      columns: ["q.e", "q.a", "t.b", "t.id"], keys: ["q.e", "q.a", "t.rowid"]),
    Source(
      with: "WITH g(k, v) AS (SELECT o.e, count(w.f) FROM o LEFT JOIN w ON w.a = o.e GROUP BY 1) ",
      from: "g", columns: ["k", "v", "g.v"], keys: ["k"]),
    Source(
      with:
        "WITH g(k, v) AS (SELECT a, sum(id) FROM t WHERE a > 0 GROUP BY a HAVING count(*) < 4) ",
      from: "g JOIN o ON o.id = v", columns: ["k", "v", "o.a", "e"], keys: ["k", "o.id"]),
    Source(
      with: "WITH r(k, v) AS (SELECT a, sum(b * 0.1) FROM t GROUP BY a) ", from: "r",
      columns: ["k", "v", "r.v"], keys: ["k"]),
    Source(
      from: "(SELECT a, total(e * 1.1) AS v FROM o GROUP BY a) AS q JOIN t ON t.a = q.a",
      columns: ["q.a", "v", "t.b", "t.id"], keys: ["q.a", "t.rowid"]),
    Source(
      from: "(SELECT count(*) AS n, max(b) AS b FROM t) AS q, o",
      columns: ["n", "q.b", "o.a", "e"],
      keys: ["o.id"]),
    Source(
      from: "o LEFT JOIN (SELECT a, min(c) AS c FROM t GROUP BY a) AS q ON q.a = o.a",
      columns: ["o.a", "q.a", "c", "e", "o.id"], keys: ["o.id"]),
    Source(
      from:
        "(SELECT n, count(*) AS r FROM (SELECT b, count(*) AS n FROM t GROUP BY b) GROUP BY n) AS q",
      columns: ["n", "r"], keys: ["n"]),
    Source(
      from: "(SELECT a, b, id FROM t WHERE c <> 1) AS q JOIN o USING (a)",
      columns: ["a", "b", "q.id", "e", "o.id"], keys: ["q.id", "o.id"]),
    Source(
      from: "(SELECT a, b AS d, id FROM t ORDER BY c DESC, b) AS q", columns: ["q.a", "d", "q.id"],
      keys: ["q.id"]),
    Source(
      from: "(SELECT o.a, t.c, o.id FROM o JOIN t ON t.a = o.a ORDER BY o.e COLLATE NOCASE, 1)",
      columns: ["a", "c", "id"], keys: ["id", "c"]),
    Source(
      from: "(SELECT * FROM t ORDER BY a, id LIMIT 4) AS q", columns: ["q.a", "b", "c", "q.id"],
      keys: ["q.id"]),
    Source(
      from: "(SELECT id, b, c FROM t ORDER BY c DESC LIMIT 3 OFFSET 1) AS q JOIN o ON o.a = q.b",
      columns: ["q.b", "c", "o.a", "e", "q.id"], keys: ["q.id", "o.id"]),
    Source(
      from: "o LEFT JOIN (SELECT a, b, id FROM t ORDER BY b LIMIT 5) AS q ON q.a = o.a",
      columns: ["o.a", "q.a", "b", "e", "o.id"], keys: ["o.id", "q.id"]),
    Source(
      with:
        "WITH g(k, n) AS (SELECT a, count(*) FROM t GROUP BY a ORDER BY 2 DESC, a LIMIT 3) ",
      from: "g LEFT JOIN o ON o.a = k", columns: ["k", "n", "o.a", "e"], keys: ["k", "o.id"]),
    Source(
      from: "(SELECT DISTINCT a, e FROM o ORDER BY e DESC, a LIMIT 4) AS q",
      columns: ["q.a", "e"], keys: ["q.a", "e"]),
    Source(
      from: "o LEFT JOIN (SELECT x.a, y.f FROM t x LEFT JOIN w y ON y.a = x.b) AS q ON q.a = o.e",
      columns: ["o.a", "q.a", "f", "e", "o.id"], keys: ["o.id", "q.a", "f"]),
    Source(
      from: "(SELECT a, b AS n, id FROM t UNION ALL SELECT e, a, id FROM o WHERE e > 0) AS q",
      columns: ["q.a", "n", "q.id"]),
    Source(from: "uw", columns: ["a", "n", "kind"]),
    Source(from: "uw JOIN o ON o.a = uw.a", columns: ["uw.a", "n", "o.e", "kind", "o.id"]),
    Source(
      from: "(SELECT a, c FROM t UNION ALL SELECT b, d FROM t UNION ALL SELECT c, a FROM t) AS q",
      columns: ["q.a", "c"]),
    Source(
      with:
        "WITH p(k, n) AS (SELECT a, count(*) FROM t GROUP BY a UNION ALL SELECT e, id FROM o) ",
      from: "p", columns: ["k", "n"]),
    Source(
      from: "(SELECT id, 1 AS part, e FROM o UNION ALL SELECT id, 2, a FROM o) AS q",
      columns: ["q.id", "part", "e"], keys: ["q.id", "part"]),
    Source(from: "o NATURAL JOIN w", columns: ["a", "e", "f", "id"], keys: ["id", "a", "f"]),
    Source(
      from: "o RIGHT JOIN w ON w.a = o.e", columns: ["o.a", "w.a", "f", "e", "id"],
      keys: ["id", "w.a", "f"]),
    Source(
      from: "t FULL JOIN o ON t.b = o.e", columns: ["t.a", "o.a", "e", "b", "o.id", "t.id"],
      keys: ["t.id", "o.id"]),
    // Two equations of one column with two others.
    Source(
      from: "t AS x JOIN o ON o.a = x.a JOIN t AS y ON y.b = o.a",
      columns: ["x.a", "o.a", "y.b", "x.c", "o.e", "x.id", "o.id", "y.id"],
      keys: ["x.id", "o.id", "y.id"]),
    // What isn't an equation of columns leads to rows as well.
    Source(
      from: "t LEFT JOIN o ON o.a > t.b AND coalesce(o.e, 1) <> t.c",
      columns: ["t.a", "o.a", "e", "b", "o.id", "t.id"], keys: ["t.rowid", "o.id"]),
    Source(
      from: "o LEFT JOIN w ON w.f || '' = o.e OR w.a BETWEEN o.a AND 3",
      columns: ["o.a", "w.a", "f", "e", "id"], keys: ["id", "w.a", "f"]),
    // The key of the rows that are evaluated again has two columns.
    Source(
      from: "w LEFT JOIN o ON o.a = w.a", columns: ["w.a", "f", "o.a", "e", "o.id"],
      keys: ["w.a", "f", "o.id"]),
    Source(
      from: "w LEFT JOIN w AS v ON v.f = w.a AND v.a > w.f", columns: ["w.a", "w.f", "v.a", "v.f"],
      keys: ["w.a", "w.f", "v.a", "v.f"]),
    // Rows that are in no table.
    Source(
      with: "\(steps) ", from: "s LEFT JOIN o ON o.a = s.k",
      columns: ["s.k", "o.a", "e", "k", "o.id"], keys: ["k", "o.id"]),
    Source(
      with: "\(steps) ", from: "s JOIN t ON t.a >= s.k AND t.b < k + 2",
      columns: ["s.k", "t.a", "b", "c", "t.id"], keys: ["s.k", "t.rowid"]),
    Source(
      with: "\(steps), g(x, n) AS (SELECT a, count(*) FROM t GROUP BY a) ",
      from: "s LEFT JOIN g ON x = s.k", columns: ["s.k", "x", "n", "k"], keys: ["k"]),
    Source(
      with: "\(steps) ", from: "s AS p JOIN s AS q ON q.k > p.k LEFT JOIN o ON o.e = q.k",
      columns: ["p.k", "q.k", "o.a", "e", "o.id"], keys: ["p.k", "q.k", "o.id"]),
    Source(
      with: "\(steps), h AS (SELECT k, k % 2 AS odd FROM s) ",
      from: "w LEFT JOIN h ON h.k + odd = w.f", columns: ["k", "odd", "w.a", "f"],
      keys: ["w.a", "f", "k"]),
    Source(
      from: "(VALUES (1), ('a'), (NULL), (0.5), ('1'), (x'61')) LEFT JOIN t ON t.b = column1",
      columns: ["column1", "t.a", "b", "t.c", "t.id"], keys: ["column1", "t.rowid"]),
    Source(
      from:
        "o LEFT JOIN (SELECT 0 AS low, 'x' AS y UNION ALL SELECT 2, 'a' UNION SELECT 'a', 1) AS q "
        + "ON o.e >= low", columns: ["o.a", "low", "y", "e", "o.id"], keys: ["o.id", "low", "y"]),
  ]

  private static let steps =
    "WITH RECURSIVE s(k) AS (SELECT -1 UNION ALL SELECT k + 1 FROM s WHERE k < 4)"

  /// What a query of several tables can read.
  static func source(_ random: inout SeededRandom) -> RandomQuery.Source {
    let source = sources.filter { $0.with.isEmpty }.randomElement(using: &random)!
    return RandomQuery.Source(" FROM \(source.from)", source.columns)
  }

  static func query(_ random: inout SeededRandom) -> RandomQuery.Select {
    let source = sources.randomElement(using: &random)!
    let (with, from, columns) = (source.with, source.from, source.columns)
    func expression(_ random: inout SeededRandom) -> String {
      let column = columns.randomElement(using: &random)!
      switch Int.random(in: 0..<9, using: &random) {
      case 0: return "coalesce(\(column), 0)"
      case 1: return "\(column) || ''"
      case 2: return "CAST(\(column) AS INTEGER)"
      case 3: return "date(\(column), '+1 day')"
      case 4: return "typeof(\(column))"
      case 5 where random.onceIn(2): return "(SELECT count(*) FROM o s WHERE s.a = \(column))"
      case 5:
        let output = ["e", "a", "e || '!'"].randomElement(using: &random)!
        return "(SELECT \(output) FROM o s WHERE s.id = \(column))"
      case 6 where random.onceIn(2):
        let order = ["s.e DESC, s.id", "id DESC", "s.a, e, s.rowid"].randomElement(using: &random)!
        let limit = ["", " LIMIT 1", " LIMIT 1 OFFSET 1"].randomElement(using: &random)!
        return random.onceIn(3)
          ? "(SELECT f FROM w s WHERE s.a = \(column) ORDER BY f DESC\(limit))"
          : "(SELECT e || s.id FROM o s WHERE s.a = \(column) ORDER BY \(order)\(limit))"
      // Of columns around it, an aggregate there.
      case 6 where random.onceIn(6): return "(SELECT count(\(column)) FROM w s)"
      default: return column
      }
    }
    func selection(_ random: inout SeededRandom) -> String {
      let column = columns.randomElement(using: &random)!
      let not = random.onceIn(2) ? "NOT " : ""
      switch Int.random(in: 0..<15, using: &random) {
      case 13: return "\(not)EXISTS (SELECT * FROM o s WHERE s.a > \(column) AND s.e < 3)"
      case 14: return "(SELECT count(*) FROM t s WHERE s.b + 1 = \(column) OR s.c IS NULL) = 1"
      case 0:
        return
          "\(not)EXISTS (SELECT * FROM o s WHERE s.a = \(column)\(random.onceIn(3) ? " LIMIT 1" : ""))"
      case 1: return "\(column) \(not)IN (SELECT s.e FROM o s WHERE s.a <> 1)"
      case 2: return "\(column) \(not)IN (SELECT a FROM w GROUP BY a HAVING count(*) > 1)"
      case 3: return "(SELECT count(*) FROM t s WHERE s.b = \(column)) > 1"
      case 4:
        return "\(column) > (SELECT max(s.id) FROM o s, w x WHERE s.e = x.f AND x.a = \(column))"
      case 5:
        let end = ["= 0", "IS NULL", "+ 1 = 1", "NOTNULL"].randomElement(using: &random)!
        return "\(column) \(not)IN (SELECT s.e FROM o s WHERE s.a <> 1) \(end)"
      // An alias goes before what is around it.
      case 6: return "\(not)EXISTS (SELECT s.e AS b FROM o s WHERE s.a = b)"
      case 7:
        return
          "\(not)EXISTS (SELECT 1 FROM o s WHERE NOT EXISTS (SELECT 1 FROM w x WHERE x.a = \(column) AND x.f = s.e))"
      case 8:
        return "\(column) \(not)IN (SELECT x.f FROM o s LEFT JOIN w x ON x.a = s.a WHERE s.e > 0)"
      case 9:
        let inner = [
          "SELECT DISTINCT a FROM o", "SELECT e AS a FROM o GROUP BY e",
          "SELECT DISTINCT f AS a FROM w", "SELECT a FROM w ORDER BY a, f LIMIT 3",
          "SELECT max(a) AS a FROM t GROUP BY b",
        ].randomElement(using: &random)!
        return "\(not)EXISTS (SELECT 1 FROM (\(inner)) AS s WHERE s.a = \(column))"
      // An aggregate of what is around it, where that has groups; a fault elsewhere.
      case 10: return "(SELECT s.e FROM o s WHERE s.a < count(\(column)) ORDER BY s.id) > 1"
      case 11:
        return "\(column) > (SELECT min(s.a) FROM t s JOIN o x ON x.e = s.c WHERE x.a = \(column))"
      default:
        return "EXISTS (SELECT 1 FROM w x WHERE x.a = \(column) AND x.f IN (SELECT e FROM o))"
      }
    }
    func condition(_ random: inout SeededRandom) -> String {
      if random.onceIn(3) { return selection(&random) }
      let (left, right) = (expression(&random), expression(&random))
      let operators = ["=", "<", ">", "<>", "IS"]
      let first = "\(left) \(operators.randomElement(using: &random)!) \(right)"
      return random.onceIn(3)
        ? "(\(first) OR \(columns.randomElement(using: &random)!) > 0)" : first
    }
    let filter = random.onceIn(2) ? "" : " WHERE \(condition(&random))"
    let limit =
      random.onceIn(2)
      ? "" : " LIMIT \(Int.random(in: 1...9, using: &random)) OFFSET \(random.onceIn(3) ? 2 : 0)"
    func aggregate(_ random: inout SeededRandom) -> String {
      let names = ["count", "sum", "avg", "total", "min", "max", "count"]
      let name = names.randomElement(using: &random)!
      let column = columns.randomElement(using: &random)!
      let call =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: "count(*)"
        case 1: "count(DISTINCT \(column))"
        default: "\(name)(\(column))"
        }
      return random.onceIn(4) ? "\(call) FILTER (WHERE \(condition(&random)))" : call
    }
    let direction = random.onceIn(2) ? "" : " DESC"
    // Of rows that nothing tells apart, it isn't known in which order another connection returns them.
    switch Int.random(in: 0..<(source.keys.isEmpty ? 3 : 4), using: &random) {
    case 0:
      return RandomQuery.Select(
        with: with, outputs: [aggregate(&random), aggregate(&random)],
        body: " FROM \(from)\(filter)", isGrouped: true)
    case 1:
      let key = expression(&random)
      let having =
        random.onceIn(2) ? "" : " HAVING \(aggregate(&random)) > \(random.onceIn(2) ? 1 : 2)"
      let order = random.onceIn(3) ? "" : " ORDER BY 2\(direction), 1\(limit)"
      return RandomQuery.Select(
        with: with, outputs: [key, aggregate(&random)],
        body: " FROM \(from)\(filter) GROUP BY 1\(having)", end: order, isGrouped: true)
    case 2:
      return RandomQuery.Select(
        with: with, isDistinct: true, outputs: [expression(&random), expression(&random)],
        body: " FROM \(from)\(filter)", end: " ORDER BY 1, 2\(direction)\(limit)")
    default:
      let outputs =
        random.onceIn(4) && !from.contains("USING")
        ? ["*"] : [expression(&random), expression(&random)]
      let keys = columns.shuffled(using: &random).prefix(2) + source.keys
      return RandomQuery.Select(
        with: with, outputs: outputs, body: " FROM \(from)\(filter)",
        end: " ORDER BY \(keys.joined(separator: ", "))\(direction)\(limit)")
    }
  }

  static func mutation(_ random: inout SeededRandom) -> String {
    func value() -> String { RandomQuery.value(&random) }
    let id = Int.random(in: 1...12, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0...2: return "INSERT OR REPLACE INTO o VALUES (\(id), \(value()), \(value()))"
    case 3...4: return "UPDATE o SET \(random.onceIn(2) ? "a" : "e") = \(value()) WHERE id = \(id)"
    case 5: return "DELETE FROM o WHERE id = \(id)"
    case 6...7: return "INSERT OR IGNORE INTO w(a, f) VALUES (\(value()), \(value()))"
    default:
      return random.onceIn(3)
        ? "UPDATE OR IGNORE w SET f = \(value()) WHERE a IS \(value())"
        : "DELETE FROM w WHERE a IS \(value())"
    }
  }
}
