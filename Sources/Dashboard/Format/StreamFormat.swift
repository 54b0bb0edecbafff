package import ObservationEngine

/// A panel's changes, as lines of JSON that a program can apply.
///
///     {"tx":7,"ts":"…","src":"ext","panel":"fame","op":"~","key":["ada"],"old":{…},"new":{…}}
///     {"tx":7,"ts":"…","src":"ext","panel":"fame","op":"end","how":"recomputed","tables":["scores"],
///      "by":"pages","ms":0.4}
///
/// ## Guarantees
/// - A program that applies the records in order has the panel's exact rows after each `end`, with
///   their multiplicity. The order of the rows is not recorded.
/// - Removals precede changes, and changes insertions, so that a key never stands for more rows
///   than before or after.
/// - A batch without changed rows is not written at all, except the first, whose `end` says that
///   the initial state is complete.
package struct StreamFormat: Sendable {
  /// Why there is a batch of records.
  package enum Source: Sendable, Equatable {
    /// The initial state.
    case open
    case commit(Commit.Origin)

    /// The word for it in a record.
    package var name: String {
      switch self {
      case .open: "open"
      case .commit(let origin): origin.word
      }
    }
  }

  /// How a panel's new rows were obtained.
  package enum Method: String, Sendable {
    case maintained
    case recomputed
  }

  /// What the records of one refresh have in common.
  package struct Batch: Sendable {
    package var ordinal: Int
    package var time: Timestamp
    package var source: Source
    /// What changed in the database; `null` in the record, with the reason, if it can be any table.
    package var tables: Commit.Tables
    /// How that was determined; `nil` for the initial state.
    package var evidence: Commit.Evidence?

    package init(
      ordinal: Int, time: Timestamp, source: Source, tables: Commit.Tables = .named([]),
      evidence: Commit.Evidence? = nil
    ) {
      self.ordinal = ordinal
      self.time = time
      self.source = source
      self.tables = tables
      self.evidence = evidence
    }
  }

  private let json: JSONText

  package init(terminal: GlyphSet? = nil) {
    json = JSONText(isForTerminal: terminal != nil)
  }

  /// Writes the records of one panel, line by line.
  ///
  /// - Parameters:
  ///   - old: The rows that the records so far produce: nil before the first batch. A panel that
  ///     failed in between still has its earlier rows.
  ///   - method: How the new rows were obtained.
  ///   - duration: How long that took.
  /// - Complexity: O(rows · columns).
  package func write(
    panel: PanelDefinition, from old: RowSet?, to new: RowSet, batch: Batch, method: Method,
    duration: Duration, to output: (String) -> Void
  ) {
    let diff = ResultDiff(from: old, to: new, key: panel.key)
    let head = head(of: batch, panel: panel.name)
    let hasChanges =
      diff.isReset ? old?.rows.isEmpty == false || !new.rows.isEmpty : !diff.isEmpty
    if hasChanges {
      writeRows(diff, panel: panel, from: old ?? .empty, to: new, head: head, to: output)
    }
    guard hasChanges || batch.source == .open else { return }
    var line = head + "\"end\",\"how\":\"\(method.rawValue)\",\"tables\":"
    append(batch.tables, to: &line)
    if let evidence = batch.evidence { line += ",\"by\":\"\(evidence.rawValue)\"" }
    output(line + ",\"ms\":\(Self.milliseconds(duration))}\n")
  }

  private func writeRows(
    _ diff: ResultDiff, panel: PanelDefinition, from old: RowSet, to new: RowSet, head: String,
    to output: (String) -> Void
  ) {
    // Different columns: the old result can't be expressed in terms of the new one.
    let removed = diff.isReset ? old.rows : diff.removed.map(\.row)
    let before = RowText(json: json, result: old, panel: panel)
    let after = RowText(json: json, result: new, panel: panel)
    for row in removed {
      output(head + "\"-\"" + before.key(row) + before.object("old", row) + "}\n")
    }
    for (row, fate) in zip(new.rows, diff.rows) {
      guard case .changed = fate.change, let index = fate.oldIndex else { continue }
      output(
        // Without key columns the key is the whole replaced row.
        head + "\"~\"" + before.key(old.rows[index]) + before.object("old", old.rows[index])
          + after.object("new", row) + "}\n")
    }
    for (row, fate) in zip(new.rows, diff.rows) where diff.isReset || fate.change == .inserted {
      output(head + "\"+\"" + after.key(row) + after.object("new", row) + "}\n")
    }
  }

  /// A record up to its operation.
  private func head(of batch: Batch, panel: String) -> String {
    var head = "{\"tx\":\(batch.ordinal),\"ts\":\"\(CivilTime(batch.time).iso8601)\""
    head += ",\"src\":\"\(batch.source.name)\",\"panel\":"
    json.append(panel, to: &head)
    return head + ",\"op\":"
  }

  private func append(_ tables: Commit.Tables, to line: inout String) {
    switch tables {
    case .named(let names): json.append(names.map(Value.text), to: &line)
    case .all(let reason):
      line += "null,\"why\":"
      json.append(reason, to: &line)
    }
  }

  /// Milliseconds to the microsecond: `0.4`, `12.0`.
  private static func milliseconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let microseconds = max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    var fraction = String(microseconds % 1000 + 1000).dropFirst()
    while fraction.utf8.count > 1, fraction.last == "0" { fraction.removeLast() }
    return "\(microseconds / 1000).\(fraction)"
  }
}

/// The parts of a record that show a row of one result.
private struct RowText {
  let json: JSONText
  let key: RowKey
  let names: [String]

  init(json: JSONText, result: RowSet, panel: PanelDefinition) {
    self.json = json
    key = RowKey(columns: panel.key, of: result)
    names = ColumnNames.unique(result.columns)
  }

  func key(_ row: [Value]) -> String {
    var text = ",\"key\":"
    json.append(key.values(of: row), to: &text)
    return text
  }

  func object(_ name: String, _ row: [Value]) -> String {
    var text = ",\"\(name)\":"
    json.append(row, names: names, to: &text)
    return text
  }
}
