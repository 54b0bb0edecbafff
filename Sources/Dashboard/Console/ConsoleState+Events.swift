import DatabaseConsole
import ObservationEngine

extension ConsoleState {
  /// Handles an event of the executor.
  mutating func receive(
    _ event: ConsoleEvent, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    switch event {
    case .needsConfirmation(let text, let sql):
      return ask(.run(sql: sql, text: text), &context)
    case .needsScriptConfirmation(let summary):
      // The sign and the keys for the answer are next to it.
      let text = summary.question(width: context.size.width - 11, context.glyphs)
      return ask(.script(text: text), &context)
    case .incomplete: continueLine()
    case .counting(let sql): work.count(rowsOf: sql)
    case .needsParameters(let names, let sql):
      parameters = ParameterPrompt(sql: sql, names: names, known: parameterTexts)
    case .started(let sql, let moment):
      context.news.advance(to: moment)
      if let text = start(sql, at: moment.monotonic) { return [.appendHistory(text)] }
    case .finished(let rows?, let total, _, let duration, let sql):
      end(sql, .rows(rows, total: total, duration))
    case .finished(nil, _, let changes, let duration, let sql):
      end(sql, .done(changes: changes, duration))
    case .committed(let ordinal): transcript.note(commitOfNewest: ordinal)
    case .noticed(let notices): transcript.note(notices)
    case .failed(let error, let sql):
      let reported = work.described(error, at: context.news.now.monotonic)
      let text = takeSubmitted()
      end(sql, .failed(reported))
      if let text { return [.appendHistory(text)] }
    case .progressed(let rows): work.progress(rows: rows)
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
    case .vocabulary(let vocabulary, let moment): receive(vocabulary, at: moment.monotonic)
    case .pinned(let panel): return receive(pinned: panel, &context)
    case .needsSaveConfirmation(let addition): return ask(.save(addition), &context)
    case .saved(let names, let text, let command):
      pinned.removeAll { names.contains($0.name) }
      return receive(.answered([text], command: command), &context)
    case .kept(let panels):
      for index in pinned.indices {
        guard let saved = panels.first(where: { $0.name == pinned[index].name }) else { continue }
        pinned[index].saved = saved
      }
    case .undoable(let commit): return offerUndo(commit, &context)
    case .undone(let commit, let error): receive(undone: commit, error, &context)
    case .redoable(let commit, let ordinal):
      return offerRedo(commit, endedBy: ordinal, &context)
    case .redone(let commit, let error): receive(redone: commit, error, &context)
    // It is about a commit of the feed.
    case .commitRows: break
    }
    return []
  }

  /// Asks before a statement or a file runs, unless the user is elsewhere.
  private mutating func ask(
    _ question: ConsoleQuestion, _ context: inout ConsoleContext
  ) -> [ConsoleEffect] {
    work.endPreparing()
    guard context.isAttended else {
      return takeBack(
        &context, because: "there was a question to answer, and you were elsewhere")
    }
    context.question = question
    return []
  }
}
