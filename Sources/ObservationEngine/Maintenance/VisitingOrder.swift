/// In which order SQLite visits the rows of a query. Where ORDER BY doesn't tell rows apart they are returned in that order,
/// and REAL values add up to other bits in another one.
///
///     SCAN p                                     the rowid of p,
///     SEARCH s USING INDEX sold (player=?)       then the columns of the index, and the rowid of s
///
/// Loops nest, and each follows a b-tree, in one direction or the other. So rows come in the order of the columns of these trees, the outermost
/// first; and GROUP BY leaves them in this order within each group, and ORDER BY those that are tied, because SQLite's sorter
/// is stable.
struct VisitingOrder: Sendable, Equatable {
  /// A column by which a b-tree is sorted.
  struct Column: Sendable, Equatable {
    /// In SQL.
    let name: String
    /// Its place among the columns of the table; `nil` for the rowid.
    let place: Int?
    let isDescending: Bool
    /// How the b-tree compares its texts.
    var collation = Collation.binary
  }

  struct Loop: Sendable, Equatable {
    let leaf: Int
    let columns: [Column]
    /// The name of the b-tree, folded; `nil` for one that isn't in the file.
    var tree: String?

    var reversed: Loop {
      let columns = columns.map {
        Column(
          name: $0.name, place: $0.place, isDescending: !$0.isDescending, collation: $0.collation)
      }
      return Loop(leaf: leaf, columns: columns, tree: tree)
    }
  }

  /// From the outermost to the innermost.
  let loops: [Loop]
  /// The query plan that it follows from. Where a connection has another one, the order may be another.
  let plan: [Step]

  /// A line of EXPLAIN QUERY PLAN.
  struct Step: Sendable, Equatable {
    /// The SELECT that it is a step of.
    enum Place: Sendable, Equatable {
      /// One of those that the statement is, by its number.
      case select(Int)
      /// One in an expression that is evaluated once, by its number among these.
      case scalar(Int)
      /// One in FROM with a result of its own, by its name, which no other has.
      case part(String)
    }

    /// `nil` when it is part of another step.
    var place: Place?
    let text: String

    /// Whether it reads a table that has the name of one of those.
    func reads(_ sources: QuerySources) -> Bool {
      guard let verb = ["SCAN ", "SEARCH "].first(where: { text.hasPrefix($0) }) else {
        return false
      }
      let rest = "\(text.dropFirst(verb.count)) "
      return sources.names.values.contains { rest.hasPrefix("\($0) ") }
    }
  }

  /// Of each column, the outermost first.
  let isDescending: [Bool]
  var collations: [Collation] { loops.flatMap { $0.columns.map(\.collation) } }

  /// When a row is visited: by the columns of an order.
  struct Visit: Sendable, Equatable {
    let columns: [Value]
    let isDescending: [Bool]

    /// Whether the row is visited before another one of the same query.
    func precedes(_ other: Visit) -> Bool {
      VisitingOrder.precedes(columns, other.columns, isDescending)
    }
  }

  /// Whether a row is visited before another one. Both end with the columns of an order.
  static func precedes(_ row: [Value], _ other: [Value], _ isDescending: [Bool]) -> Bool {
    let first = row.count - isDescending.count
    for (index, isDescending) in isDescending.enumerated() {
      let order = row[first + index].compared(to: other[first + index])
      if order != 0 { return isDescending ? order > 0 : order < 0 }
    }
    return false
  }
}

extension VisitingOrder {
  /// An index that SQLite makes of a table while a query runs: the places of its columns, and `nil` for the rowid.
  typealias AutomaticIndex = [Int?]

  /// In which order the rows of a SELECT in FROM come that has groups.
  struct Part: Sendable, Equatable {
    /// That of its steps in the query plan.
    let name: String
    let columns: [Column]

    /// Whether a step is the one above those of this SELECT.
    fileprivate func isMade(by text: String) -> Bool {
      text == "MATERIALIZE \(name)" || text == "CO-ROUTINE \(name)"
    }
  }

