/// How the result of one SELECT is kept up to date: what is read of each changed row, and what becomes of it.
///
///     user's SQL ──▶ SelectText ──▶ MaintenancePlan ──▶ deltaSQL   of the changed rows, old and new
///                                                   └─▶ stateSQL   of all rows, once
///
/// Both are the user's own expressions in another SELECT list; SQLite alone evaluates them. The delta reads a
/// ``DeltaTable`` in place of a table. Every row of either has, in this order: its weight (1 or -1), and for
/// ``Shape/rows`` the keys of the rows that it is made of, the order keys and the columns of the result; for
/// ``Shape/groups`` the group keys and the arguments of the aggregates.
///
/// A query is linear in each table that it reads. With Δ for the rows that come (weight 1) and go (-1), and all other
/// tables as they are now, what changes in a join of A and B is ΔA ⋈ B + A ⋈ ΔB − ΔA ⋈ ΔB; with more tables that have
/// changed, each set of them is a term, and its sign is that of an odd number. So a commit to one table is one SELECT.
///
/// One LEFT JOIN of groups is the inner join, and a row for each one that it finds nothing for: these are known by counting.
/// Otherwise LEFT JOIN and SELECTs in expressions aren't linear. Then one table is the owner of the rows: what changed in any
/// table leads to the owner's rows that it can concern (``Dependencies``), and the query of these rows alone runs again.
/// Window functions aren't linear either: what changed leads to partitions, which are evaluated again.
struct MaintenancePlan: Sendable {
  /// How changed rows become rows that come and go.
  enum Method: Sendable {
    /// Each set of changed leaves is a term.
    case terms
    case counted(CountedJoin)
    case owner(Owner)
    case partitions(Partitions)
  }

  /// The last member of FROM, if that is the only LEFT JOIN. What it finds for each row before it is counted, so that it is
  /// known when the first one comes and when the last one goes.
  ///
  ///     FROM customer AS c LEFT JOIN sale AS s ON s.customer = c.id
  ///          the inner join: a term for each set of changed leaves, c and s
  ///          c alone, where the count is or was 0: a term for each set of changed leaves but s; and the rows whose count
  ///          became 0, or was
  struct CountedJoin: Sendable {
    /// The leaf behind it.
    let leaf: Int
    /// Which of the keys of a row are those of the row before it.
    let places: Range<Int>
    /// Returns these keys, and how many rows it finds for them.
    let countSQL: String
    /// Reads the rows whose keys are in ``keyTable(_:)`` as if it found nothing.
    let keyedSQL: String
  }

  /// The table that has keys of so many columns for SQL to read.
  static func keyTable(_ count: Int) -> TableID { TableID(name: "\(count) keys of lines") }

  /// The partitions of window functions that are evaluated again.
  struct Partitions: Sendable {
    /// Which of the keys of a row are those of its partition; the one behind them is 1 for a row in doubt.
    let places: Range<Int>
    /// Has the partitions to read.
    let table: TableID
    /// Reads what becomes of their rows.
    let sql: String
  }

  /// The leaf whose rows are evaluated again.
  struct Owner: Sendable {
    let leaf: Int
    /// Which of the keys of a row are its own.
    let places: Range<Int>
    /// Reads what becomes of its changed rows.
    let sql: String
    /// Finds its rows that the changed rows of another leaf concern.
    let dirtySQL: [Int: String]
  }

  /// What the state is made of.
  enum Shape: Sendable {
    case rows
    case groups(GroupShape)
  }

  /// How groups become rows of the result.
  struct GroupShape: Sendable {
    /// Where a value comes from.
    indirect enum Source: Sendable, Equatable {
      case key(Int)
      case aggregate(Int)
      /// Of what ``GroupShape/carrier`` returns of its row.
      case carried(Int)
      /// A column of ``finishSQL``.
      case expression(Int)
      /// 1 if another is NULL, otherwise 0.
      case isNull(Source)
    }

    /// Keys that the SQL doesn't group by, but which are the same for all rows of a group.
    struct Determined: Sendable {
      /// How many keys, which come before them, the SQL groups by.
      let groupedCount: Int
      /// Why the query runs if rows of a group differ in them.
      let refusal: NotMaintainable
    }

