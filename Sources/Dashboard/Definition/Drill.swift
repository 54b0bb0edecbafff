import ObservationEngine

/// What Enter opens on a row: `-- on-enter: PANEL customer=:CustomerID`.
///
/// The panel that it names is a detail: it doesn't belong to the dashboard's panels, and is opened
/// with the values of a row in place of its parameters.
package struct Drill: Sendable, Equatable {
  /// A parameter of the detail, and the column whose value it gets.
  package struct Assignment: Sendable, Equatable {
    package var parameter: String
    package var column: String
  }

  /// The name of the detail.
  package var detail: String
  package var assignments: [Assignment]
  /// The position of the detail's name.
  package var source = SourcePosition.start
}

extension PanelDirectives {
  /// Reads `orders customer=:CustomerID year=:Year`.
  static func drill(_ directive: Directive, log: inout DiagnosticLog) -> (
    drill: Drill, columns: [(directive: String, column: String, offset: Int)]
  )? {
    let words = directive.words
    guard let name = words.first else { return nil }
    var drill = Drill(detail: name.text, assignments: [])
    var columns: [(directive: String, column: String, offset: Int)] = []
    for word in words.dropFirst() {
      let parts = word.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, parts[1].first == ":", parts[1].count > 1 else {
        log.note(
          .error, at: word.offset,
          "expected a parameter and the column for it, as in \"customer=:CustomerID\"")
        return nil
      }
      let column = String(parts[1].dropFirst())
      guard !drill.assignments.contains(where: { $0.parameter == parts[0] }) else {
        log.note(.error, at: word.offset, "\"\(parts[0])\" is given twice")
        return nil
      }
      drill.assignments.append(Drill.Assignment(parameter: String(parts[0]), column: column))
      columns.append((directive.key, column, word.offset + parts[0].utf8.count + 2))
    }
    return (drill, columns)
  }
}

extension DashboardDefinition {
  /// Moves the panels that `on-enter:` names from the panels to the details.
  mutating func separateDetails(_ dialect: SQLDialect, log: inout DiagnosticLog) {
    let drills = panels.compactMap(\.drill)
    guard !drills.isEmpty else { return }
    let names = panels.map(\.name)
    for drill in drills {
      guard let detail = panels.first(where: { $0.name == drill.detail }) else {
        log.note(
          Diagnostic(
            .error, at: drill.source,
            "\"on-enter:\" names \"\(drill.detail)\", but no panel is called so"
              + Suggestion.phrase(for: drill.detail, among: names)))
        continue
      }
      let known = Set(SQLParameters(detail.sql, dialect: dialect).names)
      for assignment in drill.assignments
      where Drill.parameter(assignment.parameter, of: known) == nil {
        log.note(
          Diagnostic(
            .error, at: drill.source,
            "\"\(drill.detail)\" has no parameter :\(assignment.parameter)"
              + Suggestion.phrase(
                for: assignment.parameter, among: known.map { String($0.dropFirst()) })))
      }
    }
    let wanted = Set(drills.map(\.detail))
    details = panels.filter { wanted.contains($0.name) }
    panels.removeAll { wanted.contains($0.name) }
    if panels.isEmpty, let drill = drills.first {
      log.note(
        Diagnostic(
          .error, at: drill.source,
          "every panel is opened by another one's on-enter:, so none is left to show"))
    }
  }
}

extension Drill {
  /// The parameter as the query writes it: `:customer`, `@customer` or `$customer`.
  static func parameter(_ name: String, of known: some Collection<String>) -> String? {
    known.first { [":", "@", "$"].contains($0.prefix(1)) && $0.dropFirst() == name }
  }

  /// The detail with the values of a row; nil while a value isn't known.
  ///
  /// - Parameter origin: The panel that has the row.
  func panel(
    _ detail: PanelDefinition, row: [Value], columns: [String], from origin: PanelDefinition,
    dialect: SQLDialect
  ) -> PanelDefinition? {
    var values: [String: Value] = [:]
    for assignment in assignments {
      guard let index = RowKey.index(ofColumn: assignment.column, in: columns), index < row.count
      else { return nil }
      values[assignment.parameter] = row[index]
    }
    let parameters = SQLParameters(detail.sql, dialect: dialect)
    var panel = detail
    panel.sql = parameters.filled(named: values)
    let labels = assignments.compactMap { values[$0.parameter] }.map { value in
      TextSearch.text(of: value) ?? "BLOB"
    }
    // Details of two rows are two panels: the rows of one are never shown as those of the other.
    let literals = assignments.compactMap { values[$0.parameter] }.map { SQLLiteral.text($0) }
    panel.name = ([detail.name] + literals).joined(separator: " ")
    let path = origin.displayTitle
    let label = labels.joined(separator: " ")
    panel.title = [path, String(label.prefix(30)), detail.displayTitle].filter { !$0.isEmpty }
      .joined(separator: PanelDefinition.step)
    panel.isDetail = true
    panel.source = PanelDefinition.Source()
    panel.directives = []
    return panel
  }
}
