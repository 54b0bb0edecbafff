/// A chart's data, computed when the result arrives: drawing a million rows takes no longer than
/// drawing a few thousand.
enum ChartData: Sendable, Equatable {
  case series(SeriesSet)
  case bins(Bins, column: Int)
  /// A bar for each row, in order: the label's column, and the number's.
  case categories(label: Int?, value: Int)
  /// That of a kind of view that no other code names.
  case other(any ChartValue)

  static func == (left: ChartData, right: ChartData) -> Bool {
    switch (left, right) {
    case (.series(let left), .series(let right)): left == right
    case (.bins(let left, let column), .bins(let right, let other)):
      left == right && column == other
    case (.categories(let label, let value), .categories(let other, let number)):
      label == other && value == number
    case (.other(let left), .other(let right)): left.equals(right)
    default: false
    }
  }
}

/// Data of a chart that only its own view reads.
protocol ChartValue: Sendable, Equatable {}

extension ChartValue {
  fileprivate func equals(_ other: any ChartValue) -> Bool { other as? Self == self }
}
