import ObservationEngine

extension ConsoleState {
  /// A file that is being read, before it is confirmed or runs.
  package struct Reading: Sendable, Equatable {
    /// The name as typed.
    package var file: String
    /// On the monotonic clock.
    package var since: UInt64

    /// The last part of the path, which identifies the file.
    var name: String { file.lastPathPart }
  }

  /// Whether a submitted text has neither started nor led to a question: text typed meanwhile would
  /// become part of it, or be lost with it.
  var isPreparing: Bool { (submitted != nil || counted != nil) && parameters == nil }

  /// Whether the text may be typed and run: nothing runs, is prepared, or is searched for.
  var isAtPrompt: Bool {
    work == .nothing && search == nil
  }

  /// The content of a file of statements, before they run.
  package struct ScriptSummary: Sendable, Equatable {
    /// The name as typed.
    package var file: String
    package var bytes: Int
    package var statements: Int
    /// Statements that change rows or the schema, including `drops` and `whole`.
    package var changes: Int
    /// Statements that drop something.
    package var drops: Int
    /// UPDATE and DELETE without WHERE.
    package var whole: Int

    package init(
      file: String, bytes: Int, statements: Int, changes: Int, drops: Int, whole: Int
    ) {
      self.file = file
      self.bytes = bytes
      self.statements = statements
      self.changes = changes
      self.drops = drops
      self.whole = whole
    }

    /// The question, in this many cells if possible; the last part of the path identifies the file.
    func question(width: Int, _ glyphs: GlyphSet) -> String {
      let name = DisplayText.cut(
        file.lastPathPart, width: 24, glyphs: glyphs)
      var does = [changes == 0 ? "none writes" : "\(NumberText.grouped(changes)) write"]
      if drops > 0 { does.append("\(NumberText.grouped(drops)) drop") }
      if whole > 0 { does.append("\(NumberText.grouped(whole)) without WHERE") }
      let size = QuantityText.bytes(Int64(bytes))
      let choices = [
        [QuantityText.count(statements, "statement"), size] + does,
        [QuantityText.count(statements, "stmt"), size] + does,
        [QuantityText.count(statements, "stmt")] + does,
      ].map { "run \(name): \($0.joined(separator: ", "))?" }
      return choices.first { DisplayText.width($0, glyphs: glyphs) <= width } ?? choices[2]
    }
  }

  /// Records the progress of a file's statements.
  mutating func note(_ progress: ScriptProgress) -> [ConsoleEffect] {
    var progress = progress
    progress.error = progress.error.map { error in
      described(error, at: progress.since + UInt64(clamping: progress.duration?.nanoseconds ?? 0))
    }
    runningSince = progress.duration == nil ? progress.since : nil
    let last = entries.lastIndex { entry in
      if case .script(let old) = entry.outcome { old.duration == nil } else { false }
    }
    if let last, case .script(let old) = entries[last].outcome, old.done == progress.done {
      // The same statement continues.
    } else {
      rowsSoFar = 0
    }
    if let last {
      entries[last].outcome = .script(progress)
      return []
    }
    let text = takeSubmitted()
    append(text ?? ":read \(progress.file)", .script(progress))
    return text.map { [.appendHistory($0)] } ?? []
  }

  /// Adds the result of one of a file's statements, above the entry for the whole file.
  mutating func addScriptRows(_ sql: String, _ rows: RowSet, total: Int, _ duration: Duration) {
    let script = entries.popLast()
    trimOlderResults()
    append(sql, .rows(rows, total: total, duration))
    if let script { entries.append(script) }
  }
}
