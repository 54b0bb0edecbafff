/// In which order SQLite returns groups that ORDER BY doesn't tell apart: in that of what it groups by.
struct GroupOrder: Sendable {
  /// Of each term of GROUP BY.
  let isDescending: [Bool]
  /// The query plan that it follows from.
  let plan: [VisitingOrder.Step]

  /// - Parameters:
  ///   - plan: That of the whole query.
  ///   - place: The SELECT that groups.
  ///   - visiting: The order in which its rows are visited.
  /// - Returns: `nil` when it isn't certain.
  /// - Throws: What `visiting` throws.
  init?(
    _ plan: [VisitingOrder.Step], of place: VisitingOrder.Step.Place, _ select: SelectText,
    _ sources: QuerySources, _ visiting: () throws -> VisitingOrder
  ) rethrows {
    self.plan = plan
    guard !select.groups.isEmpty, !select.isDistinct,
      // SQLite sorts the groups by what it says.
      select.order.allSatisfy({ $0.nulls == nil })
    else { return nil }
    if plan.contains(where: { $0.place == place && $0.text == "USE TEMP B-TREE FOR GROUP BY" }) {
      // SQLite sorts them for the ORDER BY where both have as many terms, even if these are others (`sqlite3Select`).
      isDescending =
        select.order.count == select.groups.count
        ? select.order.map(\.isDescending) : select.groups.map { _ in false }
      return
    }
    // They come as they are visited: by one key, or by several in an order that an index has.
    guard select.groups.count == 1 else { return nil }
    let order = try visiting()
    if let outermost = order.loops.first, let column = outermost.columns.first,
      let key = sources.resolve(select.groups[0], [sources.scope]), key.leaf == outermost.leaf,
      key.place == column.place
    {
      isDescending = [column.isDescending]
    } else {
      guard !order.isDescending.contains(true) else { return nil }
      isDescending = [false]
    }
  }
}
