import ObservationEngine

extension ConsoleState {
  /// What the keys are for.
  enum Activity: Sendable, Equatable {
    /// The text, with the words that are offered for it.
    case editing(Completion?)
    /// A search through the history.
    case searching(HistorySearch)
    /// The values of a statement's parameters, before it runs.
    case asking(ParameterPrompt)
    /// The newest result, like a panel.
    case browsing(PanelState)
  }

  /// What the executor does for the console.
  enum Work: Sendable, Equatable {
    case nothing
    /// It counts the rows of a statement before the user is asked.
    case counting(sql: String)
    /// It reads a file before its statements are confirmed.
    case reading(Reading)
    /// It runs a statement, since a time of the monotonic clock.
    case running(since: UInt64)
  }

  // MARK: What each activity has

  /// Words are offered for the text alone.
  var completion: Completion? {
    get { if case .editing(let completion) = activity { completion } else { nil } }
    set { if case .editing = activity { activity = .editing(newValue) } }
  }

  var search: HistorySearch? {
    get { if case .searching(let search) = activity { search } else { nil } }
    set {
      if let newValue {
        activity = .searching(newValue)
      } else if case .searching = activity {
        activity = .editing(nil)
      }
    }
  }

  var parameters: ParameterPrompt? {
    get { if case .asking(let prompt) = activity { prompt } else { nil } }
    set {
      if let newValue {
        activity = .asking(newValue)
      } else if case .asking = activity {
        activity = .editing(nil)
      }
    }
  }

  /// The newest result, while it is browsed.
  package internal(set) var browser: PanelState? {
    get { if case .browsing(let panel) = activity { panel } else { nil } }
    _modify {
      var panel: PanelState?
      // Moved out, so that its rows are not copied.
      if case .browsing(let current) = activity {
        panel = current
        activity = .editing(nil)
      }
      defer { if let panel { activity = .browsing(panel) } }
      yield &panel
    }
  }

  // MARK: What each kind of work has

  /// When the running statement started, on the monotonic clock.
  package internal(set) var runningSince: UInt64? {
    get { if case .running(let since) = work { since } else { nil } }
    set {
      if let newValue {
        work = .running(since: newValue)
      } else if case .running = work {
        work = .nothing
      }
    }
  }

  /// The statement whose rows are counted.
  var counted: String? {
    get { if case .counting(let sql) = work { sql } else { nil } }
    set {
      if let newValue {
        work = .counting(sql: newValue)
      } else if case .counting = work {
        work = .nothing
      }
    }
  }

  /// The file that is read.
  var reading: Reading? {
    get { if case .reading(let reading) = work { reading } else { nil } }
    set {
      if let newValue {
        work = .reading(newValue)
      } else if case .reading = work {
        work = .nothing
      }
    }
  }
}
