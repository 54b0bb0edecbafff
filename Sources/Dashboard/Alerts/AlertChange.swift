package import ObservationEngine

/// An alert that was raised, or ended.
package struct AlertChange: Sendable, Equatable {
  package let panel: PanelDefinition
  package let index: Int
  package let isRaised: Bool
  package let rule: AlertRule
  /// The newest commit that the result reflects.
  package let ordinal: Int
  package let time: Timestamp
  /// The panel's previous result; nil for the first.
  package let old: RowSet?
  package let new: RowSet

  /// The report that a hook reads, one object on one line:
  ///
  ///     {"alert":"raised","panel":"errors","title":"Error rate","condition":"rate > 0.05","tx":1482,
  ///      "ts":"2026-11-20T12:03:58.000000Z","database":"app.db","rows":1,"matching":1,
  ///      "old":{"rate":0.048},"new":{"rate":0.062}}
  ///
  /// `new` is the first row that satisfies the condition, and `old` the same row before: by the
  /// panel's key, or the only row of both results; each is omitted when there is none.
  package func json(databaseName: String) -> String {
    var object = JSONObject()
    object.add("alert", isRaised ? "raised" : "cleared")
    object.add("panel", panel.name)
    object.add("title", panel.title)
    object.add("condition", rule.raise.text)
    object.add("tx", ordinal)
    object.add("ts", CivilTime(time).iso8601)
    object.add("database", databaseName)
    let verdict = rule.raise.verdict(on: new)
    object.add("rows", new.rows.count)
    object.add("matching", verdict?.matching ?? 0)
    // An alert that ended has no matching row any more, but a single row is worth reporting.
    if let index = verdict?.row ?? (new.rows.count == 1 ? 0 : nil) {
      let names = ColumnNames.unique(new.columns)
      if let before = oldRow(of: new.rows[index]) { object.add("old", before, names: names) }
      object.add("new", new.rows[index], names: names)
    }
    return object.text + "\n"
  }

  /// The former values of a row of the new result.
  private func oldRow(of row: [Value]) -> [Value]? {
    guard let old, old.columns == new.columns else { return nil }
    let key = RowKey(columns: panel.key, of: new)
    if key.isWholeRow { return old.rows.count == 1 && new.rows.count == 1 ? old.rows[0] : nil }
    let wanted = key.values(of: row)
    return old.rows.first { key.values(of: $0) == wanted }
  }
}
