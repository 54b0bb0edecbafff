package import DatabaseConsole
package import ObservationEngine

/// An event for ``reduce(_:_:)``.
package enum Action: Sendable {
  /// A key was pressed.
  case key(Key)
  /// The terminal's size has changed.
  case resized(Size)
  /// The observed queries have new results, numbered as the panels are.
  case refreshed(Refresh, looks: [Int: RowRequest.Look] = [:], at: Moment)
  /// ``DashboardState/needsTickAt`` was reached.
  case ticked(Moment)
  /// A refresh reached the screen, this many nanoseconds after its commit.
  ///
  /// Measured from the return of the write for own commits, from the detection for foreign ones.
  case drawn(latency: UInt64, origin: Commit.Origin)
  /// The console's statement made progress.
  case console(ConsoleEvent)
  /// Gives the focus to the panel of this name.
  case focusPanel(named: String)
  /// An answer about the schema.
  case schema(SchemaEvent)
  /// An answer to the explorer.
  case explorer(ExplorerAction)
  /// The state of a hook changed.
  case hook(HookEvent)
  /// This many rows of a long result are written to the file so far.
  case exporting(rows: Int)
  /// The rows of a panel were written to a file, or the reason why not.
  case exported(ExportOutcome)
  /// The information about the file changed.
  case databaseInfo(DatabaseInfo)
  /// This much of a recording has been played.
  case replayed(ReplayProgress)
  /// The parameters of the dashboard have these values and choices.
  case parameters([ChosenParameter])
  /// What a value refers to; nil when that is no row.
  case referenceFound(RowReference?, of: FollowedCell)
  /// The panel belongs to the dashboard: it is hidden in place of being closed.
  case panelKept(named: String)
  /// The panels are replaced; see ``DashboardState/replacePanels(with:)``.
  case panelsReplaced(DashboardDefinition)
  /// Why the saved dashboard file can't be used, with the position; nil when it can.
  case dashboardRejected(String?)
  /// A message of the program, shown until the next key.
  case message(String, Message.Severity)
  /// A text to read.
  case read(title: String, text: String)
}
