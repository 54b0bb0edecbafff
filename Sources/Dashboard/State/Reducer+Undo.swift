import DatabaseConsole
import ObservationEngine

extension DashboardState {
  /// Asks what the last own transaction was, before anything is undone.
  mutating func askToUndo() -> [Effect] { canUndo("undo") ? [.describeUndo] : [] }

  /// Asks what was undone last, before it is done again.
  mutating func askToRedo() -> [Effect] { canUndo("redo") ? [.describeRedo] : [] }

  /// Whether the writer is available for it; a message otherwise.
  private mutating func canUndo(_ verb: String) -> Bool {
    guard dialect == .sqlite else {
      message = Message(
        "a PostgreSQL server doesn't hand out the rows that a transaction changed: "
          + "there is no \(verb); BEGIN and ROLLBACK try something out", .warning)
      return false
    }
    guard !readOnly else {
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
    ask(.undo(commit, text: "undo \(description(of: commit))?"))
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
    ask(.redo(commit, text: "redo \(description(of: commit))?"))
    return effects
  }

  /// `:undo` and `:redo` need no further input.
  private mutating func endUndoCommand() -> [Effect] {
    console.takeSubmitted().map { [.appendHistory($0)] } ?? []
  }

  mutating func receive(undone commit: UndoableCommit, _ error: DatabaseError?) {
    let text = "tx \(commit.ordinal) is undone: \(Self.summary(of: commit)) taken back"
    tell(":undo", text, error)
  }

  mutating func receive(redone commit: UndoableCommit, _ error: DatabaseError?) {
    tell(":redo", "tx \(commit.ordinal) is redone: \(Self.summary(of: commit))", error)
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

  /// `tx 8 of 12:04:31, +3 ~1 players`
  private func description(of commit: UndoableCommit) -> String {
    let time = QuantityText.clock(commit.time, utcOffsetSeconds: utcOffsetSeconds)
    return "tx \(commit.ordinal) of \(time), \(Self.summary(of: commit))"
  }

  /// `+3 ~1 players, -2 scores`
  private static func summary(of commit: UndoableCommit) -> String {
    let shown = commit.tables.prefix(4).map { table in
      let counts = [
        ("+", table.rows.inserted), ("~", table.rows.updated), ("-", table.rows.deleted),
      ]
      let text = counts.filter { $0.1 > 0 }.map { $0.0 + NumberText.grouped($0.1) }
      return (text + [table.name]).joined(separator: " ")
    }
    let rest = commit.tables.count - shown.count
    return (shown + (rest > 0 ? ["\(rest) more tables"] : [])).joined(separator: ", ")
  }
}