    var keyCount = 0
    /// Of the keys that the SQL groups by.
    var keyCollations: [Collation] = []
    var determined: Determined?
    /// Whether there is one group, even without rows.
    var isWhole: Bool { keyCount == 0 }
    var aggregates: [Aggregate] = []
    /// The only aggregate that is `min` or `max`: columns that aren't grouped are those of its row.
    var carrier: Int?
    /// These columns, by their places among the arguments.
    var carried: [Int] = []
    var outputs: [Source] = []
    var order: [Source] = []
    /// Of the terms of the order.
    var orderCollations: [Collation] = []
    /// The column of ``finishSQL`` that says whether HAVING lets a group through.
    var having: Int?
    /// Computes the expressions over aggregates and keys: one row, from the aggregates as parameters behind all others, and
    /// from ``finishTable``.
    var finishSQL: String?
    /// Has the keys and carried columns that it reads, which are these, in one row.
    var finishTable: MaintainedTable?
    var finished: [(source: Source, column: QuerySources.GroupColumn)] = []
    /// Whether it does so from moments or scalar subqueries as well.
    var finishesStandIns = false

    /// The arguments of aggregates that can depend on the order of the rows, each once.
    fileprivate var summands: [Int] {
      aggregates.reduce(into: []) { summands, aggregate in
        for argument in aggregate.argumentsInOrder where !summands.contains(argument) {
          summands.append(argument)
        }
      }
    }

    /// Whether an aggregate depends on the order of the rows, whatever their values are.
    fileprivate var collects: Bool { aggregates.contains { $0.function == nil } }
  }

  /// An aggregate that SQLite computes of all rows of a group: `group_concat(name, ', ')`.
  struct Collection: Sendable {
    /// SQL with an argument, by its place, behind each text but the last.
    private var texts: [String]
    private(set) var arguments: [Int] = []

    init(_ text: String) { texts = [text] }

    mutating func append(_ text: String = "", argument: Int, _ rest: String = "") {
      append(text)
      arguments.append(argument)
      texts.append(rest)
    }

    mutating func append(_ text: String) { texts[texts.count - 1] += text }

    /// - Parameter column: The SQL of an argument.
    func sql(_ column: (Int) -> String) -> String {
      zip(texts, arguments.map(column) + [""]).map { $0 + $1 }.joined()
    }
  }

  enum Aggregate: Sendable {
    /// One that an ``Accumulator`` follows, and its argument's place among the arguments; `nil` for `count(*)`.
    case accumulated(Function, argument: Int?)
    case collected(Collection)

    enum Function: String, Sendable {
      case count, sum, avg, total, min, max
      case distinctCount = "count distinct"

      /// Whether REAL values make it depend on the order of the rows.
      var addsUp: Bool { self == .sum || self == .avg || self == .total }
      /// Whether it compares the values, and by itself may take them as sorted.
      var sorts: Bool { self == .min || self == .max || self == .distinctCount }
    }

    /// `nil` for what SQLite computes of all rows.
    var function: Function? {
      if case .accumulated(let function, _) = self { function } else { nil }
    }

    /// Whether it can depend on the order of the rows.
    var dependsOnOrder: Bool { function?.addsUp ?? true }

    /// Its arguments, if it can depend on the order of the rows.
    fileprivate var argumentsInOrder: [Int] {
      switch self {
      case .accumulated(let function, let argument?) where function.addsUp: [argument]
      case .accumulated: []
      case .collected(let collection): collection.arguments
      }
    }

    /// Computes it of rows in their order; `nil` where that doesn't matter.
    ///
    /// - Parameter column: The SQL of an argument.
    fileprivate func sql(_ column: (Int) -> String) -> String? {
      switch self {
      case .accumulated(let function, let argument?) where function.addsUp:
        "\(function.rawValue)(\(column(argument)))"
      case .accumulated: nil
      case .collected(let collection): collection.sql(column)
      }
    }
  }

