import Dashboard
import ObservationEngine
import ObservationPostgres

/// What the user requested on the command line.
///
/// Made by ``init(parsing:)``. An option that was not given is nil or empty; its default belongs to
/// the part of the program that uses it.
struct Arguments: Sendable, Equatable {
  enum Request: Sendable, Equatable {
    case run
    case help
    case version
    case printConfiguration
    case dashboards
    case completions(Completions.Shell)
    case printTriggers
  }

  /// What to do with the panels.
  enum Mode: Sendable, Equatable {
    /// Show them on the terminal, until the user quits.
    case screen
    /// Print each once.
    case once
    /// Print each change.
    case stream
    /// Print the changed rows of tables.
    case rows
    /// Press scripted keys on an invisible screen, and print it.
    case frame
    /// Report what is wrong with the dashboard.
    case check
  }

  enum Format: String, Sendable, CaseIterable {
    case table, csv, json, ndjson
  }

  /// How fast a recording plays.
  enum Speed: Sendable, Equatable {
    /// This many times as fast as it happened.
    case times(Double)
    /// Without any pause.
    case all
  }

  var request = Request.run
  /// The SQLite file, or the PostgreSQL server; nil only for a check of the dashboard alone, for
  /// help and for the version.
  var database: String?
  /// A file, or `-` for standard input.
  var dashboard: String?
  /// Panels in addition to those of the dashboard, one for each `-c`.
  var commands: [String] = []
  /// The preset to start with, or to print.
  var preset: String?
  /// The panes to begin with, from the command line; and from the configuration, which yields to
  /// what was chosen in an earlier session.
  var panes = PaneChoices()
  var usualPanes = PaneChoices()
  var isReadOnly = false
  /// Values by parameter name, without the colon.
  var parameters: [String: Value] = [:]
  /// The same as they were written.
  var parameterTexts: [String: String] = [:]

  /// The requested mode; see ``mode(outputIsTerminal:)``.
  var requestedMode: Mode?
  var format: Format?
  /// Where data goes instead of standard output.
  var output: String?
  /// Print only these panels, in this order; empty for all of them.
  var panels: [String] = []
  /// The tables whose rows are printed; empty for all.
  var tables: [String] = []
  /// Where ``Mode/rows`` and ``Mode/stream`` remember what they have printed.
  var state: String?
  /// The path of the socket that has the lines of ``Mode/stream``.
  var listener: String?
  /// The text for NULL.
  var null: String?
  /// End after this many observed changes.
  var count: Int?
  /// End, or print, once this query's first value is true.
  var until: String?
  /// Whether waiting is all that was requested: nothing is printed.
  var waitsOnly = false
  var timeout: Duration?

  /// What runs at each change of a panel.
  var exec: HookCommand?
  /// How long a hook may run.
  var hookLimit: Duration?
  /// Whether hooks run without a confirmation.
  var trustsHooks = false
  /// Whether an alert ends the program with its own exit status.
  var failsOnAlert = false
  /// Whether an alert sounds the terminal's bell.
  var ringsBell = false
  /// Where the session is recorded.
  var recording: String?
  /// The recording to play instead of observing a database.
  var replay: String?
  /// How fast it plays; nil for the original speed, or without pauses when a single frame is
  /// printed.
  var speed: Speed?

  var pollInterval: Duration?
  var debounce: Duration?
  var busyTimeout: Duration?
  /// How long the query of a panel may run; zero for as long as it takes.
  var queryTimeout: Duration?
  /// Whether every result that is kept up to date is compared with that of its query.
  var audits = false
  /// How many megabytes queries may use; zero for any number.
  var memory: Int?

  /// The file of scripted keys, or `-`.
  var keys: String?
  /// The size of the invisible screen.
  var frame = Size(width: 80, height: 24)
  var color = ColorChoice.auto
  /// The name of a theme in ``ThemeFiles``.
  var theme = "auto"
  var isASCII = false
  /// Whether clicks and the wheel are for the program; otherwise the terminal handles them.
  var usesMouse = true
  /// Which keys do what: only the configuration file says so.
  var keyMap = KeyMap.standard
  /// The configuration file that was named, instead of the default one.
  var configuration: String?

  init() {}

  /// The requested mode, or the one that suits the destination of the output.
  func mode(outputIsTerminal: Bool) -> Mode {
    if let requestedMode { return requestedMode }
    if outputIsTerminal { return .screen }
    if replay != nil { return .frame }
    return exec == nil ? .once : .stream
  }

  /// The server that ``database`` names; nil for a file.
  var server: ServerAddress? { database.flatMap { ServerAddress($0) } }

  /// Whose SQL the panels are written in.
  var dialect: SQLDialect { server == nil ? .sqlite : .postgres }

  /// The database file's name without its folder, or the server's without a password.
  var databaseName: String { server?.name ?? (database ?? "").lastPathPart }

  /// What the program may draw with.
  var glyphs: GlyphSet { isASCII ? .ascii : .unicode }
}
