import ObservationEngine

/// Writes the lines of a recording.
///
/// - Complexity: O(rows · columns) written.
package struct RecordingWriter: Sendable {
  private let json = JSONText()
  /// The start, on the monotonic clock.
  private let start: UInt64

  package init(start: UInt64) { self.start = start }

  package func line(_ header: RecordingFormat.Header) -> String {
    var line = JSONObject()
    line.add("livequery", "recording")
    line.add("version", RecordingFormat.version)
    line.add("program", header.program)
    line.add("started", header.started.microseconds)
    line.add("offset", header.utcOffsetSeconds)
    line.add("database", header.databaseName)
    line.add("readonly", header.isReadOnly)
    line.add("dashboard", header.dashboardName)
    line.add("preset", header.preset)
    line.add("definition", RecordedDefinition.object(of: header.definition))
    return line.text + "\n"
  }

  package func line(_ entry: RecordingFormat.Entry, at moment: UInt64) -> String {
    var line = JSONObject()
    line.add("t", (moment - min(moment, start)) / 1000)
    switch entry {
    case .refresh(let refresh, let looks): add(refresh, looks, to: &line)
    case .panels(let definition):
      line.add("definition", RecordedDefinition.object(of: definition))
    case .info(let info):
      var object = JSONObject()
      object.add("mode", info.journalMode)
      object.add("file", info.fileBytes)
      object.add("wal", info.walBytes)
      object.add("watch", info.watch)
      line.add("info", object)
    }
    return line.text + "\n"
  }

  // MARK: Refreshes

  private func add(
    _ refresh: Refresh, _ looks: [Int: RowRequest.Look], to line: inout JSONObject
  ) {
    line.add("tx", refresh.ordinal)
    line.add("ms", json: milliseconds(refresh.duration))
    var panels = JSONObject()
    for index in refresh.results.keys.sorted() {
      switch refresh.results[index] {
      case .success(let rows):
        panels.add(String(index), object(rows, looks[index] ?? RowRequest.Look()))
      case .failure(let error): panels.add(String(index), object(error))
      case nil: break
      }
    }
    line.add("panels", panels)
    if !refresh.recomputed.isEmpty {
      var object = JSONObject()
      for index in refresh.recomputed.keys.sorted() {
        object.add(String(index), json: milliseconds(refresh.recomputed[index] ?? .zero))
      }
      line.add("recomputed", object)
    }
    if !refresh.stale.isEmpty {
      var object = JSONObject()
      for index in refresh.stale.keys.sorted() {
        guard let stale = refresh.stale[index] else { continue }
        var member = JSONObject()
        member.add("since", stale.since.microseconds)
        member.add("reason", stale.reason)
        object.add(String(index), member)
      }
      line.add("stale", object)
    }
    if !refresh.events.isEmpty { line.add("events", refresh.events.map(object)) }
    if refresh.droppedEvents > 0 { line.add("dropped", refresh.droppedEvents) }
  }

  func object(_ rows: RowSet, _ look: RowRequest.Look) -> JSONObject {
    var object = JSONObject()
    object.add("columns", rows.columns)
    object.add("rows") { text in
      text += "["
      for (index, row) in rows.rows.enumerated() {
        if index > 0 { text += "," }
        json.append(row, to: &text)
      }
      text += "]"
    }
    guard let part = rows.part else { return object }
    var member = JSONObject()
    member.add("first", part.first)
    member.add("total", part.total)
    member.add("all", part.all)
    member.add("filter", look.filter.isEmpty ? nil : look.filter)
    if let sort = look.sort {
      member.add("sort", sort.column)
      if sort.isDescending { member.add("descending", true) }
    }
    object.add("part", member)
    return object
  }

  private func object(_ error: DatabaseError) -> JSONObject {
    var object = JSONObject()
    object.add("error", error.code.rawValue)
    object.add("message", error.message)
    object.add("sql", error.sql)
    object.add("offset", error.offset)
    return object
  }

  private func object(_ event: DatabaseEvent) -> JSONObject {
    var object = JSONObject()
    switch event {
    case .commit(let commit): return self.object(commit)
    case .rollback(let time): object.add("rollback", time.microseconds)
    case .fileMissing(let time): object.add("missing", time.microseconds)
    case .notice(let text, let time):
      object.add("notice", text)
      object.add("at", time.microseconds)
    }
    return object
  }

  private func object(_ commit: Commit) -> JSONObject {
    let kind =
      switch commit.kind {
      case .data: "data"
      case .schema: "schema"
      case .fileReplaced: "replaced"
      }
    var object = JSONObject()
    object.add("commit", commit.ordinal)
    object.add("by", commit.origin.word)
    object.add("kind", kind)
    object.add("at", commit.time.microseconds)
    object.add("count", commit.count)
    object.add("evidence", commit.evidence.rawValue)
    switch commit.tables {
    case .named(let tables): object.add("tables", tables)
    case .all(let reason): object.add("why", reason)
    }
    if let rows = commit.rows {
      object.add(
        "rows", [rows.inserted, rows.updated, rows.deleted].map { Value.integer(Int64($0)) })
    }
    return object
  }

  private func milliseconds(_ duration: Duration) -> String {
    let parts = duration.components
    let microseconds = max(0, parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)
    return (Double(microseconds) / 1000).sqliteLiteral
  }
}