  let sources: QuerySources
  let method: Method
  let shape: Shape
  /// In which order SQLite visits the rows, where that is known and may matter.
  let visiting: VisitingOrder?
  /// Whether the rows of each group are kept in that order, for sums that depend on it.
  let addsUpInOrder: Bool
  /// The query plan from which the order of tied lines follows; `nil` when it isn't known.
  let tiePlan: [VisitingOrder.Step]?
  /// The arguments of aggregates that can depend on the order of the rows, each once.
  let summands: [Int]
  /// What the state is filled from in place of all rows, where that can suffice.
  let totals: GroupTotals?
  /// How many columns of each row are keys of rows, the order, and the result.
  let identityCount: Int
  let orderCount: Int
  let outputCount: Int
  let isDescending: [Bool]
  /// How many columns of the order are the statement's own; those behind them break ties.
  private(set) var sortedCount: Int
  /// The collations other than BINARY of the columns by which rows are sorted or visited, by their places behind the weight.
  let collations: [Int: Collation]
  /// Whether a column of the result may not be compared by BINARY.
  let hasCollatedOutputs: Bool
  /// Whether SQLite may not sort by all terms of the ORDER BY, because of a loose equation.
  let isSortedLoosely: Bool
  /// The leaf whose rows are evaluated again for all lines when a moment or a scalar subquery changes, and the place of
  /// its identity among those of a line; `nil` when no column is computed from these.
  let computing: (leaf: Int, place: Int)?
  /// Whether another SELECT reads its groups.
  let isPart: Bool
  /// How many parameters its SQL knows: a view has none, whatever the statement around it has.
  let parameterCount: Int
  /// The SQL of the moments that the state is as of.
  let moments: [String]
  /// How many of the parameters, the last ones, stand for moments and scalar subqueries.
  let standInCount: Int
  /// How many columns the rows of both have.
  let columnCount: Int
  /// The rows of the result that are returned, of all in order.
  let limit: SelectText.Bound?
  let offset: SelectText.Bound?
  /// The columns whose texts SQLite's date functions read.
  let timeColumns: Set<String>
  /// The deltas of one leaf each.
  private let leafSQL: [String]
  private let list: String

  /// The query plan from which values follow that its groups have, or those of a part.
  var visitingPlan: [VisitingOrder.Step]? {
    (addsUpInOrder || carriesColumns ? visiting?.plan : nil)
      ?? sources.parts.lazy.compactMap(\.plan.visitingPlan).first
  }

  /// The query plan from which it follows which lines of a part come before its LIMIT.
  var partTiePlan: [VisitingOrder.Step]? {
    sources.parts.lazy.compactMap { part in
      (part.plan.limit == nil ? nil : part.plan.tiePlan) ?? part.plan.partTiePlan
    }.first
  }

  /// What LIMIT and OFFSET of a part say.
  ///
  /// - Throws: ``NotMaintainable`` when they are parameters.
  var partBounds: (first: Int, end: Int?) {
    get throws {
      func number(_ bound: SelectText.Bound) throws -> Int {
        guard case .number(let number) = bound else {
          throw NotMaintainable("a part of it has LIMIT with a parameter")
        }
        return number
      }
      let first = try offset.map(number) ?? 0
      return (first, try limit.flatMap { Self.end(of: try number($0), from: first) })
    }
  }

  /// - Returns: `nil` when that is behind all rows.
  static func end(of limit: Int, from offset: Int) -> Int? {
    let (end, overflows) = offset.addingReportingOverflow(limit)
    return overflows ? nil : end
  }

  /// Whether an aggregate of it, or of a part, depends on the order of the rows, and that isn't kept.
  var lacksOrder: Bool {
    if case .groups(let shape) = shape, shape.collects, !addsUpInOrder { return true }
    return sources.parts.contains { $0.plan.lacksOrder }
  }

  /// How many aggregates its groups have.
  var aggregateCount: Int {
    if case .groups(let shape) = shape { shape.aggregates.count } else { 0 }
  }

  /// Whether columns are those of the row with the least or greatest value.
  var carriesColumns: Bool {
    if case .groups(let shape) = shape { !shape.carried.isEmpty } else { false }
  }

  /// The columns by which the order is, by the places of their tables among those of the sources.
  var visitedColumns: [(table: Int, columns: [Int])] {
    let own = (visiting?.loops ?? []).map { loop in
      (sources.leaves[loop.leaf], loop.columns.compactMap(\.place))
    }
    let inner = sources.parts.flatMap { part in
      part.plan.visitedColumns.compactMap { visited in
        part.tables.first { $0.value == visited.table }.map { ($0.key, visited.columns) }
      }
    }
    return own + inner
  }

