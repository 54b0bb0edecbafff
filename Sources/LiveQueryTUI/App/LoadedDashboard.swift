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
      // Where the file has a layout, it does not know these: they stand below it.
      loaded.definition.append(PanelDefinition(name: "panel\(number)", sql: command))
    }
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
    definition.presets = []
  }

  /// Makes sure that there is such a preset; where rows are printed, keeps its panels alone.
  ///
  /// - Throws: ``Failure`` when there is none of that name.
  mutating func choose(preset name: String, keepsOthers: Bool) throws(Failure) {
    guard let preset = definition.presets.first(where: { $0.name == name }) else {
      let names = definition.presets.map(\.name)
      let hint =
        names.isEmpty
        ? "; \"-- preset: \(name) PANEL ...\" at the head of the dashboard makes one"
        : Suggestion.phrase(for: name, among: names)
      throw Failure("--preset \(name): no preset has this name\(hint)", status: ExitStatus.usage)
    }
    guard !keepsOthers else { return }
    definition.panels = preset.panels.compactMap { name in
      definition.panels.first { $0.name == name }
    }
    definition.layout = []
    definition.presets = []
  }
}
