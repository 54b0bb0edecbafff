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
    var line = "{\"livequery\":\"recording\",\"version\":\(RecordingFormat.version),\"program\":"
    json.append(header.program, to: &line)
    line += ",\"started\":\(header.started.microseconds),\"offset\":\(header.utcOffsetSeconds)"
    line += ",\"database\":"
    json.append(header.databaseName, to: &line)
    line += ",\"readonly\":\(header.isReadOnly)"
    append("dashboard", header.dashboardName, to: &line)
    append("preset", header.preset, to: &line)
    return line + ",\"definition\":" + RecordedDefinition.text(of: header.definition) + "}\n"
  }

  package func line(_ entry: RecordingFormat.Entry, at moment: UInt64) -> String {
    var line = "{\"t\":\((moment - min(moment, start)) / 1000)"
    switch entry {
    case .refresh(let refresh, let looks): append(refresh, looks, to: &line)
    case .panels(let definition):
      line += ",\"definition\":" + RecordedDefinition.text(of: definition)
    case .info(let info):
      line += ",\"info\":{\"mode\":"
      json.append(info.journalMode, to: &line)
      if let bytes = info.fileBytes { line += ",\"file\":\(bytes)" }
      if let bytes = info.walBytes { line += ",\"wal\":\(bytes)" }
      append("watch", info.watch, to: &line)
      line += "}"
    }
    return line + "}\n"
  }

  private func names(_ names: [String]) -> String {
    var text = ""
    json.append(names.map(Value.text), to: &text)
    return text
  }

  private func append(_ name: String, _ value: String?, to text: inout String) {
    guard let value else { return }
    text += ",\"\(name)\":"
    json.append(value, to: &text)
  }

  // MARK: Refreshes

  private func append(
    _ refresh: Refresh, _ looks: [Int: RowRequest.Look], to line: inout String
  ) {
    line += ",\"tx\":\(refresh.ordinal),\"ms\":\(milliseconds(refresh.duration)),\"panels\":{"
    for (position, index) in refresh.results.keys.sorted().enumerated() {
      if position > 0 { line += "," }
      line += "\"\(index)\":"
      switch refresh.results[index] {
      case .success(let rows): append(rows, looks[index] ?? RowRequest.Look(), to: &line)
      case .failure(let error): append(error, to: &line)
      case nil: line += "null"
      }
    }
    line += "}"
    if !refresh.recomputed.isEmpty {
      line += ",\"recomputed\":{"
      line += refresh.recomputed.keys.sorted()
        .map { "\"\($0)\":\(milliseconds(refresh.recomputed[$0] ?? .zero))" }
        .joined(separator: ",")
      line += "}"
    }
    if !refresh.stale.isEmpty {
      let members = refresh.stale.keys.sorted().compactMap { index -> String? in
        guard let stale = refresh.stale[index] else { return nil }
        var text = "\"\(index)\":{\"since\":\(stale.since.microseconds)"
        append("reason", stale.reason, to: &text)
        return text + "}"
      }
      line += ",\"stale\":{" + members.joined(separator: ",") + "}"
    }
    if !refresh.events.isEmpty {
      line += ",\"events\":[" + refresh.events.map(event).joined(separator: ",") + "]"
    }
    if refresh.droppedEvents > 0 { line += ",\"dropped\":\(refresh.droppedEvents)" }
  }

  private func append(_ rows: RowSet, _ look: RowRequest.Look, to line: inout String) {
    line += "{\"columns\":" + names(rows.columns) + ",\"rows\":["
    for (index, row) in rows.rows.enumerated() {
      if index > 0 { line += "," }
      json.append(row, to: &line)
    }
    line += "]"
    if let part = rows.part {
      line += ",\"part\":{\"first\":\(part.first),\"total\":\(part.total),\"all\":\(part.all)"
      append("filter", look.filter.isEmpty ? nil : look.filter, to: &line)
      if let sort = look.sort {
        line += ",\"sort\":\(sort.column)" + (sort.isDescending ? ",\"descending\":true" : "")
      }
      line += "}"
    }
    line += "}"
  }

  private func append(_ error: DatabaseError, to line: inout String) {
    line += "{\"error\":\(error.code.rawValue)"
    append("message", error.message, to: &line)
    append("sql", error.sql, to: &line)
    if let offset = error.offset { line += ",\"offset\":\(offset)" }
    line += "}"
  }

  private func event(_ event: DatabaseEvent) -> String {
    switch event {
    case .commit(let commit): return self.commit(commit)
    case .rollback(let time): return "{\"rollback\":\(time.microseconds)}"
    case .fileMissing(let time): return "{\"missing\":\(time.microseconds)}"
    case .notice(let text, let time):
      var line = "{\"notice\":"
      json.append(text, to: &line)
      return line + ",\"at\":\(time.microseconds)}"
    }
  }

  private func commit(_ commit: Commit) -> String {
    let kind =
      switch commit.kind {
      case .data: "data"
      case .schema: "schema"
      case .fileReplaced: "replaced"
      }
    var line = "{\"commit\":\(commit.ordinal),\"by\":\"\(commit.origin.word)\""
    line += ",\"kind\":\"\(kind)\",\"at\":\(commit.time.microseconds),\"count\":\(commit.count)"
    line += ",\"evidence\":\"\(commit.evidence.rawValue)\""
    switch commit.tables {
    case .named(let tables): line += ",\"tables\":" + names(tables)
    case .all(let reason): append("why", reason, to: &line)
    }
    if let rows = commit.rows {
      line += ",\"rows\":[\(rows.inserted),\(rows.updated),\(rows.deleted)]"
    }
    return line + "}"
  }

  private func milliseconds(_ duration: Duration) -> String {
    let parts = duration.components
    let microseconds = max(0, parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000)
    return SQLiteReal.json(Double(microseconds) / 1000)
  }
}