  /// Whether the statement sorts lines, or tells groups apart, otherwise than by BINARY.
  var foldsKeys: Bool {
    guard case .groups(let shape) = shape else {
      let first = 1 + identityCount
      return collations.keys.contains { $0 < first + sortedCount }
    }
    return (shape.keyCollations + shape.orderCollations).contains { $0 != .binary }
  }

  /// The same for lines whose order follows from the query plan alone.
  var unsorted: MaintenancePlan {
    var plan = self
    plan.sortedCount = 0
    return plan
  }

  /// Which of the keys of a row name what is evaluated again; `nil` when nothing is.
  var evaluatedPlaces: Range<Int>? {
    switch method {
    case .terms, .counted: nil
    case .owner(let owner): owner.places
    case .partitions(let partitions): partitions.places
    }
  }

  /// Reads the changed rows in place of `leaves`: what comes and goes, or the keys of the partitions concerned.
  func deltaSQL(_ leaves: QuerySources.Leaves) -> String {
    if leaves.nonzeroBitCount == 1 { return leafSQL[leaves.trailingZeroBitCount] }
    if let partitions = sources.partitions {
      return Self.partitionSQL(sources, partitions, leaves)
    }
    if case .counted = method { return Self.deltaSQL(sources, list, leaves, finding: .matches) }
    return Self.deltaSQL(sources, list, leaves)
  }

  /// Reads the changed rows in place of `leaves`, all of which stand before the LEFT JOIN, as if that found nothing.
  func aloneSQL(_ leaves: QuerySources.Leaves, _ join: CountedJoin) -> String {
    Self.deltaSQL(sources, list, leaves, finding: .nothing(among: nil), besides: join.leaf)
  }

  private static func partitionSQL(
    _ sources: QuerySources, _ partitions: WindowPartitions, _ leaves: QuerySources.Leaves
  ) -> String {
    let columns = partitions.columns.joined(separator: ", ")
    return "SELECT DISTINCT \(columns)\(sources.renderPartitioned(replacing: leaves).from)"
  }

  /// - Parameter other: A leaf that is replaced as well, although it has nothing that counts.
  private static func deltaSQL(
    _ sources: QuerySources, _ list: String, _ leaves: QuerySources.Leaves,
    finding: QuerySources.Finding = .asWritten, besides other: Int? = nil
  ) -> String {
    let rendered = sources.render(
      replacing: leaves | (other.map { 1 << $0 } ?? 0), finding: finding)
    let weights = rendered.weights.filter { $0.key != other }.sorted { $0.key < $1.key }
      .map(\.value)
    let sign = leaves.nonzeroBitCount % 2 == 1 ? "" : "-"
    return "SELECT \(sign)\(weights.joined(separator: " * ")), \(list)\(rendered.from)"
  }

