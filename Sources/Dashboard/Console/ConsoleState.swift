import DatabaseConsole
import ObservationEngine

/// The SQL console: its past statements, the text being typed, and the running statement.
package struct ConsoleState: Sendable, Equatable {
  /// A transaction that was begun on the console's connection and has not ended.
  package struct OpenTransaction: Sendable, Equatable {
    package var statements: Int
    package var since: Moment?
    /// Whether it keeps other connections from writing.
    package var holdsWriteLock = false
  }

  /// As many entries as users scroll back to.
  private static let capacity = 200
  /// As many rows of an older result as a tall screen shows; the newest keeps all fetched rows.
  private static let keptRows = 200

  package internal(set) var entries: [Entry] = []
  package internal(set) var editor = TextBuffer()
  package private(set) var transaction: OpenTransaction?
  /// How many transactions have been begun.
  private(set) var transactionNumber = 0
  /// What the executor does for it.
  var work = Work.nothing
  /// How many rows the running statement has reported so far.
  package internal(set) var rowsSoFar = 0
  var history: [String]
  /// The entry of the history in the editor; nil for the line being written.
  var historyIndex: Int?
  /// What was being written before the history was walked.
  var draft = ""
  /// The submitted text that has not started to run.
  private(set) var submitted: String?
  /// Whether the next own commit belongs to an undo or a redo.
  var awaitsUndo = false
  /// How many lines the view is scrolled back from the newest.
  var scroll = 0
  var kills = KillRing()

  /// The names that can be completed, as last read.
  var vocabulary = SQLVocabulary()
  var vocabularyReadAt: UInt64?
  var vocabularyNeed = VocabularyNeed.names
  var isReadingVocabulary = false
  /// What the keys are for.
  var activity = Activity.editing(nil)
  /// Where the word starts whose offers were dismissed.
  var dismissedWord: Int?

  /// The last values of parameters, by name.
  var parameterTexts: [String: String] = [:]
  /// The pinned panels, in the order of pinning.
  var pinned: [PanelDefinition] = []

  init(history: [String]) {
    self.history = history
  }

  /// Submits the typed text.
  ///
  /// - Parameter sql: SQL to run in its place; otherwise the text itself.
  mutating func submit(as sql: String? = nil) -> String {
    let text = editor.text
    submitted = text
    scroll = 0
    completion = nil
    return sql ?? text
  }

  mutating func continueLine() {
    submitted = nil
    editor.moveToEnd()
    editor.insert("\n")
  }

  mutating func withdraw() {
    submitted = nil
    counted = nil
    reading = nil
    parameters = nil
  }

  /// Starts a statement; the first one of a submitted text removes the text from the editor.
  mutating func start(_ sql: String, at moment: UInt64) -> String? {
    let text = takeSubmitted()
    // A command that runs as SQL is shown as it was typed.
    let isCommand = text.map(ConsoleCommand.isCommand) == true
    append(isCommand ? text ?? sql : sql, .running(since: moment))
    runningSince = moment
    rowsSoFar = 0
    return text
  }

  /// Moves the submitted text from the editor into the history.
  ///
  /// - Returns: The text to store in the history of later sessions.
  mutating func takeSubmitted() -> String? {
    reading = nil
    guard let text = submitted else { return nil }
    submitted = nil
    clear()
    if history.last != text { history.append(text) }
    return text
  }

  /// Removes a failed command from the editor; SQL that fails before it runs stays there, to be
  /// corrected.
  ///
  /// - Returns: The text to store in the history of later sessions.
  mutating func takeFailedCommand() -> String? {
    submitted.map(ConsoleCommand.isCommand) == true ? takeSubmitted() : nil
  }

  /// Adds an entry to the transcript.
  mutating func append(_ sql: String, _ outcome: Entry.Outcome) {
    if entries.count >= Self.capacity { entries.removeFirst(entries.count - Self.capacity + 1) }
    entries.append(
      Entry(
        sql: sql, outcome: outcome, transaction: transaction == nil ? nil : transactionNumber,
        ordinal: nil))
  }

  mutating func end(_ sql: String, rows: RowSet, total: Int, _ duration: Duration) {
    trimOlderResults()
    end(sql, .rows(rows, total: total, duration))
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

  /// The error of a failed statement; for a cancelled one, with its progress.
  func described(_ error: DatabaseError, at moment: UInt64) -> DatabaseError {
    guard error.code.primary == .interrupted, let since = runningSince else { return error }
    let time = QuantityText.duration(nanoseconds: moment > since ? moment - since : 0)
    let rows = QuantityText.count(rowsSoFar, "row")
    return DatabaseError(
      code: error.code, message: "cancelled after \(time), \(rows)", sql: error.sql)
  }

  mutating func end(_ sql: String, _ outcome: Entry.Outcome) {
    runningSince = nil
    reading = nil
    if let last = entries.indices.last, case .running = entries[last].outcome {
      entries[last].outcome = outcome
    } else {
      // It failed before it started: there is no running entry to complete.
      if submitted != nil { submitted = nil }
      append(sql, outcome)
    }
  }

  /// Records what was committed: by a statement, and by anyone to the names that SQL can use.
  mutating func note(commits refresh: Refresh) {
    for case .commit(let commit) in refresh.events {
      if commit.origin == .own { noteCommit(commit.ordinal, rows: commit.rows) }
      vocabularyNeed = max(vocabularyNeed, commit.kind == .data ? .counts : .names)
    }
  }

  /// Records the commit that a statement caused.
  mutating func noteCommit(_ ordinal: Int, rows: Commit.RowCounts? = nil) {
    guard !awaitsUndo else {
      // It belongs to no statement.
      awaitsUndo = false
      return
    }
    // Several statements may have ended before the first one's commit is reported: the oldest comes
    // first.
    let told = entries.lastIndex { $0.ordinal != nil }.map { $0 + 1 } ?? 0
    let first = entries[told...].firstIndex(where: \.isOwnCommit)
    // Queries and failed statements since then did not commit.
    let last = entries.lastIndex { entry in
      switch entry.outcome {
      case .running, .done, .script: true
      case .rows, .failed, .answered: false
      }
    }
    guard let last = first ?? last, entries[last].ordinal == nil else { return }
    entries[last].ordinal = ordinal
    entries[last].committedRows = rows.map { $0.inserted + $0.updated + $0.deleted }
  }

  mutating func setTransaction(
    open: Bool, statements: Int, since: Moment?, holdsWriteLock: Bool
  ) {
    if open, transaction == nil { transactionNumber += 1 }
    transaction =
      open
      ? OpenTransaction(statements: statements, since: since, holdsWriteLock: holdsWriteLock) : nil
  }

  mutating func clear() {
    editor = TextBuffer()
    historyIndex = nil
    search = nil
    completion = nil
    dismissedWord = nil
    parameters = nil
  }
}
