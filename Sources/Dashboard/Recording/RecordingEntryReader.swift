import ObservationEngine

/// Parses a line of a recording.
struct RecordingEntryReader {
  /// The fault of a line that is valid JSON.
  struct Unfit: Error, Equatable {
    let message: String
  }

  let panelCount: Int
  let views: [ViewKind]

  func entry(_ line: JSONValue) throws(Unfit) -> RecordingFormat.Entry {
    if let info = line["info"] {
      return .info(
        DatabaseInfo(
          journalMode: info["mode"]?.text ?? "", fileBytes: info["file"]?.integer,
          walBytes: info["wal"]?.integer, watch: info["watch"]?.text))
    }
    if let definition = line["definition"] {
      return .panels(try RecordedDefinition.definition(definition, views: views))
    }
    guard let ordinal = line["tx"]?.integer, let panels = line["panels"]?.members else {
      throw Unfit(
        message: "neither a refresh (\"tx\" and \"panels\") nor \"info\" or \"definition\"")
    }
    var refresh = Refresh(
      droppedEvents: Self.count(line["dropped"]?.integer ?? 0), ordinal: Self.count(ordinal),
      duration: duration(line["ms"]))
    var looks: [Int: RowRequest.Look] = [:]
    for panel in panels {
      let index = try index(panel.name)
      let result = try result(panel.value, of: panel.name)
      refresh.results[index] = result
      if case .success(let rows) = result { looks[index] = try look(panel.value["part"], of: rows) }
    }
    for member in line["recomputed"]?.members ?? [] {
      refresh.recomputed[try index(member.name)] = duration(member.value)
    }
    for member in line["stale"]?.members ?? [] {
      refresh.stale[try index(member.name)] = Staleness(
        since: Timestamp(recorded: member.value["since"]?.integer ?? 0),
        reason: member.value["reason"]?.text ?? "")
    }
    for event in line["events"]?.elements ?? [] { refresh.events.append(try self.event(event)) }
    return .refresh(refresh, looks: looks)
  }

  /// A number whose sums can't overflow.
  private static func count(_ number: Int64) -> Int {
    Int(clamping: min(max(number, 0), 1_000_000_000_000))
  }

  private func index(_ name: String) throws(Unfit) -> Int {
    guard let index = Int(name), (0..<panelCount).contains(index) else {
      throw Unfit(message: "there is no panel \(name): panels are numbered 0 to \(panelCount - 1)")
    }
    return index
  }

  private func duration(_ value: JSONValue?) -> Duration {
    let milliseconds = value?.real ?? 0
    guard milliseconds.isFinite, (0..<1e12).contains(milliseconds) else { return .zero }
    return .microseconds(Int64(milliseconds * 1000))
  }

  func result(
    _ value: JSONValue, of panel: String
  ) throws(Unfit) -> Result<RowSet, DatabaseError> {
    if let code = value["error"]?.integer {
      return .failure(
        DatabaseError(
          code: DatabaseError.Code(rawValue: Int32(clamping: code)),
          message: value["message"]?.text ?? "", sql: value["sql"]?.text,
          offset: value["offset"]?.integer.map { Self.count($0) }))
    }
    guard let columns = value["columns"]?.elements?.map(\.text), let rows = value["rows"]?.elements
    else {
      throw Unfit(message: "panel \(panel) has neither \"columns\" and \"rows\" nor an \"error\"")
    }
    let names = columns.compactMap { $0 }
    var values: [[Value]] = []
    values.reserveCapacity(rows.count)
    for row in rows {
      guard let cells = row.elements, cells.count == columns.count, names.count == columns.count
      else {
        throw Unfit(message: "a row of panel \(panel) is not as long as its columns")
      }
      var converted: [Value] = []
      for cell in cells { converted.append(try self.value(cell)) }
      values.append(converted)
    }
    return .success(
      RowSet(columns: names, rows: values, part: try part(value["part"], count: values.count)))
  }

  /// Where `count` rows lie in their result.
  private func part(_ value: JSONValue?, count: Int) throws(Unfit) -> RowSet.Part? {
    guard let value else { return nil }
    guard let first = value["first"]?.integer, let total = value["total"]?.integer,
      let all = value["all"]?.integer, first >= 0, all >= total,
      all <= 1_000_000_000_000, Int64(count) <= total, first <= total - Int64(count)
    else { throw Unfit(message: "a part does not lie within its result") }
    return RowSet.Part(first: Int(first), total: Int(total), all: Int(all))
  }

  /// The parameters with which a part was read; nil for none.
  private func look(_ part: JSONValue?, of rows: RowSet) throws(Unfit) -> RowRequest.Look? {
    guard let part else { return nil }
    var look = RowRequest.Look(filter: part["filter"]?.text ?? "")
    if let column = part["sort"]?.integer {
      guard let column = Int(exactly: column), rows.columns.indices.contains(column) else {
        throw Unfit(message: "a part is sorted by a column that it does not have")
      }
      look.sort = RowSort(
        column: column, isDescending: part["descending"]?.isTrue ?? false)
    }
    return look.isPlain ? nil : look
  }

  private func value(_ json: JSONValue) throws(Unfit) -> Value {
    switch json {
    case .null: return .null
    case .string(let text): return .text(text)
    case .number(let text):
      if let integer = Int64(text) { return .integer(integer) }
      guard let real = Double(text), !real.isNaN else { break }
      return .real(real)
    case .object:
      guard let text = json["$blob"]?.text, let bytes = Base64.bytes(text) else { break }
      return .blob(bytes)
    case .bool, .array: break
    }
    throw Unfit(message: "a value that SQLite does not have")
  }

  private func event(_ value: JSONValue) throws(Unfit) -> DatabaseEvent {
    func time(_ name: String) -> Timestamp? {
      value[name]?.integer.map(Timestamp.init(recorded:))
    }
    if let time = time("rollback") { return .rollback(time) }
    if let time = time("missing") { return .fileMissing(time) }
    if let text = value["notice"]?.text, let time = time("at") { return .notice(text, time) }
    guard let ordinal = value["commit"]?.integer, let at = time("at"),
      let origin = value["by"]?.text.flatMap(Commit.Origin.init(word:))
    else { throw Unfit(message: "an event of a kind that is not known") }
    let kind: Commit.Kind =
      switch value["kind"]?.text {
      case "schema": .schema
      case "replaced": .fileReplaced
      default: .data
      }
    let tables: Commit.Tables =
      (value["tables"]?.elements?.compactMap(\.text)).map { .named($0) }
      ?? .all(reason: value["why"]?.text ?? "")
    var rows: Commit.RowCounts?
    if let counts = value["rows"]?.elements?.compactMap(\.integer), counts.count == 3 {
      rows = Commit.RowCounts(
        inserted: Self.count(counts[0]), updated: Self.count(counts[1]),
        deleted: Self.count(counts[2]))
    }
    return .commit(
      Commit(
        ordinal: Self.count(ordinal), origin: origin, kind: kind, tables: tables,
        evidence: value["evidence"]?.text.flatMap(Commit.Evidence.init), rows: rows,
        count: Self.count(value["count"]?.integer ?? 1), time: at))
  }
}

extension Timestamp {
  /// A time in a recording: within the years that a calendar can show, whatever the file has.
  init(recorded microseconds: Int64) {
    let limit: Int64 = 250_000_000_000_000_000
    self.init(microseconds: min(max(microseconds, -limit), limit))
  }
}
