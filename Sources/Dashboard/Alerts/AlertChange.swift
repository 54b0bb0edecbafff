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
    let json = JSONText()
    var line = "{\"alert\":\"\(isRaised ? "raised" : "cleared")\",\"panel\":"
    json.append(panel.name, to: &line)
    if let title = panel.title {
      line += ",\"title\":"
      json.append(title, to: &line)
    }
    line += ",\"condition\":"
    json.append(rule.raise.text, to: &line)
    line += ",\"tx\":\(ordinal),\"ts\":\"\(CivilTime(time).iso8601)\",\"database\":"
    json.append(databaseName, to: &line)
    let verdict = rule.raise.verdict(on: new)
    line += ",\"rows\":\(new.rows.count),\"matching\":\(verdict?.matching ?? 0)"
    // An alert that ended has no matching row any more, but a single row is worth reporting.
    let index = verdict?.row ?? (new.rows.count == 1 ? 0 : nil)
    if let index {
      let names = ColumnNames.unique(new.columns)
      if let before = oldRow(of: new.rows[index]) {
        line += ",\"old\":"
        json.append(before, names: names, to: &line)
      }
      line += ",\"new\":"
      json.append(new.rows[index], names: names, to: &line)
    }
    return line + "}\n"
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
