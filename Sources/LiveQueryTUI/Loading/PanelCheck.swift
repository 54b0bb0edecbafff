import Dashboard
import DatabaseConsole
import ObservationEngine

/// Finds the errors in panels that only the database can reveal.
struct PanelCheck: Sendable {
  /// How bad a finding is.
  enum Severity: Sendable {
    /// No later state of the database can fix it: a write statement, a missing parameter, …
    case definite
    /// The schema does not fit now, but may later.
    case present
  }

  struct Finding: Sendable {
    let panel: Int
    let severity: Severity
    let error: DatabaseError
    let diagnostic: Diagnostic
  }

  let database: any PanelDatabase
  let parameters: [String: Value]

  func findings(_ panels: [PanelDefinition]) -> [Finding] {
    panels.enumerated().flatMap { index, panel in findings(panel, index) }
  }

  /// What is wrong with the panels that rows open: those give them their parameters.
  func diagnostics(ofDetails definition: DashboardDefinition) -> [Diagnostic] {
    definition.details.flatMap { detail in
      var parameters = parameters
      for panel in definition.panels + definition.details where panel.drill?.detail == detail.name {
        for assignment in panel.drill?.assignments ?? [] {
          parameters[assignment.parameter] = .null
        }
      }
      return PanelCheck(database: database, parameters: parameters).findings([detail])
        .map(\.diagnostic)
    }
  }

  /// The parameters of all panels; nil when one query can't be described.
  func parameterNames(_ panels: [PanelDefinition]) -> Set<String>? {
    guard !parameters.isEmpty else { return nil }
    var names: Set<String> = []
    for panel in panels {
      // The findings report what is wrong with it.
      guard let description = try? database.describe(query: panel.sql) else { return nil }
      names.formUnion(description.parameters)
    }
    return names
  }

  private func findings(_ panel: PanelDefinition, _ index: Int) -> [Finding] {
    func finding(
      _ severity: Severity, _ error: DatabaseError, _ message: String, at offset: Int? = nil
    ) -> Finding {
      let position = panel.position(ofByteOffset: error.offset ?? offset ?? 0)
      return Finding(
        panel: index, severity: severity, error: error,
        diagnostic: Diagnostic(.error, at: position, message))
    }
    do {
      let description = try database.describe(query: panel.sql)
      if let missing = description.parameters.first(where: { parameters[$0] == nil }) {
        let error = DatabaseError(code: .range, message: "missing parameter", sql: panel.sql)
        let remedy =
          missing == "?" ? "name it, as in :limit" : "give --param \(missing)=VALUE"
        let offset = missing == "?" ? panel.sql.offset(of: "?") : panel.sql.parameter(missing)
        let message =
          "the parameter \(missing) has no value; \(remedy)"
          + Suggestion.phrase(for: missing, among: Array(parameters.keys))
        return [finding(.definite, error, message, at: offset)]
      }
      return panel.diagnostics(resultColumns: description.columns).map {
        Finding(
          panel: index, severity: .definite,
          error: DatabaseError(code: .error, message: $0.message, sql: panel.sql), diagnostic: $0)
      }
    } catch let error as DatabaseError {
      let isDefinite = [.readOnly, .authorization, .misuse].contains(error.code.primary)
      let severity = isDefinite ? Severity.definite : .present
      guard let table = missingTable(error) else {
        return [finding(severity, error, error.message)]
      }
      // SQLite does not say where the name is. The hint is optional: without it the message still
      // says what is wrong.
      let known = (try? database.tables().map(\.name)) ?? []
      return [
        finding(
          severity, error, error.message + Suggestion.phrase(for: table, among: known),
          at: panel.sql.offset(of: table))
      ]
    } catch {
      return [finding(.present, DatabaseError(code: .error, message: "\(error)"), "\(error)")]
    }
  }

  private func missingTable(_ error: DatabaseError) -> String? {
    let prefix = "no such table: "
    guard error.message.hasPrefix(prefix) else { return nil }
    return String(error.message.dropFirst(prefix.count))
  }
}

extension String {
  /// The byte offset of the first parameter of this name.
  fileprivate func parameter(_ name: String) -> Int? {
    [":", "@", "$"].lazy.compactMap { offset(of: $0 + name) }.first
  }

  /// The byte offset of the first `word` that is not part of a longer word.
  fileprivate func offset(of word: String) -> Int? {
    func isInWord(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
    }
    var rest = self[...]
    while let place = rest.place(of: word), !place.isEmpty {
      let before = self[..<place.lowerBound].last
      let isWhole = !isInWord(word.first) || !isInWord(before)
      rest = rest[place.upperBound...]
      guard isWhole, !isInWord(rest.first) else { continue }
      return utf8.distance(from: startIndex, to: place.lowerBound)
    }
    return nil
  }
}
