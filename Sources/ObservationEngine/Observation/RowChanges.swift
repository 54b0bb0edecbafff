/// What an observer of rows does about commits whose changed rows are unknown: those of other processes with a
/// rollback journal, and in WAL mode where the pages don't say, and own ones that changed too many rows to keep.
public enum OtherCommits: Sendable {
  /// Keeps the rows that fulfil the condition in memory, and compares them with the table after each
  /// such commit: exact net changes, at the cost of O(rows that fulfil it) memory, and time per commit.
  case compare
  /// Keeps nothing. Commits of other processes are passed over; an own commit whose rows are not known is an
  /// error of the sequence.
  case ownOnly
}

/// The changes of a table's rows, committed by this process and by others; made by
/// ``Database/changes(of:schema:_:where:_:others:)``.
///
/// One consumer; it observes until it is released.
///
/// ## Guarantees
/// - The changes of each row follow each other: an element's old row is the new row of the one before.
/// - All that was committed after the call that made the sequence is in it. A consumer that is slow
///   gets changes of one row merged into one, from the oldest old to the newest new row, and none when
///   these are equal: memory is bounded by the number of different rows.
/// - With a condition, it is the set of rows that fulfil it which is observed: a row that begins to
///   fulfil it is inserted there, one that ceases to is deleted, one that goes on fulfilling it is
///   updated. The condition is evaluated by SQLite itself, on old rows as on new ones.
///
/// ## Limits
/// - Changes of different rows in one commit come in no certain order.
/// - A table with generated columns, and one in a virtual table, tells no rows of own commits: they are
///   compared.
public struct RowChanges: AsyncSequence, Sendable {
  /// A change of one row.
  public typealias Element = RowChange
  /// `DatabaseError`, mostly; the sequence may be asked for the next element all the same.
  public typealias Failure = any Error

  let source: RowChangeSource

  /// The one consumer's iterator.
  public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

  /// Delivers changes one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let source: RowChangeSource

    /// The next change; `nil` when the task is cancelled, or the database closed.
    ///
    /// - Throws: `DatabaseError` when the table cannot be read or the condition not be evaluated; with
    ///   ``OtherCommits/ownOnly`` also when the rows of an own commit are not known.
    public mutating func next() async throws -> RowChange? {
      try await source.next(isolation: nil)
    }

    /// Like ``next()``, but runs on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> RowChange? {
      try await source.next(isolation: actor)
    }
  }
}

extension Database {
  /// Observes the rows of a table that fulfil a condition.
  ///
  ///     let changes = try await database.changes(of: "player", where: "score > \(least)")
  ///     for try await change in changes {
  ///       try show(change.kind, change.old?["name"] as String?, change.new?["name"] as String?)
  ///     }
  ///
  /// See ``RowChanges`` for what is guaranteed.
  ///
  /// - Parameters:
  ///   - table: A table, not a view.
  ///   - schema: Where it is: `main`, or the name of an attached database.
  ///   - kinds: The kinds of changes to deliver.
  ///   - condition: An SQL expression over one row's columns, without subqueries; all rows without it.
  ///   - arguments: A value for each of its parameters.
  ///   - others: What to do about commits whose changed rows are unknown.
  /// - Throws: `DatabaseError`: no such table, an unknown column, a condition with a subquery; with
  ///   ``OtherCommits/ownOnly`` on a database that can only be read, where nothing would ever come.
  /// - Complexity: With ``OtherCommits/compare``, one fetch of all rows that fulfil the condition.
  public func changes(
    of table: String, schema: String = "main",
    _ kinds: Set<RowChange.Kind> = Set(RowChange.Kind.allCases), where condition: SQL? = nil,
    _ arguments: QueryArguments = [], others: OtherCommits = .compare
  ) async throws -> RowChanges {
    let source = RowChangeSource(
      self, TableID(schema: schema, name: table), kinds: kinds,
      condition: condition?.with(arguments), others: others)
    try await source.start()
    return RowChanges(source: source)
  }
}
