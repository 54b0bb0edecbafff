package import DatabaseConsole
package import ObservationEngine

/// An action that only the program around the dashboard can perform.
package enum Effect: Sendable, Equatable {
  /// End the program; rolling back an open console transaction has been confirmed.
  case quit
  /// Stop like any program on Ctrl-Z.
  case suspend
  /// Write every cell again.
  case redraw
  /// Read the schema; answered by ``SchemaEvent/described(_:)``.
  case describeSchema
  /// Count the rows of these tables; answered by ``SchemaEvent/counted(_:asked:)``.
  case countRows([String])
  /// Determine how much of the file each table and index occupies; answered by
  /// ``SchemaEvent/measured(_:)``.
  case measureSizes
  /// What the explorer asks for.
  case explorer(ExplorerEffect)
  /// Show this panel in addition to the others, and give it the focus.
  case showPanel(PanelDefinition)
  /// Read these rows of a panel's long result; they come with the next refresh.
  case showRows(panel: Int, RowRequest)
  /// Say how this panel is refreshed, and what that costs; answered by ``Action/message(_:_:)``.
  case explainRefresh(panel: Int)
  /// Recompute every panel, changed or not.
  case refreshAll
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
  /// Append panels to a dashboard file; answered by ``ConsoleEvent/answered(_:command:)``.
  case savePanels([PanelDefinition], file: String, command: String)
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
  /// Show everything in these colours.
  case theme(String)
  /// Read the dashboard file again.
  case reload
  /// Let the user edit this panel's query, or the file that contains it at its position.
  case edit(panel: Int)
  /// Sound the terminal's bell, if the user enabled it.
  case ring
  /// Run a command; answered by ``HookEvent/changed(_:panel:_:)``.
  case runHook(HookCall)
  /// Hooks are confirmed, which must be remembered, or are refused for this session.
  case confirmHooks(Bool, [HookRequest])
  /// Write rows to a file; answered by ``Action/exported(_:)``, and before that by
  /// ``Action/exporting(rows:)`` if it takes long.
  case export(Export)
  /// Write all rows of a long result to a file, as ``export(_:)`` does.
  case exportAll(LongExport)
  /// Cancel the running export; answered by ``Action/exported(_:)``.
  case cancelExport
  /// Send text to the terminal's clipboard; answered by ``Action/message(_:_:)``.
  case copy(ClipboardText)
  /// Store this text for the next session.
  case appendHistory(String)
}
