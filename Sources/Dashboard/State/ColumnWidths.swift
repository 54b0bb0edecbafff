/// How wide the columns of a result are planned: wide enough, and not changing with every value.
///
/// A column grows at once. It shrinks only when it was too wide for ``patience`` results in a row, and
/// then to what the widest of those needed.
struct ColumnWidths: Sendable, Equatable {
  /// How many results a column stays wider than it has to be.
  static let patience = 50

  fileprivate struct Column: Equatable {
    var width: Int
    /// The widest since the column was last filled, and how many results that is ago.
    var recent = 0
    var unfilled = 0
  }

  private var columns: [Column] = []

  /// Takes the widths that a result needs, and returns those to use.
  mutating func settle(_ needed: [Int], isReset: Bool) -> [Int] {
    if isReset || needed.count != columns.count {
      columns = needed.map { Column(width: $0) }
      return needed
    }
    for index in columns.indices {
      columns[index].take(needed[index])
    }
    return columns.map(\.width)
  }
}

extension ColumnWidths.Column {
  fileprivate mutating func take(_ needed: Int) {
    guard needed < width else {
      self = Self(width: needed)
      return
    }
    recent = max(recent, needed)
    unfilled += 1
    if unfilled >= ColumnWidths.patience { self = Self(width: recent) }
  }
}
