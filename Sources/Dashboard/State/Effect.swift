package import ObservationEngine

/// An action that only the program around the dashboard can perform.
package enum Effect: Sendable, Equatable {
  /// End the program; rolling back an open console transaction has been confirmed.
  case quit
  /// Stop like any program on Ctrl-Z.
  case suspend
  /// Write every cell again.
  case redraw
  /// What the explorer asks for.
  case explorer(ExplorerEffect)
  /// Show this panel in addition to the others, and give it the focus.
  case showPanel(PanelDefinition)
  /// End a panel of this session; one of the dashboard is answered by ``Action/panelKept(named:)``.
  case closePanel(named: String)
  /// Read the choices of the parameters again; answered by ``Action/parameters(_:)``.
  case readChoices
  /// Show the panels with another value of a parameter.
  case setParameter(name: String, Value)
  /// Find the row that a value refers to; answered by ``Action/referenceFound(_:of:)``.
  case findReference(FollowedCell)
  /// Remember for the next session what the user shows and hides.
  case rememberPanes(PaneChoices)
  /// Read these rows of a panel's long result; they come with the next refresh.
  case showRows(panel: Int, RowRequest)
  /// Say how this panel is refreshed, and what that costs; answered by ``Action/message(_:_:)``.
  case explainRefresh(panel: Int)
  /// Recompute every panel, changed or not.
  case refreshAll
  /// Show everything in these colours.
  case theme(String)
  /// Read the dashboard file again.
  case reload
  /// Let the user edit this panel's query, or the file that contains it at its position.
  case edit(panel: Int)
  /// Sound the terminal's bell, if the user enabled it.
  case ring
  /// Send text to the terminal's clipboard; answered by ``Action/message(_:_:)``.
  case copy(ClipboardText)
  /// Something for the console's executor.
  case console(ConsoleEffect)
  /// A question about the schema.
  case schema(SchemaEffect)
  /// Something for the runner of hooks.
  case hooks(HookEffect)
  /// Something for the writer of files.
  case export(ExportEffect)
}
