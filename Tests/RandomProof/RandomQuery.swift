package import TestSupport

/// Queries of the kinds that are maintained, and transactions, over the tables `t` and `m`, both
/// `(id INTEGER PRIMARY KEY, a, b, c, d)`, and those of ``RandomJoin``; with values at which SQLite's rules part ways.
package enum RandomQuery {
  /// A kind of query. One more is an entry of ``kinds``, and no change elsewhere.
  struct Kind: Sendable {
    /// As it is counted.
    let name: String
    /// How often it is made, compared with the others.
    var weight = 1
    let make: @Sendable (inout SeededRandom) -> String
  }

  static let kinds = [
    Kind(name: "aggregate") { named(aggregates(&$0), &$0).sql },
    Kind(name: "group", weight: 2) { named(groups(&$0), &$0).sql },
    Kind(name: "rows") { named(rows(&$0), &$0).sql },
    Kind(name: "several tables", weight: 4) { RandomJoin.query(&$0).sql },
    Kind(name: "sums in order", weight: 2) { sumsInOrder(&$0).sql },
    Kind(name: "collected rows", weight: 3) { collections(&$0).sql },
    Kind(name: "extreme rows", weight: 2) { extremeRows(&$0).sql },
    Kind(name: "rank", weight: 2) { ranks(&$0) },
    Kind(name: "around groups", weight: 3) { around(&$0) },
    Kind(name: "what can fail") { failing(&$0).sql },
    Kind(name: "union all", weight: 3) { compound(&$0, makesSet: false) },
    Kind(name: "set", weight: 2) { compound(&$0, makesSet: true) },
    Kind(name: "window", weight: 3) { windows(&$0) },
    Kind(name: "scalar subquery", weight: 3) { scalars(&$0) },
  ]

  /// A query in pieces, of which UNION ALL can combine several.
  struct Select {
    /// What stands before SELECT.
    var with = ""
    var isDistinct = false
    var outputs: [String]
    /// FROM, and what follows it up to ORDER BY.
    let body: String
    /// ORDER BY and LIMIT.
    var end = ""
    /// Whether it has one row, or groups, which can come in an order without ORDER BY.
    var isGrouped = false

    /// SELECT up to ORDER BY.
    var core: String {
      "SELECT \(isDistinct ? "DISTINCT " : "")\(outputs.joined(separator: ", "))\(body)"
    }
    var sql: String { with + core + end }
  }

  static let tables = ["t", "t", "t", "m"]
  package static let columns = ["a", "b", "c", "d"]
  /// The columns of one table; those of ``columns`` come up more often.
  package static let ownNames = columns + columns + ["id", "rowid"]
  private static let usual = ["0", "1", "2", "3", "-1", "7"]
  private static let hostile = [
    "NULL", "''", "'a'", "'b'", "'ab'", "'A'", "'Ab'", "'AB'", "'B'", "'_'", "x''", "x'00ff'",
    "x'61'", "'1'", "'1.0'", "1.0",
    "-0.0", "0.0", "1e300", "-1e300", "9223372036854775807", "-9223372036854775808",
    "9007199254740993", "9007199254740992", "9007199254740992.0", "'é'", "char(0)",
    "'a' || char(0) || 'b'", "9e999", "-9e999", "0.1", "'now'", "2.5", "1.5", "'%a_'", "'7'",
    "'0.3'", "0.3", "0.30000000000000004", "1e20", "'Inf'",
  ]

  package static func value(_ random: inout SeededRandom) -> String {
    // Once there, it ends most of what could be maintained.
    if random.onceIn(2000) { return "CAST(x'ff' AS TEXT)" }
    return (random.onceIn(3) ? hostile : usual).randomElement(using: &random)!
  }

  /// - Parameter names: The columns that it can name.
  package static func expression(
    _ random: inout SeededRandom, of names: [String] = ownNames, depth: Int = 0
  ) -> String {
    if depth > 2 || random.onceIn(2) {
      let constants = ["1", "2", "'a'", "NULL", "0.5", "?1", "?2"]
      return (random.onceIn(5) ? constants : names).randomElement(using: &random)!
    }
    var next: String { expression(&random, of: names, depth: depth + 1) }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return "(\(next) + \(next))"
    case 1: return "(\(next) || \(next))"
    case 2: return "coalesce(\(next), \(next))"
    case 3:
      let condition = condition(&random, of: names, depth: depth + 1)
      return "CASE WHEN \(condition) THEN \(next) ELSE \(next) END"
    case 4: return "typeof(\(next))"
    case 5: return "length(\(next))"
    case 6: return "(\(next) % 3)"
    case 7: return "(-\(next))"
    case 8: return "lower(\(next))"
    default:
      let type = ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"].randomElement(using: &random)!
      return "CAST(\(next) AS \(type))"
    }
  }

  package static func condition(
    _ random: inout SeededRandom, of names: [String] = ownNames, depth: Int = 0
  ) -> String {
    if depth < 2, random.onceIn(3) {
      let left = condition(&random, of: names, depth: depth + 1)
      let right = condition(&random, of: names, depth: depth + 1)
      return "(\(left) \(random.onceIn(2) ? "AND" : "OR") \(right))"
    }
    var next: String { expression(&random, of: names, depth: depth + 1) }
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return "\(next) IS NULL"
    case 1: return "\(next) IN (1, 'a', \(next))"
    case 2: return "\(next) BETWEEN 0 AND \(next)"
    case 3: return "NOT (\(next))"
    case 4:
      let patterns = [
        "LIKE 'a%'", "LIKE 'a%'", "LIKE 'in%'", "LIKE '1.0e%'", "GLOB 'I*'", "GLOB '1*'",
      ]
      return "\(next) \(patterns.randomElement(using: &random)!)"
    default:
      let operators = ["=", "<", ">", "<=", ">=", "<>", "IS"]
      return "\(next) \(operators.randomElement(using: &random)!) \(next)"
    }
  }

  static func aggregate(
    _ random: inout SeededRandom, of names: [String] = ownNames
  ) -> String {
    if random.onceIn(3) { return "count(*)" }
    let functions = ["count", "count", "sum", "avg", "total", "min", "min", "max", "max"]
    let argument =
      random.onceIn(2)
      ? names.randomElement(using: &random)! : expression(&random, of: names, depth: 1)
    return "\(functions.randomElement(using: &random)!)(\(argument))"
  }

  /// A query of one of ``kinds``, and the name of that.
  package static func query(_ random: inout SeededRandom) -> (kind: String, sql: String) {
    let all = kinds.flatMap { Array(repeating: $0, count: $0.weight) }
    let kind = all.randomElement(using: &random)!
    let sql = kind.make(&random)
    return (kind.name, random.onceIn(6) ? readingGenerated(sql) : sql)
  }

  /// The query with the generated column of some tables in place of `d`.
  private static func readingGenerated(_ sql: String) -> String {
    var (text, word) = ("", "")
    for character in sql + " " {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        text += word == "d" ? "g" : word
        text.append(character)
        word = ""
      }
    }
    return String(text.dropLast())
  }

  // MARK: - Kinds

  private static func aggregates(_ random: inout SeededRandom) -> Select {
    let outputs = list(1...3, &random) { random in
      random.onceIn(4)
        ? "round(\(aggregate(&random)), 1) + \(aggregate(&random))" : aggregate(&random)
    }
    return Select(outputs: outputs, body: source(&random), isGrouped: true)
  }

  private static func groups(_ random: inout SeededRandom) -> Select {
    var keys = list(1...2, &random) { random in
      random.onceIn(2)
        ? columns.randomElement(using: &random)! : expression(&random, depth: 1)
    }
    // What is beside a key is the same for all rows of a group.
    var others = random.onceIn(4) ? list(1...2, &random) { expression(&$0, depth: 1) } : []
    if random.onceIn(12) { others = ["*"] }
    if !others.isEmpty, !random.onceIn(8) { keys.append("id") }
    let outputs =
      keys + others
      + list(0...2, &random) { random in
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return "coalesce(\(aggregate(&random)), 'none') || '!'"
        case 2, 3:
          let (key, other) = (keys.randomElement(using: &random)!, aggregate(&random))
          let ways = ["(\(key)) || \(other)", "(\(key)) < \(other)", "max(\(key), \(other))"]
          return ways.randomElement(using: &random)!
        default: return aggregate(&random)
        }
      }
    let terms = random.onceIn(2) ? (1...outputs.count).map(String.init) : outputs
    let order =
      random.onceIn(3) ? "" : " ORDER BY \(ordered(terms.shuffled(using: &random), &random))"
    return Select(
      outputs: outputs, body: "\(source(&random)) GROUP BY \(keys.joined(separator: ", "))",
      end: order + limit(&random), isGrouped: true)
  }

  private static func rows(_ random: inout SeededRandom) -> Select {
    let outputs =
      random.onceIn(4) ? ["*"] : list(1...3, &random) { expression(&$0, depth: 1) }
    var keys = list(1...2, &random) { random in
      random.onceIn(2) ? columns.randomElement(using: &random)! : expression(&random, depth: 1)
    }
    if random.onceIn(2) { keys.append("id") }
    return Select(
      outputs: outputs, body: source(&random),
      end: " ORDER BY \(ordered(keys, &random))\(limit(&random))")
  }

  /// Gives some columns a name that means something else, too, in any of SQLite's spellings.
  private static func named(_ select: Select, _ random: inout SeededRandom) -> Select {
    var select = select
    guard !select.outputs.contains("*"), random.onceIn(3) else { return select }
    for place in select.outputs.indices where random.onceIn(2) {
      let name = (ownNames + ["oid", "true", "end"]).randomElement(using: &random)!
      let spellings = [
        name, name.uppercased(), "\"\(name)\"", "[\(name)]", "`\(name)`", "'\(name)'",
      ]
      let spelled = spellings.randomElement(using: &random)!
      select.outputs[place] += (random.onceIn(2) ? " AS " : " ") + spelled
    }
    return select
  }

  /// Two to four of the others. With UNION ALL and without ORDER BY, each has one row, or groups.
  private static func compound(_ random: inout SeededRandom, makesSet: Bool) -> String {
    let isSorted = random.onceIn(2)
    let takesRows = isSorted || makesSet
    func next(_ random: inout SeededRandom, like first: Select?) -> Select {
      while true {
        let select =
          switch Int.random(in: 0..<7, using: &random) {
          case 0, 1: aggregates(&random)
          case 2: groups(&random)
          case 3: takesRows ? rows(&random) : aggregates(&random)
          case 4, 5: RandomJoin.query(&random)
          default: sumsInOrder(&random)
          }
        guard takesRows || select.isGrouped else { continue }
        guard let first else { return select }
        if select.with.isEmpty, select.outputs.count == first.outputs.count,
          select.outputs.contains("*") == first.outputs.contains("*")
        {
          return select
        }
      }
    }
    var first = next(&random, like: nil)
    var order = ""
    if isSorted {
      // `*` has more columns than two, of which the first is a key.
      let isStar = first.outputs.contains("*")
      var terms = (1...(isStar ? 2 : first.outputs.count)).map(String.init)
      if !isStar, random.onceIn(2) {
        let place = terms.indices.randomElement(using: &random)!
        first.outputs[place] += " AS k"
        terms[place] = random.onceIn(2) ? "k" : "K"
      }
      if random.onceIn(10) { terms.append(columns.randomElement(using: &random)!) }
      terms.shuffle(using: &random)
      order = " ORDER BY \(ordered(terms, &random))"
    }
    let others = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      next(&random, like: first).core
    }
    var sql = first.with + first.core
    for (number, core) in others.enumerated() {
      let sets = ["UNION", "UNION", "INTERSECT", "EXCEPT"]
      // The last operator makes the result a set.
      let isSet = makesSet && (number == others.count - 1 || !random.onceIn(4))
      sql += " \(isSet ? sets.randomElement(using: &random)! : "UNION ALL") \(core)"
    }
    return sql + order + limit(&random)
  }

  /// Sums that come out otherwise when their rows are added up in another order.
  private static func sumsInOrder(_ random: inout SeededRandom) -> Select {
    let source = random.onceIn(2) ? Source(source(&random), columns) : RandomJoin.source(&random)
    let sums = list(1...2, &random) { random in
      let name = ["sum", "sum", "avg", "total"].randomElement(using: &random)!
      let column = source.columns.randomElement(using: &random)!
      let factor = ["0.1", "1.1", "1e15", "1.0 / 3"].randomElement(using: &random)!
      let call = "\(name)(\(column) * \(factor))"
      return random.onceIn(5) ? "\(call) FILTER (WHERE \(column) > 0)" : call
    }
    if random.onceIn(3) { return Select(outputs: sums, body: source.text, isGrouped: true) }
    let key = source.columns.randomElement(using: &random)!
    let order = random.onceIn(2) ? "" : " ORDER BY \(ordered(["1"], &random))"
    return Select(
      outputs: [key] + sums, body: "\(source.text) GROUP BY 1", end: order, isGrouped: true)
  }

  /// What SQLite makes of all rows of a group, in the order in which it visits them.
  private static func collections(_ random: inout SeededRandom) -> Select {
    let source = random.onceIn(2) ? Source(source(&random), columns) : RandomJoin.source(&random)
    func column(_ random: inout SeededRandom) -> String {
      random.onceIn(4)
        ? expression(&random, of: source.columns, depth: 2)
        : source.columns.randomElement(using: &random)!
    }
    /// JSON can't have a BLOB.
    func plain(_ random: inout SeededRandom) -> String {
      let value = column(&random)
      return random.onceIn(20) ? value : "iif(typeof(\(value)) = 'blob', hex(\(value)), \(value))"
    }
    func json(_ random: inout SeededRandom) -> String {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: plain(&random)
      case 1: "json_object('a', \(plain(&random)), 'b', \(plain(&random)))"
      case 2: "iif(\(column(&random)) > 1, json_array(\(plain(&random))), \(plain(&random)))"
      default: "json_array(\(plain(&random)), json_quote(\(plain(&random))))"
      }
    }
    func call(_ random: inout SeededRandom) -> String {
      switch Int.random(in: 0..<9, using: &random) {
      case 0, 1: "group_concat(\(column(&random)))"
      case 2: "group_concat(\(column(&random)), \(random.onceIn(3) ? column(&random) : "'; '"))"
      case 3: "group_concat(DISTINCT \(column(&random)))"
      case 4: "json_group_array(\(random.onceIn(6) ? "DISTINCT " : "")\(json(&random)))"
      case 5: "json_group_array(\(json(&random)))"
      case 6: "json_group_object(lower(\(column(&random))), \(json(&random)))"
      default:
        "\(["sum", "avg", "total"].randomElement(using: &random)!)(DISTINCT \(column(&random)))"
      }
    }
    var outputs = list(1...2, &random) { random in
      let call = call(&random) + (random.onceIn(5) ? " FILTER (WHERE \(column(&random)) > 0)" : "")
      guard random.onceIn(4) else { return call }
      let around = ["'[' || ", "length(", "json_array(1, ", "json_object('x', ", "json_quote("]
      let first = around.randomElement(using: &random)!
      return first + call + (first.hasSuffix(" ") && first.hasPrefix("'") ? "" : ")")
    }
    if random.onceIn(3) { outputs.append(aggregate(&random, of: source.columns)) }
    if random.onceIn(4) { return Select(outputs: outputs, body: source.text, isGrouped: true) }
    let key = source.columns.randomElement(using: &random)!
    let order = random.onceIn(2) ? "" : " ORDER BY \(ordered(["1", "2"], &random))"
    return Select(
      outputs: [key] + outputs, body: "\(source.text) GROUP BY 1",
      end: order + (random.onceIn(4) ? limit(&random) : ""), isGrouped: true)
  }

  /// Columns of the row that has the least or greatest value of its group, and now and then of none.
  private static func extremeRows(_ random: inout SeededRandom) -> Select {
    let source = random.onceIn(2) ? Source(source(&random), columns) : RandomJoin.source(&random)
    func column() -> String { source.columns.randomElement(using: &random)! }
    let extremum = "\(random.onceIn(3) ? "min" : "max")(\(column()))"
    var outputs =
      [column(), extremum] + (0..<Int.random(in: 1...2, using: &random)).map { _ in column() }
    if random.onceIn(3) { outputs.append("count(*)") }
    if random.onceIn(10) { outputs.append("min(\(column()))") }
    let having = random.onceIn(4) ? " HAVING \(extremum) > 0" : ""
    let order = random.onceIn(2) ? "" : " ORDER BY \(ordered(["2", "3"], &random))"
    return Select(
      outputs: outputs, body: "\(source.text) GROUP BY 1\(having)",
      end: order + (random.onceIn(3) ? limit(&random) : ""), isGrouped: true)
  }

  /// Places in an order of all rows or groups, of which the result mostly has the same one.
  private static func ranks(_ random: inout SeededRandom) -> String {
    let source = random.onceIn(3) ? RandomJoin.source(&random) : Source(source(&random), columns)
    func column(_ random: inout SeededRandom) -> String {
      source.columns.randomElement(using: &random)!
    }
    let isGrouped = random.onceIn(3)
    let (key, sum) = (column(&random), aggregate(&random, of: source.columns))
    let others = isGrouped ? [key, sum] : [key, column(&random)]
    var terms = list(1...2, &random) { isGrouped ? others.randomElement(using: &$0)! : column(&$0) }
    if random.onceIn(2), !isGrouped, source.columns.contains("id") { terms.append("id") }
    let window = "OVER (ORDER BY \(ordered(terms, &random)))"
    let calls = list(1...2, &random) { random in
      "\(["rank()", "rank()", "dense_rank()", "row_number()"].randomElement(using: &random)!) \(window)"
    }
    let groups = random.onceIn(4) ? ["1", "2", "place"].randomElement(using: &random)! : key
    let body = source.text + (isGrouped ? " GROUP BY \(groups)" : "")
    var outputs = others
    for place in outputs.indices where random.onceIn(4) {
      outputs[place] += " AS \((columns + ["place"]).randomElement(using: &random)!)"
    }
    if random.onceIn(5) { outputs.insert("*", at: 0) }
    let orders = [
      "", " ORDER BY place", " ORDER BY place", " ORDER BY place, \(others[0])",
      " ORDER BY \(others.count + 1), \(others[1])", " ORDER BY \(others[0])",
    ]
    return
      "SELECT \(outputs.joined(separator: ", ")), \(calls[0]) AS place"
      + calls.dropFirst().map { ", \($0)" }.joined() + body
      + orders.randomElement(using: &random)! + limit(&random)
  }

  /// Groups, and what SQLite evaluates over them: window functions of all, texts of all, further SELECTs.
  private static func around(_ random: inout SeededRandom) -> String {
    let source = random.onceIn(3) ? RandomJoin.source(&random) : Source(source(&random), columns)
    let keys = list(1...2, &random) { random in
      random.onceIn(3)
        ? expression(&random, of: source.columns, depth: 2)
        : source.columns.randomElement(using: &random)!
    }
    let sums = list(1...2, &random) { aggregate(&$0, of: source.columns) }
    let having = random.onceIn(5) ? " HAVING \(sums[0]) > 0" : ""
    let isWithin = random.onceIn(2)
    let names = (keys + sums).indices.map { "g\($0)" }
    // What is around names the groups' columns, or is a SELECT with them.
    let values = isWithin ? names : keys + sums
    func call(_ random: inout SeededRandom) -> String {
      let value = values.randomElement(using: &random)!
      let calls = [
        "rank()", "row_number()", "ntile(2)", "percent_rank()", "lag(\(value))", "sum(\(value))",
        "count(*)", "min(\(value))", "first_value(\(value))", "group_concat(\(value))",
      ]
      let terms = list(0...2, &random) { values.randomElement(using: &$0)! }
      let partition =
        random.onceIn(4) ? "PARTITION BY \(values.randomElement(using: &random)!)" : ""
      let order = terms.isEmpty ? "" : "ORDER BY \(ordered(terms, &random))"
      let window = [partition, order].filter { !$0.isEmpty }.joined(separator: " ")
      let call = "\(calls.randomElement(using: &random)!) OVER (\(window))"
      return random.onceIn(4) ? "\(call) || \(values.randomElement(using: &random)!)" : call
    }
    let windows = list(1...2, &random) { call(&$0) }
    let columns = (0..<(keys.count + windows.count)).map { "\($0 + 1)" }.shuffled(using: &random)
    let end = random.onceIn(3) ? "" : " ORDER BY \(ordered(columns, &random))\(limit(&random))"
    guard isWithin else {
      return "SELECT \((keys + windows).joined(separator: ", "))\(source.text) "
        + "GROUP BY \(keys.joined(separator: ", "))\(having)\(end)"
    }
    let named = zip(keys + sums, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
    let groups = "SELECT \(named)\(source.text) GROUP BY \(keys.joined(separator: ", "))\(having)"
    let filter = random.onceIn(3) ? " WHERE \(condition(&random, of: names, depth: 2))" : ""
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return "SELECT group_concat(\(names[0])), sum(\(names.last!)) FROM (\(groups))\(filter)"
    case 1:
      return
        "WITH g AS (\(groups)) SELECT \(names[0]), (SELECT group_concat(\(names.last!)) FROM g) "
        + "FROM g\(filter) ORDER BY \(ordered(names, &random))"
    default:
      let outputs = names.prefix(keys.count) + windows
      return "WITH g AS (\(groups)) SELECT \(outputs.joined(separator: ", ")) FROM g\(filter)\(end)"
    }
  }

  /// Calls that fail for the least integer, in columns and conditions of one table.
  private static func failing(_ random: inout SeededRandom) -> Select {
    func call(_ random: inout SeededRandom) -> String {
      let name = columns.randomElement(using: &random)!
      return random.onceIn(4)
        ? "CASE WHEN json_valid(\(name)) THEN json_type(\(name)) END" : "abs(\(name))"
    }
    let terms = list(0...2, &random) { random in
      random.onceIn(2) ? "\(call(&random)) > 1" : condition(&random, depth: 2)
    }
    let body =
      " FROM \(tables.randomElement(using: &random)!)"
      + (terms.isEmpty ? "" : " WHERE \(terms.joined(separator: " AND "))")
    let value = call(&random)
    if random.onceIn(3) {
      return Select(
        outputs: ["id", value], body: body, end: " ORDER BY 2, id\(limit(&random))")
    }
    let sums = list(1...2, &random) { random in
      random.onceIn(2) ? "count(*)" : "max(\(call(&random)))"
    }
    if random.onceIn(2) { return Select(outputs: sums, body: body, isGrouped: true) }
    return Select(outputs: [value] + sums, body: "\(body) GROUP BY 1", isGrouped: true)
  }

  /// SELECTs as values in expressions, which name nothing of what is around them.
  private static func scalars(_ random: inout SeededRandom) -> String {
    func scalar(_ random: inout SeededRandom) -> String {
      var inner =
        switch Int.random(in: 0..<6, using: &random) {
        case 0: rows(&random)
        case 1: groups(&random)
        case 2: sumsInOrder(&random)
        case 3: RandomJoin.query(&random)
        default: aggregates(&random)
        }
      while !inner.isGrouped, inner.end.isEmpty || inner.outputs == ["*"] { inner = rows(&random) }
      // What it is grouped or sorted by can be another one of these columns.
      if !inner.end.contains("2"), !inner.body.contains("GROUP BY 1") {
        inner.outputs = [inner.outputs[0]]
      }
      if random.onceIn(4), inner.outputs.count == 1 { inner.outputs[0] += " + 1" }
      return inner.outputs.count == 1 && inner.with.isEmpty
        ? "(\(inner.sql))" : "(SELECT \(aggregate(&random))\(source(&random)))"
    }
    func figures(_ random: inout SeededRandom) -> String {
      let outputs = list(1...2, &random) { random in
        switch Int.random(in: 0..<3, using: &random) {
        case 0: "coalesce(\(scalar(&random)), 'none') || '!'"
        case 1: "\(scalar(&random)) > \(scalar(&random))"
        default: scalar(&random)
        }
      }
      return "SELECT 'x', \(outputs[0])" + (random.onceIn(2) ? "" : ", \(outputs.last!)")
    }
    let own = Source(source(&random), columns)
    let read = random.onceIn(3) ? RandomJoin.source(&random) : own
    func column() -> String { read.columns.randomElement(using: &random)! }
    func comparison(_ random: inout SeededRandom) -> String {
      let (first, other) = (
        read.columns.randomElement(using: &random)!, read.columns.randomElement(using: &random)!
      )
      let subject = random.onceIn(4) ? "coalesce(\(first), 1)" : first
      let value = scalar(&random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: return "\(value) \(random.onceIn(2) ? "<" : "=") \(subject)"
      case 1: return "\(subject) BETWEEN \(value) AND 3"
      case 2: return "(\(subject) > \(value) OR \(other) = 1)"
      default:
        let operators = ["=", "<", ">", "<=", ">=", "<>"]
        return "\(subject) \(operators.randomElement(using: &random)!) \(value)"
      }
    }
    let filter = read.text.contains(" WHERE ") ? "AND" : "WHERE"
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return figures(&random)
    case 1:
      let first = figures(&random)
      let others = list(1...2, &random) { figures(&$0) }
      let same = others.filter {
        $0.count(where: { $0 == "," }) == first.count(where: { $0 == "," })
      }
      return ([first] + same).joined(separator: " UNION ALL ")
    case 2:
      let (key, share) = (column(), aggregate(&random, of: read.columns))
      let havings = [
        "", "", " HAVING count(*) > \(scalar(&random))", " HAVING share > 50",
        " HAVING share > \(scalar(&random)) AND \"SHARE\" IS NOT 1",
      ]
      return "SELECT \(key), count(*), \(share) * 100.0 / \(scalar(&random)) AS share\(read.text) "
        + "GROUP BY 1\(havings.randomElement(using: &random)!)"
    case 3:
      let sum = "sum(CASE WHEN \(comparison(&random)) THEN 1 ELSE 0 END)"
      let key = column()
      return "SELECT \(key), \(sum)\(read.text) GROUP BY \(random.onceIn(2) ? "1" : key)"
    case 4:
      let sum = aggregate(&random, of: read.columns)
      return "SELECT count(*), \(sum)\(read.text) \(filter) \(comparison(&random))"
    default:
      // Of rows that nothing tells apart, it isn't known in which order another connection returns them.
      let word = own.text.contains(" WHERE ") ? "AND" : "WHERE"
      let (value, other) = (scalar(&random), scalar(&random))
      let name = columns.randomElement(using: &random)!
      if random.onceIn(2) {
        return "SELECT id, coalesce(\(name), 1) || \(value)\(own.text) ORDER BY \(name), id"
          + limit(&random)
      }
      return "SELECT id, \(name), \(name) > \(value)\(own.text) \(word) \(name) <= \(other) "
        + "ORDER BY \(name), id\(limit(&random))"
    }
  }

  /// Window functions with PARTITION BY, or a SELECT of what they return.
  private static func windows(_ random: inout SeededRandom) -> String {
    let own = source(&random)
    let inWindow = "(SELECT *, row_number() OVER (PARTITION BY a ORDER BY id) AS w\(own))"
    let source =
      switch Int.random(in: 0..<12, using: &random) {
      case 0: Source(" FROM \(inWindow)", columns + ["id", "w"])
      case 1...4: RandomJoin.source(&random)
      default: Source(own, ownNames)
      }
    func column(_ random: inout SeededRandom) -> String {
      source.columns.randomElement(using: &random)!
    }
    let keys = list(random.onceIn(4) ? 1...2 : 1...1, &random) { column(&$0) }
    let calls = list(1...2, &random) { random in
      var terms = list(0...2, &random) { column(&$0) }
      // Otherwise most are tied.
      if !random.onceIn(3), source.columns.contains("id") { terms.append("id") }
      let order = terms.isEmpty ? "" : " ORDER BY \(ordered(terms, &random))"
      let plain = [
        "row_number()", "row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()",
        "ntile(2)",
      ]
      let value = column(&random)
      let others = [
        "lag(\(value))", "lead(\(value), 1, 'none')", "first_value(\(value))",
        "nth_value(\(value), 2)",
        "sum(\(value))", "avg(\(value))", "total(\(value))", "min(\(value))", "max(\(value))",
        "count(*)",
        "count(\(value)) FILTER (WHERE \(value) > 0)",
      ]
      let frames = [
        "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", "ROWS UNBOUNDED PRECEDING",
        "GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING", "RANGE UNBOUNDED PRECEDING EXCLUDE TIES",
      ]
      let call = (random.onceIn(2) ? plain : others).randomElement(using: &random)!
      let frame = random.onceIn(4) ? " " + frames.randomElement(using: &random)! : ""
      let window = "\(call) OVER (PARTITION BY \(keys.joined(separator: ", "))\(order)\(frame))"
      // What a number is computed with is another value for each of the tied rows.
      return random.onceIn(6) ? "\(window) + (\(column(&random)))" : window
    }
    let outputs = keys + calls
    let places = (1...outputs.count).map(String.init).shuffled(using: &random)
    let end = " ORDER BY \(ordered(places, &random))\(limit(&random))"
    let inner = "SELECT \(outputs.joined(separator: ", "))\(source.text)"
    if random.onceIn(3) { return inner + end }
    // Words of SQL, or the same name twice.
    let names = outputs.indices.map { place in
      random.onceIn(12)
        ? ["int", "text", "\"and\"", "o0"].randomElement(using: &random)! : "o\(place)"
    }
    let named = zip(outputs, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
    let name = names.randomElement(using: &random)!
    let filters = [
      "", " WHERE \(names.last!) <= 2", " WHERE \(name) = 1",
      " WHERE \(condition(&random, of: names, depth: 1))",
    ]
    let body = " FROM (SELECT \(named)\(source.text))\(filters.randomElement(using: &random)!)"
    if random.onceIn(4) {
      return "SELECT o0, \(aggregate(&random, of: names))\(body) GROUP BY o0"
    }
    return "SELECT \(names.joined(separator: ", "))\(body)\(end)"
  }

  /// FROM with what follows it, and the columns that it has.
  struct Source {
    let text: String
    let columns: [String]

    init(_ text: String, _ columns: [String]) { (self.text, self.columns) = (text, columns) }
  }

  // MARK: - Clauses

  /// FROM and WHERE, of one table.
  private static func source(_ random: inout SeededRandom) -> String {
    let name = tables.randomElement(using: &random)!
    let item = [name, "\(name) AS x", "main.\(name)", "\(name) x"].randomElement(using: &random)!
    return " FROM \(item)" + (random.onceIn(3) ? "" : " WHERE \(condition(&random))")
  }

  static func limit(_ random: inout SeededRandom) -> String {
    guard random.onceIn(2) else { return "" }
    let limit = " LIMIT \(Int.random(in: 0...8, using: &random))"
    return random.onceIn(2) ? limit + " OFFSET \(Int.random(in: 0...3, using: &random))" : limit
  }

  static func ordered(_ terms: [String], _ random: inout SeededRandom) -> String {
    terms.map { term in
      let spelled =
        random.onceIn(12) ? ["(\(term))", "+\(term)"].randomElement(using: &random)! : term
      let collations = ["NOCASE", "NOCASE", "\"nocase\"", "BINARY", "RTRIM"]
      let collation =
        random.onceIn(12) ? " COLLATE \(collations.randomElement(using: &random)!)" : ""
      let nulls = random.onceIn(8) ? " NULLS \(random.onceIn(2) ? "FIRST" : "LAST")" : ""
      return spelled + collation + (random.onceIn(2) ? "" : " DESC") + nulls
    }.joined(separator: ", ")
  }

  static func list(
    _ range: ClosedRange<Int>, _ random: inout SeededRandom,
    _ one: (inout SeededRandom) -> String
  ) -> [String] {
    (0..<Int.random(in: range, using: &random)).map { _ in one(&random) }
  }

  // MARK: - Commits

  package static func mutation(_ random: inout SeededRandom) -> String {
    if random.onceIn(3) { return RandomJoin.mutation(&random) }
    let table = tables.randomElement(using: &random)!
    let id = Int.random(in: 1...40, using: &random)
    let values = (0..<4).map { _ in value(&random) }.joined(separator: ", ")
    let conflict = ["", "", " OR REPLACE", " OR IGNORE"].randomElement(using: &random)!
    let key = random.onceIn(2) ? "\(id)" : "NULL"
    let insertion = "INSERT\(conflict) INTO \(table)(id, a, b, c, d) VALUES (\(key), \(values))"
    switch Int.random(in: 0..<14, using: &random) {
    case 0...4: return insertion
    case 5...8:
      let column = columns.randomElement(using: &random)!
      return "UPDATE OR IGNORE \(table) SET \(column) = \(value(&random)) WHERE id = \(id)"
    case 9:
      let other = Int.random(in: 1...60, using: &random)
      return "UPDATE OR IGNORE \(table) SET id = \(other) WHERE id = \(id)"
    case 10, 11: return "DELETE FROM \(table) WHERE id = \(id)"
    case 12:
      if random.onceIn(10) { return "DELETE FROM \(table)" }
      if random.onceIn(2) { return "DELETE FROM \(table) WHERE id % 5 = \(id % 5)" }
      // The first or the last rows of many queries at once.
      let column = columns.randomElement(using: &random)!
      let order = ["<", ">=", ">"].randomElement(using: &random)!
      return "DELETE FROM \(table) WHERE \(column) \(order) \(value(&random))"
    default: return insertion + " ON CONFLICT(id) DO UPDATE SET a = excluded.b"
    }
  }

  /// The tables, with affinities, indexes and a trigger at random.
  package static func schema(_ random: inout SeededRandom) -> [String] {
    var statements = [creation(of: "t", &random), creation(of: "m", &random)]
    var column: String { columns.randomElement(using: &random)! }
    if random.onceIn(3) {
      let order = collation(&random) + (random.onceIn(2) ? "" : " DESC")
      statements.append("CREATE INDEX i ON t(\(column)\(order))")
    }
    if random.onceIn(3) {
      statements.append("CREATE INDEX j ON t(\(column)\(collation(&random)), \(column))")
    }
    if random.onceIn(4) {
      statements.append(
        """
        CREATE TRIGGER g AFTER INSERT ON t WHEN new.a = 1
        BEGIN UPDATE t SET b = new.c WHERE id = new.id; END
        """)
    }
    if random.onceIn(4) {
      statements.append(
        """
        CREATE TRIGGER h AFTER DELETE ON m
        BEGIN INSERT OR REPLACE INTO t(id, a, b) VALUES (old.id, old.b, old.a); END
        """)
    }
    return statements + RandomJoin.schema(&random)
  }

  private static func creation(of table: String, _ random: inout SeededRandom) -> String {
    let types = ["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB", ""]
    var list = columns.map { "\($0) \(types.randomElement(using: &random)!)\(collation(&random))" }
    let key = random.onceIn(4) ? "PRIMARY KEY DESC" : "PRIMARY KEY"
    // Its values aren't among those of a record, or not in their places.
    var index = ""
    if random.onceIn(2) {
      let storage = ["STORED", "VIRTUAL"].randomElement(using: &random)!
      let value = ["a || 1", "b", "ifnull(c, a) * 2"].randomElement(using: &random)!
      let type = types.randomElement(using: &random)!
      list.insert(
        "g \(type) AS (\(value)) \(storage)", at: Int.random(in: 0..<list.count, using: &random))
      if random.onceIn(2) { index = "; CREATE INDEX g_\(table) ON \(table)(g, b)" }
    }
    guard random.onceIn(3) else {
      return "CREATE TABLE \(table)(id INTEGER \(key), \(list.joined(separator: ", ")))\(index)"
    }
    // The first rows are shorter than those that come.
    let late = list.removeLast()
    let text = defaults.randomElement(using: &random)!
    return """
      CREATE TABLE \(table)(id INTEGER \(key), \(list.joined(separator: ", "))); \
      INSERT INTO \(table)(id, a, b, c) SELECT value, value % 3, value, NULL FROM json_each('[1,2,3,4,5,6,7,8,9,10]'); \
      ALTER TABLE \(table) ADD COLUMN \(late) DEFAULT \(text)\(index)
      """
  }

  static func collation(_ random: inout SeededRandom) -> String {
    random.onceIn(6) ? " COLLATE NOCASE" : random.onceIn(30) ? " COLLATE RTRIM" : ""
  }

  /// What SQLite reads otherwise in a row that is older than its column than in one that an INSERT wrote.
  private static let defaults = [
    "1.50", "-1.50", "1e2", "5.", "1e400", "9223372036854775808", "9007199254740993.0",
    "(CAST(1.50 AS TEXT))", "true", "false", "'5'", "' 5 '", "'1e2'", "x'35'", "1.0", "2", "NULL",
  ]

  /// What changes more than rows, or where they are, and what queries fail until.
  static func schemaChange(
    _ random: inout SeededRandom
  ) -> (sql: String, repair: String?) {
    let column = columns.randomElement(using: &random)!
    let changes: [(String, String?)] = [
      ("CREATE INDEX h ON t(\(column))", "DROP INDEX h"), ("VACUUM", nil), ("REINDEX", nil),
      ("ALTER TABLE t ADD COLUMN e DEFAULT 1", "ALTER TABLE t DROP COLUMN e"),
      ("ALTER TABLE t RENAME COLUMN d TO f", "ALTER TABLE t RENAME COLUMN f TO d"),
      ("ALTER TABLE m RENAME TO n", "ALTER TABLE n RENAME TO m"),
      ("BEGIN; DROP TABLE m; \(creation(of: "m", &random)); COMMIT", nil),
    ]
    return changes.randomElement(using: &random)!
  }
}
