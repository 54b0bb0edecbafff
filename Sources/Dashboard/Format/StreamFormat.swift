package import ObservationEngine

/// A panel's changes, as lines of JSON that a program can apply.
///
///     {"tx":7,"ts":"…","src":"ext","panel":"fame","op":"~","key":["ada"],"old":{…},"new":{…}}
///     {"tx":7,"ts":"…","src":"ext","panel":"fame","op":"end","how":"maintained","tables":["scores"],
///      "by":"pages","ms":0.04}
///
/// ## Guarantees
/// - A program that applies the records in order has the panel's exact rows after each `end`, with
///   their multiplicity. The order of the rows is not recorded.
/// - Removals precede changes, and changes insertions, so that a key never stands for more rows
///   than before or after.
/// - A batch without changed rows is not written at all, except the first, whose `end` says that
///   the initial state is complete.
/// - From `stale` to `fresh` the rows of a panel may be those of an earlier state.
package struct StreamFormat: Sendable {
  /// Why there is a batch of records.
  package enum Source: Sendable, Equatable {
    /// The initial state.
    case open
    /// The difference from what an earlier run has written.
    case resume
    case commit(Commit.Origin)

    /// The word for it in a record.
    package var name: String {
      switch self {
      case .open: "open"
      case .resume: "resume"
      case .commit(let origin): origin.word
      }
    }
  }

  /// What the records of one refresh have in common.
  package struct Batch: Sendable {
    package var ordinal: Int
    package var time: Timestamp
    package var source: Source
    /// What changed in the database; `null` in the record, with the reason, if it can be any table.
    /// `nil` without a commit: time has passed, or a slow query ends long after its commit was
    /// reported.
    package var tables: Commit.Tables?
    /// How that was determined; `nil` for the initial state.
    package var evidence: Commit.Evidence?

    package init(
      ordinal: Int, time: Timestamp, source: Source, tables: Commit.Tables? = .named([]),
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
  ///   - duration: How long that took.
  ///   - method: How that was done.
  /// - Complexity: O(rows · columns).
  package func write(
    panel: PanelDefinition, from old: RowSet?, to new: RowSet, batch: Batch, duration: Duration,
    method: RefreshMethod, to output: (String) -> Void
  ) {
    let diff = ResultDiff(from: old, to: new, key: panel.key)
    let head = head(of: batch, panel: panel.name)
    let hasChanges =
      diff.isReset ? old?.rows.isEmpty == false || !new.rows.isEmpty : !diff.isEmpty
    if hasChanges {
      writeRows(diff, panel: panel, from: old ?? .empty, to: new, head: head, to: output)
    }
    guard hasChanges || batch.source == .open else { return }
    var record = head
    record.add("op", "end")
    // The initial state has no other way.
    var reason: String?
    if case .recomputed(let why) = method {
      record.add("how", "recomputed")
      reason = batch.source == .open ? nil : why
    } else {
      record.add("how", "maintained")
    }
    switch batch.tables {
    case .all? where batch.source == .open: record.add("tables", [String]())
    case .named(let names)?: record.add("tables", names)
    case .all(let why)?:
      record.add("tables", json: "null")
      reason = why
    case nil: record.add("tables", json: "null")
    }
    record.add("why", reason)
    record.add("by", batch.evidence?.rawValue)
    record.add("ms", json: Self.milliseconds(duration))
    output(record.text + "\n")
  }

  /// The record of a panel whose rows are out of date from now on.
  ///
  /// - Parameter trouble: Why; `nil` when they are up to date again.
  package func line(of trouble: String?, panel: PanelDefinition, batch: Batch) -> String {
    var record = head(of: batch, panel: panel.name)
    record.add("op", trouble == nil ? "fresh" : "stale")
    record.add("why", trouble)
    return record.text + "\n"
  }

  private func writeRows(
    _ diff: ResultDiff, panel: PanelDefinition, from old: RowSet, to new: RowSet, head: JSONObject,
    to output: (String) -> Void
  ) {
    // Different columns: the old result can't be expressed in terms of the new one.
    let removed = diff.isReset ? old.rows : diff.removed.map(\.row)
    let before = RowNames(old, panel)
    let after = RowNames(new, panel)
    func write(_ operation: String, key: [Value], old: [Value]?, new: [Value]?) {
      var record = head
      record.add("op", operation)
      record.add("key", key)
      if let old { record.add("old", old, names: before.names) }
      if let new { record.add("new", new, names: after.names) }
      output(record.text + "\n")
    }
    for row in removed { write("-", key: before.key.values(of: row), old: row, new: nil) }
    for (row, fate) in zip(new.rows, diff.rows) {
      guard case .changed = fate.change, let index = fate.oldIndex else { continue }
      // Without key columns the key is the whole replaced row.
      write("~", key: before.key.values(of: old.rows[index]), old: old.rows[index], new: row)
    }
    for (row, fate) in zip(new.rows, diff.rows) where diff.isReset || fate.change == .inserted {
      write("+", key: after.key.values(of: row), old: nil, new: row)
    }
  }

  /// A record up to its operation.
  private func head(of batch: Batch, panel: String) -> JSONObject {
    var head = JSONObject(json)
    head.add("tx", batch.ordinal)
    head.add("ts", CivilTime(batch.time).iso8601)
    head.add("src", batch.source.name)
    head.add("panel", panel)
    return head
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

/// How the rows of one result are written.
private struct RowNames {
  let key: RowKey
  let names: [String]

  init(_ result: RowSet, _ panel: PanelDefinition) {
    key = RowKey(columns: panel.key, of: result)
    names = ColumnNames.unique(result.columns)
  }
}