  /// Finds the order in a query plan.
  ///
  /// - Parameters:
  ///   - plan: That of the whole query.
  ///   - place: The SELECT that reads the sources.
  ///   - automatic: The indexes that SQLite makes of each table.
  ///   - backwards: The names of the b-trees that are read backwards, folded.
  ///   - parts: The SELECTs in FROM whose order is known, by the places of their tables.
  /// - Throws: ``NotMaintainable`` when a step of the plan isn't certain to follow one b-tree.
  /// - Complexity: O(steps · tables).
  init(
    _ plan: [Step], of place: Step.Place = .select(0), _ sources: QuerySources,
    automatic: [TableID: [AutomaticIndex]] = [:], backwards: Set<String> = [],
    parts: [Int: Part] = [:]
  ) throws {
    guard sources.unions.isEmpty else { throw Self.unknown("UNION ALL in FROM") }
    if let (sorted, alias) = sources.sortedPart,
      let name = try Self.name(of: sorted, alias: alias, in: plan, at: place)
    {
      let inner = try VisitingOrder(
        plan, of: .part(name), sources.withoutSorting, automatic: automatic, backwards: backwards,
        parts: parts)
      // Otherwise an index has its order already, or SQLite leaves it out because of the one around it.
      let isSorted = plan.contains { step in
        step.place == .part(name) && step.text.hasPrefix("USE TEMP B-TREE FOR ")
          && step.text.hasSuffix("ORDER BY")
      }
      self.init((isSorted ? sorted.sorting : []) + inner.loops, plan)
      return
    }
    var loops: [Loop] = []
    for step in plan where step.place == place && !Self.leavesOrder(step.text) {
      if parts.values.contains(where: { $0.isMade(by: step.text) }) { continue }
      guard let loop = try Self.loop(step.text, sources, automatic, parts),
        !Self.followsList(step.text, loop, in: plan)
      else { throw Self.unknown(step.text) }
      loops.append(loop)
    }
    guard loops.map(\.leaf).sorted() == sources.names.keys.sorted() else {
      throw Self.unknown("not every table has a loop")
    }
    guard backwards.allSatisfy({ name in loops.count { $0.tree == name } == 1 }) else {
      throw Self.unknown("it reads backwards")
    }
    loops = loops.map { backwards.contains($0.tree ?? "") ? $0.reversed : $0 }
    self.init(loops, plan)
  }

  private init(_ loops: [Loop], _ plan: [Step]) {
    (self.loops, self.plan) = (loops, plan)
    isDescending = loops.flatMap { $0.columns.map(\.isDescending) }
  }

  /// The name of the step that evaluates a SELECT in FROM, if it has one of its own: then its rows come as it sorts them.
  ///
  /// - Throws: ``NotMaintainable`` when more is read at the place.
  private static func name(
    of sorted: QuerySources.Part, alias: String, in plan: [Step], at place: Step.Place
  ) throws -> String? {
    let steps = plan.filter { $0.place == place && !leavesOrder($0.text) }
    guard let made = steps.first,
      let verb = ["CO-ROUTINE ", "MATERIALIZE "].first(where: { made.text.hasPrefix($0) })
    else { return nil }
    let name = String(made.text.dropFirst(verb.count))
    guard sorted.name.isEmpty ? name.hasPrefix("(subquery-") : name.isExactly(sorted.name),
      steps.count == 2,
      [name, alias].contains(where: { steps[1].text.isExactly("SCAN \($0)") })
    else { throw unknown(made.text) }
    return name
  }

  static func unknown(_ reason: String) -> NotMaintainable {
    NotMaintainable("the order in which it visits rows isn't known (\(reason))")
  }

  /// Whether `(a, b) IN (SELECT …)` may find rows in another order than the index has them: SQLite goes through an index of
  /// the list as that one is sorted, and through a list of its own in the direction of the first column alone.
  private static func followsList(_ text: String, _ loop: Loop, in plan: [Step]) -> Bool {
    let equalities = zip(text.utf8, text.utf8.dropFirst()).count {
      ($0, $1) == (UInt8(ascii: "="), UInt8(ascii: "?"))
    }
    let found = loop.columns.prefix(equalities)
    guard found.count > 1 else { return false }
    return plan.contains { step in
      step.text.hasSuffix(" FOR IN-OPERATOR")
        || step.text.includes("LIST SUBQUERY")
          && found.contains { $0.isDescending != found.first?.isDescending }
    }
  }

