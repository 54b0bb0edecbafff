import Dashboard
import DatabaseConsole
import Glibc
import ObservationEngine

/// The panels that the program was asked for, and where they come from.
struct LoadedDashboard {
  var definition: DashboardDefinition
  /// The dashboard file's name; nil for ad-hoc and automatic panels.
  var file: String?
  /// Its path as it was given, `-` for standard input, and its text.
  var path: String?
  var text: String?
  /// How many panels come from the file; the rest from `-c`.
  var filePanelCount = 0
  /// Made from the schema: no user wrote these queries.
  var isAutomatic = false
  /// Whether the screen begins with the explorer, because no dashboard was named.
  private(set) var explores = false
  /// How many panels were left out because they don't work, and the resulting exit status.
  private(set) var leftOut: (count: Int, status: Int32) = (0, ExitStatus.done)
  /// The parameters to choose, as they are at the start.
  var parameters: [ChosenParameter] = []
  /// What was found wrong with the file.
  var diagnostics: [Diagnostic] = []

  init(definition: DashboardDefinition, isAutomatic: Bool = false) {
    self.definition = definition
    self.isAutomatic = isAutomatic
  }

  /// Parses the text of a dashboard file, with this name for messages.
  init(reading text: String, named file: String, dialect: SQLDialect = .sqlite) {
    let parsed = DashboardParser.parse(text, dialect: dialect)
    definition = parsed.definition
    diagnostics = parsed.diagnostics
    self.file = file
    self.text = text
    filePanelCount = parsed.definition.panels.count
  }

  /// Its file, if it can be read twice: no pipe, and no standard input.
  var editablePath: String? {
    var status = stat()
    guard let path, path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return path
  }

  var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

  /// Reads the dashboard and the ad-hoc panels of the command line.
  ///
  /// - Returns: nil when neither was given.
  /// - Throws: ``Failure`` when the file cannot be read.
  static func load(_ arguments: Arguments) throws(Failure) -> LoadedDashboard? {
    guard arguments.dashboard != nil || !arguments.commands.isEmpty else { return nil }
    var loaded = LoadedDashboard(definition: DashboardDefinition(panels: []))
    if let name = arguments.dashboard, let ready = try ReadyDashboards.usual.load(name) {
      loaded = ready
    } else if let path = arguments.dashboard {
      loaded = LoadedDashboard(
        reading: try TextFile.read(path), named: TextFile.name(path), dialect: arguments.dialect)
      loaded.path = path
      if arguments.database != nil { loaded.warn(aboutOther: arguments.dialect) }
    }
    loaded.add(commands: arguments.commands)
    return loaded
  }

  /// Warns of a file that says it is for the other kind of database.
  private mutating func warn(aboutOther dialect: SQLDialect) {
    guard let declared = definition.dialect, declared.dialect != dialect else { return }
    diagnostics.append(
      Diagnostic(
        .warning, at: declared.position,
        "this dashboard is for \(declared.dialect.name), and the database is of \(dialect.name)"))
  }

  /// Adds the ad-hoc panels of the command line. A layout in the file doesn't mention them, so they
  /// are placed below it.
  mutating func add(commands: [String]) {
    for command in commands {
      let taken = Set(definition.panels.map(\.name))
      var number = definition.panels.count + 1
      while taken.contains("panel\(number)") { number += 1 }
      definition.append(PanelDefinition(name: "panel\(number)", sql: command))
    }
  }

  /// Leaves out panels that don't work.
  mutating func leaveOut(_ indexes: Set<Int>, status: Int32) {
    filePanelCount -= indexes.count { $0 < filePanelCount }
    definition.panels = definition.panels.enumerated().filter { !indexes.contains($0.offset) }
      .map(\.element)
    leftOut = (indexes.count, status)
  }

  /// The panels when no dashboard was named: none for a run that only waits, the explorer on a
  /// screen, and otherwise those to print.
  static func without(
    _ arguments: Arguments, _ mode: Arguments.Mode, _ database: any PanelDatabase
  ) throws -> LoadedDashboard {
    if arguments.waitsOnly { return LoadedDashboard(definition: DashboardDefinition(panels: [])) }
    return mode == .screen || mode == .frame
      ? explorer(of: database.dialect) : try automatic(for: database)
  }

  /// The start of the explorer, which finds out itself what there is to show.
  private static func explorer(of dialect: SQLDialect) -> LoadedDashboard {
    var loaded = LoadedDashboard(
      definition: DashboardDefinition(panels: [ExplorerSubject.nothing(in: dialect)]),
      isAutomatic: true)
    loaded.explores = true
    return loaded
  }

  /// Panels to print of a database without a dashboard.
  static func automatic(for database: any PanelDatabase) throws -> LoadedDashboard {
    automatic(try database.tables(), dialect: database.dialect)
  }

  /// Panels to print of a database that has these tables and views.
  static func automatic(
    _ tables: [TableDescription], dialect: SQLDialect = .sqlite
  ) -> LoadedDashboard {
    let keys = Dictionary(tables.map { ($0.name, $0.key) }) { first, _ in first }
    return LoadedDashboard(
      definition: AutomaticDashboard.definition(
        tables: tables.map { ($0.name, $0.rowid) }, keys: keys, dialect: dialect),
      isAutomatic: true)
  }

  /// Keeps only these panels, in this order, as `--panel` requests.
  ///
  /// - Throws: ``Failure`` when there is no panel of such a name.
  mutating func keep(panels names: [String]) throws(Failure) {
    var kept: [PanelDefinition] = []
    for name in names {
      guard let panel = definition.panels.first(where: { $0.name == name }) else {
        if definition.details.contains(where: { $0.name == name }) {
          throw Failure(
            "--panel \(name): only a row of another panel opens it, with values for its parameters",
            status: ExitStatus.usage)
        }
        let hint = Suggestion.phrase(for: name, among: definition.panels.map(\.name))
        throw Failure("--panel \(name): no panel has this name\(hint)", status: ExitStatus.usage)
      }
      kept.append(panel)
    }
    definition.panels = kept
    definition.layout = []
    definition.presets = []
    definition.dropDetailsWithoutRows()
  }

  /// Checks that there is such a preset; when rows are printed, keeps only its panels.
  ///
  /// - Throws: ``Failure`` when there is no preset of that name.
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
    definition.dropDetailsWithoutRows()
  }
}
