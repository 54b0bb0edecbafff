import DatabaseConsole
import ObservationEngine

extension ConsoleState {
  /// Asks what the last own transaction was, before anything is undone.
  mutating func askToUndo(_ context: inout ConsoleContext) -> [ConsoleEffect] {
    canUndo("undo", &context) ? [.describeUndo] : []
  }

  /// Asks what was undone last, before it is done again.
  mutating func askToRedo(_ context: inout ConsoleContext) -> [ConsoleEffect] {
    canUndo("redo", &context) ? [.describeRedo] : []
  }

  /// Whether the writer is available for it; a message otherwise.
  private mutating func canUndo(_ verb: String, _ context: inout ConsoleContext) -> Bool {
    guard dialect == .sqlite else {
      context.say(
        "a PostgreSQL server doesn't hand out the rows that a transaction changed: "
          + "there is no \(verb); BEGIN and ROLLBACK try something out", .warning)
      return false
    }
    guard !context.isReadOnly else {
      context.say("the database is open for reading: there is nothing to \(verb)")
      return false
    }
    guard !refusesWork(&context) else { return false }
    guard transaction == nil else {
      context.say("a transaction is open: COMMIT or ROLLBACK it first", .warning)
      return false
    }
    return true
  }

  /// Asks whether to undo a transaction, or reports why it can't be undone.
  mutating func offerUndo(
    _ commit: UndoableCommit?, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    let effects = endUndoCommand()
    guard let commit else {
      context.say("no own transaction is left to undo")
      return effects
    }
    if let refusal = commit.refusal {
      context.say("tx \(commit.ordinal) cannot be undone: \(refusal)", .error)
      return effects
    }
    context.question = .undo(commit, text: "undo \(Self.description(of: commit, context))?")
    return effects
  }

  /// Asks whether to redo a transaction, or reports why it can't be redone.
  mutating func offerRedo(
    _ commit: UndoableCommit?, endedBy ordinal: Int?, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    let effects = endUndoCommand()
    guard let commit else {
      context.say(
        ordinal.map { "what was undone before tx \($0) is not redone after it" }
          ?? "no transaction was undone that could be redone")
      return effects
    }
    if let refusal = commit.refusal {
      context.say("tx \(commit.ordinal) cannot be redone: \(refusal)", .error)
      return effects
    }
    context.question = .redo(commit, text: "redo \(Self.description(of: commit, context))?")
    return effects
  }

  /// `:undo` and `:redo` need no further input.
  private mutating func endUndoCommand() -> [ConsoleEffect] {
    takeSubmitted().map { [.appendHistory($0)] } ?? []
  }

  mutating func receive(
    undone commit: UndoableCommit, _ error: DatabaseError?, _ context: inout ConsoleContext
  ) {
    let text = "undid tx \(commit.ordinal): \(Self.restored(by: commit))"
    report(":undo", text, error, &context)
  }

  mutating func receive(
    redone commit: UndoableCommit, _ error: DatabaseError?, _ context: inout ConsoleContext
  ) {
    let text = "redid tx \(commit.ordinal): \(Self.changes(in: commit))"
    report(":redo", text, error, &context)
  }

  private mutating func report(
    _ command: String, _ text: String, _ error: DatabaseError?, _ context: inout ConsoleContext
  ) {
    if let error {
      context.say(error.message, .error)
      append(command, .failed(error))
    } else {
      context.say(text)
      append(command, .answered([text]))
    }
  }

  /// `tx 8 (12:04:31, 3 rows inserted in players)`
  private static func description(
    of commit: UndoableCommit, _ context: ConsoleContext
  ) -> String {
    let time = QuantityText.clock(commit.time, utcOffsetSeconds: context.utcOffsetSeconds)
    return "tx \(commit.ordinal) (\(time), \(changes(in: commit)))"
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
