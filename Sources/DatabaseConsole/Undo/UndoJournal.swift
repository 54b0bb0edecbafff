package import ObservationEngine
internal import Synchronization

/// Keeps what the last transactions of a `Database` changed, to undo them, redo them and show them; to
/// show them, those of other processes too.
///
///     let journal = UndoJournal(database)
///     try await database.write { try $0.execute("DELETE FROM player") }
///     if let last = journal.latest, last.refusal == nil { try await journal.undo(last.ordinal) }
///     if let last = journal.latestUndone { try await journal.redo(last.ordinal) }
///
/// The inverse is made of the rows that the hooks captured, not by SQLite's session extension: that and
/// the preupdate hook exclude each other. So what triggers and foreign key actions did is undone with
/// the rest, and only when every row still is as the transaction left it.
///
/// ## Guarantees
/// - The newest transaction that changed rows is undone first; each is undone once. An undo is no transaction to undo.
/// - What was undone last is redone first, and is a transaction to undo again. Any other own commit ends
///   that: what was undone before it is not redone any more.
/// - Undoing and redoing are one transaction each: whole, or not at all. They are observed as any other.
///
/// ## Limits
/// - Refused, with the reason: changes of the schema; tables of which not all rows are captured (more
///   than 50,000 rows or 4 MB, generated columns, a hidden rowid, virtual tables); rows that somebody
///   changed since, or that a VACUUM numbered anew.
/// - At most 20 transactions and 100,000 rows are kept, undone ones included; the oldest go first. A file
///   that was replaced leaves none.
/// - To be shown, the first 200 rows of each table of the newest 200 commits are kept, in about 8 MB.
/// - While the journal lives, every write keeps the rows that it changes, and the rows of every commit by
///   another process are looked for, even if no query reads them.
///
/// Safe to use from any thread and task.
package final class UndoJournal: Sendable {
  private struct State {
    /// Oldest first.
    var records: [UndoRecord] = []
    /// What was undone, in that order.
    var undone: [UndoRecord] = []
    /// The own commit after which nothing could be redone any more that could before.
    var redoingEndedBy: Int?
    /// What the commit that comes is, if it is no ordinary one.
    var direction: Direction?
    var shown = CommitRowsLog()
  }

  private enum Direction {
    case undo, redo

    var participle: String { self == .undo ? "undone" : "redone" }
    /// What a transaction must be.
    var place: String { self == .undo ? "the last own transaction" : "what was undone last" }
  }

  private static let capacity = 20
  private static let rowCapacity = 100_000

  private let database: Database
  private let state: Shared
  private let registration: CommitStream.Registration

  /// What follows the commits, which must not keep the database alive.
  private final class Shared: CommitFollower {
    let state = Mutex(State())

    func interest(in table: TableID) -> TableInterest? { .all(wantsRows: true) }

    func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
      guard case .commit(let commit) = event else { return nil }
      // Another file stands there now: the rows that are kept are not in it.
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

  /// Begins to keep what is committed from now on.
  package init(_ database: Database) {
    self.database = database
    state = Shared()
    registration = database.commits.add(state)
  }

  /// The newest transaction that was not undone; `nil` when none is known.
  package var latest: UndoableCommit? { state.state.withLock { $0.records.last?.commit } }

  /// The transaction that was undone last, if it can still be redone; `nil` otherwise.
  package var latestUndone: UndoableCommit? {
    state.state.withLock { $0.undone.last?.reversed.commit }
  }

  /// The own commit because of which what was undone cannot be redone; `nil` when nothing was undone
  /// before it.
  package var redoingEndedBy: Int? { state.state.withLock { $0.redoingEndedBy } }

  /// The rows that a commit changed; `nil` when they are not kept, or not any more.
  package func rows(of ordinal: Int) -> CommitRows? { state.state.withLock { $0.shown[ordinal] } }

  /// Undoes the newest transaction.
  ///
  /// - Parameter ordinal: Its number: when another one was committed since it was asked about, nothing
  ///   is undone.
  /// - Throws: `DatabaseError` with the reason when it cannot be undone, after rolling back.
  /// - Complexity: Two statements per changed row; with foreign keys enforced, a check of the tables
  ///   that refer to others.
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
  /// - Parameter ordinal: The number that it had: when another one was undone since it was asked about,
  ///   nothing is redone.
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

  /// The record that was asked about, if that is still the one to be taken.
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
    // A VACUUM changes no rows; but those that it gave other numbers are not found by theirs any more.
    if let renumbered = changeset.renumbered {
      for index in state.records.indices { state.records[index].lose(renumbered) }
      for index in state.undone.indices { state.undone[index].lose(renumbered) }
      return
    }
    let record = UndoRecord(commit, changeset)
    // There is nothing to undo in it, and it leaves what was undone as it is.
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
