import Dashboard
import ObservationEngine

/// What the person asked for on the command line.
///
/// Made by ``init(parsing:)``; what was not said is nil or empty, and its default belongs to the
/// part of the program that it is for.
struct Arguments: Sendable, Equatable {
  enum Request: Sendable, Equatable {
    case run
    case help
    case version
    case printConfiguration
    case completions(Completions.Shell)
  }

  /// What to do with the panels.
  enum Mode: Sendable, Equatable {
    /// Show them on the terminal, until the person leaves.
    case screen
    /// Print each once.
    case once
    /// Print each change.
    case stream
    /// Press scripted keys on a screen that nobody sees, and print it.
    case frame
    /// Say what is wrong with the dashboard.
    case check
  }

  enum Format: String, Sendable, CaseIterable {
    case table, csv, json, ndjson
  }

  var request = Request.run
  /// The SQLite file; nil only for a check of the dashboard alone, for help and for the version.
  var database: String?
  /// A file, or `-` for standard input.
  var dashboard: String?
  /// Panels beside those of the dashboard, one for each `-c`.
  var commands: [String] = []
  /// The preset to begin with, or to print.
  var preset: String?
  var isReadOnly = false
  /// Values by parameter name, without the colon.
  var parameters: [String: Value] = [:]

  /// The mode asked for; see ``mode(outputIsTerminal:)``.
  var requestedMode: Mode?
  var format: Format?
  /// Where data goes instead of standard output.
  var output: String?
  /// Print these panels alone, in this order; empty for all of them.
  var panels: [String] = []
  /// What stands for NULL.
  var null: String?
  /// End after so many observed changes.
  var count: Int?
  /// End, or print, once this query's first value is true.
  var until: String?
  /// Whether that is all that was asked for: nothing is printed.
  var waitsOnly = false
  var timeout: Duration?

  /// What runs at each change of a panel.
  var exec: HookCommand?
  /// How long a hook may run.
  var hookLimit: Duration?
  /// Whether hooks run without a confirmation.
  var trustsHooks = false
  /// Whether an alert ends the program with a status of its own.
  var failsOnAlert = false
  /// Whether an alert sounds the terminal's bell.
  var ringsBell = false
  /// Where the session is recorded.
  var recording: String?
  /// The recording to play instead of observing a database.
  var replay: String?
  /// How fast it plays; nil for the speed at which it happened, or for a frame at once.
  var speed: Replay.Speed?

  var pollInterval: Duration?
  var debounce: Duration?
  var busyTimeout: Duration?
  /// How long the query of a panel may run; zero for as long as it takes.
  var queryTimeout: Duration?
  /// How many megabytes queries may use; zero for any number.
  var memory: Int?

  /// The file of scripted keys, or `-`.
  var keys: String?
  /// The size of the unseen screen.
  var frame = Size(width: 80, height: 24)
  var color = ColorChoice.auto
  var theme = Theme.auto
  var isASCII = false
  /// Whether clicks and the wheel are for the program; otherwise they are for the terminal.
  var usesMouse = true
  /// The configuration file that was named, instead of the usual one.
  var configuration: String?

  init() {}

  /// The mode asked for, or the one that suits where the output goes.
  func mode(outputIsTerminal: Bool) -> Mode {
    if let requestedMode { return requestedMode }
    if outputIsTerminal { return .screen }
    if replay != nil { return .frame }
    return exec == nil ? .once : .stream
  }
}
