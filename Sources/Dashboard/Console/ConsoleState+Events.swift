import DatabaseConsole
import ObservationEngine

extension ConsoleState {
  /// Handles an event of the executor that concerns the console alone; does nothing for others.
  mutating func receive(_ event: ConsoleEvent, _ news: inout News) -> [ConsoleEffect] {
    switch event {
    case .incomplete: continueLine()
    case .counting(let sql): counted = sql
    case .needsParameters(let names, let sql):
      parameters = ParameterPrompt(sql: sql, names: names, known: parameterTexts)
    case .started(let sql, let moment):
      news.advance(to: moment)
      if let text = start(sql, at: moment.monotonic) { return [.appendHistory(text)] }
    case .finished(let rows?, let total, _, let duration, let sql):
      end(sql, rows: rows, total: total, duration)
    case .finished(nil, _, let changes, let duration, let sql):
      end(sql, .done(changes: changes, duration))
    case .failed(let error, let sql):
      let text = takeFailedCommand()
      end(sql, .failed(described(error, at: news.now.monotonic)))
      if let text { return [.appendHistory(text)] }
    case .progressed(let rows): rowsSoFar = rows
    case .answered(let lines, let command):
      let text = takeSubmitted()
      append(command, .answered(lines))
      if let text { return [.appendHistory(text)] }
    case .script(let progress): return note(progress)
    case .scriptRows(let rows, let total, let duration, let sql):
      addScriptRows(sql, rows, total: total, duration)
    case .transaction(let open, let statements, let since, let holdsWriteLock):
      setTransaction(
        open: open, statements: statements, since: since, holdsWriteLock: holdsWriteLock)
    case .vocabulary(let vocabulary, let moment): take(vocabulary, at: moment.monotonic)
    case .needsConfirmation, .needsScriptConfirmation, .needsSaveConfirmation, .saved, .pinned,
      .undoable, .undone, .redoable,
      .redone, .commitRows:
      break
    }
    return []
  }
}
