import ObservationEngine

extension ConsoleState {
  /// The parameters of a statement, asked for one after the other before it runs.
  struct ParameterPrompt: Sendable, Equatable {
    let sql: String
    /// As SQLite calls them: `:name`, `@x`, `$x`, `?2`.
    let names: [String]
    private(set) var values: [Value] = []
    /// What is typed for the next one.
    var input: TextBuffer

    /// - Parameter known: What was typed for parameters of these names before.
    init(sql: String, names: [String], known: [String: String]) {
      self.sql = sql
      self.names = names
      input = TextBuffer(known[names.first ?? ""] ?? "")
    }

    /// The parameter that is asked for.
    var name: String { names[min(values.count, names.count - 1)] }
    var isComplete: Bool { values.count == names.count }

    /// Takes what was typed; the next parameter is asked for.
    mutating func next(known: [String: String]) {
      values.append(SQLLiteral.value(typed: input.text))
      input = TextBuffer(isComplete ? "" : known[name] ?? "")
    }

    /// Goes back to the one before; false at the first.
    mutating func back(known: [String: String]) -> Bool {
      guard !values.isEmpty else { return false }
      values.removeLast()
      input = TextBuffer(known[name] ?? "")
      return true
    }
  }
}