  /// Adds up rows that have ``summands``, in the order that they have in `table`: one row, a column for each aggregate,
  /// of which NULL are those that never depend on the order.
  func sumSQL(of table: String) -> String {
    guard case .groups(let shape) = shape else { return "SELECT NULL" }
    let columns = shape.aggregates.map { aggregate in
      aggregate.sql { "c\(summands.firstIndex(of: $0)!)" } ?? "NULL"
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM \(table.quotedIdentifier)"
  }

  /// Reads all rows; of a result in order the first `count` only.
  func stateSQL(count: Int?) -> String {
    let sql = "SELECT 1, \(list)\(sources.render(replacing: 0).from)"
    guard case .rows = shape, let count else { return sql }
    let first = 1 + identityCount
    let isCollated = sources.columnsHaveCollations || !collations.isEmpty
    let terms =
      isDescending.enumerated().map { place, isDescending in
        // An index can have another collation than its column.
        let collation = collations[first + place] ?? .binary
        return "\(first + place + 1)"
          + (isCollated ? " COLLATE \(collation.rawValue)" : "")
          + (isDescending ? " DESC" : "")
      } + (0..<identityCount).map { "\($0 + 2)" }
    return "\(sql) ORDER BY \(terms.joined(separator: ", ")) LIMIT \(count)"
  }
}

extension SelectText {
  /// A LIMIT or OFFSET.
  enum Bound: Sendable, Equatable {
    case number(Int)
    case parameter(Int)
  }
}

// MARK: - Planning

extension MaintenancePlan {
  /// Makes a plan of a query.
  ///
  /// - Parameters:
  ///   - sources: What it reads.
  ///   - visiting: In which order, if that is known.
  ///   - addsUpInOrder: Whether sums depend on that order.
  ///   - groupOrder: The order of groups that are tied, if it is known.
  ///   - isPart: Whether it is a SELECT in FROM.
  ///   - isScalar: Whether it is a scalar subquery, of which one row counts.
  /// - Throws: ``NotMaintainable``.
  init(
    _ select: SelectText, _ sources: QuerySources, visiting: VisitingOrder? = nil,
    addsUpInOrder: Bool = false, groupOrder: GroupOrder? = nil, isPart: Bool = false,
    isScalar: Bool = false
  ) throws {
    try Self.checkNames(select, sources)
    var sources = sources
    for loop in visiting?.loops ?? [] {
      sources.visits[loop.leaf, default: []] += loop.columns.map(\.name)
    }
    self.sources = sources
    self.visiting = visiting
    self.addsUpInOrder = addsUpInOrder
    self.isPart = isPart
    var timeColumns: Set<String> = []
    for part in select.expressions { timeColumns.formUnion(try KnownFunctions.check(part)) }
    self.timeColumns = timeColumns.union(sources.timeColumns)
    (moments, standInCount) = (select.moments, select.standInCount)
    parameterCount = select.parameterCount
    limit = try select.limit.map { try select.bound($0) }
    offset = try select.offset.map { try select.bound($0) }
    let isGrouped = select.isGrouped
    if !isGrouped, select.limit != nil || isScalar {
      try QuerySources.checkCannotFail(beyondLimitOf: select)
    }
    let counted = isGrouped ? sources.countedLeaf : nil
    let owner = sources.isLinear || counted != nil ? nil : try Self.owner(of: sources)
    let rendered = sources.render(replacing: 0)
    let before = counted.map { leaf in sources.leaves.indices.filter { $0 != leaf } } ?? []
    let keysBefore = before.flatMap { rendered.identities[$0] ?? [] }
    let visits = visiting.map(rendered.visits) ?? []
    func places(_ collations: [Collation], from start: Int) -> [Int: Collation] {
      let places = collations.indices.filter { collations[$0] != .binary }
      return Dictionary(uniqueKeysWithValues: places.map { (start + $0, collations[$0]) })
    }
    if isGrouped {
      var planner = GroupPlanner(
        select: select, sources: sources, groupOrder: groupOrder, isPart: isPart)
      let groups = try planner.plan()
      hasCollatedOutputs = try planner.hasCollatedOutputs()
      tiePlan = groupOrder?.plan
      let identity =
        (owner.flatMap { rendered.identities[$0] }
          ?? (counted == nil ? rendered.partition : keysBefore)) + visits
      shape = .groups(groups)
      summands = groups.summands
      totals =
        owner == nil && rendered.partition.isEmpty && !addsUpInOrder && groups.carried.isEmpty
          && !select.from.isEmpty
        ? GroupTotals(
          groups,
          // Which values there are is to be known where equal ones may differ.
          isLarge: sources.looseness == .none
            && sources.read.contains { $0.size > GroupTotals.manyRows },
          list: planner.list, areBinary: planner.keysAreBinary, from: rendered.from) : nil
      list = (identity + planner.list).joined(separator: ", ")
      collations = places(
        visiting?.collations ?? [], from: 1 + identity.count - visits.count)
      columnCount = 1 + identity.count + planner.list.count
      identityCount = identity.count
      orderCount = groups.order.count
      outputCount = groups.outputs.count
      isDescending = planner.isDescending
      sortedCount = planner.sortedCount
      isSortedLoosely = false
      computing = nil
    } else {
      guard !select.order.isEmpty || visiting != nil else {
        throw NotMaintainable("its rows have no order: add ORDER BY")
      }
      tiePlan = visiting?.plan
      func column(_ expression: SelectText.Tokens) -> (text: String, collation: Collation?) {
        (select.text(expression), sources.collation(of: expression, [sources.scope]))
      }
      let columns = try select.outputs.flatMap { output in
        output.isStar
          ? try sources.columns(output).map {
            (text: $0.text, collation: sources.comparison($0.name, $0.source).collation)
          } : [column(output.expression)]
      }
      hasCollatedOutputs = columns.contains { $0.collation != .binary }
      let outputs = columns.map(\.text)
      let sorted = try select.order.flatMap { term -> [(text: String, collation: Collation)] in
        let found =
          try select.position(of: term.expression, among: outputs.count).map { columns[$0] }
          ?? column(select.aliased(term.expression)?.expression ?? term.expression)
        let nulls = term.nulls.map { _ in [("(\(found.text)) IS NULL", Collation.binary)] } ?? []
        if let collation = term.collation {
          return nulls + [("(\(found.text)) COLLATE \(collation.rawValue)", collation)]
        }
        guard let collation = found.collation else { throw QuerySources.uncertainCollation }
        return nulls + [(found.text, collation)]
      }
      let keys = sorted.map(\.text)
      let identity = rendered.identity + rendered.partition
      shape = .rows
      summands = []
      totals = nil
      identityCount = identity.count
      collations = places(
        sorted.map(\.collation) + (visiting?.collations ?? []), from: 1 + identity.count)
      columnCount = 1 + identity.count + keys.count + visits.count + outputs.count
      list = (identity + keys + visits + outputs).joined(separator: ", ")
      orderCount = keys.count + visits.count
      outputCount = outputs.count
      isDescending = select.order.flatMap(\.directions) + (visiting?.isDescending ?? [])
      sortedCount = keys.count
      let evaluated = owner ?? 0
      let isComputing = try Self.isComputing(select, sources, evaluated, among: outputs.count)
      computing = isComputing ? (evaluated, rendered.place(of: evaluated)) : nil
      isSortedLoosely = try select.order.contains { term in
        // Where `*` is among the columns, a position says nothing.
        if let place = try select.position(of: term.expression, among: outputs.count) {
          return sources.looseness > .none
            && (outputs.count != select.outputs.count || select.outputs[place].isStar
              || sources.isSortedLoosely(select.outputs[place].expression))
        }
        return sources.isSortedLoosely(
          select.aliased(term.expression)?.expression ?? term.expression)
      }
    }
    let list = list
    if let partitions = sources.partitions {
      let count = partitions.columns.count
      let end = isGrouped ? count : identityCount - 1
      let table = TableID(name: "\(count) columns of partitions")
      let restricted = sources.render(
        replacing: 0, restrictedTo: .partitions(DeltaTable.name(for: table)))
      leafSQL = sources.leaves.indices.map { Self.partitionSQL(sources, partitions, 1 << $0) }
      method = .partitions(
        Partitions(
          places: (end - count)..<end, table: table, sql: "SELECT 1, \(list)\(restricted.from)"))
      return
    }
    if let counted {
      leafSQL = sources.leaves.indices.map {
        Self.deltaSQL(sources, list, 1 << $0, finding: .matches)
      }
      let table = DeltaTable.name(for: Self.keyTable(keysBefore.count))
      let keyed = sources.render(
        replacing: 1 << counted, finding: .nothing(among: (leaves: before, table: table)))
      let columns = keysBefore + ["count(\(rendered.identities[counted]![0]))"]
      let places = keysBefore.indices.map { "\($0 + 1)" }
      method = .counted(
        CountedJoin(
          leaf: counted, places: 0..<keysBefore.count,
          countSQL: """
            SELECT \(columns.joined(separator: ", "))\(rendered.from) \
            GROUP BY \(places.joined(separator: ", "))
            """, keyedSQL: "SELECT 1, \(list)\(keyed.from)"))
      return
    }
    guard let owner else {
      method = .terms
      leafSQL = sources.leaves.indices.map { Self.deltaSQL(sources, list, 1 << $0) }
      return
    }
    leafSQL = []
    let place = isGrouped ? 0 : rendered.place(of: owner)
    method = .owner(
      Owner(
        leaf: owner,
        places: place..<(place + sources.tables[sources.leaves[owner]].identity.count),
        sql: "SELECT 1, \(list)\(sources.render(replacing: 0, restrictedTo: .owner(owner)).from)",
        dirtySQL: Dictionary(
          uniqueKeysWithValues: sources.leaves.indices.compactMap { leaf in
            sources.dirtySQL(from: leaf, to: owner).map { (leaf, $0) }
          })))
  }

