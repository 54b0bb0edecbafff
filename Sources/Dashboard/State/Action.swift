package import DatabaseConsole
package import ObservationEngine

/// Something that happened, told to ``reduce(_:_:)``.
package enum Action: Sendable {
  /// A key was pressed.
  case key(Key)
  /// The terminal has another size.
  case resized(Size)
  /// The observed queries have news; results are numbered as the panels are.
  case refreshed(Refresh, looks: [Int: RowRequest.Look] = [:], at: Moment)
  /// ``DashboardState/needsTickAt`` was reached.
  case ticked(Moment)
  /// A refresh reached the screen, this many nanoseconds after its commit.
  ///
  /// The commit is the writer's return for own commits, the detection for those of others.
  case drawn(latency: UInt64, origin: Commit.Origin)
  /// The console's statement went on.
  case console(ConsoleEvent)
  /// Give the focus to the panel of this name.
  case focusPanel(named: String)
  /// What was asked about the schema.
  case schema(SchemaEvent)
  /// Something became of a hook.
  case hook(HookEvent)
  /// So many rows of a long result are on their way to a file.
  case exporting(rows: Int)
  /// The rows of a panel were written to a file, or why they were not.
  case exported(ExportOutcome)
  /// What is known of the file changed.
  case databaseInfo(DatabaseInfo)
  /// So much of a recording has been played.
  case replayed(ReplayProgress)
  /// The panels are others from here on; see ``DashboardState/replacePanels(with:)``.
  case panelsReplaced(DashboardDefinition)
  /// The dashboard file, as it was saved, cannot be used, and why, with the place; nil when it can.
  case dashboardRejected(String?)
  /// The program has something to say, until the next key.
  case message(String, Message.Severity)
}

/// What the console's executor tells the console.
package enum ConsoleEvent: Sendable {
  /// The submitted text is not a complete statement: the console goes on to the next line.
  case incomplete
  /// The statement is to be confirmed before it runs: ``Effect/run(sql:)`` or
  /// ``Effect/discardStatements`` will follow.
  case needsConfirmation(question: String, sql: String)
  /// The rows are being counted that a statement would change; a question will follow, unless it is taken
  /// back with ``Effect/discardStatements``.
  case counting(sql: String)
  /// The statements of a file are to be confirmed before they run: ``Effect/runScript`` or
  /// ``Effect/discardStatements`` will follow.
  case needsScriptConfirmation(ConsoleState.ScriptSummary)
  /// The statement has parameters: ``Effect/bind(sql:values:)`` or ``Effect/discardStatements`` will
  /// follow.
  case needsParameters(names: [String], sql: String)
  /// A statement of the submitted text runs now.
  case started(sql: String, at: Moment)
  /// It ended; with its first rows and their number in all when it returns any, with a count when it
  /// changed some.
  case finished(RowSet?, total: Int, changes: Int?, duration: Duration, sql: String)
  /// It failed, or was cancelled; nothing further of the submitted text runs.
  case failed(DatabaseError, sql: String)
  /// The running statement has returned so many rows.
  case progressed(rows: Int)
  /// What the console's executor says to a command.
  case answered([String], command: String)
  /// How far the statements of a file have come; the first one begins it, one with a duration ends it.
  case script(ConsoleState.ScriptProgress)
  /// A statement of a file returned rows.
  case scriptRows(RowSet, total: Int, duration: Duration, sql: String)
  /// Whether a transaction is open on the console's connection, how long since, and whether it keeps
  /// others from writing.
  case transaction(open: Bool, statements: Int, since: Moment?, holdsWriteLock: Bool = false)
  /// The names that SQL can use.
  case vocabulary(SQLVocabulary, at: Moment)
  /// A query is a panel from now on.
  case pinned(PanelDefinition)
  /// The last own transaction, which may be undone; nil when there is none.
  case undoable(UndoableCommit?)
  /// It was undone, or not.
  case undone(UndoableCommit, DatabaseError?)
  /// The transaction that was undone last, which may be redone; nil when there is none, with the own
  /// commit since which there is none, if it was one.
  case redoable(UndoableCommit?, endedBy: Int?)
  /// It was redone, or not.
  case redone(UndoableCommit, DatabaseError?)
  /// The rows that a commit changed; nil when they are not kept, or not any more.
  case commitRows(CommitRows?, ordinal: Int)
}

/// What is known of the database beside its tables.
package struct DatabaseInfo: Sendable, Equatable {
  /// As `PRAGMA journal_mode` says: `wal`, `delete`, …
  package var journalMode: String
  package var fileBytes: Int64?
  package var walBytes: Int64?
  /// How foreign commits are noticed, in a word or two.
  package var watch: String?

  package init(
    journalMode: String = "", fileBytes: Int64? = nil, walBytes: Int64? = nil, watch: String? = nil
  ) {
    self.journalMode = journalMode
    self.fileBytes = fileBytes
    self.walBytes = walBytes
    self.watch = watch
  }
}

/// A line for the person, shown until the next key, or until it is no news any more or something worse
/// happens: on a screen at the wall nobody presses keys.
package struct Message: Sendable, Equatable {
  package enum Severity: Sendable { case notice, warning, error }
  package var text: String
  package var severity: Severity

  package init(_ text: String, _ severity: Severity = .notice) {
    self.text = text
    self.severity = severity
  }

  /// For how long it is news, in nanoseconds; nil when it is to be answered.
  var lifetime: UInt64? {
    switch severity {
    case .notice: 10_000_000_000
    case .warning: 120_000_000_000
    case .error: nil
    }
  }
}
