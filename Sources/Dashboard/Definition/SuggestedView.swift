package import ObservationEngine

/// Chooses how to show a result whose panel does not say.
package enum SuggestedView {
  /// What the panel asks for, as far as it can be drawn; otherwise what suits the result's shape.
  ///
  /// 1×1 is a number; a text and a number that is never negative are bars; all else is a table.
  ///
  /// - Complexity: O(rows) for results with two columns.
  package static func kind(of result: RowSet, definition: PanelDefinition) -> ViewKind {
    if let view = definition.view { return view.isDrawn ? view : .table }
    switch result.columns.count {
    case 1 where result.rows.count == 1: return .number
    case 2 where !result.rows.isEmpty && result.rows.allSatisfy(isBar): return .bar
    default: return .table
    }
  }

  private static func isBar(_ row: [Value]) -> Bool {
    guard case .text = row[0] else { return false }
    switch row[1] {
    case .integer(let length): return length >= 0
    case .real(let length): return length >= 0
    case .null, .text, .blob: return false
    }
  }
}
