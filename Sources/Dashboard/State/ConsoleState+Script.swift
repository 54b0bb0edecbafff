import ObservationEngine

extension ConsoleState {
  /// Takes over how far a file's statements have come.
  mutating func note(_ progress: ScriptProgress) -> [Effect] {
    runningSince = progress.duration == nil ? progress.since : nil
    rowsSoFar = 0
    let last = entries.lastIndex { entry in
      if case .script(let old) = entry.outcome { old.duration == nil } else { false }
    }
    if let last {
      entries[last].outcome = .script(progress)
      return []
    }
    let text = takeSubmitted()
    append(text ?? ":read \(progress.file)", .script(progress))
    return text.map { [.appendHistory($0)] } ?? []
  }

  /// Adds the result of one of a file's statements, above what is told of the file as a whole.
  mutating func addScriptRows(_ sql: String, _ rows: RowSet, total: Int, _ duration: Duration) {
    let script = entries.popLast()
    trimOlderResults()
    append(sql, .rows(rows, total: total, duration))
    if let script { entries.append(script) }
  }
}
