internal import ObservationEngine
internal import Synchronization

/// The commits that a ``RowFeed`` has not written yet, in order, and within bounds.
///
/// Safe to use from any thread.
final class CommitQueue: CommitFollower {
  /// One observed commit.
  struct Entry: Sendable {
    let serial: Int
    let commit: Commit
    let changeset: Changeset
    /// Whether a comparison is needed, since the rows are unknown.
    let isUnknown: Bool
    /// The minimum number of commits.
    let count: Int
    /// The approximate memory of its rows.
    fileprivate(set) var bytes = 0
  }

  /// Limits on what waits for a slow reader of the output: beyond them, rows are forgotten and tables compared.
  struct Limits: Sendable {
    var commits = 10_000
    var bytes = 32 << 20
  }

  private struct State {
    var entries: [Entry] = []
    var serial = 0
    var bytes = 0
    /// Tables whose rows can't be followed.
    var ignored: Set<TableID> = []
  }

  /// Has an element when there is a new entry.
  let wakes: AsyncStream<Void>

  private let selection: FollowedTables
  private let limits: Limits
  private let report: @Sendable (String) -> Void
  private let wake: AsyncStream<Void>.Continuation
  private let state = Mutex(State())

  init(
    _ selection: FollowedTables, limits: Limits = Limits(),
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.selection, self.limits, self.report) = (selection, limits, report)
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Ends ``wakes``.
  func end() { wake.finish() }

  /// The entries that wait, oldest first.
  var entries: [Entry] { state.withLock { $0.entries } }

  /// Forgets all entries up to one.
  func drop(through serial: Int) {
    state.withLock { state in
      state.entries.removeAll { $0.serial <= serial }
      state.bytes = state.entries.reduce(0) { $0 + $1.bytes }
    }
  }

  func ignore(_ tables: Set<TableID>) { state.withLock { $0.ignored = tables } }

  /// Whether changes of a table are written.
  func follows(_ table: TableID) -> Bool {
    selection.includes(table) && !state.withLock { $0.ignored.contains(table) }
  }

  func interest(in table: TableID) -> TableInterest? {
    follows(table) ? .all(wantsRows: true) : nil
  }

  func note(_ event: DatabaseEvent, _ changeset: Changeset) -> CommitStream.Action? {
    switch event {
    case .commit(let commit): return note(commit, changeset)
    case .rollback: return nil
    case .fileMissing:
      return { [report] _ in report(FileNotice.isGone) }
    case .notice(let text, _): return { [report] _ in report(text) }
    }
  }

  private func note(_ commit: Commit, _ changeset: Changeset) -> CommitStream.Action? {
    let serial: Int? = state.withLock { state in
      let tables = changeset.tables.filter {
        selection.includes($0.key) && !state.ignored.contains($0.key)
      }
      let isEverything =
        changeset.everythingReason != nil || commit.kind != .data || changeset.mayHoldOthersRows
      guard isEverything || !tables.isEmpty else { return nil }
      state.serial += 1
      let isUnknown = isEverything || tables.contains { changeset.rowChanges(of: $0.key) == nil }
      state.entries.append(
        Entry(
          serial: state.serial, commit: commit, changeset: changeset, isUnknown: isUnknown,
          count: commit.count))
      if state.entries.count > limits.commits { Self.forgetRows(&state) }
      return state.serial
    }
    guard let serial else { return nil }
    return { [report] _ in
      if commit.kind == .fileReplaced {
        report(FileNotice.isReplaced)
      }
      let bytes = Self.bytes(changeset)
      self.state.withLock { state in
        // It may be written already, or forgotten.
        guard let place = state.entries.firstIndex(where: { $0.serial == serial }) else { return }
        guard state.entries[place].changeset.everythingReason == nil else { return }
        state.entries[place].bytes = bytes
        state.bytes += bytes
        if state.bytes > self.limits.bytes { Self.forgetRows(&state) }
      }
      self.wake.yield()
    }
  }

  /// Makes one entry of all, which has only their number.
  private static func forgetRows(_ state: inout State) {
    guard let last = state.entries.last else { return }
    let count = state.entries.reduce(0) { $0 + $1.count }
    state.entries = [
      Entry(
        serial: last.serial, commit: last.commit,
        changeset: Changeset(everything: "more rows waited to be printed than are kept"),
        isUnknown: true, count: count)
    ]
    state.bytes = 0
  }

  private static func bytes(_ changeset: Changeset) -> Int {
    changeset.tables.values.reduce(0) { sum, change in
      guard case .rows(let difference) = change else { return sum }
      return difference.entries.reduce(sum) { sum, entry in
        let values = (entry.old ?? []) + (entry.new ?? [])
        return values.reduce(sum + 64) { $0 + $1.byteCount }
      }
    }
  }
}
