/// Whether a statement of the console only changes rows or the schema.
enum StatementKind {
  /// INSERT, UPDATE, DELETE, CREATE, …: statements that can be a transaction.
  case change
  /// A query, a statement that SQLite refuses within a transaction, or one that begins or ends a
  /// transaction: SELECT, PRAGMA, VACUUM, ATTACH, BEGIN, …
  case other

  /// It only examines words: SQLite decides whether the statement is correct.
  init(_ sql: String) {
    let changes: Set = ["insert", "replace", "update", "delete", "create", "drop", "alter"]
    // WITH x AS (…) DELETE …: the verb comes after the parentheses.
    let verbs = changes.union([
      "select", "values", "explain", "pragma", "vacuum", "attach", "detach", "begin", "commit",
      "end",
      "rollback", "savepoint", "release", "analyze", "reindex",
    ])
    let verb = SQLWords(sql).topLevel.lazy.map { $0.lowercased() }.first { verbs.contains($0) }
    self = verb.map(changes.contains) == true ? .change : .other
  }
}
