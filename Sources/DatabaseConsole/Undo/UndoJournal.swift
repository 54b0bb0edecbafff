package import ObservationEngine
internal import Synchronization

/// Records what the last transactions of a `Database` changed, to undo, redo and show them; and what
/// commits by other processes changed, to show it.
///
///     let journal = UndoJournal(database)
///     try await database.write { try $0.execute("DELETE FROM player") }
///     if let last = journal.latest, last.refusal == nil { try await journal.undo(last.ordinal) }
///     if let last = journal.latestUndone { try await journal.redo(last.ordinal) }
///
/// The inverse is made from the rows that the hooks captured, not by SQLite's session extension,
/// because that and the preupdate hook exclude each other. So the effects of triggers and foreign
/// key actions are undone too, but only if every row still is as the transaction left it.
///
/// ## Guarantees
/// - The newest transaction that changed rows is undone first, and each is undone once. An undo
///   itself can't be undone, only redone.
/// - The last undone transaction is redone first, and can then be undone again. Any other own
///   commit ends that: what was undone before it can no longer be redone.
/// - An undo or redo is one transaction: complete, or not at all. It is observed like any other.
///
/// ## Limits
/// - Refused, with the reason: changes of the schema; tables whose rows were not all captured (more
///   than 50,000 rows or 4 MB, a hidden rowid, virtual tables, values that SQLite doesn't report, as
///   of some tables with `VIRTUAL` columns before others); rows that have changed since, or that a
///   VACUUM renumbered.
/// - At most 20 transactions and 100,000 rows are kept, including undone ones; the oldest go first.
///   Replacing the file discards all of them.
/// - To show them, it keeps the first 200 rows of each table of the newest 200 commits, in about 8
///   MB.
/// - While the journal exists, every write captures the rows that it changes, and the rows of every
///   foreign commit are determined, even if no query reads them.
///
/// Safe to use from any thread and task.
package final class UndoJournal: Sendable {
  private struct State {
    /// Oldest first.
    var records: [UndoRecord] = []
    /// The undone transactions, in the order in which they were undone.
    var undone: [UndoRecord] = []
    /// The own commit that made undone transactions impossible to redo.
    var redoingEndedBy: Int?
    /// Whether the next commit is an undo or a redo; `nil` for an ordinary one.
    var direction: Direction?
    var shown = CommitRowsLog()
  }

  private enum Direction {
    case undo, redo

    var participle: String { self == .undo ? "undone" : "redone" }
    /// The transaction that this direction requires, for messages.
    var place: String { self == .undo ? "the last own transaction" : "what was undone last" }
  }

  private static let capacity = 20
  private static let rowCapacity = 100_000

  private let database: Database
  private let state: Shared
  private let registration: CommitStream.Registration

  /// Follows the commits, and must not keep the database alive.
  private final class Shared: CommitFollower {
    let state = Mutex(State())

    func interest(in table: TableID) -> TableInterest? { .all(wantsRows: true) }

    func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
      guard case .commit(let commit) = event else { return nil }
      // Another file is there now, which does not have the recorded rows.
      if commit.kind == .fileReplaced {
        state.withLock { ($0.records, $0.undone, $0.redoingEndedBy) = ([], [], nil) }
      }
      return { _ in
        let rows = CommitRows(commit, changeset)
        self.state.withLock { state in
          state.shown.insert(rows)
          if commit.origin == .own { UndoJournal.note(commit, changeset, in: &state) }
        }
      }
    }
  }

  /// Starts recording commits.
  package init(_ database: Database) {
    self.database = database
    state = Shared()
    registration = database.commits.add(state)
  }

  /// The newest transaction that was not undone; `nil` if none is known.
  package var latest: UndoableCommit? { state.state.withLock { $0.records.last?.commit } }

  /// The transaction that was undone last, if it can still be redone; `nil` otherwise.
  package var latestUndone: UndoableCommit? {
    state.state.withLock { $0.undone.last?.reversed.commit }
  }

  /// The own commit that made undone transactions impossible to redo; `nil` when nothing was undone
  /// before it.
  package var redoingEndedBy: Int? { state.state.withLock { $0.redoingEndedBy } }

  /// The rows that a commit changed; `nil` when they aren't kept, or no longer.
  package func rows(of ordinal: Int) -> CommitRows? { state.state.withLock { $0.shown[ordinal] } }

  /// Undoes the newest transaction.
  ///
  /// - Parameter ordinal: Its number. If another transaction has been committed since the caller
  ///   read it, nothing is undone.
  /// - Throws: `DatabaseError` with the reason when it cannot be undone, after rolling back.
  /// - Complexity: Two statements per changed row; with foreign keys enforced, also a check of the
  ///   tables that refer to others.
  package func undo(_ ordinal: Int) async throws {
    try await database.withoutTransaction { [state = state] connection in
      let record = try Self.record(ordinal, state.state.withLock { $0.records.last }, .undo)
      try Self.apply(record, .undo, connection, state)
      state.state.withLock { state in
        guard state.records.last?.commit.ordinal == ordinal else { return }
        state.undone.append(state.records.removeLast())
        state.redoingEndedBy = nil
      }
    }
  }

  /// Redoes the transaction that was undone last: each of its rows must be as undoing left it.
  ///
  /// - Parameter ordinal: Its original number. If another one has been undone since the caller read
  ///   it, nothing is redone.
  /// - Throws: `DatabaseError` with the reason when it cannot be redone, after rolling back.
  /// - Complexity: As ``undo(_:)``.
  package func redo(_ ordinal: Int) async throws {
    try await database.withoutTransaction { [state = state] connection in
      let record = try Self.record(ordinal, state.state.withLock { $0.undone.last }, .redo)
      try Self.apply(record.reversed, .redo, connection, state)
      state.state.withLock { state in
        if state.undone.last?.commit.ordinal == ordinal { state.undone.removeLast() }
      }
    }
  }

  /// The requested record, if it is still the next one.
  private static func record(
    _ ordinal: Int, _ last: UndoRecord?, _ direction: Direction
  ) throws -> UndoRecord {
    guard let last, last.commit.ordinal == ordinal else {
      throw DatabaseError(
        code: .aborted, message: "tx \(ordinal) is not \(direction.place) any more")
    }
    return last
  }

  private static func apply(
    _ record: UndoRecord, _ direction: Direction, _ connection: Connection, _ shared: Shared
  ) throws {
    let participle = direction.participle
    if let refusal = record.commit.refusal {
      throw DatabaseError(
        code: .aborted,
        message: "tx \(record.commit.ordinal) cannot be \(participle): \(refusal)")
    }
    guard !connection.hasOpenTransaction else {
      throw DatabaseError(
        code: .misuse, message: "a transaction is open; COMMIT or ROLLBACK it before that")
    }
    shared.state.withLock { $0.direction = direction }
    defer { shared.state.withLock { $0.direction = nil } }
    let checksKeys = connection.enforcesForeignKeys
    try connection.withoutTriggersAndForeignKeys {
      try connection.inTransaction {
        try Inverse(of: record, participle: participle, on: connection)
          .apply(checksForeignKeys: checksKeys)
      }
    }
  }

  private static func note(_ commit: Commit, _ changeset: Changeset, in state: inout State) {
    guard state.direction != .undo else { return }
    // A VACUUM changes no rows, but renumbered rows can no longer be found by their numbers.
    if let renumbered = changeset.renumbered {
      for index in state.records.indices { state.records[index].lose(renumbered) }
      for index in state.undone.indices { state.undone[index].lose(renumbered) }
      return
    }
    let record = UndoRecord(commit, changeset)
    // There is nothing to undo in it, and it doesn't affect undone transactions.
    if record.changedNothing { return }
    if state.direction == nil, !state.undone.isEmpty {
      state.undone = []
      state.redoingEndedBy = commit.ordinal
    }
    state.records.append(record)
    let undoneRows = state.undone.reduce(0) { $0 + $1.rowCount }
    var rows = state.records.reduce(undoneRows) { $0 + $1.rowCount }
    while state.records.count > 1,
      state.records.count + state.undone.count > capacity || rows > rowCapacity
    {
      rows -= state.records.removeFirst().rowCount
    }
  }
}