  /// The SELECT in FROM that reads sources, if all steps that read a table of these names belong to it.
  static func place(of sources: QuerySources, in plan: [Step]) -> Step.Place? {
    let reading = plan.filter { $0.reads(sources) }
    guard let first = reading.first?.place, case .part = first,
      reading.allSatisfy({ $0.place == first })
    else { return nil }
    return first
  }

  /// The SELECT in FROM of a name; without one that which has none, if there is one such in the plan.
  fileprivate static func place(ofPart name: String, in plan: [Step]) -> Step.Place? {
    guard name.isEmpty else { return .part(name) }
    var found: Set<String> = []
    for step in plan {
      // As SQLite numbers those: `(subquery-2)`.
      if case .part(let name)? = step.place, name.hasPrefix("(subquery-") { found.insert(name) }
    }
    return found.count == 1 ? found.first.map { .part($0) } : nil
  }

  /// Whether a step reads no table of FROM, and keeps rows in their order.
  private static func leavesOrder(_ text: String) -> Bool {
    let harmless = [
      "USE TEMP B-TREE FOR ", "BLOOM FILTER ON ", "SCALAR SUBQUERY ", "CORRELATED SCALAR SUBQUERY ",
      "LIST SUBQUERY ", "CORRELATED LIST SUBQUERY ", "REUSE LIST SUBQUERY ",
    ]
    return harmless.contains { text.hasPrefix($0) }
      || text.hasPrefix("USING ") && text.hasSuffix(" FOR IN-OPERATOR")
  }

  /// - Returns: `nil` when it isn't certain which table it reads, and how.
  private static func loop(
    _ text: String, _ sources: QuerySources, _ automatic: [TableID: [AutomaticIndex]],
    _ parts: [Int: Part]
  ) throws -> Loop? {
    guard let verb = ["SCAN ", "SEARCH "].first(where: { text.hasPrefix($0) }) else { return nil }
    let rest = text.dropFirst(verb.count)
    var found: Loop?
    for (leaf, name) in sources.names {
      let table = sources.tables[sources.leaves[leaf]]
      let own = parts[sources.leaves[leaf]].map { [$0.name] } ?? []
      for spelled in Set([name, "main.\(name)"] + own) where rest.hasPrefix(spelled) {
        var way = rest.dropFirst(spelled.count)
        if way.hasSuffix(" LEFT-JOIN") { way.removeLast(" LEFT-JOIN".count) }
        let loop =
          if table.isPart {
            way.isEmpty
              ? parts[sources.leaves[leaf]].map { Loop(leaf: leaf, columns: $0.columns) } : nil
          } else {
            self.loop(leaf, way, table, automatic[table.id] ?? [])
          }
        guard let loop else { continue }
        // Names that occur twice don't tell what is read.
        guard found == nil else { return nil }
        found = loop
      }
    }
    return found
  }

  /// The loop through the tree that `way` names: ` USING INDEX sold (player=?)`, or nothing for the table itself.
  private static func loop(
    _ leaf: Int, _ way: Substring, _ table: MaintainedTable, _ automatic: [AutomaticIndex]
  ) -> Loop? {
    let rowid = Column(name: table.identity[0], place: nil, isDescending: false)
    func loop(_ index: MaintainedTable.Index?) -> Loop? {
      guard let index, let columns = columns(index, table) else { return nil }
      let name = index.isTable ? table.id.name : index.name
      return Loop(leaf: leaf, columns: columns, tree: name.asciiLowercased)
    }
    if way.hasPrefix(" USING AUTOMATIC ") {
      // Of several, the plan doesn't say which is which. With generated columns, the program numbers columns as they are
      // stored, and has values in registers that belong to other columns as well.
      guard automatic.count == 1, table.keyPlaces.isEmpty, !table.hasGeneratedColumns else {
        return nil
      }
      let columns = automatic[0].map { place in
        guard let place else { return rowid }
        return Column(
          name: table.columns[place].name.quotedIdentifier, place: place, isDescending: false)
      }
      return Loop(leaf: leaf, columns: columns)
    }
    if way.isEmpty || way.hasPrefix(" USING INTEGER PRIMARY KEY (") {
      guard table.keyPlaces.isEmpty else { return loop(table.indexes.first(where: \.isTable)) }
      return Loop(leaf: leaf, columns: [rowid], tree: table.id.name.asciiLowercased)
    }
    if way.hasPrefix(" USING PRIMARY KEY (") {
      return loop(table.indexes.first(where: \.isTable))
    }
    for kind in [" USING INDEX ", " USING COVERING INDEX "] where way.hasPrefix(kind) {
      let named = way.dropFirst(kind.count)
      let candidates = table.indexes.filter {
        named == $0.name || named.hasPrefix("\($0.name) (")
      }
      return candidates.count == 1 ? loop(candidates[0]) : nil
    }
    return nil
  }

