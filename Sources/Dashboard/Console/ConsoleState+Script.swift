import ObservationEngine

extension ConsoleState {
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
      work.described(
        error, at: progress.since + UInt64(clamping: progress.duration?.nanoseconds ?? 0))
    }
    let isSameStatement = transcript.script?.done == progress.done
    let rows = isSameStatement ? work.rows : 0
    let isKnown = transcript.note(progress)
    let text = isKnown ? nil : takeSubmitted()
    work = progress.duration == nil ? .running(since: progress.since, rows: rows) : .nothing
    if !isKnown { append(text ?? ":read \(progress.file)", .script(progress)) }
    return text.map { [.appendHistory($0)] } ?? []
  }

  /// Adds the result of one of a file's statements, above the entry for the whole file.
  mutating func addScriptRows(_ sql: String, _ rows: RowSet, total: Int, _ duration: Duration) {
    let script = transcript.entries.popLast()
    transcript.trimOlderResults()
    append(sql, .rows(rows, total: total, duration))
    if let script { transcript.entries.append(script) }
  }
}
