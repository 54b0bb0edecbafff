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

  // MARK: What the executor does

  /// When the running statement started, on the monotonic clock.
  package var runningSince: UInt64? { work.runningSince }

  /// Whether a submitted text has neither started nor led to a question: text typed meanwhile would
  /// become part of it, or be lost with it.
  var isPreparing: Bool { (work.submitted != nil || work.counted != nil) && parameters == nil }

  /// Whether the text may be typed and run: nothing runs, is prepared, or is searched for.
  var isAtPrompt: Bool { work.refusal == nil && search == nil }
}

extension ConsoleState {
  /// Continues the search from the current match (`older`), or restarts it after the pattern
  /// changed.
  mutating func searchHistory(older: Bool) {
    guard var search else { return }
    typed.history.find(&search, older: older)
    self.search = search
  }

  /// Ends the search; its match goes into the editor.
  mutating func endSearch(accept: Bool) {
    if accept, let match = search?.match { editor = TextBuffer(typed.history[match]) }
    search = nil
    completion = nil
  }

  /// Puts the previous or next statement of the history into the editor.
  mutating func walkHistory(back: Bool) {
    typed.walkHistory(back: back)
    completion = nil
  }
}
