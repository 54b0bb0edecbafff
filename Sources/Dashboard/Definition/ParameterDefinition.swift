package import ObservationEngine

/// A parameter that the user chooses from a list: `-- param: country from SELECT …`.
package struct ParameterDefinition: Sendable, Equatable {
  /// Without the colon.
  package var name: String
  /// The query whose first column has the values; the first of them holds until another is chosen.
  package var sql: String
  /// The position of the query in the file.
  package var source: SourcePosition

  package init(name: String, sql: String, source: SourcePosition = .start) {
    self.name = name
    self.sql = sql
    self.source = source
  }

  /// The query as a panel, to be checked as one.
  package var panel: PanelDefinition {
    PanelDefinition(
      name: "param \(name)", sql: sql, source: PanelDefinition.Source(name: source, sql: source))
  }
}

/// A parameter with its value, and those that can be chosen.
package struct ChosenParameter: Sendable, Equatable {
  package var name: String
  package var value: Value
  package var choices: [Value]

  package init(name: String, value: Value, choices: [Value]) {
    self.name = name
    self.value = value
    self.choices = choices
  }

  /// The value as it is shown and typed.
  static func text(_ value: Value) -> String {
    value == .text("") ? "''" : TextSearch.text(of: value) ?? "BLOB"
  }

  /// The value that a text means: one of the choices, or else a number, a literal or the text
  /// itself. What a choice begins with suffices, if no other choice begins with it.
  func value(of text: String) -> Value {
    if let choice = choices.first(where: { Self.text($0) == text }) { return choice }
    let typed = SQLLiteral.value(typed: text)
    guard case .text = typed else { return typed }
    let start = text.lowercased()
    if let same = choices.first(where: { Self.text($0).lowercased() == start }) { return same }
    let begun = choices.filter { Self.text($0).lowercased().hasPrefix(start) }
    return begun.count == 1 ? begun[0] : typed
  }
}

extension DashboardBuilder {
  /// Reads `country from SELECT DISTINCT Country FROM Customers`.
  static func parameter(
    _ directive: Directive, known: [ParameterDefinition], in source: SourceText,
    log: inout DiagnosticLog
  ) -> ParameterDefinition? {
    let words = directive.words
    guard words.count > 2, words[1].text.lowercased() == "from" else {
      log.note(
        .error, at: directive.valueOffset,
        "expected a name and a query, as in \"param: country from SELECT DISTINCT Country FROM t\"")
      return nil
    }
    let name = words[0].text
    guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
      log.note(.error, at: words[0].offset, "\"\(name)\" can't be the name of a parameter")
      return nil
    }
    guard !known.contains(where: { $0.name == name }) else {
      log.note(.error, at: words[0].offset, "the parameter \"\(name)\" is given twice")
      return nil
    }
    let start = words[2].offset
    var sql = String(
      decoding: directive.value.utf8.dropFirst(start - directive.valueOffset), as: UTF8.self)
    while sql.last == ";" || sql.last == " " { sql.removeLast() }
    return ParameterDefinition(name: name, sql: sql, source: source.position(at: start))
  }
}
