/// The SQL of what is done to the rows of one table, all identifiers quoted.
package struct TableSQL: Sendable {
  /// The table's name, quoted.
  package let table: String

  package init(_ table: String) { self.table = table.quotedIdentifier }

  /// `INSERT INTO t ("a", "b") VALUES (?, ?)`
  package func insert(_ columns: [String]) -> String {
    guard !columns.isEmpty else { return "INSERT INTO \(table) DEFAULT VALUES" }
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(table) (\(Self.list(columns))) VALUES (\(marks))"
  }

  /// An INSERT that updates the row which has the same key already.
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

  private static func assignments(_ columns: [String]) -> String {
    columns.map { "\($0.quotedIdentifier) = ?" }.joined(separator: ", ")
  }

  private static func list(_ columns: [String]) -> String {
    columns.map(\.quotedIdentifier).joined(separator: ", ")
  }
}

/// Which rows, in which order: what follows `FROM t`.
package struct RowSelection: Sendable {
  package var condition: String?
  package var arguments: QueryArguments
  package var order: String?
  package var limit: Int?
  package var offset: Int?

  package init(
    where condition: String? = nil, _ arguments: QueryArguments = [], orderBy order: String? = nil,
    limit: Int? = nil, offset: Int? = nil
  ) {
    self.condition = condition
    self.arguments = arguments
    self.order = order
    self.limit = limit
    self.offset = offset
  }

  /// ` WHERE (…) ORDER BY … LIMIT … OFFSET …`
  package var sql: String {
    var sql = SQLText.whereClause(condition)
    // The line ends keep a comment at the end of a text from swallowing what follows.
    if let order { sql += " ORDER BY \(order)\n" }
    // SQLite knows OFFSET only after LIMIT; -1 is no limit.
    if limit != nil || offset != nil { sql += " LIMIT \(max(limit ?? -1, -1))" }
    if let offset { sql += " OFFSET \(offset)" }
    return sql
  }
}

/// An UPDATE of all rows that fulfil a condition, whose parameters are the condition's own.
package struct UpdateSQL {
  package let sql: String
  package let arguments: QueryArguments

  /// - Parameter values: New values by column, in the order in which they are set.
  /// - Throws: `DatabaseError` with code `misuse` when there is nothing to set, or a column twice.
  package init(
    _ table: String, set values: [(column: String, value: Value)], where condition: String?,
    _ arguments: QueryArguments
  ) throws(DatabaseError) {
    guard !values.isEmpty else {
      throw DatabaseError(
        code: .misuse, message: "there is nothing to set in \(table): name at least one column")
    }
    try RowContent.refuseDuplicates(values.map(\.column), table)
    // The values come first in the text: they would shift the condition's `?` and take its `?1`.
    let named = try condition.map { text throws(DatabaseError) in
      try NamedCondition(text, arguments)
    }
    var all = QueryArguments([], named: named?.arguments ?? [:])
    let assignments = values.enumerated().map { index, entry -> String in
      all.named["lq_set_\(index)"] = entry.value
      return "\(entry.column.quotedIdentifier) = :lq_set_\(index)"
    }
    sql =
      "UPDATE \(table.quotedIdentifier) SET \(assignments.joined(separator: ", "))"
      + SQLText.whereClause(named?.sql)
    self.arguments = all
  }
}
