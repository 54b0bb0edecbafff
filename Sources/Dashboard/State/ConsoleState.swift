package import ObservationEngine

/// The SQL console: what was run, what is being typed, what is under way.
package struct ConsoleState: Sendable {
  /// A statement that was run, and what came of it.
  package struct Entry: Sendable {
    package enum Outcome: Sendable {
      case running(since: UInt64)
      /// The first rows of a result, and how many there were in all.
      case rows(RowSet, total: Int, Duration)
      /// No rows; how many were changed, when it is a statement that changes any.
      case done(changes: Int?, Duration)
      case failed(DatabaseError)
    }
    package var sql: String
    package var outcome: Outcome
    /// Whether it ran inside a transaction that had been begun before.
    package var inTransaction: Bool
    /// The observed commit that it led to.
    package var ordinal: Int?
  }

  /// A transaction that was begun on the console's connection and not ended yet.
  package struct OpenTransaction: Sendable, Equatable {
    package var statements: Int
    package var since: Moment?
  }

  /// A search backwards through the history, as `^r` does it in a shell.
  struct HistorySearch: Sendable, Equatable {
    var pattern = ""
    /// Where the search goes on; the match is before it.
    var match: Int?
  }

  /// As many as anyone scrolls back to.
  private static let capacity = 200
  /// As many rows of a result as a tall screen shows; the transcript is no place to keep tables.
  private static let keptRows = 200

  package private(set) var entries: [Entry] = []
  package internal(set) var editor = TextBuffer()
  package private(set) var transaction: OpenTransaction?
  /// When the running statement began, on the monotonic clock.
  package private(set) var runningSince: UInt64?
  private(set) var history: [String]
  /// Which line of the history is in the editor; nil is the line being written.
  private var historyIndex: Int?
  /// What was being written before the history was walked.
  private var draft = ""
  var search: HistorySearch?
  /// What was submitted and has not begun to run.
  private(set) var submitted: String?
  /// How many lines the view is scrolled back from the newest.
  var scroll = 0

  init(history: [String]) {
    self.history = history
  }

  mutating func submit() -> String {
    let text = editor.text
    submitted = text
    scroll = 0
    return text
  }

  mutating func continueLine() {
    submitted = nil
    editor.moveToEnd()
    editor.insert("\n")
  }

  mutating func withdraw() { submitted = nil }

  /// The first statement of a submitted text takes the text out of the editor; true then.
  mutating func start(_ sql: String, at moment: UInt64) -> String? {
    let text = submitted
    if text != nil {
      submitted = nil
      clear()
      if let text, history.last != text { history.append(text) }
    }
    if entries.count >= Self.capacity { entries.removeFirst(entries.count - Self.capacity + 1) }
    entries.append(
      Entry(
        sql: sql, outcome: .running(since: moment), inTransaction: transaction != nil, ordinal: nil)
    )
    runningSince = moment
    return text
  }

  mutating func end(_ sql: String, rows: RowSet, total: Int, _ duration: Duration) {
    let kept = RowSet(columns: rows.columns, rows: Array(rows.rows.prefix(Self.keptRows)))
    end(sql, .rows(kept, total: total, duration))
  }

  mutating func end(_ sql: String, _ outcome: Entry.Outcome) {
    runningSince = nil
    if let last = entries.indices.last, case .running = entries[last].outcome {
      entries[last].outcome = outcome
    } else {
      // It failed before it began: there is no running entry to complete.
      if submitted != nil { submitted = nil }
      entries.append(
        Entry(sql: sql, outcome: outcome, inTransaction: transaction != nil, ordinal: nil))
    }
  }

  /// Notes the commit that the last statement led to.
  mutating func noteCommit(_ ordinal: Int) {
    // A query may have been run since, or something failed: neither commits.
    let last = entries.lastIndex { entry in
      switch entry.outcome {
      case .running, .done: true
      case .rows, .failed: false
      }
    }
    guard let last, entries[last].ordinal == nil else { return }
    entries[last].ordinal = ordinal
  }

  mutating func setTransaction(open: Bool, statements: Int, since: Moment?) {
    transaction = open ? OpenTransaction(statements: statements, since: since) : nil
  }

  mutating func clear() {
    editor = TextBuffer()
    historyIndex = nil
    search = nil
  }

  /// Puts the line before or after the shown one of the history into the editor.
  mutating func walkHistory(back: Bool) {
    let index = historyIndex ?? history.count
    let next = back ? index - 1 : index + 1
    guard next >= 0, next <= history.count else { return }
    if historyIndex == nil { draft = editor.text }
    historyIndex = next == history.count ? nil : next
    editor = TextBuffer(historyIndex.map { history[$0] } ?? draft)
  }

  /// Searches on from the present match (`older`), or anew after the pattern changed.
  mutating func searchHistory(older: Bool) {
    guard var search else { return }
    let end = older ? (search.match ?? history.count) : history.count
    let match = history[..<end].lastIndex { TextSearch(search.pattern).matches($0) }
    if match != nil || !older { search.match = match }
    self.search = search
  }

  /// Leaves the search; its match goes into the editor.
  mutating func endSearch(accept: Bool) {
    if accept, let match = search?.match { editor = TextBuffer(history[match]) }
    search = nil
  }
}
