import Dashboard
import ObservationEngine

/// What the console asks for beside running statements.
extension Session {
  /// Reads the names that can be completed.
  func readVocabulary() {
    work { [self] in
      // Without them only SQLite's own words are offered; what is wrong with the file, panels tell.
      let vocabulary = (try? await database.vocabulary()) ?? SQLVocabulary()
      dispatch(.console(.vocabulary(vocabulary, at: .now)))
    }
  }

  /// Observes one more panel, in one group with the others: they never disagree.
  func addPanel(_ panel: PanelDefinition) {
    work { [self] in
      do {
        // What is no query must not become a panel: what only the schema lacks may come.
        _ = try await database.read { try $0.prepare(panel.sql).columnNames }
      } catch {
        return dispatch(.console(Self.notPinned(panel, because: error)))
      }
      show(panel)
      dispatch(.console(.pinned(panel)))
    }
  }

  /// What the console is told of a panel that could not be added.
  nonisolated static func notPinned(
    _ panel: PanelDefinition, because error: any Error
  ) -> ConsoleEvent {
    let error =
      error as? DatabaseError ?? DatabaseError(code: .interrupted, message: "\(error)")
    return .failed(
      DatabaseError(code: error.code, message: "not pinned: \(error.message)"),
      sql: ":pin \(panel.name)")
  }

  /// Appends a panel to a dashboard file.
  func savePanel(_ panel: PanelDefinition, file: String) {
    do {
      let count = try SavedDashboard(path: ConsoleRunner.expanded(file)).append(panel)
      let panels = count == 1 ? "its first panel" : "panel \(count)"
      dispatch(
        .console(
          .answered(
            ["\(panel.name) is \(panels); livequery DATABASE \(file) shows it"],
            command: ":save \(file)")))
    } catch {
      dispatch(
        .console(
          .failed(DatabaseError(code: .error, message: error.message), sql: ":save \(file)")))
    }
  }

  /// Undoes the transaction that was asked about.
  func undo(_ commit: UndoableCommit) {
    work { [self] in
      do {
        try await journal?.undo(commit.ordinal)
        dispatch(.console(.undone(commit, nil)))
      } catch let error as DatabaseError {
        dispatch(.console(.undone(commit, error)))
      } catch {
        dispatch(.message("tx \(commit.ordinal) is not undone: \(error)", .error))
      }
    }
  }
}
