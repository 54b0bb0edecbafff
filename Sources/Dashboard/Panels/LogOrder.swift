import ObservationEngine

/// The direction of the rows of a log.
///
/// The order in the query decides; then a key that only rises or only falls; then whether most
/// times are later or earlier than the one before, so that a single old date does not reverse the
/// log; then any number that only rises or falls.
enum LogOrder {
  /// How many pairs of neighbours are compared.
  private static let sample = 500

  /// Whether to reverse the rows, so that the newest is where the log grows.
  ///
  /// - Complexity: O(length of the query); if that states no order, O(columns), and O(rows) for
  ///   each column that only rises or falls.
  static func isTurned(_ result: RowSet, _ panel: PanelState) -> Bool {
    let known = queried(result, panel) ?? measured(result, panel)
    // If it is unknown, the rows keep their former direction.
    guard let isNewestFirst = known else { return panel.isLogTurned ?? !panel.growsAtBottom }
    return isNewestFirst == panel.growsAtBottom
  }

  /// Whether the query requests the newest row first; nil if it does not say.
  private static func queried(_ result: RowSet, _ panel: PanelState) -> Bool? {
    let terms = QueryOrder(panel.definition.sql).terms
    return terms.first { term in
      let named = term.name.flatMap { RowKey.index(ofColumn: $0, in: result.columns) }
      guard let column = named ?? term.place.map({ $0 - 1 }),
        result.columns.indices.contains(column)
      else { return true }
      // Words in alphabetical order are not in the order of their writing.
      return panel.columns[column].isNumeric || panel.columns[column].isNull
        || form(of: column, result) != nil
    }?.isDescending
  }

  private static func measured(_ result: RowSet, _ panel: PanelState) -> Bool? {
    guard result.rows.count > 1 else { return nil }
    let keys = Set((panel.definition.key + ["id", "rowid"]).map { $0.lowercased() })
    let isKey = result.columns.map { keys.contains($0.lowercased()) }
    func falls(amongKeys: Bool) -> Bool? {
      let columns = result.columns.indices.lazy.filter { isKey[$0] == amongKeys }
      return columns.compactMap { column in
        Direction(of: result.rows.lazy.map { ColumnSummary.number($0[column]) })
      }.first.map { $0 == .falling }
    }
    return falls(amongKeys: true) ?? isMostlyFalling(result, panel) ?? falls(amongKeys: false)
  }

  /// Whether most times are earlier than the one before.
  private static func isMostlyFalling(_ result: RowSet, _ panel: PanelState) -> Bool? {
    for column in result.columns.indices {
      guard let form = form(of: column, result) else { continue }
      let step = max(1, result.rows.count / sample)
      var balance = 0
      for index in stride(from: 1, to: result.rows.count, by: step) {
        guard let start = form.seconds(result.rows[index - 1][column]),
          let end = form.seconds(result.rows[index][column])
        else { continue }
        balance += end < start ? 1 : end > start ? -1 : 0
      }
      if balance != 0 { return balance > 0 }
      guard panel.isLogTurned == nil, let start = form.seconds(result.rows[0][column]),
        let end = form.seconds(result.rows[result.rows.count - 1][column]), start != end
      else { continue }
      return end < start
    }
    return nil
  }

  private static func form(of column: Int, _ result: RowSet) -> MomentForm? {
    MomentForm(of: result.rows.lazy.map { $0[column] }, column: result.columns[column])
  }
}

extension PanelState {
  /// Whether the newest row of a log is at the bottom, as in a terminal.
  var growsAtBottom: Bool { definition.options.newest != .top }
}
