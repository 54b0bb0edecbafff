import ObservationEngine

extension ConsoleState {
  /// The parameters of a statement, asked for one after another before it runs.
  struct ParameterPrompt: Sendable, Equatable {
    let sql: String
    /// SQLite's names for them: `:name`, `@x`, `$x`, `?2`.
    let names: [String]
    private(set) var values: [Value] = []
    /// The typed text for the next one.
    var input: TextBuffer

    /// - Parameter known: Earlier values of parameters of these names.
    init(sql: String, names: [String], known: [String: String]) {
      self.sql = sql
      self.names = names
      input = TextBuffer(known[names.first ?? ""] ?? "")
    }

    /// The parameter being asked for.
    var name: String { names[min(values.count, names.count - 1)] }
    var isComplete: Bool { values.count == names.count }

    /// Accepts the typed text, and asks for the next parameter.
    mutating func next(known: [String: String]) {
      values.append(SQLLiteral.value(typed: input.text))
      input = TextBuffer(isComplete ? "" : known[name] ?? "")
    }

    /// Goes back to the previous one; false at the first.
    mutating func back(known: [String: String]) -> Bool {
      guard !values.isEmpty else { return false }
      values.removeLast()
      input = TextBuffer(known[name] ?? "")
      return true
    }
  }
}
