/// How a panel shows its result: the words that `-- view:` takes.
package enum ViewKind: String, Sendable, CaseIterable {
  case table
  case number
  case bar
  case line
  case sparkline
  case gauge
  case histogram
  case log

  /// Whether this version draws it; a dashboard may name the others, and gets tables.
  package var isDrawn: Bool {
    switch self {
    case .table, .number, .bar: true
    case .line, .sparkline, .gauge, .histogram, .log: false
    }
  }
}