  private static func columns(
    _ index: MaintainedTable.Index, _ table: MaintainedTable
  ) -> [Column]? {
    var columns: [Column] = []
    for column in index.columns {
      switch column.content {
      case .rowid:
        columns.append(
          Column(name: table.identity[0], place: nil, isDescending: column.isDescending))
      case .column(let place):
        guard let collation = column.collation, table.columns[place].collation != nil else {
          return nil
        }
        columns.append(
          Column(
            name: table.columns[place].name.quotedIdentifier, place: place,
            isDescending: column.isDescending, collation: collation))
      case .expression: return nil
      }
    }
    return columns
  }
}

extension QuerySources.StatePart {
  /// The place of its steps in a query plan; `nil` when it isn't certain.
  func place(in plan: [VisitingOrder.Step]) -> VisitingOrder.Step.Place? {
    VisitingOrder.place(ofPart: name, in: plan)
  }
}

extension QuerySources.SeriesPart {
  /// The same.
  func place(in plan: [VisitingOrder.Step]) -> VisitingOrder.Step.Place? {
    VisitingOrder.place(ofPart: name, in: plan)
  }
}

extension Connection {
  /// How SQLite would run a query.
  ///
  ///     MERGE (UNION ALL)       of several SELECTs; or COMPOUND QUERY, LEFT-MOST SUBQUERY, UNION ALL
  ///       LEFT
  ///         SCAN player         a step of the first
  ///       RIGHT
  ///         SCAN bot            a step of the second
  ///
  ///     SCALAR SUBQUERY 2       those of SELECTs in expressions, which are numbered as they stand in the SQL
  ///       SCAN team
  ///     MATERIALIZE totals      or CO-ROUTINE: those of SELECTs in FROM
  ///       SCAN player
  ///
  /// - Throws: `DatabaseError` when the query does not compile.
  func queryPlan(of sql: String) throws(DatabaseError) -> [VisitingOrder.Step] {
    let branchings: Set<Value> = [
      "COMPOUND QUERY", "LEFT-MOST SUBQUERY", "UNION ALL", "MERGE (UNION ALL)", "LEFT", "RIGHT",
    ]
    // The lines below which SELECTs stand, and the number of the one whose steps are below a line.
    var branches: Set<Value> = [0]
    var selects: [Value: Int] = [:]
    var scalars: [Value: Int] = [:]
    var parts: [Value: String] = [:]
    let steps = try fetch(engine: "EXPLAIN QUERY PLAN " + sql).map { row -> VisitingOrder.Step in
      guard row.count == 4, case .text(let text) = row[3] else { return .init(text: "") }
      let prefix = "SCALAR SUBQUERY "
      if text.hasPrefix(prefix), let number = Int(text.dropFirst(prefix.count)) {
        scalars[row[0]] = number
      }
      for prefix in ["MATERIALIZE ", "CO-ROUTINE "] where text.hasPrefix(prefix) {
        parts[row[0]] = String(text.dropFirst(prefix.count))
      }
      if let part = parts[row[1]] { return .init(place: .part(part), text: text) }
      if let scalar = scalars[row[1]] { return .init(place: .scalar(scalar), text: text) }
      guard branches.contains(row[1]) else { return .init(text: text) }
      if branchings.contains(row[3]) {
        branches.insert(row[0])
        return .init(text: text)
      }
      let select = selects[row[1]] ?? selects.count
      selects[row[1]] = select
      return .init(place: .select(select), text: text)
    }
    let numbers = Set(scalars.values).sorted()
    return steps.map { step in
      switch step.place {
      case .scalar(let number)?:
        .init(place: numbers.firstIndex(of: number).map { .scalar($0) }, text: step.text)
      case .part(let name)?:
        .init(
          place: parts.values.count { $0.isExactly(name) } == 1 ? step.place : nil, text: step.text)
      default: step
      }
    }
  }

