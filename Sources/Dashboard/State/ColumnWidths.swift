/// The planned widths of a result's columns: wide enough, but not changing with every value.
///
/// A column grows immediately. It shrinks only after it was too wide for ``patience`` results in a
/// row, and then to the widest of those.
struct ColumnWidths: Sendable, Equatable {
  /// For how many results a column stays wider than necessary.
  static let patience = 50

  fileprivate struct Column: Equatable {
    var width: Int
    /// The widest since the column last shrank or filled, and how many results ago that was.
    var recent = 0
    var unfilled = 0
  }

  private var columns: [Column] = []

  /// Returns the widths to use for a result with these required widths.
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
