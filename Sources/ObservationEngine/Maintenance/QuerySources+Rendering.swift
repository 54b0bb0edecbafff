/// The SQL of a query's sources, in which changed rows stand for some of their tables, or one has some of its rows alone.
extension QuerySources {
  /// Of which rows alone SQL is rendered.
  enum Restriction {
    /// Those of a leaf whose keys its changed rows have.
    case owner(Int)
    /// Those of the partitions in a table of this name.
    case partitions(String)
  }

  /// What LEFT JOIN finds.
  enum Finding {
    case asWritten
    /// Rows for which it finds none are left out.
    case matches
    /// Nothing, whatever there is; for the rows alone whose keys of some leaves are in a table, if one is named.
    case nothing(among: (leaves: [Int], table: String)?)
  }

  /// What is behind SELECT's list, and what the list can refer to.
  struct Rendered {
    let from: String
    /// The weight of each leaf that is replaced.
    fileprivate(set) var weights: [Int: String] = [:]
    fileprivate(set) var identities: [Int: [String]] = [:]
    /// The columns by which each leaf is visited.
    fileprivate(set) var visits: [Int: [String]] = [:]
    /// What tells the partition of a row from all others, and whether the row is in doubt.
    fileprivate(set) var partition: [String] = []

    /// What tells a row from all others.
    var identity: [String] { identities.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// The columns of an order, the outermost first.
    func visits(_ order: VisitingOrder) -> [String] {
      var rest = visits.mapValues { $0[...] }
      return order.loops.flatMap { loop -> ArraySlice<String> in
        let own = rest[loop.leaf]?.prefix(loop.columns.count) ?? []
        rest[loop.leaf]?.removeFirst(own.count)
        return own
      }
    }

    /// Where that of a leaf's row stands in it.
    func place(of leaf: Int) -> Int {
      identities.filter { $0.key < leaf }.reduce(0) { $0 + $1.value.count }
    }
  }

  /// The tables that SQL reads which was rendered so.
  func tables(replacing replaced: Leaves) -> Set<TableID> {
    Set(
      leaves.enumerated().filter { isRead($0.offset, replacing: replaced) }.map { leaf, table in
        let table = tables[table]
        return replaced & (1 << leaf) == 0
          ? table.rowsID : TableID(name: DeltaTable.name(for: table.id))
      })
  }

  /// The sources, with the changed rows in place of some of them.
  ///
  /// - Complexity: O(length).
  func render(
    replacing leaves: Leaves, restrictedTo restriction: Restriction? = nil,
    finding: Finding = .asWritten
  ) -> Rendered {
    render(root, leaves, restriction, finding)
  }

  /// What the SELECT that has window functions reads, with the changed rows in place of some leaves.
  func renderPartitioned(replacing leaves: Leaves) -> Rendered {
    render(windowed ?? root, leaves, nil)
  }

  private func render(
    _ part: Part, _ replaced: Leaves, _ restriction: Restriction?, _ finding: Finding = .asWritten
  ) -> Rendered {
    var from = part.members.isEmpty ? "" : " FROM "
    var conditions = filter(part, replaced, restriction).map { [$0] } ?? []
    var (weights, identities) = ([Int: String](), [Int: [String]]())
    var visits: [Int: [String]] = [:]
    var partition = part.partitions.map { $0.columns + [$0.doubt] } ?? []
    if let partitions = part.partitions, case .partitions(let table)? = restriction {
      conditions.append(partitions.isIn(table))
    }
    for member in part.members {
      let name = member.name.quotedIdentifier
      var (before, behind) = (member.before, member.behind)
      switch finding {
      case .matches where member.isOptional: before = " JOIN "
      case .nothing where member.isOptional: behind = " ON 0"
      case .asWritten, .matches, .nothing: break
      }
      from += before
      switch member.node {
      case .leaf(let leaf):
        let table = tables[leaves[leaf]]
        if replaced & (1 << leaf) == 0 {
          from += table.sqlName
        } else {
          from += DeltaTable.name(for: table.id).quotedIdentifier
          weights[leaf] = "\(name).\(DeltaTable.weightColumn.quotedIdentifier)"
        }
        identities[leaf] = table.identity.map { "\(name).\($0)" }
        visits[leaf] = self.visits[leaf]?.map { "\(name).\($0)" }
        if case .owner(leaf)? = restriction { conditions.append(self.restriction(of: leaf, name)) }
      case .part(let inner):
        let (sql, outer) = select(inner, render(inner, replaced, restriction), as: name)
        from += "(\(sql))"
        weights.merge(outer.weights) { $1 }
        identities.merge(outer.identities) { $1 }
        visits.merge(outer.visits) { $1 }
        partition += outer.partition
      case .union(let union):
        var selects: [String] = []
        for number in union.read(replacing: replaced) {
          let inner = union.parts[number]
          var rendered = render(inner, replaced, restriction)
          rendered.identities = [union.firstLeaf: union.identity(rendered.identity, of: number)]
          let (sql, outer) = select(inner, rendered, as: name)
          selects.append(sql)
          weights.merge(outer.weights) { $1 }
          identities.merge(outer.identities) { $1 }
        }
        from += "(\(selects.joined(separator: " UNION ALL ")))"
      }
      from += " AS \(name)\(behind)"
    }
    if case .nothing(let keys?) = finding {
      conditions.append(Self.isIn(keys.leaves.flatMap { identities[$0] ?? [] }, keys.table))
    }
    if conditions.count == 1 { from += " WHERE \(conditions[0])" }
    if conditions.count > 1 {
      from += " WHERE \(conditions.map { "(\($0))" }.joined(separator: " AND "))"
    }
    return Rendered(
      from: from, weights: weights, identities: identities, visits: visits, partition: partition)
  }

