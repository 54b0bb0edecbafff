import Dashboard
import DatabaseConsole
import ObservationEngine

/// The console's requests other than running statements.
extension Session {
  /// Reads the names that can be completed.
  func readVocabulary() {
    work { [self] in
      // Without them only SQLite's own words are offered; the panels report what is wrong with the
      // file.
      let vocabulary = (try? await database.vocabulary()) ?? SQLVocabulary()
      dispatch(.console(.vocabulary(vocabulary, at: .now)))
    }
  }

  /// Observes one more panel, in one group with the others, so that they never disagree.
  func addPanel(_ panel: PanelDefinition) {
    work { [self] in
      do {
        // Only a query may become a panel; if merely the schema lacks something, it may come later.
        _ = try await database.inBackground { [database] in try database.describe(query: panel.sql)
        }
      } catch {
        return dispatch(.console(Self.notPinned(panel, because: error)))
      }
      show(panel)
      dispatch(.console(.pinned(panel)))
    }
  }

  /// The console's message about a panel that could not be added.
  nonisolated static func notPinned(
    _ panel: PanelDefinition, because error: any Error
  ) -> ConsoleEvent {
    let error =
      error as? DatabaseError ?? DatabaseError(code: .interrupted, message: "\(error)")
    return .failed(
      DatabaseError(code: error.code, message: "not pinned: \(error.message)"),
      sql: ":pin \(panel.name)")
  }

  /// Takes a pinned panel away.
  func unpin(_ name: String, command: String) {
    remove(panel: name)
    dispatch(.console(.answered(["\(name) is not shown any more"], command: command)))
  }

  /// Appends panels to a dashboard file; for the open one, asks first.
  func savePanels(_ panels: [PanelDefinition], file: String?, command: String) {
    answer(command) { () throws(Failure) in
      guard let file else {
        guard let open = dashboardFile else {
          throw Failure(
            "the dashboard has no file of yours; :save [NAME] FILE", status: ExitStatus.usage)
        }
        return try propose(panels, for: open)
      }
      let path = Paths.expanded(file)
      if let open = dashboardFile, SavedDashboard.isSame(open, path) {
        return try propose(panels, for: open)
      }
      let result = try SavedDashboard(path: path).append(panels)
      dispatch(.console(.kept(panels)))
      return .answered([result.description(file: file)], command: command)
    }
  }

  private func propose(
    _ panels: [PanelDefinition], for file: String
  ) throws(Failure) -> ConsoleEvent {
    let text = try SavedDashboard(path: file, isUsers: true).addition(of: panels)
    return .needsSaveConfirmation(
      PanelAddition(file: file.lastPathPart, panels: panels, text: text))
  }

  /// Writes lines that were confirmed to the open dashboard. Then the file has their panels, and
  /// shows them itself.
  func write(_ addition: PanelAddition, command: String) {
    var isWritten = false
    answer(command) { () throws(Failure) in
      guard let open = dashboardFile else { preconditionFailure("no dashboard file was asked for") }
      let result = try SavedDashboard(path: open, isUsers: true)
        .append(addition.panels, confirmed: addition.text)
      forget(added: result.added)
      isWritten = true
      return .saved(
        result.added, "Saved \(result.added.joined(separator: ", ")) to \(addition.file)",
        command: command)
    }
    if isWritten { onEffect?(.reload) }
  }

  /// Gives the console the answer to a command, or the reason why it failed.
  private func answer(_ command: String, _ body: () throws(Failure) -> ConsoleEvent) {
    do throws(Failure) { dispatch(.console(try body())) } catch {
      dispatch(
        .console(.failed(DatabaseError(code: .error, message: error.message), sql: command)))
    }
  }

  /// Performs a request about the recorded own transactions.
  func performOnJournal(_ effect: ConsoleEffect) {
    switch effect {
    case .describeUndo: dispatch(.console(.undoable(journal?.latest)))
    case .describeRedo:
      dispatch(.console(.redoable(journal?.latestUndone, endedBy: journal?.redoingEndedBy)))
    case .describeCommit(let ordinal):
      dispatch(.console(.commitRows(journal?.rows(of: ordinal), ordinal: ordinal)))
    case .undo(let commit):
      write("undone", commit, { .undone(commit, $0) }) { try await $0?.undo(commit.ordinal) }
    case .redo(let commit):
      write("redone", commit, { .redone(commit, $0) }) { try await $0?.redo(commit.ordinal) }
    default: break
    }
  }

  /// Undoes or redoes the requested transaction.
  private func write(
    _ participle: String, _ commit: UndoableCommit,
    _ event: @escaping @Sendable (DatabaseError?) -> ConsoleEvent,
    _ body: @escaping @Sendable (UndoJournal?) async throws -> Void
  ) {
    work { [self] in
      do {
        try await body(journal)
        dispatch(.console(event(nil)))
      } catch let error as DatabaseError {
        dispatch(.console(event(error)))
      } catch {
        let message = "tx \(commit.ordinal) is not \(participle): \(error)"
        dispatch(.console(event(DatabaseError(code: .interrupted, message: message))))
      }
    }
  }
}
