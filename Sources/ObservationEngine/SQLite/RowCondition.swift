/// Evaluates an SQL condition on rows that are no longer in the database, exactly as SQLite does.
///
/// A private in-memory connection has a table of the same name, columns, affinities and collations.
/// It stores the row there and lets SQLite evaluate the condition. Nothing touches a disk.
///
/// Proof of `@unchecked`: guarded by the single consumer of the observation that owns it.
final class RowCondition: @unchecked Sendable {
  private let connection: Connection
  private let insertion: String
  private let question: SQL
  private let deletion: String
  private let hasRowid: Bool

  /// - Parameters:
  ///   - table: The declaration of the table.
  ///   - options: The options with the functions and collations of the database.
  /// - Throws: `DatabaseError` when the condition cannot be evaluated on a row alone.
  init(
    _ condition: SQL, on table: TableDeclaration,
    options: Connection.Options
  ) throws(DatabaseError) {
    try Self.refuseSubqueries(condition.text)
    connection = try Connection(path: ":memory:", options: options)
    try connection.execute(engine: table.creation)
    hasRowid = table.rowidAlias != nil
    let names = table.columns.map(\.name.quotedIdentifier) + (table.rowidAlias.map { [$0] } ?? [])
    let marks = names.map { _ in "?" }.joined(separator: ", ")
    let name = table.name.quotedIdentifier
    insertion = "INSERT INTO \(name) (\(names.joined(separator: ", "))) VALUES (\(marks))"
    question = "SELECT 1 FROM \(identifier: table.name)\(SQL.whereClause(condition))"
    deletion = "DELETE FROM \(name)"
  }

  /// Whether a row satisfies the condition.
  ///
  /// - Complexity: Three small statements in memory.
  func holds(_ values: [Value], key: RowChange.Key) throws -> Bool {
    var values = values
    if hasRowid { if case .rowid(let rowid) = key { values.append(.integer(rowid)) } }
    _ = try connection.fetch(engine: insertion, values)
    defer {
      // A DELETE of one row in memory cannot fail.
      _ = try? connection.fetch(engine: deletion)
    }
    return try !connection.fetchAll(question).isEmpty
  }

  private static func refuseSubqueries(_ condition: String) throws(DatabaseError) {
    let words = SQLTokenizer.tokens(of: condition).filter { $0.kind == .word }
    guard !words.contains(where: { $0.text.asciiLowercased == "select" }) else {
      throw DatabaseError(
        code: .misuse,
        message: """
          the condition of observed rows cannot have a subquery, since it is asked of old rows too; \
          observe a query instead
          """,
        sql: condition)
    }
  }
}
