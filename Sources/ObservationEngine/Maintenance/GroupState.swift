/// What is kept of one group: the values of its aggregates, so that changed rows bring them up to date.
struct GroupState: Sendable {
  /// What tells it from all others that there were.
  let id: Int64
  let key: [Value]
  private(set) var rows: Int64 = 0
  /// Those of the aggregates, by their places.
  private var accumulators: [Accumulator]
  /// Its rows in the order in which SQLite visits them, if that is kept: what is added up, and behind it the keys of
  /// that order.
  private var visited: [DeltaTable.Row] = []
  /// The values of its aggregates, where they are needed although its rows stay.
  var aggregates: [Value] = []
  var line: SortedLines.Line?

  /// One without rows.
  init(_ id: Int64, _ key: [Value], _ shape: MaintenancePlan.GroupShape) {
    self.init(id: id, key: key, rows: 0, accumulators: shape.aggregates.map { _ in Accumulator() })
  }

  init(id: Int64, key: [Value], rows: Int64, accumulators: [Accumulator]) {
    (self.id, self.key, self.rows, self.accumulators) = (id, key, rows, accumulators)
  }

  /// Adds a row, or takes it away.
  ///
  /// - Parameter isFilling: Whether it is one of the first state: they come in any order, up to ``didFill(_:)``.
  /// - Returns: How many bytes more the group holds.
  /// - Throws: ``NotMaintainable``.
  /// - Complexity: O(aggregates); where rows are kept in order, O(log rows), and a move of a few words for each row behind it.
  mutating func add(
    _ row: QueryState.EvaluatedRow, _ key: [Value], _ plan: MaintenancePlan,
    _ shape: MaintenancePlan.GroupShape, isFilling: Bool = false
  ) throws -> Int {
    guard self.key == key else {
      throw NotMaintainable("equal values by which it groups are stored in two ways")
    }
    let weight = QueryState.weight(of: row)
    let start = 1 + plan.identityCount + shape.keyCount
    rows += weight
    var bytes = 0
    if plan.addsUpInOrder, let visiting = plan.visiting {
      bytes += try visit(row, visiting, plan, shape, isFilling: isFilling)
    }
    for (index, aggregate) in shape.aggregates.enumerated() {
      guard case .accumulated(let function, let argument) = aggregate else { continue }
      if function.sorts, let argument {
        try QueryState.checkSorted(CollectionOfOne(row[start + argument]), plan)
      }
      bytes -= accumulators[index].byteCount
      accumulators[index].add(
        argument.map { row[start + $0] }, weight: weight, function,
        of: index == shape.carrier ? Self.carriedRow(row, plan, shape) : nil)
      bytes += accumulators[index].byteCount
      // Not only when all rows were read: there can be many.
      if isFilling, !plan.addsUpInOrder, function.addsUp, accumulators[index].dependsOnOrder {
        throw Accumulator.orderMatters
      }
    }
    return bytes
  }

  /// What the aggregate that carries columns must know of a row.
  private static func carriedRow(
    _ row: QueryState.EvaluatedRow, _ plan: MaintenancePlan, _ shape: MaintenancePlan.GroupShape
  ) -> Accumulator.Row? {
    guard !shape.carried.isEmpty else { return nil }
    let keys = 1 + plan.identityCount
    return Accumulator.Row(
      columns: shape.carried.map { row[keys + shape.keyCount + $0] },
      visit: plan.visiting.map { visiting in
        let first = keys - visiting.isDescending.count
        return VisitingOrder.Visit(
          columns: Array(row[first..<keys]), isDescending: visiting.isDescending)
      })
  }

  /// Ends filling.
  mutating func didFill(_ plan: MaintenancePlan) {
    guard plan.addsUpInOrder, let visiting = plan.visiting else { return }
    visited.sort { VisitingOrder.precedes($0.values, $1.values, visiting.isDescending) }
  }

  /// Adds a row to those in the order of visits, or takes it away.
  ///
  /// - Returns: How many bytes more they hold.
  private mutating func visit(
    _ row: QueryState.EvaluatedRow, _ visiting: VisitingOrder, _ plan: MaintenancePlan,
    _ shape: MaintenancePlan.GroupShape, isFilling: Bool
  ) throws -> Int {
    let keys = 1 + plan.identityCount
    let arguments = keys + shape.keyCount
    let visit = DeltaTable.Row(
      weight: 1, rowid: 0,
      values: plan.summands.map { row[arguments + $0] }
        + row[(keys - visiting.isDescending.count)..<keys])
    let bytes = visit.values.reduce(56) { $0 + $1.byteCount }
    if isFilling {
      visited.append(visit)
      return bytes
    }
    var (low, high) = (0, visited.count)
    // Most new rows come last.
    func isVisited(_ row: DeltaTable.Row, before other: DeltaTable.Row) -> Bool {
      VisitingOrder.precedes(row.values, other.values, visiting.isDescending)
    }
    if let last = visited.last, isVisited(last, before: visit) { low = high }
    while low < high {
      let middle = (low + high) / 2
      if isVisited(visited[middle], before: visit) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    switch QueryState.weight(of: row) {
    case 1:
      visited.insert(visit, at: low)
      return bytes
    case -1:
      // Its successor in the same place may have come already.
      while low < visited.count, visited[low].values != visit.values,
        !isVisited(visit, before: visited[low])
      {
        low += 1
      }
      guard low < visited.count, visited[low].values == visit.values else { fallthrough }
      visited.remove(at: low)
      return -bytes
    default: throw NotMaintainable("a row that is gone wasn't known")
    }
  }

  /// The values of the aggregates, and behind them the columns that one carries.
  ///
  /// - Throws: ``NotMaintainable`` when they aren't certain, or what `addUp` throws.
  func values(
    _ plan: MaintenancePlan, _ shape: MaintenancePlan.GroupShape, _ addUp: QueryState.AddUp
  ) throws -> [Value] {
    let areIndependent =
      !plan.addsUpInOrder
      || zip(accumulators, shape.aggregates).allSatisfy { accumulator, aggregate in
        aggregate.function.map(accumulator.isIndependentOfOrder) ?? false
      }
    let sums = areIndependent ? [] : try addUp(visited)
    let values = try shape.aggregates.enumerated().map { index, aggregate in
      if !areIndependent, aggregate.dependsOnOrder { return sums[index] }
      guard let function = aggregate.function else { throw Accumulator.orderMatters }
      return try accumulators[index].value(function)
    }
    guard let carrier = shape.carrier, !shape.carried.isEmpty else { return values }
    return values + (try accumulators[carrier].columns())
  }
}
