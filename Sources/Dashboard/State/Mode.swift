/// What is in front of the panes, and gets the keys.
enum Mode: Sendable, Equatable {
  /// Nothing: the focused pane gets them.
  case panes
  /// The filter being typed for the focused table.
  case filter(TextBuffer)
  /// The file name being typed for the focused table's rows.
  case export(ExportInput)
  /// The command being typed.
  case command(CommandLine)
  /// A pop-up, with the line in view and the chosen one.
  case overlay(Overlay, ScrollingList)
  /// A question that must be answered with y or n before anything else, and those to ask after it.
  case question(Question, next: [Question])
}

/// A pop-up in front of the panels.
enum Overlay: Sendable, Equatable {
  case help
  /// The row under the cursor of the focused panel, column by column.
  case inspect
  /// A statement to read.
  case text(title: String, text: String)
  /// The changes of the chosen line of the feed.
  case commit(CommitReport)
  /// The columns of the focused panel, to show, hide and move.
  case columns
}

/// A question that must be answered with y or n before anything else.
enum Question: Sendable, Equatable {
  /// Leave although something would be lost.
  case quit(Loss)
  /// Stop although others wait for what the console holds.
  case suspend
  /// What the console asks.
  case console(ConsoleQuestion)
  /// Run the hooks in ``AlertsState/asked``.
  case confirmHooks
}

/// What would be lost if the program ended.
struct Loss: Sendable, Equatable {
  /// Whether a transaction is open in the console.
  var transaction: Bool
  /// The pinned panels that no file has.
  var pins: [String] = []

  var isNothing: Bool { !transaction && pins.isEmpty }

  /// The question, in as few words as a narrow screen has room for.
  var text: String {
    let names = pins.prefix(pins.count > 2 ? 1 : 2).joined(separator: " and ")
    let panels = pins.count > 2 ? "\(names) and \(pins.count - 1) more" : names
    switch (transaction, pins.isEmpty) {
    case (true, true): return "a transaction is open in the console: leave and roll it back?"
    case (true, false): return "leave without \(panels), in no file, and roll back the transaction?"
    case (false, _): return "leave without \(panels), which no file has?"
    }
  }
}

/// The modes that lie on one another: the help over a filter being typed, a question over both.
///
/// At most one of each kind; a question is always in front.
struct Modes: Sendable, Equatable {
  /// From the back to the front.
  private var stack: [Mode] = []

  /// What gets the keys.
  var front: Mode { stack.last ?? .panes }

  /// What the message line shows: the front one, or what a pop-up leaves visible.
  var line: Mode {
    stack.last { mode in
      switch mode {
      case .filter, .export, .command, .question: true
      case .overlay, .panes: false
      }
    } ?? .panes
  }

  /// The question to answer.
  var question: Question? {
    if case .question(let question, _) = front { question } else { nil }
  }

  // MARK: Questions

  // Questions may arise at any time: from the console, the undo, the hooks. Only one is asked at a
  // time, and none replaces another whose answer may be on its way.

  /// Asks now, or once the current question has been answered.
  mutating func ask(_ question: Question) {
    guard case .question(let current, let next) = front else {
      return stack.append(.question(question, next: []))
    }
    // For hooks, the newest request replaces earlier ones.
    guard current != question, !next.contains(question) else { return }
    stack[stack.count - 1] = .question(current, next: next + [question])
  }

  /// The question has been answered: asks the next one.
  mutating func askNext() {
    guard case .question(_, let next) = front else { return }
    stack.removeLast()
    if let question = next.first {
      stack.append(.question(question, next: Array(next.dropFirst())))
    }
  }

  // MARK: What each kind holds

  var filter: TextBuffer? {
    get { stack.firstMatch { if case .filter(let input) = $0 { input } else { nil } } }
    set { replace(newValue.map(Mode.filter)) { if case .filter = $0 { true } else { false } } }
  }

  var export: ExportInput? {
    get { stack.firstMatch { if case .export(let input) = $0 { input } else { nil } } }
    set { replace(newValue.map(Mode.export)) { if case .export = $0 { true } else { false } } }
  }

  var command: CommandLine? {
    get { stack.firstMatch { if case .command(let line) = $0 { line } else { nil } } }
    set { replace(newValue.map(Mode.command)) { if case .command = $0 { true } else { false } } }
  }

  var overlay: Overlay? {
    stack.firstMatch { if case .overlay(let overlay, _) = $0 { overlay } else { nil } }
  }

  /// The lines in view of the pop-up, and the chosen one.
  var overlayLines: ScrollingList {
    stack.firstMatch { if case .overlay(_, let list) = $0 { list } else { nil } }
      ?? ScrollingList()
  }

  /// Opens a pop-up, replaces it, or closes it.
  mutating func show(_ overlay: Overlay?, _ list: ScrollingList = ScrollingList()) {
    replace(overlay.map { .overlay($0, list) }) {
      if case .overlay = $0 { true } else { false }
    }
  }

  /// Replaces the mode of a kind, removes it, or puts a new one in front, but behind a question.
  private mutating func replace(_ mode: Mode?, where isOfKind: (Mode) -> Bool) {
    let place = stack.firstIndex(where: isOfKind)
    switch (mode, place) {
    case (let mode?, let place?): stack[place] = mode
    case (let mode?, nil): stack.insert(mode, at: question == nil ? stack.count : stack.count - 1)
    case (nil, let place?): stack.remove(at: place)
    case (nil, nil): break
    }
  }
}

extension [Mode] {
  fileprivate func firstMatch<Payload>(_ payload: (Mode) -> Payload?) -> Payload? {
    for mode in self { if let payload = payload(mode) { return payload } }
    return nil
  }
}
