/// SQL for the rows of one table, with all identifiers quoted.
package struct TableSQL: Sendable {
  private let name: String
  /// The table's name, quoted.
  private let table: String

  package init(_ name: String) {
    self.name = name
    table = name.quotedIdentifier
  }

  /// `INSERT INTO t ("a", "b") VALUES (?, ?)`
  package func insert(_ columns: [String]) -> String {
    guard !columns.isEmpty else { return "INSERT INTO \(table) DEFAULT VALUES" }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(table) (\(Self.list(columns))) VALUES (\(marks))"
  }

  /// An INSERT that updates the row if one with the same key exists.
  package func insertOrUpdate(_ columns: [String], key: [String]) -> String {
    let folded = Set(key.map(\.asciiLowercased))
    let others = columns.filter { !folded.contains($0.asciiLowercased) }
    let action =
      others.isEmpty
      ? "NOTHING"
      : "UPDATE SET "
        + others.map { "\($0.quotedIdentifier) = excluded.\($0.quotedIdentifier)" }
        .joined(separator: ", ")
    return insert(columns) + " ON CONFLICT (\(Self.list(key))) DO \(action)"
  }

  /// `UPDATE t SET "a" = ? WHERE "id" = ?`: first the values, then the key.
  package func update(_ columns: [String], key: [String]) -> String {
    "UPDATE \(table) SET \(Self.assignments(columns)) WHERE \(Self.equals(key))"
  }

  /// `DELETE FROM t WHERE "id" = ?`
  package func delete(key: [String]) -> String {
    "DELETE FROM \(table) WHERE \(Self.equals(key))"
  }

  /// `SELECT "a", "b" FROM t`; without columns, all of them.
  package func select(_ columns: [String] = []) -> String {
    "SELECT \(columns.isEmpty ? "*" : Self.list(columns)) FROM \(table)"
  }

  /// A condition that finds the row with a key.
  package static func equals(_ key: [String]) -> String {
    key.map { "\($0.quotedIdentifier) = ?" }.joined(separator: " AND ")
  }

  /// The same condition with the values of the key.
  package static func equals(_ key: [String], _ values: [Value]) -> SQL {
    SQL(raw: equals(key), QueryArguments(values: values))
  }

  private static func assignments(_ columns: [String]) -> String {
    columns.map { "\($0.quotedIdentifier) = ?" }.joined(separator: ", ")
  }

  private static func list(_ columns: [String]) -> String {
    columns.map(\.quotedIdentifier).joined(separator: ", ")
  }
}

/// Which rows, in which order: what follows `FROM t`.
package struct RowSelection: Sendable {
  /// ` WHERE (…) ORDER BY … LIMIT … OFFSET …`
  package let sql: SQL

  package init(
    where condition: SQL? = nil, _ arguments: QueryArguments = [], orderBy order: SQL? = nil,
    limit: Int? = nil, offset: Int? = nil
  ) {
    // Bound here, because the order may have values too, and they follow the condition's.
    let filter = SQL.whereClause(condition).with(arguments)
    // The newline ends a comment at the end of the text, which would otherwise swallow what
    // follows.
    let ordering: SQL = order.map { " ORDER BY \($0)\n" } ?? ""
    var range = ""
    // SQLite accepts OFFSET only after LIMIT; -1 means no limit.
    if limit != nil || offset != nil { range += " LIMIT \(max(limit ?? -1, -1))" }
    if let offset { range += " OFFSET \(offset)" }
    sql = "\(filter)\(ordering)\(raw: range)"
  }
}

extension TableSQL {
  /// An UPDATE of all rows that satisfy a condition, which keeps its own parameters.
  ///
  /// - Throws: `DatabaseError` with code `misuse` when there is nothing to set.
  package func update(_ content: RowContent, where condition: SQL?) throws(DatabaseError) -> SQL {
    guard !content.columns.isEmpty else {
      throw DatabaseError(
        code: .misuse, message: "there is nothing to set in \(name): name at least one column")
    }
    // The values come first in the text: they would shift the condition's `?` and collide with its
    // `?1`.
    let named = try condition.map { sql throws(DatabaseError) in try NamedCondition(sql) }
    var arguments = named?.arguments ?? [:]
    let assignments = zip(content.columns, content.values).enumerated().map { index, entry in
      arguments["lq_set_\(index)"] = entry.1
      return "\(entry.0.quotedIdentifier) = :lq_set_\(index)"
    }
    let text = "UPDATE \(table) SET \(assignments.joined(separator: ", "))"
    let filter = SQL.whereClause(named.map { SQL(raw: $0.sql) })
    return SQL(raw: text + filter.text, QueryArguments(values: [], named: arguments))
  }
}
