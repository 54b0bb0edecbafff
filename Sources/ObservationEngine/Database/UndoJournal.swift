internal import Synchronization

/// Keeps what the last transactions of a `Database` changed, to undo them.
///
///     let journal = UndoJournal(database)
///     try await database.write { try $0.execute("DELETE FROM player") }
///     if let last = journal.latest, last.refusal == nil { try await journal.undo(last.ordinal) }
///
/// The inverse is made of the rows that the hooks captured, not by SQLite's session extension: that and
/// the preupdate hook exclude each other. So what triggers and foreign key actions did is undone with
/// the rest, and only when every row still is as the transaction left it.
///
/// ## Guarantees
/// - The newest transaction is undone first; each is undone once. An undo is no transaction to undo.
/// - Undoing is one transaction: whole, or not at all. It is observed as any other.
///
/// ## Limits
/// - Refused, with the reason: changes of the schema; tables of which not all rows are captured (more
///   than 50,000 rows or 4 MB, generated columns, a hidden rowid, virtual tables); rows that somebody
///   changed since.
/// - At most 20 transactions and 100,000 rows are kept; the oldest go first. A file that was replaced
///   leaves none.
/// - While the journal lives, every write keeps the rows that it changes, whoever reads them.
///
/// Safe to use from any thread and task.
package final class UndoJournal: Sendable {
  private struct State {
    /// Oldest first.
    var records: [UndoRecord] = []
    /// Whether the commit that comes is an undo.
    var isUndoing = false
  }

  private static let capacity = 20
  private static let rowCapacity = 100_000

  private let database: Database
  private let state: Shared
  private let handler: Int
  private let follower: Int
  private let wish: Int

  /// What the handlers share with the journal, which they must not keep alive.
  private final class Shared: Sendable {
    let state = Mutex(State())
  }

  /// Begins to keep what is committed from now on.
  package init(_ database: Database) {
    self.database = database
    let shared = Shared()
    state = shared
    wish = database.changeInterest.wantRowsOfAllTables()
    handler = database.commitHandlers.add { _, commit, changeset in
      shared.state.withLock { Self.note(commit, changeset, in: &$0) }
    }
    follower = database.feed.follow { event, _ in
      // Another file stands there now: its rows are no business of ours.
      if case .commit(let commit) = event, commit.kind == .fileReplaced {
        shared.state.withLock { $0.records = [] }
      }
      return nil
    }
  }

  deinit {
    database.feed.unfollow(follower)
    database.commitHandlers.remove(handler)
    database.changeInterest.stopWanting(wish)
  }

  /// The newest transaction that was not undone; `nil` when none is known.
  package var latest: UndoableCommit? { state.state.withLock { $0.records.last?.commit } }

  /// Undoes the newest transaction.
  ///
  /// - Parameter ordinal: Its number: when another one was committed since it was asked about, nothing
  ///   is undone.
  /// - Throws: `DatabaseError` with the reason when it cannot be undone, after rolling back.
  /// - Complexity: Two statements per changed row; with foreign keys enforced, a check of the tables
  ///   that refer to others.
  package func undo(_ ordinal: Int) async throws {
    try await database.writer.queue.perform { [state = state] connection in
      try Self.undo(ordinal, connection, state)
    }
  }

  private static func undo(_ ordinal: Int, _ connection: Connection, _ shared: Shared) throws {
    guard let record = shared.state.withLock({ $0.records.last }), record.commit.ordinal == ordinal
    else {
      throw DatabaseError(
        code: .aborted, message: "tx \(ordinal) is not the last own transaction any more")
    }
    if let refusal = record.commit.refusal {
      throw DatabaseError(code: .aborted, message: "tx \(ordinal) cannot be undone: \(refusal)")
    }
    guard !connection.isInTransaction else {
      throw DatabaseError(
        code: .misuse,
        message: "a transaction is open; COMMIT or ROLLBACK it before undoing another")
    }
    shared.state.withLock { $0.isUndoing = true }
    defer { shared.state.withLock { $0.isUndoing = false } }
    let checksKeys = connection.enforcesForeignKeys
    try connection.withoutTriggersAndForeignKeys {
      try connection.transaction { connection in
        try Inverse(of: record, on: connection).apply(checksForeignKeys: checksKeys)
      }
    }
    shared.state.withLock { state in
      if state.records.last?.commit.ordinal == ordinal { state.records.removeLast() }
    }
  }

  private static func note(_ commit: Commit, _ changeset: Changeset, in state: inout State) {
    guard commit.origin == .own, !state.isUndoing else { return }
    state.records.append(UndoRecord(commit, changeset))
    var rows = state.records.reduce(0) { $0 + $1.rowCount }
    while state.records.count > 1,
      state.records.count > capacity || rows > rowCapacity
    {
      rows -= state.records.removeFirst().rowCount
    }
  }
}
