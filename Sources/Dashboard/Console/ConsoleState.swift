import DatabaseConsole
import ObservationEngine

/// The SQL console: what it ran, the statement being typed, and the work of its executor.
package struct ConsoleState: Sendable, Equatable {
  /// Whose SQL is typed.
  let dialect: SQLDialect
  var transcript = Transcript()
  var typed: TypedStatement
  /// What the keys are for.
  var activity = Activity.editing(nil)
  /// What the executor does for it.
  var work = ConsoleWork.nothing
  private(set) var transactions = Transactions()
  /// The names that can be completed.
  var vocabulary = ConsoleVocabulary()
  /// The last values of parameters, by name.
  var parameterTexts: [String: String] = [:]
  /// The pinned panels, in the order of pinning.
  var pinned: [Pin] = []

  init(history: [String], dialect: SQLDialect) {
    self.dialect = dialect
    typed = TypedStatement(history: StatementHistory(history))
  }

  /// A panel that the console made of a query.
  struct Pin: Sendable, Equatable {
    let panel: PanelDefinition
    /// What of it a file has other than the open dashboard.
    var saved: PanelDefinition?

    var name: String { panel.name }
  }

  /// The transactions that were begun on the console's connection.
  struct Transactions: Sendable, Equatable {
    /// The one that has not ended.
    fileprivate(set) var open: OpenTransaction?
    /// How many have been begun.
    fileprivate(set) var count = 0

    /// The number of the open one.
    var number: Int? { open == nil ? nil : count }
  }

  /// A transaction that was begun on the console's connection and has not ended.
  package struct OpenTransaction: Sendable, Equatable {
    package var statements: Int
    package var since: Moment?
    /// Whether it keeps other connections from writing.
    package var holdsWriteLock = false
  }

  mutating func setTransaction(
    open: Bool, statements: Int, since: Moment?, holdsWriteLock: Bool
  ) {
    if open, transaction == nil { transactions.count += 1 }
    transactions.open =
      open
      ? OpenTransaction(statements: statements, since: since, holdsWriteLock: holdsWriteLock) : nil
  }

  // MARK: What many name, without its owner

  package internal(set) var entries: [Entry] {
    get { transcript.entries }
    _modify { yield &transcript.entries }
  }
  package internal(set) var editor: TextBuffer {
    get { typed.text }
    _modify { yield &typed.text }
  }
  package var transaction: OpenTransaction? { transactions.open }

  // MARK: From the editor to the outcome

  /// Submits the typed text.
  ///
  /// - Parameter sql: SQL to run in its place; otherwise the text itself.
  mutating func submit(as sql: String? = nil) -> String {
    let text = editor.text
    work = .submitted(text)
    transcript.scroll = 0
    completion = nil
    return sql ?? text
  }

  /// Continues the submitted text on the next line.
  mutating func continueLine() {
    work = .nothing
    typed.continueLine()
  }

  /// Forgets what has not started.
  mutating func withdraw() {
    work.withdraw()
    parameters = nil
  }

  /// Starts a statement; the first one of a submitted text removes the text from the editor.
  mutating func start(_ sql: String, at moment: UInt64) -> String? {
    let text = takeSubmitted()
    // A command that runs as SQL is shown as it was typed.
    let isCommand = text.map(ConsoleCommand.isCommand) == true
    append(isCommand ? text ?? sql : sql, .running(since: moment))
    work = .running(since: moment)
    return text
  }

  /// Moves the submitted text from the editor into the history: what is typed next doesn't become
  /// part of it, even if it was refused, and a key brings it back.
  ///
  /// - Returns: The text to store in the history of later sessions.
  mutating func takeSubmitted() -> String? {
    guard let text = work.submitted else { return nil }
    work = .nothing
    clear()
    typed.history.append(text)
    return text
  }

  /// Adds an entry to the transcript.
  mutating func append(_ sql: String, _ outcome: Entry.Outcome) {
    transcript.append(sql, outcome, transaction: transactions.number)
  }

  mutating func end(_ sql: String, _ outcome: Entry.Outcome) {
    work = .nothing
    if case .rows = outcome { transcript.trimOlderResults() }
    // It may have failed before it started: then there is no running entry to complete.
    if !transcript.end(outcome) { append(sql, outcome) }
  }

  /// Records what was committed: by a statement, and by anyone to the names that SQL can use.
  mutating func note(commits refresh: Refresh) {
    for case .commit(let commit) in refresh.events {
      if commit.origin == .own {
        transcript.note(commit: commit.ordinal, rows: commit.rows, isNamed: dialect == .sqlite)
      }
      vocabulary.note(commit)
    }
  }

  /// Empties the editor; a result that is browsed stays.
  mutating func clear() {
    typed.clear()
    if browser == nil { activity = .editing(nil) }
  }
}
