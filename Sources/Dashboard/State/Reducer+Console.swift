import ObservationEngine

extension DashboardState {
  /// Takes over what became of a console statement.
  mutating func receive(_ event: ConsoleEvent) -> [Effect] {
    switch event {
    case .incomplete: console.continueLine()
    case .needsConfirmation(let text, let sql): question = .run(sql: sql, text: text)
    case .started(let sql, let moment):
      if moment.monotonic > now.monotonic { now = moment }
      if let text = console.start(sql, at: moment.monotonic) { return [.appendHistory(text)] }
    case .finished(let rows?, let total, _, let duration, let sql):
      console.end(sql, rows: rows, total: total, duration)
    case .finished(nil, _, let changes, let duration, let sql):
      console.end(sql, .done(changes: changes, duration))
    case .failed(let error, let sql): console.end(sql, .failed(error))
    case .transaction(let open, let statements, let since):
      console.setTransaction(open: open, statements: statements, since: since)
    }
    return []
  }

  /// What a key does while the console has the focus.
  mutating func pressInConsole(_ key: Key) -> [Effect] {
    if console.search != nil, let effects = pressInSearch(key) { return effects }
    switch key {
    case .control("c"):
      if console.runningSince != nil { return [.cancelStatement] }
      if console.editor.isEmpty {
        message = Message("Esc leaves the console; q there quits")
      }
      console.clear()
    case .escape, .tab: leaveConsole(backwards: false)
    case .backTab: leaveConsole(backwards: true)
    case .enter:
      guard console.submitted == nil else { return [] }
      guard console.runningSince == nil else {
        message = Message("a statement is running; Ctrl-C cancels it", .warning)
        return []
      }
      guard !console.editor.characters.allSatisfy(\.isWhitespace) else { return [] }
      return [.submit(console.submit())]
    case .altEnter: console.editor.insert("\n")
    case .up, .control("p"):
      if !console.editor.moveLine(down: false) { console.walkHistory(back: true) }
    case .down, .control("n"):
      if !console.editor.moveLine(down: true) { console.walkHistory(back: false) }
    case .control("r"):
      console.search = ConsoleState.HistorySearch()
    case .pageUp: console.scroll += 5
    case .pageDown: console.scroll = max(0, console.scroll - 5)
    default:
      if console.editor.edit(key) { console.scroll = 0 }
    }
    return []
  }

  /// What a key does during `^r`; nil when it ends the search and means something beyond it.
  private mutating func pressInSearch(_ key: Key) -> [Effect]? {
    switch key {
    case .control("r"): console.searchHistory(older: true)
    case .character(let character):
      console.search?.pattern.append(character)
      console.searchHistory(older: false)
    case .backspace, .control("h"):
      _ = console.search?.pattern.popLast()
      console.searchHistory(older: false)
    case .escape, .control("c"), .control("g"): console.endSearch(accept: false)
    case .enter, .tab: console.endSearch(accept: true)
    default:
      console.endSearch(accept: true)
      return nil
    }
    return []
  }

  private mutating func leaveConsole(backwards: Bool) {
    isZoomed = false
    moveFocus(by: backwards ? -1 : 1)
  }
}
