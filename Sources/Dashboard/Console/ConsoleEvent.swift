package import DatabaseConsole
package import ObservationEngine

/// The events of the console's executor.
package enum ConsoleEvent: Sendable {
  /// The submitted text is not a complete statement: the console continues on the next line.
  case incomplete
  /// The statement must be confirmed before it runs: ``ConsoleEffect/run(sql:)`` or
  /// ``ConsoleEffect/discardStatements`` will follow.
  case needsConfirmation(question: String, sql: String)
  /// The rows that a statement would change are being counted; a question will follow, unless
  /// ``ConsoleEffect/discardStatements`` revokes it.
  case counting(sql: String)
  /// The statements of a file must be confirmed before they run: ``ConsoleEffect/runScript`` or
  /// ``ConsoleEffect/discardStatements`` will follow.
  case needsScriptConfirmation(ConsoleState.ScriptSummary)
  /// The statement has parameters: ``ConsoleEffect/bind(sql:values:)`` or
  /// ``ConsoleEffect/discardStatements`` will follow.
  case needsParameters(names: [String], sql: String)
  /// A statement of the submitted text starts to run.
  case started(sql: String, at: Moment)
  /// It ended; with its first rows and their total if it returns any, with a count if it changed
  /// some.
  case finished(RowSet?, total: Int, changes: Int?, duration: Duration, sql: String)
  /// The statement that has ended made the commit of this ordinal.
  case committed(ordinal: Int)
  /// What the server said of the statement that has ended, beside its result.
  case noticed([String])
  /// It failed, or was cancelled; nothing further of the submitted text runs.
  case failed(DatabaseError, sql: String)
  /// The running statement has returned this many rows.
  case progressed(rows: Int)
  /// The executor's answer to a command.
  case answered([String], command: String)
  /// The progress of a file's statements; the first one starts it, one with a duration ends it.
  case script(ConsoleState.ScriptProgress)
  /// A statement of a file returned rows.
  case scriptRows(RowSet, total: Int, duration: Duration, sql: String)
  /// Whether a transaction is open on the console's connection, since when, and whether it keeps
  /// other connections from writing.
  case transaction(open: Bool, statements: Int, since: Moment?, holdsWriteLock: Bool = false)
  /// The names that SQL can use.
  case vocabulary(SQLVocabulary, at: Moment)
  /// A query has become a panel.
  case pinned(PanelDefinition)
  /// Lines for the open dashboard must be confirmed before they are written:
  /// ``ConsoleEffect/confirmSave(_:command:)`` will follow, or nothing.
  case needsSaveConfirmation(PanelAddition)
  /// Panels are part of the open dashboard's file now; with a message.
  case saved([String], String, command: String)
  /// Another file has these panels now.
  case kept([PanelDefinition])
  /// The last own transaction, if it may be undone; nil when there is none.
  case undoable(UndoableCommit?)
  /// It was undone, or it failed.
  case undone(UndoableCommit, DatabaseError?)
  /// The transaction that was undone last, if it may be redone; nil when there is none, with the
  /// own commit that ended redoing, if one did.
  case redoable(UndoableCommit?, endedBy: Int?)
  /// It was redone, or it failed.
  case redone(UndoableCommit, DatabaseError?)
  /// The rows that a commit changed; nil when they are not kept, or not any more.
  case commitRows(CommitRows?, ordinal: Int)
}
