/// What an observation of rows does about commits whose changed rows are unknown: those of other processes,
/// and own ones that changed too many rows to keep.
public enum UntrackedCommits: Sendable {
  /// Keeps the rows that fulfil the condition in memory, and compares them with the table after each
  /// such commit: exact net changes, at the cost of O(rows that fulfil it) memory, and time per commit.
  case diff
  /// Keeps nothing. Commits by other processes are passed over; an own commit whose rows are unknown is an
  /// error of the sequence.
  case ignore
}

extension Database {
  /// Observes the rows of a table that fulfil a condition: the net changes of each, committed by this process
  /// and by others.
  ///
  ///     let changes = try await database.changes(of: "player", where: "score > \(least)")
  ///     for try await change in changes {
  ///       try show(change.kind, change.old?["name"] as String?, change.new?["name"] as String?)
  ///     }
  ///
  /// The sequence has one consumer, and observes from this call until it is released.
  ///
  /// ## Guarantees
  /// - The changes of each row follow each other: an element's old row is the new row of the one before.
  /// - All that was committed after the call that made the sequence is in it. A consumer that is slow
  ///   gets changes of one row merged into one, from the oldest old to the newest new row, and none when
  ///   these are equal: memory is bounded by the number of different rows.
  /// - With a condition, it is the set of rows that fulfil it which is observed: a row that begins to
  ///   fulfil it is inserted there, one that ceases to is deleted, one that goes on fulfilling it is
  ///   updated. The condition is evaluated by SQLite itself, on old rows as on new ones.
  /// - With ``UntrackedCommits/diff`` a transient error (``DatabaseError/isTransient``) loses nothing, and the
  ///   sequence goes on: the rows are compared when they can be read again. Any other error is thrown once,
  ///   and ends the sequence: the table can't be read, the condition can't be evaluated; with
  ///   ``UntrackedCommits/ignore`` also that the rows of an own commit are unknown.
  ///
  /// ## Limits
  /// - Changes of different rows in one commit come in no certain order.
  /// - Tables are compared when the rows of a commit aren't known: more than 50,000 rows or 4 MB of
  ///   own commits; with `VIRTUAL` columns more than 1,000 rows, and wherever their values aren't
  ///   computed (attached and temporary tables, UTF-16, functions of the application, LIKE) or
  ///   SQLite doesn't report the stored ones (of some tables in which they stand before others).
  ///
  /// - Parameters:
  ///   - table: A table; neither a view nor a virtual table (FTS5, R*Tree), whose rows only its
  ///     module knows.
  ///   - schema: Where it is: `main`, or the name of an attached database.
  ///   - kinds: The kinds of changes to deliver.
  ///   - condition: An SQL expression over one row's columns, without subqueries; all rows without it.
  ///   - arguments: A value for each of its parameters.
  ///   - untracked: What to do about commits whose changed rows are unknown.
  /// - Throws: `DatabaseError`: no such table, a view or virtual table, an unknown column, a
  ///   condition with a subquery; with ``UntrackedCommits/ignore`` on a database that can only be
  ///   read, where nothing would ever come.
  /// - Complexity: With ``UntrackedCommits/diff``, one fetch of all rows that fulfil the condition.
  public func changes(
    of table: String, schema: String = "main",
    _ kinds: Set<RowChange.Kind> = Set(RowChange.Kind.allCases), where condition: SQL? = nil,
    _ arguments: QueryArguments = [], untracked: UntrackedCommits = .diff
  ) async throws -> some AsyncSequence<RowChange, any Error> & Sendable {
    let source = RowChangeSource(
      self, TableID(schema: schema, name: table), kinds: kinds,
      condition: condition?.with(arguments), untracked: untracked)
    try await source.start()
    return SourceSequence { source }
  }
}
