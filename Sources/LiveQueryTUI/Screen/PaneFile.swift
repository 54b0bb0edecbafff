import Dashboard
import Glibc

/// What the user shows and hides, by dashboard, in `$XDG_STATE_HOME/livequery/panes`.
///
/// A line has the choices and, after a tab, the path of the dashboard; or of the database where
/// there is no dashboard. The last line of a path holds.
struct PaneFile {
  private let file: LineFile

  var path: String { file.path }

  /// - Returns: nil without a home.
  init?(environment: Paths.Environment = Paths.environment) {
    let file = LineFile("panes", of: "the choice of panes", environment: environment)
    guard let file else { return nil }
    self.file = file
  }

  /// What was chosen for a dashboard; nothing when there is no file, or it can't be read.
  func choices(for key: String) -> PaneChoices {
    // One dashboard's line may be older than many of others.
    for line in file.read(limit: .max).reversed() {
      guard let tab = line.firstIndex(of: "\t"), line[line.index(after: tab)...] == key else {
        continue
      }
      return PaneChoices(text: String(line[..<tab]))
    }
    return PaneChoices()
  }

  /// Remembers what was chosen.
  ///
  /// - Throws: ``Failure`` with the reason; the choice then holds for this session only.
  func keep(_ choices: PaneChoices, for key: String) throws(Failure) {
    try file.append("\(choices.text)\t\(key)")
  }
}

/// The choice of panes, which outlives the session.
struct SessionPanes {
  private let file: PaneFile?
  /// What the choice belongs to; nil when it isn't remembered.
  private let key: String?
  /// What is remembered, and what the session had last: what it began with may come from elsewhere.
  private var kept = PaneChoices()
  private var last = PaneChoices()
  private var hasFailed = false

  /// - Parameters:
  ///   - file: nil to remember nothing.
  ///   - isReplay: Whether the dashboard is that of a recording.
  init(_ file: PaneFile?, _ dashboard: LoadedDashboard, database: String?, isReplay: Bool) {
    self.file = file
    if isReplay || dashboard.path == "-" {
      key = nil
    } else if let path = dashboard.path {
      key = realpath(path, nil).map { path in
        defer { free(path) }
        return String(cString: path)
      }
    } else {
      // A dashboard of the program, or the explorer.
      key = dashboard.file ?? (dashboard.explores ? database : nil)
    }
  }

  /// What holds when the session begins: the command line wins over what was remembered, and that
  /// over the configuration.
  mutating func choices(_ arguments: Arguments) -> PaneChoices {
    kept = key.flatMap { key in file?.choices(for: key) } ?? PaneChoices()
    last = arguments.panes.over(kept).over(arguments.usualPanes)
    return last
  }

  /// Remembers what the user has changed.
  ///
  /// - Returns: Why it can't be remembered, the first time.
  mutating func keep(_ choices: PaneChoices) -> String? {
    guard let key else { return nil }
    for pane in LayoutPane.allCases where choices.panes[pane] != last.panes[pane] {
      kept.panes[pane] = choices.panes[pane]
    }
    kept.hiddenPanels = choices.hiddenPanels
    last = choices
    do { try file?.keep(kept, for: key) } catch {
      defer { hasFailed = true }
      return hasFailed ? nil : error.message
    }
    return nil
  }
}
