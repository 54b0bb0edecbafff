import DatabaseConsole
import ObservationEngine

extension DashboardState {
  /// Asks what the last own transaction was, before anything is undone.
  mutating func askToUndo() -> [Effect] { canUndo("undo") ? [.console(.describeUndo)] : [] }

  /// Asks what was undone last, before it is done again.
  mutating func askToRedo() -> [Effect] { canUndo("redo") ? [.console(.describeRedo)] : [] }

  /// Whether the writer is available for it; a message otherwise.
  private mutating func canUndo(_ verb: String) -> Bool {
    guard dialect == .sqlite else {
      message = Message(
        "a PostgreSQL server doesn't hand out the rows that a transaction changed: "
          + "there is no \(verb); BEGIN and ROLLBACK try something out", .warning)
      return false
    }
    guard !setting.readOnly else {
      message = Message("the database is open for reading: there is nothing to \(verb)")
      return false
    }
    guard !refuseWhileConsoleWorks() else { return false }
    guard console.transaction == nil else {
      message = Message("a transaction is open: COMMIT or ROLLBACK it first", .warning)
      return false
    }
    return true
  }

  /// Asks whether to undo a transaction, or reports why it can't be undone.
  mutating func offerUndo(_ commit: UndoableCommit?) -> [Effect] {
    let effects = endUndoCommand()
    guard let commit else {
      message = Message("no own transaction is left to undo")
      return effects
    }
    if let refusal = commit.refusal {
      message = Message("tx \(commit.ordinal) cannot be undone: \(refusal)", .error)
      return effects
    }
    modes.ask(.undo(commit, text: "undo \(description(of: commit))?"))
    return effects
  }

  /// Asks whether to redo a transaction, or reports why it can't be redone.
  mutating func offerRedo(_ commit: UndoableCommit?, endedBy ordinal: Int?) -> [Effect] {
    let effects = endUndoCommand()
    guard let commit else {
      message = Message(
        ordinal.map { "what was undone before tx \($0) is not redone after it" }
          ?? "no transaction was undone that could be redone")
      return effects
    }
    if let refusal = commit.refusal {
      message = Message("tx \(commit.ordinal) cannot be redone: \(refusal)", .error)
      return effects
    }
    modes.ask(.redo(commit, text: "redo \(description(of: commit))?"))
    return effects
  }

  /// `:undo` and `:redo` need no further input.
  private mutating func endUndoCommand() -> [Effect] {
    console.takeSubmitted().map { [.console(.appendHistory($0))] } ?? []
  }

  mutating func receive(undone commit: UndoableCommit, _ error: DatabaseError?) {
    let text = "undid tx \(commit.ordinal): \(Self.restored(by: commit))"
    tell(":undo", text, error)
  }

  mutating func receive(redone commit: UndoableCommit, _ error: DatabaseError?) {
    tell(":redo", "redid tx \(commit.ordinal): \(Self.changes(in: commit))", error)
  }

  private mutating func tell(_ command: String, _ text: String, _ error: DatabaseError?) {
    if let error {
      console.awaitsUndo = false
      message = Message(error.message, .error)
      console.append(command, .failed(error))
    } else {
      message = Message(text)
      console.append(command, .answered([text]))
    }
  }

  /// `tx 8 (12:04:31, 3 rows inserted in players)`
  private func description(of commit: UndoableCommit) -> String {
    let time = QuantityText.clock(commit.time, utcOffsetSeconds: utcOffsetSeconds)
    return "tx \(commit.ordinal) (\(time), \(Self.changes(in: commit)))"
  }

  /// `3 rows inserted in players, 2 rows deleted from scores`
  private static func changes(in commit: UndoableCommit) -> String {
    summary(of: commit, ("inserted in", "changed in", "deleted from"))
  }

  /// `3 rows removed from players, 2 rows put back in scores`
  private static func restored(by commit: UndoableCommit) -> String {
    summary(of: commit, ("removed from", "restored in", "put back in"))
  }

  private static func summary(
    of commit: UndoableCommit, _ verbs: (inserted: String, updated: String, deleted: String)
  ) -> String {
    let shown = commit.tables.prefix(4).map { table in
      let counts = [
        (verbs.inserted, table.rows.inserted), (verbs.updated, table.rows.updated),
        (verbs.deleted, table.rows.deleted),
      ]
      return counts.filter { $0.1 > 0 }.map { verb, count in
        "\(QuantityText.count(count, "row")) \(verb) \(table.name)"
      }.joined(separator: ", ")
    }
    let rest = commit.tables.count - shown.count
    return (shown + (rest > 0 ? ["\(rest) more tables"] : [])).joined(separator: ", ")
  }
}
