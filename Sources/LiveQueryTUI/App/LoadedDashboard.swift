import Dashboard
import ObservationEngine

/// The panels that the program was asked for, and how to speak of their places.
struct LoadedDashboard {
  var definition: DashboardDefinition
  /// The dashboard file's name; nil for ad-hoc and automatic panels.
  var file: String?
  /// How many panels come from the file; the rest from `-c`.
  var filePanelCount = 0
  /// Made from the schema: nobody wrote these queries.
  var isAutomatic = false
  /// What is wrong with the file, without looking at the database.
  var diagnostics: [Diagnostic] = []

  var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Reads the dashboard and the ad-hoc panels of the command line.
  ///
  /// - Returns: nil when neither was given.
  /// - Throws: ``Failure`` when the file cannot be read.
  static func load(_ arguments: Arguments) throws(Failure) -> LoadedDashboard? {
    guard arguments.dashboard != nil || !arguments.commands.isEmpty else { return nil }
    var loaded = LoadedDashboard(definition: DashboardDefinition(panels: []))
    if let path = arguments.dashboard {
      let parsed = DashboardParser.parse(try TextFile.read(path))
      loaded.definition = parsed.definition
      loaded.diagnostics = parsed.diagnostics
      loaded.file = TextFile.name(path)
      loaded.filePanelCount = parsed.definition.panels.count
    }
    for command in arguments.commands {
      let taken = Set(loaded.definition.panels.map(\.name))
      var number = loaded.definition.panels.count + 1
      while taken.contains("panel\(number)") { number += 1 }
      loaded.definition.panels.append(PanelDefinition(name: "panel\(number)", sql: command))
    }
    // A layout that knows only the file's panels would hide the others.
    if !arguments.commands.isEmpty { loaded.definition.layout = [] }
    return loaded
  }

  /// Panels for a database about which nothing else was said.
  static func automatic(for database: Database) throws -> LoadedDashboard {
    let tables = try database.tables()
    let keys = Dictionary(tables.map { ($0.name, $0.key) }) { first, _ in first }
    return LoadedDashboard(
      definition: AutomaticDashboard.definition(
        tables: tables.map { ($0.name, $0.rowid) }, keys: keys),
      isAutomatic: true)
  }

  /// Keeps one panel alone, as `--panel` asks for.
  ///
  /// - Throws: ``Failure`` when there is none of that name.
  mutating func keep(panel name: String) throws(Failure) {
    guard let panel = definition.panels.first(where: { $0.name == name }) else {
      let hint = Suggestion.phrase(for: name, among: definition.panels.map(\.name))
      throw Failure("--panel \(name): no panel has this name\(hint)", status: ExitStatus.usage)
    }
    definition.panels = [panel]
    definition.layout = []
  }
}