  /// Whether columns are computed from moments or scalar subqueries, so that rows of a leaf are evaluated again for these.
  private static func isComputing(
    _ select: SelectText, _ sources: QuerySources, _ leaf: Int, among count: Int
  ) throws -> Bool {
    let computed = select.outputs.filter {
      sources.computedOutputs.contains($0.expression.startIndex)
    }
    guard !computed.isEmpty else { return false }
    // Then lines that aren't kept could come among those that are.
    let names = computed.compactMap { $0.alias?.asciiLowercased }
    let sorted = try select.order.map { term -> SelectText.Tokens in
      guard let place = try select.position(of: term.expression, among: count) else {
        return term.expression
      }
      guard count == select.outputs.count else {
        throw NotMaintainable("it sorts by a position, next to *")
      }
      return select.outputs[place].expression
    }
    let isUsed = (select.conditions + sorted).contains { expression in
      computed.contains { $0.expression.startIndex == expression.startIndex }
        || expression.contains { names.contains($0.name?.asciiLowercased ?? "") }
    }
    guard !isUsed else {
      throw NotMaintainable("it sorts by what it computes with the same value for all rows")
    }
    guard sources.unions.isEmpty, !sources.tables[sources.leaves[leaf]].isPart else {
      throw NotMaintainable("it computes something with the same value for all rows of a part")
    }
    return true
  }

