package import DatabaseConsole
package import ObservationEngine

/// What the console asks of its executor.
package enum ConsoleEffect: Sendable, Equatable {
  /// Run the text of the console if its last statement is complete; answered by
  /// ``ConsoleEvent/incomplete``, ``ConsoleEvent/needsConfirmation(question:sql:)`` or
  /// ``ConsoleEvent/started(sql:at:)``.
  case submit(String)
  /// The statement was confirmed.
  case run(sql: String)
  /// The values for the statement's parameters, in the order of their names.
  case bind(sql: String, values: [Value])
  /// Read the statements of a file, and run them, or ask first: answered by
  /// ``ConsoleEvent/script(_:)`` or ``ConsoleEvent/needsScriptConfirmation(_:)``.
  case readScript(file: String, asks: Bool)
  /// The file was confirmed.
  case runScript
  /// Read the names that can be completed; answered by ``ConsoleEvent/vocabulary(_:at:)``.
  case readVocabulary
  /// Observe one more panel; answered by ``ConsoleEvent/pinned(_:)``.
  case addPanel(PanelDefinition)
  /// Take a pinned panel away; answered by ``ConsoleEvent/answered(_:command:)``.
  case removePanel(name: String, command: String)
  /// Append panels to a dashboard file, or to the open dashboard. Answered by
  /// ``ConsoleEvent/answered(_:command:)``; for the open dashboard first by
  /// ``ConsoleEvent/needsSaveConfirmation(_:)``.
  case savePanels([PanelDefinition], file: String?, command: String)
  /// The lines for the open dashboard were confirmed; answered by
  /// ``ConsoleEvent/saved(_:_:command:)``.
  case confirmSave(PanelAddition, command: String)
  /// Report the last own transaction; answered by ``ConsoleEvent/undoable(_:)``.
  case describeUndo
  /// Undo the transaction of this ordinal; answered by ``ConsoleEvent/undone(_:_:)``.
  case undo(UndoableCommit)
  /// Report what was undone last; answered by ``ConsoleEvent/redoable(_:endedBy:)``.
  case describeRedo
  /// Redo the transaction that had this ordinal; answered by ``ConsoleEvent/redone(_:_:)``.
  case redo(UndoableCommit)
  /// Say which rows a commit changed; answered by ``ConsoleEvent/commitRows(_:ordinal:)``.
  case describeCommit(ordinal: Int)
  /// The statement that needed confirmation, and everything submitted with it, must not run.
  case discardStatements
  /// Interrupt the console's running statement.
  case cancelStatement
  /// Store this text for the next session.
  case appendHistory(String)
}
