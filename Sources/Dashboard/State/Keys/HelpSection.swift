/// The keys of one pane, or those with the same meaning in all panes.
enum HelpSection: Sendable, CaseIterable {
  case explorer, panel, picture, console, feed, schema, everywhere, marks

  /// One line: keys and their meaning, or a heading without a meaning, or blank.
  typealias Line = (key: String, meaning: String)

  /// The lines for the focused pane, and then for all others.
  static func lines(_ state: DashboardState) -> [Line] {
    var sections = [HelpSection.explorer, .panel, .picture, .console, .feed, .schema]
    let focused: HelpSection =
      switch state.focus {
      case .panel where state.isExploring: .explorer
      case .panel: state.paneContexts.contains(.chart) ? .picture : .panel
      case .console: .console
      case .feed: .feed
      case .schema: .schema
      }
    sections.removeAll {
      $0 == focused || $0 == .console && !state.source.hasConsole
        || $0 == .explorer && state.explorer == nil
    }
    let order = [focused, .everywhere] + sections + [.marks]
    let server = state.database.server.map { [Self.lines(of: $0)] } ?? []
    return Array(
      (server + order.map { [($0.title, "")] + $0.lines(state.keyMap) })
        .joined(separator: [("", "")]))
  }

  /// How the commits of a server are noticed, and why not in a better way.
  private static func lines(of server: DatabaseInfo.Server) -> [Line] {
    let notes = server.notes.flatMap { TextWrap.note($0, width: 54) }
    return [("The server", "")]
      + notes.enumerated().map { index, line in (index == 0 ? server.headline : "", line) }
  }

  var title: String {
    switch self {
    case .explorer: "In the explorer"
    case .panel: "In a panel with rows"
    case .picture: "In a chart"
    case .console: "In the console"
    case .feed: "In the feed of transactions"
    case .schema: "In the schema"
    case .everywhere: "Everywhere except the console"
    case .marks: "Marks"
    }
  }

  /// The bindings of the section with the user's keys, and what is not a binding.
  func lines(_ map: KeyMap) -> [Line] {
    let bindings = Binding.all.filter { $0.sections.contains(self) }
    return bindings.filter { $0.lead == nil }.compactMap { binding in
      let line = [binding] + bindings.filter { $0.lead == binding.name }
      let keys = Self.keys(line.map { map.keys(of: $0) })
      return keys.isEmpty ? nil : (keys, binding.line ?? binding.summary)
    } + notes
  }

  /// `j k  Down Up`: the first keys of all, then the second ones.
  private static func keys(_ keys: [[Key]]) -> String {
    if keys == [(1...9).map { .character(Character(String($0))) }] { return "1-9" }
    let count = keys.map(\.count).max() ?? 0
    return (0..<count).map { index in
      keys.compactMap { $0.indices.contains(index) ? $0[index].label : nil }
        .joined(separator: " ")
    }.joined(separator: "  ")
  }

  /// What is not done by one key.
  private var notes: [Line] {
    switch self {
    case .console:
      [
        ("^a ^e  Alt-b Alt-f", "start and end of the line; a word back, forward"),
        ("^w ^u ^k  Alt-d", "cut a word, to the start, to the end, the next word"),
        (":explain :pin :save", "the plan; a live panel; keep it in a file"),
        (":read :undo :redo", "run a file; take a transaction back; do it again"),
        (":help", "all commands"),
        (".tables .schema", "and other habits of sqlite3"),
      ]
    case .everywhere:
      [("mouse", "focus, choose a row, sort by a header, scroll, drag")]
    case .marks: [("+  ~  -", "inserted, changed, removed; fades in 3 s")]
    case .explorer, .panel, .picture, .feed, .schema: []
    }
  }
}
