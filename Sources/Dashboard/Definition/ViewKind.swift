/// How a panel shows its result: the words of `-- view:`.
package enum ViewKind: String, Sendable, CaseIterable {
  case table
  case number
  case bar
  case line
  case sparkline
  case gauge
  case histogram
  case log

  /// The options that may follow the word, as in `gauge min=0 max=0.1`.
  package var options: [ViewOptions.Key] {
    switch self {
    case .table, .number: []
    case .bar: [.max]
    case .line: [.x, .y, .min, .max]
    case .sparkline: [.y, .min, .max]
    case .gauge: [.min, .max, .warn, .crit]
    case .histogram: [.y, .bins]
    case .log: [.newest]
    }
  }

  /// Whether it draws the points of a series, which are prepared when a result arrives.
  var isChart: Bool { self == .line || self == .sparkline || self == .histogram }
}
