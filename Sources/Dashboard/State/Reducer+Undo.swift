import ObservationEngine

extension DashboardState {
  /// Asks what the last own transaction was, before anything is undone.
  mutating func askToUndo() -> [Effect] {
    guard !readOnly else {
      message = Message("the database is open for reading: there is nothing to undo")
      return []
    }
    guard console.runningSince == nil else {
      message = Message("a statement is running; Ctrl-C cancels it", .warning)
      return []
    }
    guard console.transaction == nil else {
      message = Message("a transaction is open: COMMIT or ROLLBACK it first", .warning)
      return []
    }
    return [.describeUndo]
  }

  /// Asks whether to undo a transaction, or says why that cannot be.
  mutating func offerUndo(_ commit: UndoableCommit?) -> [Effect] {
    // Of `:undo` nothing is left to type.
    let text = console.takeSubmitted()
    let effects: [Effect] = text.map { [.appendHistory($0)] } ?? []
    guard let commit else {
      message = Message("no own transaction is left to undo")
      return effects
    }
    if let refusal = commit.refusal {
      message = Message("tx \(commit.ordinal) cannot be undone: \(refusal)", .error)
      return effects
    }
    let time = QuantityText.clock(commit.time, utcOffsetSeconds: utcOffsetSeconds)
    ask(
      .undo(commit, text: "undo tx \(commit.ordinal) of \(time), \(Self.summary(of: commit))?"))
    return effects
  }

  mutating func receive(undone commit: UndoableCommit, _ error: DatabaseError?) {
    if let error {
      message = Message(error.message, .error)
      console.append(":undo", .failed(error))
    } else {
      let text = "tx \(commit.ordinal) is undone: \(Self.summary(of: commit)) taken back"
      message = Message(text)
      console.append(":undo", .answered([text]))
    }
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
