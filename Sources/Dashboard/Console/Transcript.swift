import ObservationEngine

/// What the console ran and answered, oldest first, and the part of it that is in view.
struct Transcript: Sendable, Equatable {
  typealias Entry = ConsoleState.Entry

  /// As many entries as users scroll back to.
  private static let capacity = 200
  /// As many rows of an older result as a tall screen shows; the newest keeps all fetched rows.
  private static let keptRows = 200

  var entries: [Entry] = []
  /// How many lines the view is scrolled back from the newest.
  var scroll = 0
  /// Commits that no statement was known to have made when they were observed.
  private var unnamedCommits: [ObservedCommit] = []

  private struct ObservedCommit: Sendable, Equatable {
    let ordinal: Int
    let rows: Int?
  }

  /// The newest result; nil when none has columns.
  var newestResult: (entry: Entry, rows: RowSet, total: Int)? {
    for entry in entries.reversed() {
      if case .rows(let rows, let total, _) = entry.outcome, !rows.columns.isEmpty {
        return (entry, rows, total)
      }
    }
    return nil
  }

  /// - Parameter transaction: The number of the open transaction.
  mutating func append(_ sql: String, _ outcome: Entry.Outcome, transaction: Int?) {
    if entries.count >= Self.capacity { entries.removeFirst(entries.count - Self.capacity + 1) }
    entries.append(Entry(sql: sql, outcome: outcome, transaction: transaction, ordinal: nil))
  }

  /// Completes the entry of the running statement.
  ///
  /// - Returns: Whether there is one.
  mutating func end(_ outcome: Entry.Outcome) -> Bool {
    guard let last = entries.indices.last, case .running = entries[last].outcome else {
      return false
    }
    entries[last].outcome = outcome
    return true
  }

  /// Adds what a server said of the newest statement.
  mutating func note(_ notices: [String]) {
    guard let last = entries.indices.last else { return }
    entries[last].notices = notices
  }

  /// Older results keep what a screen shows of them; only the newest can be browsed.
  mutating func trimOlderResults() {
    for index in entries.indices {
      guard case .rows(let rows, let total, let duration) = entries[index].outcome,
        rows.rows.count > Self.keptRows
      else { continue }
      let kept = RowSet(columns: rows.columns, rows: Array(rows.rows.prefix(Self.keptRows)))
      entries[index].outcome = .rows(kept, total: total, duration)
    }
  }

  /// Records the commit that the newest statement made.
  mutating func note(commitOfNewest ordinal: Int) {
    guard let last = entries.indices.last else { return }
    entries[last].ordinal = ordinal
    guard let known = unnamedCommits.firstIndex(where: { $0.ordinal == ordinal }) else { return }
    entries[last].committedRows = unnamedCommits[known].rows
    unnamedCommits.removeSubrange(...known)
  }

  /// Records that a commit of this program was observed.
  ///
  /// - Parameter isNamed: Whether ``note(commitOfNewest:)`` says which statement made it, perhaps
  ///   later. Otherwise the statement is guessed.
  mutating func note(commit ordinal: Int, rows: Commit.RowCounts?, isNamed: Bool) {
    let rows = rows.map { $0.inserted + $0.updated + $0.deleted }
    guard let place = isNamed ? entries.lastIndex(where: { $0.ordinal == ordinal }) : likelyPlace
    else {
      // Those of an undo, or of a file of statements, are never named.
      if unnamedCommits.count >= Self.capacity { unnamedCommits.removeFirst() }
      return unnamedCommits.append(ObservedCommit(ordinal: ordinal, rows: rows))
    }
    (entries[place].ordinal, entries[place].committedRows) = (ordinal, rows)
  }

  /// The entry whose commit was probably observed.
  private var likelyPlace: Int? {
    // Several statements may have ended before the first one's commit is reported: the oldest comes
    // first.
    let reported = entries.lastIndex { $0.ordinal != nil }.map { $0 + 1 } ?? 0
    let first = entries[reported...].firstIndex(where: \.isOwnCommit)
    // Queries and failed statements since then did not commit.
    let last = entries.lastIndex { entry in
      switch entry.outcome {
      case .running, .done, .script: true
      case .rows, .failed, .answered: false
      }
    }
    guard let place = first ?? last, entries[place].ordinal == nil else { return nil }
    return place
  }

  // MARK: Files of statements

  /// The entry of the file whose statements run.
  private var runningScript: Int? {
    entries.lastIndex { entry in
      if case .script(let old) = entry.outcome { old.duration == nil } else { false }
    }
  }

  /// The progress of the file whose statements run.
  var script: ConsoleState.ScriptProgress? {
    if let last = runningScript, case .script(let progress) = entries[last].outcome {
      progress
    } else {
      nil
    }
  }

  /// Updates the entry of the file whose statements run.
  ///
  /// - Returns: Whether there is one.
  mutating func note(_ progress: ConsoleState.ScriptProgress) -> Bool {
    guard let last = runningScript else { return false }
    entries[last].outcome = .script(progress)
    return true
  }
}
