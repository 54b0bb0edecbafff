import Dashboard
import ObservationEngine

/// A statement that may change more than the user meant: it is confirmed before it runs.
struct StatementHazard: Equatable {
  enum Kind: Equatable {
    /// UPDATE without WHERE.
    case updateAll
    /// DELETE without WHERE.
    case deleteAll
    case dropTable
    /// TRUNCATE, which only servers have; perhaps of several tables.
    case truncate(isAlone: Bool)
    /// DROP of a view, an index or a trigger.
    case drop(kind: String)
  }

  let kind: Kind
  /// The table or other object, with its schema if written, as SQL.
  let target: String

  /// Finds the hazard in one statement, if there is one.
  ///
  /// It only examines words, without comments and literals: SQLite decides whether the statement is
  /// correct. A WHERE within parentheses belongs to a subquery.
  init?(_ sql: String) {
    let parsed = SQLWords(sql)
    let words = parsed.topLevel
    guard let start = Self.verb(of: words, options: parsed.options) else { return nil }
    let rest = words[start...].dropFirst()
    let hasWhere = rest.contains { $0.lowercased() == "where" }
    switch words[start].lowercased() {
    case "update" where !hasWhere:
      var name = rest
      // UPDATE OR IGNORE t SET …
      if name.first?.lowercased() == "or" { name = name.dropFirst(2) }
      self.init(.updateAll, name)
    case "delete" where !hasWhere:
      self.init(.deleteAll, rest.drop { $0.lowercased() == "from" })
    case "truncate" where start == words.startIndex:
      let others = rest.contains { $0 == "," || $0.lowercased() == "cascade" }
      self.init(
        .truncate(isAlone: !others), rest.drop { ["table", "only"].contains($0.lowercased()) })
    case "drop":
      guard let kind = rest.first?.lowercased() else { return nil }
      let name = rest.dropFirst().drop { ["if", "exists"].contains($0.lowercased()) }
      self.init(kind == "table" ? .dropTable : .drop(kind: kind), name)
    default: return nil
    }
  }

  /// The word that says what a statement does: the first, or that behind WITH … or EXPLAIN ANALYZE.
  private static func verb(of words: [String], options: [String]) -> Int? {
    // An unfinished statement may begin with empty ones.
    var start = words.prefix { $0 == ";" }.count
    // EXPLAIN alone runs nothing. A server's EXPLAIN ANALYZE does.
    if words.count > start + 1, words[start].lowercased() == "explain" {
      func runs(_ word: String) -> Bool { ["analyze", "analyse"].contains(word.lowercased()) }
      if runs(words[start + 1]) {
        start += 2
        if start < words.count, words[start].lowercased() == "verbose" { start += 1 }
      } else {
        // EXPLAIN (ANALYZE, BUFFERS) …
        guard options.contains(where: runs) else { return nil }
        start += 1
      }
    }
    guard start < words.count else { return nil }
    guard words[start].lowercased() == "with" else { return start }
    // What stands in parentheses is left out: names, AS, and the verb after the last one.
    let verbs = ["update", "delete", "insert", "replace", "select", "values", "merge"]
    return words.indices[start...].first { index in
      // It may be a name that WITH defines.
      verbs.contains(words[index].lowercased())
        && (index + 1 >= words.count || words[index + 1].lowercased() != "as")
    }
  }

  private init?(_ kind: Kind, _ words: ArraySlice<String>) {
    guard let first = words.first else { return nil }
    self.kind = kind
    let after = words.dropFirst()
    // schema . table
    target =
      after.first == "." && after.count > 1 ? first + "." + after[after.startIndex + 1] : first
  }

  /// The maximum rows to count, because the user waits for the question.
  static let countLimit: Int64 = 100_000

  /// The query for how many rows would change, at most one more than ``countLimit``; nil when no
  /// rows would.
  var countQuery: String? {
    switch kind {
    case .drop, .truncate(isAlone: false): return nil
    // The name is for servers before PostgreSQL 16.
    default:
      return
        "SELECT count(*) FROM (SELECT 1 FROM \(target) LIMIT \(Self.countLimit + 1)) AS counted"
    }
  }

  /// The question for the user.
  ///
  /// - Parameter rows: How many rows the table has, as ``countQuery`` counts them; nil when that is
  ///   unknown.
  func question(rows: Int64?) -> String {
    let count =
      switch rows {
      case nil: "all rows"
      case 1?: "its 1 row"
      case let rows? where rows > Self.countLimit:
        "more than \(NumberText.grouped(Self.countLimit)) rows"
      case let rows?: "all \(NumberText.grouped(rows)) rows"
      }
    return switch kind {
    case .updateAll: "UPDATE without WHERE changes \(count) of \(target). Run it?"
    case .deleteAll: "DELETE without WHERE removes \(count) of \(target). Run it?"
    case .truncate(isAlone: true): "TRUNCATE removes \(count) of \(target). Run it?"
    case .truncate: "TRUNCATE removes all rows of \(target) and of other tables. Run it?"
    case .dropTable: "DROP TABLE removes \(target) with \(count). Run it?"
    case .drop(let kind): "DROP \(kind.uppercased()) removes \(target). Run it?"
    }
  }
}
