public import ObservationEngine

/// A change of one row, as records.
public struct RecordChange<Element: Record>: Sendable {
  /// The change as it is: kind, key, and both rows with all columns of the table.
  public let row: RowChange
  /// The record before; `nil` for one that was inserted.
  public let old: Element?
  /// The record after; `nil` for one that was deleted.
  public let new: Element?

  /// What happened.
  public var kind: RowChange.Kind { row.kind }
  /// Which row.
  public var key: RowChange.Key { row.key }
}

extension RecordChange: Equatable where Element: Equatable {}

extension RecordChange {
  init(_ row: RowChange) throws {
    self.row = row
    old = try row.old.map(Self.record)
    new = try row.new.map(Self.record)
  }

  private static func record(_ row: Row) throws -> Element {
    // A column that is gone would read as nil in an optional property.
    let shape = try RecordShape.of(Element.self)
    if let column = shape.columns.first(where: { !row.hasColumn($0.name) }) {
      throw DatabaseError(
        code: .mismatch,
        message: """
          \(shape.table) has no column \(column.name), which \(shape.type) needs; it has \
          \(row.columns.joined(separator: ", ")): migrate the table, or change the type
          """)
    }
    let result = RowSet(columns: row.columns, rows: [row.values])
    let cursor = RowCursor(result, sql: nil, dateFormat: row.dateFormat)
    let decoder = RowDecoder(cursor, Element.self, naming: Element.columnNaming)
    defer { decoder.finish() }
    _ = try cursor.next()
    return try decoder.decode(Element.self)
  }
}

extension Record {
  /// Observes the records that fulfil a condition.
  ///
  ///     let changes = try await Player.changes([.insert, .update], where: "score > 40", in: database)
  ///     for try await change in changes {
  ///       print(change.kind, change.old?.score, change.new?.score)
  ///     }
  ///
  /// Commits by this process and by other processes, with the guarantees and limits of
  /// `Database.changes(of:schema:_:where:_:untracked:)`. A row that does not fit the record ends the sequence with
  /// an error.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of changes to deliver.
  ///   - condition: An SQL expression over one row's columns, without subqueries; all rows without it.
  ///   - arguments: A value for each of its parameters.
  ///   - untracked: What to do about commits whose changed rows are unknown.
  ///   - database: Where the records are.
  /// - Throws: `DatabaseError`: no such table, an unknown column, a condition with a subquery; with
  ///   `UntrackedCommits.ignore` on a database that can only be read.
  public static func changes(
    _ kinds: Set<RowChange.Kind> = Set(RowChange.Kind.allCases), where condition: SQL? = nil,
    _ arguments: QueryArguments = [], untracked: UntrackedCommits = .diff, in database: Database
  ) async throws -> some AsyncSequence<RecordChange<Self>, any Error> & Sendable {
    try await database.changes(
      of: tableName, kinds, where: condition, arguments, untracked: untracked
    ).map { try RecordChange<Self>($0) }
  }
}
