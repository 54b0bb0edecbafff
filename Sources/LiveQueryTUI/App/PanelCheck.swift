import Dashboard
import ObservationEngine

/// What is wrong with panels that only the database can tell.
struct PanelCheck {
  /// How bad a finding is.
  enum Severity {
    /// No later state of the database can mend it: a write statement, a missing parameter, …
    case definite
    /// The schema does not fit now, and may later.
    case present
  }

  struct Finding {
    let panel: Int
    let severity: Severity
    let error: DatabaseError
    let diagnostic: Diagnostic
  }

  let database: Database
  let parameters: [String: Value]

  func findings(_ panels: [PanelDefinition]) -> [Finding] {
    panels.enumerated().flatMap { index, panel in findings(panel, index) }
  }

  private func findings(_ panel: PanelDefinition, _ index: Int) -> [Finding] {
    func finding(_ severity: Severity, _ error: DatabaseError, _ message: String) -> Finding {
      let position = panel.position(ofByteOffset: error.offset ?? 0)
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
        return [finding(.definite, error, "the parameter \(missing) has no value; \(remedy)")]
      }
      return panel.diagnostics(resultColumns: description.columns).map {
        Finding(
          panel: index, severity: .definite,
          error: DatabaseError(code: .error, message: $0.message, sql: panel.sql), diagnostic: $0)
      }
    } catch let error as DatabaseError {
      let isDefinite = [.readOnly, .authorization, .misuse].contains(error.code.primary)
      return [finding(isDefinite ? .definite : .present, error, message(error, panel))]
    } catch {
      return [finding(.present, DatabaseError(code: .error, message: "\(error)"), "\(error)")]
    }
  }

  /// SQLite's message, with the name that was probably meant.
  private func message(_ error: DatabaseError, _ panel: PanelDefinition) -> String {
    let prefix = "no such table: "
    guard error.message.hasPrefix(prefix) else { return error.message }
    let name = String(error.message.dropFirst(prefix.count))
    // The hint is a courtesy: without it the message still says what is wrong.
    let known = (try? database.tables().map(\.name)) ?? []
    return error.message + Suggestion.phrase(for: name, among: known)
  }
}
