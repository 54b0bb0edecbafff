/// Which columns of a result a panel shows, and in which order.
struct ColumnChoice: Sendable, Equatable {
  /// All columns of the result, in the order shown.
  private(set) var order: [Int] = []
  private(set) var hidden: Set<Int> = []

  /// Every column except hidden ones, in the order of the query.
  init(_ columns: [ColumnSummary] = []) {
    order = Array(columns.indices)
    hidden = Set(columns.indices.filter { columns[$0].format?.isHidden == true })
    // A table needs a visible column.
    if hidden.count == columns.count { hidden = [] }
  }

  /// The visible columns, in their order.
  var visible: [Int] { order.filter { !hidden.contains($0) } }

  /// Hides the column at this index of ``order``, or shows it again; the last one stays.
  mutating func toggle(at place: Int) {
    guard order.indices.contains(place) else { return }
    let column = order[place]
    if hidden.remove(column) == nil, visible.count > 1 { hidden.insert(column) }
  }

  /// Swaps a column with its neighbour; returns its new index.
  mutating func move(at place: Int, by step: Int) -> Int {
    let other = place + step
    guard order.indices.contains(place), order.indices.contains(other) else { return place }
    order.swapAt(place, other)
    return other
  }
}

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