  /// SQLite takes the first column of a name, which can be one that `*` stands for.
  private static func checkNames(_ select: SelectText, _ sources: QuerySources) throws {
    let starred = try select.outputs.filter(\.isStar).flatMap { try sources.columns($0) }
    for term in select.order {
      guard let name = select.aliased(term.expression)?.alias else { continue }
      guard !starred.contains(where: { $0.name.asciiLowercased == name.asciiLowercased }) else {
        throw NotMaintainable("it sorts by \(name), which several columns are named")
      }
    }
  }

  /// Whether sums in it, or in a part of it, are exact as long as not too many rows have come.
  var limitsRowCount: Bool {
    sources.dependencies.rules.contains { $0.kind == .smallWhole }
      || sources.parts.contains(where: \.plan.limitsRowCount)
  }

  /// The leaf that most others lead to, and of these the largest: fewer rows depend on each of its rows.
  private static func owner(of sources: QuerySources) throws -> Int {
    func rank(_ leaf: Int) -> (Int, Int64) {
      let found = sources.leaves.indices.count { sources.dirtySQL(from: $0, to: leaf) != nil }
      return (found, sources.tables[sources.leaves[leaf]].size)
    }
    guard let best = sources.owners.max(by: { rank($0) < rank($1) }) else {
      throw NotMaintainable("each of its tables is behind a LEFT JOIN, or in an expression")
    }
    return best
  }
}

extension SelectText {
  fileprivate func bound(_ tokens: Tokens) throws -> Bound {
    let token = tokens[tokens.startIndex]
    if let number = parameter(token) { return .parameter(number) }
    guard let number = Int(token.text) else { throw NotMaintainable("its LIMIT is no integer") }
    return .number(number)
  }

  /// The index of the output that an ORDER BY or GROUP BY term names by its position.
  func position(of term: Tokens, among count: Int) throws -> Int? {
    guard term.count == 1, term.first?.kind == .number else { return nil }
    guard let position = Int(term[term.startIndex].text), (1...max(1, count)).contains(position)
    else { throw NotMaintainable("it sorts by a constant") }
    return position - 1
  }

  /// The output that a term names by its alias.
  func aliased(_ term: Tokens) -> Output? {
    guard term.count == 1, let name = term.first?.name?.asciiLowercased else { return nil }
    return outputs.first { $0.alias?.asciiLowercased == name }
  }
}
