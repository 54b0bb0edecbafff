package import ObservationEngine

/// Chooses the view for a result whose panel does not name one.
package enum SuggestedView {
  /// The view that the panel names; otherwise the one that suits the result's shape.
  ///
  /// 1×1 is a number; a time and numbers are a line; a text and a number are bars, even if one of
  /// them is NULL; everything else is a table.
  ///
  /// - Complexity: O(rows) for results with few columns.
  package static func kind(of result: RowSet, definition: PanelDefinition) -> ViewKind {
    if let view = definition.view { return view }
    // Some rows do not reveal the shape of all.
    if result.part != nil { return .table }
    if isLine(result) { return .line }
    switch result.columns.count {
    case 1 where result.rows.count == 1: return .number
    case 2 where isBar(result): return .bar
    default: return .table
    }
  }

  /// Whether the first column has only texts or NULL, and the second one only numbers or NULL. A
  /// missing label or a negative number doesn't turn bars into a table.
  private static func isBar(_ result: RowSet) -> Bool {
    var hasLabel = false
    var hasNumber = false
    for row in result.rows {
      switch row[0] {
      case .text: hasLabel = true
      case .null: break
      case .integer, .real, .blob, .date: return false
      }
      switch row[1] {
      case .integer, .real: hasNumber = true
      case .null: break
      case .text, .blob, .date: return false
      }
    }
    return hasLabel && hasNumber
  }

  /// Whether the first column has times, and all others numbers or NULL.
  ///
  /// A key is a number too: more columns than a chart can show distinctly are a table.
  private static func isLine(_ result: RowSet) -> Bool {
    guard (2...5).contains(result.columns.count), !result.rows.isEmpty else { return false }
    guard MomentForm(of: result.rows.lazy.map(\.[0]), column: result.columns[0]) != nil else {
      return false
    }
    return (1..<result.columns.count).allSatisfy { column in
      var hasNumber = false
      for row in result.rows {
        switch row[column] {
        case .integer, .real: hasNumber = true
        case .null: break
        case .text, .blob, .date: return false
        }
      }
      return hasNumber && !ColumnSummary.isName(result.columns[column], keys: [])
    }
  }
}
