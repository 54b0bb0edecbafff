import ObservationEngine

/// In which direction the rows of a log run.
enum LogOrder {
  /// Whether the rows have to be turned round, so that the newest stands where the log grows.
  ///
  /// - Complexity: O(columns).
  static func isTurned(_ result: RowSet, _ panel: PanelState) -> Bool {
    let isNewestFirst = isNewestFirst(result)
    return isNewestFirst == panel.growsAtBottom
  }

  /// Whether the first row is newer than the last one: by its moments, or else its first number.
  private static func isNewestFirst(_ result: RowSet) -> Bool {
    guard let first = result.rows.first, let last = result.rows.last, result.rows.count > 1 else {
      return false
    }
    for column in result.columns.indices {
      let ends = [first[column], last[column]]
      guard let form = MomentForm(of: ends, column: result.columns[column]),
        let start = form.seconds(ends[0]), let end = form.seconds(ends[1]), start != end
      else { continue }
      return start > end
    }
    for column in result.columns.indices {
      guard let start = ColumnSummary.number(first[column]),
        let end = ColumnSummary.number(last[column]), start != end
      else { continue }
      return start > end
    }
    return false
  }
}

extension PanelState {
  /// Whether the newest row of a log stands at the bottom, as in a terminal.
  var growsAtBottom: Bool { definition.options.newest != .top }
}
