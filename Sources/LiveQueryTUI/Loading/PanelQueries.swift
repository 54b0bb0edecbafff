import Dashboard
import ObservationEngine

extension PanelDefinition {
  /// The panel's query with the values of `--param`.
  func query(_ parameters: [String: Value]) -> Query<RowSet> {
    .rows(SQL(raw: sql), QueryArguments(named: parameters))
  }
}

extension RowSet {
  /// Whether the first value is true, as SQLite's WHERE sees it.
  var isTrue: Bool {
    switch rows.first?.first {
    case .integer(let number): number != 0
    case .real(let number): number != 0
    case .text(let text): (Double(text.prefix { "+-.0123456789eE".contains($0) }) ?? 0) != 0
    case .null, .blob, .date, nil: false
    }
  }
}
