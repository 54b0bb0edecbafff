import Dashboard
import ObservationEngine

/// The values of the parameters that a dashboard lets the user choose.
enum ParameterChoices {
  /// As many as a list can be searched for.
  private static let limit = 10_000

  /// Reads the choices of parameters. One without a value gets the first one; NULL when there is
  /// none, or when its query fails, which a check reports. Blocks.
  static func read(
    _ definitions: [ParameterDefinition], given: [String: Value], _ database: any PanelDatabase
  ) -> [ChosenParameter] {
    definitions.map { definition in
      let sql = "SELECT * FROM (\(definition.sql)\n) AS choices LIMIT \(limit)"
      // A query that fails has no choices: the value can still be typed.
      let rows = (try? database.rowsWaiting(sql)) ?? []
      let choices = rows.compactMap(\.first)
      return ChosenParameter(
        name: definition.name, value: given[definition.name] ?? choices.first ?? .null,
        choices: choices)
    }
  }
}

extension [ChosenParameter] {
  /// By name.
  var values: [String: Value] {
    Dictionary(map { ($0.name, $0.value) }) { first, _ in first }
  }
}