  /// A SELECT in FROM with what tells its rows apart, and how that is called around it.
  private func select(
    _ part: Part, _ rendered: Rendered, as name: String
  ) -> (sql: String, outer: Rendered) {
    var outputs = part.outputs
    func take(_ column: String, as kind: String) -> String {
      let inner = "livequery \(kind)".quotedIdentifier
      outputs.append("\(column) AS \(inner)")
      return "\(name).\(inner)"
    }
    func take(_ columns: [String], as kind: String) -> [String] {
      columns.enumerated().map { take($1, as: "\(kind) \($0)") }
    }
    func takeByLeaf<Columns>(
      _ columns: [Int: Columns], as kind: String, _ take: (Columns, String) -> Columns
    ) -> [Int: Columns] {
      columns.sorted { $0.key < $1.key }.reduce(into: [:]) {
        $0[$1.key] = take($1.value, "\(kind) \($1.key)")
      }
    }
    let outer = Rendered(
      from: "", weights: takeByLeaf(rendered.weights, as: "weight") { take($0, as: $1) },
      identities: takeByLeaf(rendered.identities, as: "key") { take($0, as: $1) },
      visits: takeByLeaf(rendered.visits, as: "visit") { take($0, as: $1) },
      partition: take(rendered.partition, as: "partition"))
    return ("SELECT \(outputs.joined(separator: ", "))\(rendered.from)", outer)
  }

  /// WHERE, in which lists have only what can equal an operand in the owner's rows.
  private func filter(_ part: Part, _ replaced: Leaves, _ restriction: Restriction?) -> String? {
    if replaced != 0, !part.failingTerms.isEmpty, let filter = part.filter {
      // CASE evaluates its condition, which never holds, before the rest; AND and OR needn't evaluate all terms.
      let types = part.failingTerms.map { "typeof(\($0))" }.joined(separator: " || ")
      return "CASE WHEN \(types) = '' THEN 0 ELSE (\(filter)) END"
    }
    guard case .owner(let owner)? = restriction, let select = part.select,
      let filter = select.filter
    else { return part.filter }
    return select.text(filter, inserting: part.lists.compactMap { insertion(in: $0, owner) })
  }

  private func insertion(in list: List, _ owner: Int) -> SelectText.Insertion? {
    guard let path = dependencies.path(from: list.operand.leaf, to: owner) else { return nil }
    // The owner's rows are the fewest.
    let tables = path.reversed().map { "\(self.tables[leaves[$0]].sqlName) AS \"k\($0)\"" }
    let conditions =
      dependencies.conditions(path) + [restriction(of: owner, "\"k\(owner)\"")]
    return list.select.inserting(
      """
      \(list.column) IN (SELECT \(list.operand.text) FROM \(tables.joined(separator: " CROSS JOIN ")) \
      WHERE \(conditions.joined(separator: " AND ")))
      """)
  }

  private func restriction(of leaf: Int, _ name: String) -> String {
    let table = tables[leaves[leaf]]
    let delta = DeltaTable.name(for: table.id).quotedIdentifier
    return Self.isIn(table.identity.map { "\(name).\($0)" }, table.identity, of: delta)
  }

  /// SQL that holds for rows of which a table has the columns, in its own ones: `c0`, ….
  static func isIn(_ columns: [String], _ table: String) -> String {
    isIn(columns, columns.indices.map { "c\($0)" }, of: table.quotedIdentifier)
  }

  private static func isIn(_ columns: [String], _ others: [String], of table: String) -> String {
    let list = columns.joined(separator: ", ")
    let places = others.joined(separator: ", ")
    return "\(columns.count == 1 ? list : "(\(list))") IN (SELECT \(places) FROM \(table))"
  }

  /// The SQL that finds the rows of `owner` that the changed rows of another leaf concern; `nil` when that can be any.
  func dirtySQL(from leaf: Int, to owner: Int) -> String? {
    guard let path = dependencies.path(from: leaf, to: owner), path.count > 1 else { return nil }
    let tables = path.map { place in
      let table = self.tables[leaves[place]]
      let name =
        place == leaf ? DeltaTable.name(for: table.id).quotedIdentifier : table.sqlName
      return "\(name) AS \"k\(place)\""
    }
    let keys = self.tables[leaves[owner]].identity.map { "\"k\(owner)\".\($0)" }
    return """
      SELECT DISTINCT \(keys.joined(separator: ", ")) \
      FROM \(tables.joined(separator: " CROSS JOIN ")) \
      WHERE \(dependencies.conditions(path).joined(separator: " AND "))
      """
  }
}
