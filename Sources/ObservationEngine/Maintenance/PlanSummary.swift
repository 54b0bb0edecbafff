extension PlannedQuery {
  /// What its state is made of, in words for the user: `groups of player and team, the first 10`.
  ///
  /// - Complexity: O(tables).
  var summary: String {
    let parts = plans.map(\.summary)
    let distinct = parts.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    var text = distinct.joined(separator: ", and ")
    if plans.count > 1, operators.makesSet { text += ", as a set" }
    if surroundings != nil { text += ", over which the rest of it runs" }
    if let bounds = try? bounds(), let end = bounds.end { text += ", up to the \(end.ordinal)" }
    if !moments.isEmpty { text += ", as of a moment" }
    if !scalars.isEmpty {
      let values = scalars.map(\.summary).reduce(into: [String]()) {
        if !$0.contains($1) { $0.append($1) }
      }
      text += ", with values of SELECTs: \(values.joined(separator: "; "))"
    }
    return text
  }
}

extension MaintenancePlan {
  fileprivate var summary: String {
    let names = sources.leaves.map { sources.tables[$0] }.filter { !$0.isPart }.map(\.id.name)
    let inside = sources.parts.flatMap {
      $0.plan.sources.tables.filter { !$0.isPart }.map(\.id.name)
    }
    let tables = (names + inside).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let list =
      tables.count < 3
      ? tables.joined(separator: " and ")
      : tables.dropLast().joined(separator: ", ") + " and " + tables[tables.count - 1]
    var text =
      switch shape {
      case _ where tables.isEmpty: sources.series.isEmpty ? "one row" : "rows that are in no table"
      case .rows: "rows of \(list)"
      case .groups(let groups) where groups.isWhole: "totals of \(list)"
      case .groups: "groups of \(list)"
      }
    switch method {
    case .terms: break
    case .counted: text += " that LEFT JOIN finds, and those without"
    case .owner(let owner):
      let table = sources.tables[sources.leaves[owner.leaf]]
      text += table.isPart ? " by rows of a part" : " by rows of \(table.id.name)"
    case .partitions: text += " by partitions"
    }
    for (isLimited, lines) in [(false, "groups"), (true, "the first rows")]
    where sources.parts.contains(where: { ($0.plan.limit != nil) == isLimited }) {
      text += ", with \(lines) of a SELECT in FROM"
    }
    if !sources.series.isEmpty, !tables.isEmpty { text += ", with rows that are in no table" }
    return addsUpInOrder ? text + ", with what is added up in SQLite's order" : text
  }
}
