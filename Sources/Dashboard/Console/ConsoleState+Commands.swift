import ObservationEngine

extension ConsoleState {
  /// Runs a command.
  mutating func run(
    _ command: ConsoleCommand, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    switch command {
    case .sql(let sql): return [.submit(submit(as: sql))]
    case .explain(let sql): return explain(sql)
    case .pin(let name): return pin(name, &context)
    case .unpin(let name): return unpin(name)
    case .save(let text): return save(text, &context)
    case .read(let file, let asks):
      let text = submit()
      work = .submitted(
        text, .reading(ConsoleWork.Reading(file: file, since: context.news.now.monotonic)))
      return [.readScript(file: file, asks: asks)]
    case .undo, .redo:
      _ = submit()
      let effects = command == .undo ? askToUndo(&context) : askToRedo(&context)
      return effects.isEmpty ? takeCommand() : effects
    case .answer(let lines):
      return receive(.answered(lines, command: submit()), &context)
    case .unknown(let reason): return refuse(reason)
    case .unknownName(let name):
      return refuse(
        context.panelCommands.contains(name)
          ? ":\(name) is a command of panels: Esc leads there"
          : ":\(name) is not a command"
            + Suggestion.phrase(for: name, among: ConsoleCommand.names, sign: ":"))
    }
  }

  /// Reports why a command was refused. It leaves the line like a successful one, so that text
  /// typed next does not become part of it; the history has it, to be corrected.
  private mutating func refuse(_ reason: String) -> [ConsoleEffect] {
    let text = submit()
    let effects = takeCommand()
    append(text, .failed(DatabaseError(code: .error, message: reason)))
    return effects
  }

  /// Removes the submitted command from the editor.
  mutating func takeCommand() -> [ConsoleEffect] {
    takeSubmitted().map { [.appendHistory($0)] } ?? []
  }

  private mutating func explain(_ sql: String?) -> [ConsoleEffect] {
    let text = sql ?? lastQuery ?? ""
    var tokens = SQLTokenizer.tokens(of: text, dialect: dialect)
    while tokens.last?.isSymbol(";") == true { tokens.removeLast() }
    guard let last = tokens.last else {
      return refuse("there is no query to explain yet; :explain SELECT …")
    }
    // Only the first would be explained: the others would run.
    guard !tokens.contains(where: { $0.isSymbol(";") }) else {
      return refuse("one statement at a time is explained, and there are several")
    }
    // After a comment, a semicolon would be part of it.
    let query = String(decoding: text.utf8.prefix(last.range.upperBound), as: UTF8.self)
    let hasPlan = tokens.first?.isWord("explain") == true
    let explain = dialect == .sqlite ? "EXPLAIN QUERY PLAN " : "EXPLAIN "
    return [.submit(submit(as: (hasPlan ? query : explain + query) + ";"))]
  }

  // MARK: Panels

  /// The newest query that returned rows, without its semicolon, with the values of its parameters.
  private var lastQuery: String? {
    let entry = entries.last { entry in
      guard case .rows = entry.outcome, entry.plan == nil else { return false }
      return SQLTokenizer.tokens(of: entry.sql, dialect: dialect).first.map { first in
        ["select", "values", "with"].contains { first.isWord($0) }
      } ?? false
    }
    guard var sql = entry?.sql else { return nil }
    while sql.last == ";" || sql.last?.isWhitespace == true { sql.removeLast() }
    return sql
  }

  private mutating func pin(
    _ wanted: String?, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    guard let query = lastQuery else {
      return refuse("there is no query to pin yet: run a SELECT first")
    }
    let panels = context.panels
    let taken = Set(panels.map(\.name))
    var number = 1
    while taken.contains("pin\(number)") { number += 1 }
    let name = wanted ?? "pin\(number)"
    if taken.contains(name) {
      return refuse("a panel is called \(name) already; :pin OTHERNAME")
    }
    guard !name.contains(where: \.isWhitespace) else {
      return refuse("a panel's name is one word")
    }
    guard panels.count < DashboardDefinition.maximumPanelCount else {
      return refuse("there are \(panels.count) panels, which is the maximum")
    }
    _ = submit()
    return [.addPanel(PanelDefinition(name: name, sql: query))]
  }

  /// A pinned panel is now observed.
  mutating func receive(
    pinned definition: PanelDefinition, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    pinned.removeAll { $0.name == definition.name }
    pinned.append(Pin(panel: definition))
    let number =
      context.panels.firstIndex { $0.name == definition.name }.map { "\($0 + 1), " } ?? ""
    let file = context.hasFile ? ":save" : ":save FILE"
    let text = "panel \(number)\(definition.name), follows this query; \(file) keeps it"
    return receive(
      .answered([text], command: work.submitted ?? ":pin \(definition.name)"), &context)
  }

  private mutating func unpin(_ name: String?) -> [ConsoleEffect] {
    guard let last = pinned.last else { return refuse("nothing is pinned") }
    let names = pinned.map(\.name)
    guard name.map(names.contains) ?? true else {
      return refuse(
        "no pinned panel is called \(name ?? "")"
          + Suggestion.phrase(for: name ?? "", among: names))
    }
    let name = name ?? last.name
    pinned.removeAll { $0.name == name }
    return [.removePanel(name: name, command: submit())]
  }

  /// - Parameter text: The name of a pinned panel, a file, both, or nothing: for all pinned panels,
  ///   and the open dashboard.
  private mutating func save(
    _ text: String, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    let named = pinned.first { $0.name == words.first.map(String.init) }
    if named == nil, !text.isEmpty, context.hasGenerated {
      _ = submit()
      context.fileOfGenerated = text
      return takeCommand()
    }
    if pinned.isEmpty {
      return refuse(
        context.hasGenerated
          ? ":save FILE keeps the generated dashboard"
          : "nothing is pinned yet: :pin NAME makes the last query a panel")
    }
    let isFile = named == nil && !text.isEmpty
    let file = isFile ? text : words.count > 1 ? String(words[1]) : nil
    if file == nil, !context.hasFile {
      guard let named else {
        return refuse(":save needs the name of a file: no dashboard file is open")
      }
      return refuse(
        "\(named.name) is a pinned panel; :save \(named.name) FILE,"
          + " or :save ./\(named.name) for a file of that name")
    }
    let command = submit()
    // In their current form: a pinned panel can be edited.
    let saved = (named.map { [$0] } ?? pinned).map { pin in
      context.panels.first { $0.name == pin.name } ?? pin.panel
    }
    return [.savePanels(saved, file: file, command: command)]
  }
}
