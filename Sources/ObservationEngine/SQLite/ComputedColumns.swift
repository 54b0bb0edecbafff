internal import CSQLite

/// Computes the columns of a table that are generated when they are read (`VIRTUAL`), for rows that are not in the
/// table: no page has their values.
///
/// SQLite does it: each row is written to a table of the same declaration in a database in memory, and read from there.
///
/// Confined to one thread.
final class ComputedColumns {
  /// All columns of the table, in declared order.
  let columns: [String]
  private let isComputed: [Bool]
  private let scratch: Connection
  private let insertion: String
  private let selection: String
  private let deletion: String
  /// The places among the stored columns of those that a row is inserted with.
  private let inserted: [Int]

  /// Longer values aren't worth it: an expression of a few bytes can make a gigabyte.
  private static let valueBytes: Int32 = 1 << 20

  /// - Parameters:
  ///   - table: Of the main schema, as ``SchemaReader/columns(of:in:)`` describes it.
  ///   - sameAs: A connection that reads it.
  /// - Returns: `nil` where the same expression may have another value for the application.
  /// - Throws: `DatabaseError` when SQLite doesn't accept the declaration by itself.
  init?(
    of table: String, _ declared: [SchemaReader.Column], sameAs connection: Connection
  ) throws(DatabaseError) {
    guard connection.options.schemaMeaning != .application,
      let declaration = try connection.fetch(
        engine: "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE",
        [.text(table)]
      ).first?.first, case .text(let creation) = declaration,
      case .text(let encoding)? = try connection.fetch(engine: "PRAGMA main.encoding").first?.first
    else { return nil }
    if connection.options.schemaMeaning == .sqliteButLike,
      SQLTokenizer.tokens(of: creation).contains(where: { $0.name?.asciiLowercased == "like" })
    {
      return nil
    }
    scratch = try Connection(path: ":memory:", options: Connection.Options())
    columns = declared.map(\.name)
    isComputed = declared.map(\.isVirtual)
    let stored = declared.filter { !$0.isVirtual }
    inserted = stored.indices.filter { stored[$0].visibility == .ordinary }
    let names = inserted.map { stored[$0].name.quotedIdentifier }
    let name = "main.\(table.quotedIdentifier)"
    let values = inserted.indices.map { "?\($0 + 1)" }
    insertion =
      "INSERT INTO \(name)(\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    selection =
      "SELECT \(columns.map(\.quotedIdentifier).joined(separator: ", ")) FROM \(name)"
    deletion = "DELETE FROM \(name)"
    sqlite3_limit(scratch.handle, SQLITE_LIMIT_LENGTH, Self.valueBytes)
    // As for what is in a file already.
    _ = lq_db_config(scratch.handle, SQLITE_DBCONFIG_DQS_DDL, 1)
    try scratch.execute(engine: "PRAGMA encoding = '\(encoding)'")
    // The rows were valid once.
    try scratch.execute(engine: "PRAGMA ignore_check_constraints = 1")
    try scratch.execute(engine: creation)
    try scratch.execute(engine: selection)
  }

  deinit { scratch.close() }

  /// A row with all of its columns, in declared order.
  ///
  /// - Parameter stored: The values of the stored columns, in declared order.
  /// - Throws: `DatabaseError` when SQLite refuses the row, would store other values, or can't compute a column.
  func wholeRow(_ stored: [Value]) throws(DatabaseError) -> [Value] {
    guard stored.allSatisfy(\.isFaithful) else { throw Self.unknown }
    // Where the last one failed, its row may be there.
    try scratch.execute(engine: deletion)
    _ = try scratch.fetch(engine: insertion, inserted.map { stored[$0] })
    let rows = try scratch.fetch(engine: selection)
    guard rows.count == 1 else { throw Self.unknown }
    var known = stored[...]
    for (value, isComputed) in zip(rows[0], isComputed) where !isComputed {
      guard value == known.popFirst() else { throw Self.unknown }
    }
    return rows[0]
  }

  private static let unknown = DatabaseError(
    code: .error, message: "the computed columns of a row aren't known")

  /// The computed columns, folded, in which updated rows differ.
  ///
  /// - Parameter entries: Whole rows.
  func updated(in entries: [RowDifference.Entry]) -> Set<String> {
    var found: Set<String> = []
    for entry in entries {
      guard let old = entry.old, let new = entry.new else { continue }
      for index in columns.indices where isComputed[index] && !old[index].isSurely(new[index]) {
        found.insert(columns[index].asciiLowercased)
      }
    }
    return found
  }
}
