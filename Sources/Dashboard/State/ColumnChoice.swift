/// Which columns of a result a panel shows, and in which order.
struct ColumnChoice: Sendable, Equatable {
  /// All columns of the result, in the order shown.
  private(set) var order: [Int] = []
  private(set) var hidden: Set<Int> = []

  /// Every column except hidden ones, in the order of the query.
  init(_ columns: [ColumnSummary] = []) {
    order = Array(columns.indices)
    hidden = Set(columns.indices.filter { columns[$0].format == .hidden })
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
