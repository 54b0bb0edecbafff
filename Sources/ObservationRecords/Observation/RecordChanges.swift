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

/// The changes of a table's records; made by ``Record/changes(_:where:_:others:in:)``.
///
/// What is guaranteed, and what not, is said of `RowChanges`.
public struct RecordChanges<Subject: Record>: AsyncSequence, Sendable {
  /// A change of one record.
  public typealias Element = RecordChange<Subject>
  /// `DatabaseError`, mostly; the sequence may be asked for the next element all the same.
  public typealias Failure = any Error

  let rows: RowChanges
  let dateFormat: DateFormat

  /// The one consumer's iterator.
  public func makeAsyncIterator() -> Iterator {
    Iterator(rows: rows.makeAsyncIterator(), dateFormat: dateFormat)
  }

  /// Delivers changes one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var rows: RowChanges.Iterator
    let dateFormat: DateFormat

    /// The next change; `nil` when the task is cancelled, or the database closed.
    ///
    /// - Throws: As `RowChanges`; also when a row does not fit the record.
    public mutating func next() async throws -> RecordChange<Subject>? {
      try await next(isolation: nil)
    }

    /// Like ``next()``, but runs on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> RecordChange<Subject>? {
      guard let change = try await rows.next(isolation: actor) else { return nil }
      return RecordChange(
        row: change, old: try change.old.map(record), new: try change.new.map(record))
    }

    private func record(_ row: Row) throws -> Subject {
      let result = RowSet(columns: row.columns, rows: [row.values])
      let cursor = RowCursor(result, sql: nil, dateFormat: dateFormat)
      let decoder = RowDecoder(cursor, Subject.self, naming: Subject.columnNaming)
      defer { decoder.finish() }
      _ = try cursor.next()
      return try decoder.decode(Subject.self)
    }
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
  /// It covers commits of this and of other processes; see `RowChanges` for the guarantees.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of changes to deliver.
  ///   - condition: An SQL expression over one row's columns, without subqueries; all rows without it.
  ///   - arguments: A value for each of its parameters.
  ///   - others: What to do about commits whose changed rows are unknown.
  ///   - database: Where the records are.
  /// - Throws: `DatabaseError`: no such table, an unknown column, a condition with a subquery; with
  ///   `OtherCommits.ownOnly` on a database that can only be read.
  public static func changes(
    _ kinds: Set<RowChange.Kind> = Set(RowChange.Kind.allCases), where condition: SQL? = nil,
    _ arguments: QueryArguments = [], others: OtherCommits = .compare, in database: Database
  ) async throws -> RecordChanges<Self> {
    let rows = try await database.changes(
      of: tableName, kinds, where: condition, arguments, others: others)
    return RecordChanges(rows: rows, dateFormat: database.configuration.dateFormat)
  }
}
