/// Where a key has a meaning.
///
/// ``DashboardState/contexts`` has those that apply; the first one that knows a key handles it.
enum KeyContext: Sendable, CaseIterable {
  /// Everywhere, whatever is in front.
  case always
  /// A question that is answered with y or n.
  case question
  /// The commands of hooks, to be read before they are confirmed.
  case hooks
  /// The line that `:` opens.
  case command
  /// Everywhere but in a question and the line of `:`, for function keys alone: no text has those.
  case functions
  /// The list of a table's columns.
  case columns
  /// Any other pop-up in front of the panels.
  case overlay
  /// The filter that is being typed.
  case filter
  /// The name of an exported file that is being typed.
  case export
  /// A result that is browsed in the console.
  case result
  /// The values of a statement's parameters.
  case parameters
  /// A submitted text that has not started to run.
  case preparing
  /// The search through the console's history.
  case search
  /// The words that are offered in the console.
  case completion
  /// The text of the console.
  case editor
  /// Panels, feed and schema.
  case screen
  /// A panel that shows a chart or a number.
  case chart
  /// A panel.
  case rows
  case feed
  case schema
  /// The explorer, whatever pane of it has the focus.
  case explorer
  /// Its list of tables.
  case tables
  /// Its list of columns.
  case fields

  /// The contexts that apply together; ``always`` applies with all of them.
  static let together: [[KeyContext]] = [
    [.question, .hooks], [.command], [.functions, .columns], [.functions, .overlay],
    [.functions, .filter], [.functions, .export], [.functions, .result], [.functions, .parameters],
    [.functions, .preparing, .search, .completion, .editor], [.functions, .screen, .chart, .rows],
    [.functions, .screen, .feed], [.functions, .screen, .schema],
    [.functions, .screen, .explorer, .chart, .rows], [.functions, .screen, .explorer, .tables],
    [.functions, .screen, .explorer, .fields],
  ]
}

extension DashboardState {
  /// Where keys have their meaning now, in the order in which they are asked.
  var contexts: [KeyContext] {
    switch modes.front {
    case .question(.confirmHooks, _): [.question, .hooks]
    case .question: [.question]
    case .command: [.command]
    case .overlay(.columns, _): [.functions, .columns]
    case .overlay: [.functions, .overlay]
    case .filter: [.functions, .filter]
    case .export: [.functions, .export]
    case .panes: paneContexts
    }
  }

  /// Where keys have their meaning in the focused pane, when nothing is in front of it.
  var paneContexts: [KeyContext] {
    switch focus {
    case .console: return [.functions] + consoleContexts
    case .feed: return [.functions, .screen, .feed]
    case .schema: return [.functions, .screen, .schema]
    case .panel where explorerPane == .tables: return [.functions, .screen, .explorer, .tables]
    case .panel where explorerPane == .columns: return [.functions, .screen, .explorer, .fields]
    case .panel:
      let screen: [KeyContext] =
        isExploring ? [.functions, .screen, .explorer] : [.functions, .screen]
      guard let panel = focusedPanel.map({ panels[$0] }) else { return screen }
      return screen + (panel.kind.has(.picture) ? [.chart, .rows] : [.rows])
    }
  }

  private var consoleContexts: [KeyContext] {
    let preparing: [KeyContext] = console.isPreparing ? [.preparing] : []
    return switch console.activity {
    case .browsing: [.result]
    case .asking: [.parameters]
    case .searching: preparing + [.search, .editor]
    case .editing(nil): preparing + [.editor]
    case .editing: preparing + [.completion, .editor]
    }
  }
}