  /// The indexes that SQLite makes of tables while it runs a query, as its program fills them.
  ///
  ///     OpenAutoindex 3 k(3,,,)        Column 0 2 r13      Column 0 3 r14      Rowid 0 r15      MakeRecord r13 3      IdxInsert 3
  func automaticIndexes(
    _ sql: String
  ) throws(DatabaseError) -> [TableID: [VisitingOrder.AutomaticIndex]] {
    var tables: [Int64: TableID] = [:]
    for case (let declaration, let root?) in try SchemaReader(self).trees(in: "main")
    where declaration.kind == .table {
      tables[Int64(root)] = TableID(name: declaration.name)
    }
    var found: [TableID: [VisitingOrder.AutomaticIndex]] = [:]
    var opened: [Int64: TableID] = [:]
    /// The index that is being filled: its table's cursor, and what each register has.
    var filling: (index: Int64, cursor: Int64?, registers: [Int64: Int?], record: Range<Int64>)?
    var isBinary = true
    for row in try fetch(engine: "EXPLAIN " + sql) where row.count > 5 {
      guard case .text(let operation) = row[1], case .integer(let p1) = row[2],
        case .integer(let p2) = row[3], case .integer(let p3) = row[4]
      else { continue }
      switch operation {
      case "OpenRead": opened[p1] = p3 == 0 ? tables[p2] : nil
      case "OpenAutoindex":
        filling = (p1, nil, [:], 0..<0)
        // It is sorted by the collations of the comparisons for which it is made; `B` or nothing is BINARY.
        isBinary =
          if case .text(let key) = row[5] {
            key.dropLast().split(separator: ",").dropFirst().allSatisfy { $0 == "B" }
          } else {
            false
          }
      case "Column" where filling != nil && filling!.cursor ?? p1 == p1:
        filling!.cursor = p1
        filling!.registers[p3] = .some(Int(p2))
      case "Rowid" where filling != nil && filling!.cursor ?? p1 == p1:
        filling!.cursor = p1
        filling!.registers[p2] = .some(nil)
      case "MakeRecord" where filling != nil: filling!.record = p1..<(p1 + p2)
      case "IdxInsert" where filling?.index == p1:
        let columns = filling!.record.compactMap { filling!.registers[$0] }
        if let cursor = filling!.cursor, let table = opened[cursor] {
          // What isn't recognised has no columns, and so no order.
          let isKnown =
            isBinary && columns.count == filling!.record.count && columns.last == .some(nil)
          found[table, default: []] += isKnown ? [columns] : [[], []]
        }
        filling = nil
      default: break
      }
    }
    return found
  }

  /// The b-trees that the program of a query goes through backwards, by their names, folded.
  ///
  /// - Returns: `nil` when it isn't certain that it goes through each of them backwards alone.
  func treesReadBackwards(_ sql: String) throws(DatabaseError) -> Set<String>? {
    let program = try fetch(engine: "EXPLAIN " + sql).filter { $0.count > 4 }
    var roots: [Value: Value] = [:]
    var areOfOneFile = true
    for row in program where row[1] == "OpenRead" || row[1] == "ReopenIdx" {
      roots[row[2]] = row[3]
      if row[4] != 0 { areOfOneFile = false }
    }
    // ORDER BY with LIMIT goes through its own result backwards, which has no part in it.
    let backwards: Set<Value> = ["Last", "Prev", "SeekLE", "SeekLT"]
    let cursors = Set(
      program.filter { backwards.contains($0[1]) && roots[$0[2]] != nil }.map { $0[2] })
    guard !cursors.isEmpty else { return [] }
    let found = cursors.compactMap { roots[$0] }
    guard areOfOneFile, found.allSatisfy({ root in roots.values.count { $0 == root } == 1 }) else {
      return nil
    }
    let names = try SchemaReader(self).trees(in: "main").compactMap { declaration, root in
      root.flatMap { found.contains(.integer(Int64($0))) ? declaration.name.asciiLowercased : nil }
    }
    return names.count == found.count ? Set(names) : nil
  }
}
