/// The tables that a SELECT reads: those in its FROM, in the views and SELECTs that stand there, and in SELECTs in its
/// expressions.
///
///     SELECT … FROM sale, (SELECT … FROM player JOIN team …) AS p       leaves: sale, player, team
///
/// Each occurrence of a table is a leaf. In the SQL that it renders, leaves are replaced with the changed rows of
/// their tables, or one is restricted to some of its rows.
struct QuerySources: Sendable {
  /// What a name in FROM stands for.
  enum Meaning {
    case table(MaintainedTable)
    /// A view, all rows of these, with the names of its columns.
    case view([SelectText], columns: [String])
  }

  /// A set of leaves, by bits.
  typealias Leaves = UInt32

  /// More tables than this aren't maintained.
  static let leafLimit = 16

  indirect enum Node: Sendable {
    case leaf(Int)
    case part(Part)
    case union(Union)

    fileprivate func named(_ name: String) -> Node {
      guard case .part(var part) = self else { return self }
      part.name = name
      return .part(part)
    }
  }

  /// A SELECT: all of what it needs as text. Its ORDER BY isn't part of that: the rest sorts or groups its rows.
  struct Part: Sendable {
    struct Member: Sendable {
      var node: Node
      let name: String
      /// What stands before it and behind it in FROM.
      var before = ""
      var behind = ""
      var isOptional = false
    }

    var members: [Member] = []
    /// `expression AS "name"`.
    var outputs: [String] = []
    var filter: String?
    /// The terms of WHERE that can fail.
    var failingTerms: [String] = []
    /// The SELECTs in its WHERE that need only be evaluated in part, and all of it.
    var lists: [List] = []
    /// The leaf that stands for a SELECT with groups, if it is that.
    var rowsOfPart: Int?
    var select: SelectText?
    var columns: [PartColumn] = []
    /// Those of its window functions.
    var partitions: WindowPartitions?
    /// How it is sorted, as loops of one column each; empty when it isn't, or by something else than columns of tables.
    var sorting: [VisitingOrder.Loop] = []
    /// That of its steps in SQLite's query plan; empty when it has none.
    var name = ""
  }

  /// A SELECT that lists values, in one of the conditions that all must hold.
  ///
  ///     WHERE customer IN (SELECT buyer FROM sale GROUP BY buyer HAVING count(*) > 3)
  ///           └ operand           └ column
  struct List: Sendable {
    let select: SelectText
    /// In SQL.
    let column: String
    let operand: Column
  }

  /// A SELECT in FROM with aggregates, DISTINCT or LIMIT, which has a state. Its rows are a table of its own, and what changes
  /// in them are the changed rows of that table.
  struct StatePart: Sendable {
    /// That of its steps in SQLite's query plan; empty when it has none.
    var name = ""
    /// Its place among ``tables``.
    let table: Int
    let leaf: Int
    let select: SelectText
    /// Of its SELECT.
    let columns: [GroupColumn]
    var plan: MaintenancePlan
    /// The places of its tables in its own plan, by those among ``tables``.
    let tables: [Int: Int]

    /// The table that has its lines: with LIMIT it says in which order they come.
    var lines: MaintainedTable {
      MaintainedTable(part: leaf, columns, keyCount: plan.limit == nil ? 0 : plan.orderCount)
    }
  }

  /// A SELECT in FROM whose rows are in no table of the file: they are one of their own.
  struct SeriesPart: Sendable {
    /// That of its steps in SQLite's query plan; empty when it has none.
    var name = ""
    /// Its place among ``tables``.
    let table: Int
    let series: SelectText.Series
  }

  /// What names can mean within a SELECT.
  struct Scope {
    struct Member {
      let name: String
      /// `nil` for a SELECT in FROM.
      var leaf: Int?
      /// That, or those in FROM of the SELECT.
      var leaves: Set<Int> = []
      let columns: [String]?
      let isOptional: Bool
      /// Those of a SELECT in FROM, with what is known of them.
      var parts: [PartColumn] = []
    }

    var members: [Member] = []
    /// The names that the SELECT gives to its columns, folded: they come behind those of its sources, and before those
    /// around it.
    var aliases: Set<String> = []
  }

  /// Each table once; those of ``parts`` as well. First come those of the SELECTs before it, if the query has several: so
  /// a table has one place in all of them.
  private(set) var tables: [MaintainedTable] = []
  private(set) var parts: [StatePart] = []
  private(set) var series: [SeriesPart] = []
  /// The place in ``tables`` of each leaf's table.
  private(set) var leaves: [Int] = []
  /// The leaves whose rows are in each row of the result: neither optional nor in an expression.
  private(set) var owners: [Int] = []
  /// How many LEFT JOINs each leaf is behind, within the SELECT in an expression in which it is.
  var optionalDepths: [Int] = []
  /// Whether what changes in the result is the sum of what changes in its tables.
  var isLinear: Bool { optionalCount == 0 && !hasSelects }
  /// How many LEFT JOINs it has.
  private var optionalCount = 0
  /// Whether SELECTs stand in its expressions.
  private var hasSelects = false
  /// The leaf behind its only LEFT JOIN, if that is all that keeps it from being linear, and if no row that LEFT JOIN makes up is
  /// filtered by what it has of that leaf.
  private(set) var countedLeaf: Int?
  var dependencies = Dependencies()
  /// Those of all SELECTs.
  var lists: [List] = []
  /// Whether a SELECT in FROM has window functions.
  private var isWindowed = false
  /// With which values that differ a column may meet an equation.
  var looseness = Looseness.none
  /// The columns of all equations of two columns, where they are known: if that is not ``Looseness/texts``.
  var equatedColumns: Set<Column> = []
  /// The columns of SELECTs in FROM without affinity that equal a constant, and how often such columns occur in conditions.
  var constantColumns: Set<Column> = []
  var occurrences: [Column: Int] = [:]
  /// The leaves of each SELECT of the UNION ALLs in FROM.
  var unions: [[Leaves]] = []
  /// Where its tables are compared with moments and scalar subqueries.
  private(set) var windows: [TimeWindow] = []
  /// Whether it uses any of these, in comparisons or otherwise, and whether any of the latter.
  private var usesStandIns = false
  private var usesScalars = false
  /// The columns of the result that are computed of each row from these, by the places of their tokens.
  private(set) var computedOutputs: Set<Int> = []
  /// The SELECT itself.
  private(set) var root = Part()
  /// By which columns each leaf is visited, in SQL; empty when the order doesn't matter.
  var visits: [Int: [String]] = [:]
  /// The names of the tables in FROM, by their leaves.
  var names: [Int: String] { Self.names(root) }
  /// The names of the columns that its expressions can use, folded, with how many sources have one of that name.
  private var visible: [String: Int] = [:]
  private(set) var scope = Scope()
  /// Whether a column is named by USING, so that `*` has it once.
  private var hasUsing = false
  /// Names that its parts give to something else than a column of that name, folded.
  private(set) var computedNames: Set<String> = []
  /// The columns that SQLite's date functions read in its parts, folded.
  private(set) var timeColumns: Set<String> = []
  /// The columns of rows that are in no table, folded: it is known that none of their values is `now`.
  private(set) var seriesColumns: Set<String> = []
  /// The names of the tables that it reads, with their columns and indexes, and the words of its views.
  var words: [String] = []
  /// The functions that it and its parts call, in lower case.
  private(set) var calls: Set<String> = []

  /// - Parameters:
  ///   - others: The tables of the SELECTs before it.
  ///   - isBesideEquation: Whether SQLite may move an equation of columns into it.
  ///   - meaning: What a table's or view's name stands for.
  /// - Throws: ``NotMaintainable``, and what `meaning` throws.
  init(
    _ select: SelectText, after others: [MaintainedTable] = [], isBesideEquation: Bool = false,
    meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws {
    tables = others
    if isBesideEquation { looseness = .texts }
    root = try part(select, Context(isBesideEquation: isBesideEquation), meaning).part
    try checkWindows(select)
    try checkUnions()
    try checkConstants()
    countedLeaf = leafToCount(select)
  }

  private func leafToCount(_ select: SelectText) -> Int? {
    guard optionalCount == 1, !hasSelects, !isWindowed, root.partitions == nil,
      root.failingTerms.isEmpty, let last = root.members.last, last.isOptional,
      last.behind.hasPrefix(" ON "), let member = scope.members.last, member.leaves.count == 1,
      let leaf = member.leaves.first, leaf == leaves.count - 1
    else { return nil }
    // All but its own: that of a join before it can name it as well.
    var conditions = select.conditions
    conditions.remove(at: conditions.count - (select.filter == nil ? 1 : 2))
    let isOfOthers = conditions.flatMap(SelectText.names).allSatisfy { name in
      if name.first?.kind == .string { return true }
      return find(name, [scope]).map { !$0.member.isOptional } ?? isPlainWord(name, [scope])
    }
    return isOfOthers ? leaf : nil
  }

  private static func names(_ part: Part) -> [Int: String] {
    part.members.reduce(into: [:]) { names, member in
      switch member.node {
      case .leaf(let leaf): names[leaf] = member.name
      case .part(let inner):
        names.merge(inner.rowsOfPart.map { [$0: member.name] } ?? self.names(inner)) { $1 }
      case .union(let union): for part in union.parts { names.merge(self.names(part)) { $1 } }
      }
    }
  }

  /// Has the parts that add values up keep their rows in order, and those with LIMIT their lines that are tied, as far as
  /// that is known.
  ///
  /// - Parameters:
  ///   - keepsOrder: Whether values are added up in order.
  ///   - order: The order in which SQLite visits the rows of a part, of which it has the sources, and that of its groups.
  mutating func keepOrder(
    _ keepsOrder: Bool,
    _ order: (StatePart, QuerySources) throws -> (visits: VisitingOrder?, groups: GroupOrder?)
  ) throws {
    for place in parts.indices {
      let (select, plan) = (parts[place].select, parts[place].plan)
      var inner = plan.sources
      try inner.keepOrder(keepsOrder, order)
      let addsUp = keepsOrder && !plan.summands.isEmpty
      let (visits, groups) =
        addsUp || select.limit != nil ? try order(parts[place], inner) : (nil, nil)
      let visiting = addsUp || !select.isGrouped ? visits : nil
      parts[place].plan = try MaintenancePlan(
        select, inner, visiting: visiting, addsUpInOrder: addsUp && visiting != nil,
        groupOrder: select.limit == nil ? nil : groups, isPart: true)
      tables[parts[place].table] = parts[place].lines
    }
  }

  /// Whether a SELECT in FROM has columns without a name of their own.
  private var hasUnknownColumns: Bool { scope.members.contains { $0.columns == nil } }

  // MARK: - What expressions can refer to

  /// Whether a name is that of a column of any source.
  func hasColumn(_ name: String) -> Bool {
    hasUnknownColumns || visible[name.asciiLowercased] != nil
      || SelectText.rowidNames.contains(name.asciiLowercased)
  }

  /// Whether the name means one column, whatever stands before it.
  func isUnique(_ name: String) -> Bool { !hasUnknownColumns && visible[name.asciiLowercased] == 1 }

  /// The partitions of its window functions.
  var partitions: WindowPartitions? { windowed?.partitions }

  /// The SELECT that has window functions: the whole one, or the only one that it reads.
  var windowed: Part? {
    if root.partitions != nil { return root }
    guard case .part(let inner)? = root.members.first?.node, inner.partitions != nil else {
      return nil
    }
    return inner
  }

  /// The only SELECT in its FROM, if that is sorted by columns, and the name that it has there.
  var sortedPart: (part: Part, alias: String)? {
    guard root.members.count == 1, case .part(let inner) = root.members[0].node,
      !inner.sorting.isEmpty
    else { return nil }
    return (inner, root.members[0].name)
  }

  /// The same, as if that weren't sorted.
  var withoutSorting: QuerySources {
    var sources = self
    guard case .part(var inner)? = root.members.first?.node else { return self }
    inner.sorting = []
    sources.root.members[0].node = .part(inner)
    return sources
  }

  /// The tables that it reads, and its parts.
  var read: [MaintainedTable] {
    let places = Set(leaves).union(parts.flatMap { [$0.table] + $0.tables.keys })
    return places.map { tables[$0] }
  }

  var hasDescendingIndex: Bool { read.contains(where: \.hasDescendingIndex) }

  /// The terms of the ORDER BY behind several SELECTs, of which this is the first, by the positions of its columns.
  ///
  /// SQLite looks for a name among the aliases of the first SELECT, then takes its first column that reads what the name
  /// means there, whatever its alias, and then looks in the others (`resolveCompoundOrderBy`).
  ///
  /// - Throws: ``NotMaintainable`` when a term isn't certain to be one column of this SELECT.
  func positions(_ select: SelectText) throws -> [SelectText.OrderTerm] {
    // SQLite names the columns of `*`, as AS does.
    let columns = try select.outputs.flatMap {
      output -> [(name: String?, isNamed: Bool, read: Set<String>)] in
      if output.isStar {
        return try Self.columns(output, scope, hasUsing: hasUsing).map { ($0.name, true, []) }
      }
      let read = Set(output.expression.compactMap(\.name?.asciiLowercased))
      return [(output.name, output.alias != nil, read)]
    }
    return try select.order.map { term in
      guard term.expression.count == 1, let token = term.expression.first else {
        throw NotMaintainable("it sorts several SELECTs by an expression")
      }
      if token.kind == .number { return term }
      let name = token.name?.asciiLowercased ?? ""
      let places = columns.indices.filter { columns[$0].name?.asciiLowercased == name }
      // SQLite takes the first column that reads it.
      guard places.count == 1,
        columns[places[0]].isNamed
          || isOfOneSource(name)
            && columns[..<places[0]].allSatisfy({
              $0.read.isDisjoint(with: SelectText.rowidNames.union([name]))
            })
      else {
        throw NotMaintainable("\(token.text) isn't certain to be a column of its 1st SELECT")
      }
      let position = SQLToken(kind: .number, text: "\(places[0] + 1)", range: token.range)
      return SelectText.OrderTerm(
        expression: [position], isDescending: term.isDescending, collation: term.collation,
        nulls: term.nulls)
    }
  }

  /// The terms of an ORDER BY of all columns of a SELECT, by their positions.
  func allPositions(_ select: SelectText) throws -> [SelectText.OrderTerm] {
    let count = try select.outputs.reduce(0) { try $0 + ($1.isStar ? columns($1).count : 1) }
    return (0..<count).map { place in
      let position = SQLToken(kind: .number, text: "\(place + 1)", range: 0..<0)
      return SelectText.OrderTerm(expression: [position], isDescending: false)
    }
  }

  /// The columns that `*` or `p.*` stands for.
  func columns(
    _ output: SelectText.Output
  ) throws -> [(text: String, source: Scope.Member, name: String)] {
    try Self.columns(output, scope, hasUsing: hasUsing)
  }

  private static func columns(
    _ output: SelectText.Output, _ scope: Scope, hasUsing: Bool
  ) throws -> [(text: String, source: Scope.Member, name: String)] {
    guard !hasUsing else { throw NotMaintainable("* with USING") }
    let wanted = output.starredName?.asciiLowercased
    let sources = scope.members.filter { wanted == nil || $0.name.asciiLowercased == wanted }
    guard wanted == nil || sources.count == 1 else {
      throw NotMaintainable("its columns aren't recognised")
    }
    return try sources.flatMap { source in
      guard let columns = source.columns,
        Set(columns.map(\.asciiLowercased)).count == columns.count
      else { throw NotMaintainable("its columns aren't recognised") }
      return columns.map {
        ("\(source.name.quotedIdentifier).\($0.quotedIdentifier)", source, $0)
      }
    }
  }
}

// MARK: - Resolving

extension QuerySources {
  /// Where a SELECT stands.
  struct Context {
    var depth = 0
    /// The names that a view gives to its columns.
    var columns: [String]?
    /// What is around a SELECT in an expression, from the inside to the outside.
    var outer: [Scope] = []
    /// Whether it is evaluated as it stands, in an expression.
    var isInExpression = false
    /// How many LEFT JOINs it is behind.
    var optionalDepth = 0
    /// Whether another SELECT has it in FROM.
    var isInFrom = false
    /// Whether SQLite may move an equation of columns into it.
    var isBesideEquation = false
    /// Whether what is around it sorts or groups its rows, in whatever order they come.
    var takesAnyOrder = false
  }

  mutating func part(
    _ select: SelectText, _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws -> (part: Part, columns: [String]?) {
    guard context.depth < 8 else { throw NotMaintainable("views in views in views") }
    guard !select.from.isEmpty || context.depth == 0 && select.isOfScalarsAlone else {
      throw NotMaintainable("it reads no table")
    }
    var part = Part()
    var scope = Scope()
    scope.aliases = Set(select.outputs.compactMap { $0.alias?.asciiLowercased })
    var hasUsing = false
    var before = ""
    var equations: [(condition: SelectText.Tokens, only: Scope.Member?)] = []
    let isBesideEquation = context.isBesideEquation || Self.equatesColumns(select)
    for piece in select.from {
      switch piece {
      case .between("ON", let condition):
        part.members[part.members.count - 1].behind = " ON \(select.text(condition))"
        let last = scope.members.last!
        equations.append((condition, last.isOptional ? last : nil))
      case .between("USING", let names):
        part.members[part.members.count - 1].behind = " USING \(select.text(names))"
        hasUsing = true
        try addUsing(names, scope)
      case .between(let word, _): before = word == "," ? ", " : " \(word) "
      case .source(let source):
        var inner = context
        inner.depth += 1
        inner.isInFrom = true
        inner.columns = source.columns
        if source.isOptional { inner.optionalDepth += 1 }
        inner.isBesideEquation = isBesideEquation
        inner.takesAnyOrder = context.takesAnyOrder || select.isGrouped || !select.order.isEmpty
        if source.isOptional { optionalCount += 1 }
        let (partCount, seriesCount) = (parts.count, series.count)
        let (node, columns) =
          if case .select(let select) = source.origin {
            try NotMaintainable.at(select.tokens) { try self.source(source, inner, meaning) }
          } else {
            try self.source(source, inner, meaning)
          }
        if parts.count > partCount, parts[partCount].name.isEmpty {
          parts[partCount].name = source.ownName
        }
        if series.count > seriesCount, series[seriesCount].name.isEmpty {
          series[seriesCount].name = source.ownName
        }
        // A name of its own for a SELECT without one.
        let name = source.name.isEmpty ? "livequery part \(leaves.count)" : source.name
        part.members.append(
          Part.Member(
            node: node.named(source.ownName), name: name, before: before,
            isOptional: source.isOptional))
        var member = Scope.Member(
          name: name, leaf: nil, columns: columns, isOptional: source.isOptional)
        switch node {
        case .leaf(let leaf): (member.leaf, member.leaves) = (leaf, [leaf])
        case .part(let part):
          member.parts = part.columns
          member.leaves = Set(part.rowsOfPart.map { [$0] } ?? Array(Self.names(part).keys))
        case .union(let union):
          member.parts = union.columns
          member.leaves = Set(union.parts.flatMap { Self.names($0).keys })
        }
        scope.members.append(member)
      }
    }
    try checkMixed(select, scope, isInFrom: context.isInFrom)
    if let filter = select.filter { equations.append((filter, nil)) }
    for (condition, _) in equations { noteConstants(in: condition, scope) }
    part.filter = select.filter.map { select.text($0) }
    let firstList = lists.count
    let scopes = [scope] + context.outer
    for (condition, only) in equations {
      addEdges(condition, of: select, scopes, only: only)
    }
    for condition in equations.map(\.condition) + [select.having].compactMap(\.self) {
      try NotMaintainable.at(condition) { try checkEquations(in: condition, scopes) }
    }
    for expression in select.expressions {
      try NotMaintainable.at(expression) {
        calls.formUnion(KnownFunctions.calls(expression))
        timeColumns.formUnion(try KnownFunctions.check(expression))
        try checkPatterns(expression, scopes)
        try checkRowids(expression, scope)
        if select.isGrouped { try checkLists(expression, scopes) }
        try addWindows(select, expression, scopes)
        for subquery in try select.subqueries(in: expression) {
          hasSelects = true
          try NotMaintainable.at(subquery.select.tokens) {
            try add(subquery, of: select, scopes, context, meaning)
          }
        }
      }
    }
    if context.depth > 0 { try Self.checkCannotFail(select) }
    var isAlone = isLinear && select.from.count == 1 && leaves.count == 1
    if case .leaf? = part.members.first?.node {} else { isAlone = false }
    part.failingTerms = try Self.failingTerms(in: select, isAlone: isAlone).map { select.text($0) }
    part.lists = Array(lists[firstList...])
    part.select = part.lists.isEmpty ? nil : select
    part.partitions = try WindowPartitions(select)
    if part.partitions != nil {
      calls.formUnion(WindowPartitions.calls)
      guard looseness == .none else { throw Self.isLoose }
      try checkCollations(ofWindowsIn: select, scopes)
    }
    if context.isInExpression {
      try checkCollations(ofGroupsIn: select, scopes)
      guard part.partitions == nil else {
        throw NotMaintainable("a window function in a SELECT in an expression")
      }
      try addRules(select, scope)
      if context.isInFrom { try checkIsIndependentOfVisits(select, scope) }
    }
    if context.depth == 0 {
      (self.scope, self.hasUsing) = (scope, hasUsing)
      for name in scope.members.flatMap({ $0.columns ?? [] }) {
        visible[name.asciiLowercased, default: 0] += 1
      }
      return (part, nil)
    }
    if context.isInExpression { return (part, nil) }
    guard computedOutputs.isEmpty else {
      throw NotMaintainable("a part of it computes something with the same value for all rows")
    }
    if let reason = select.reasonAgainstMerging { throw NotMaintainable(reason) }
    guard select.order.isEmpty || context.takesAnyOrder else {
      throw NotMaintainable("a part of it is sorted, and the rest isn't: add ORDER BY")
    }
    part.sorting = sorting(select, scope)
    let outputs = try self.outputs(select, scope, context.columns, hasUsing: hasUsing)
    part.columns = outputs.map(\.column)
    let names = part.columns.map(\.name)
    part.outputs = outputs.map { output in
      output.column.name.map { "\(output.text) AS \($0.quotedIdentifier)" } ?? output.text
    }
    try part.partitions?.name(names, of: select)
    if part.partitions != nil {
      guard !isWindowed else { throw Self.isNested }
      isWindowed = true
    }
    let known = names.compactMap(\.self)
    return (part, known.count == names.count ? known : nil)
  }

  /// Checks that the partitions of its window functions can be evaluated by themselves.
  private func checkWindows(_ select: SelectText) throws {
    let isOwn = root.partitions != nil
    guard isOwn || isWindowed else { return }
    guard !isOwn || !isWindowed else { throw Self.isNested }
    guard unions.isEmpty else {
      throw NotMaintainable("a window function beside UNION ALL in FROM")
    }
    guard let partitions, isOwn || root.members.count == 1 else {
      throw NotMaintainable("a window function in one of several parts of it")
    }
    guard isLinear else {
      throw NotMaintainable("a window function beside LEFT JOIN or SELECTs in expressions")
    }
    if !isOwn, let filter = select.filter {
      try partitions.check(filter)
      // SQLite may move it to where the functions are.
      guard !Self.equatesColumns(filter) else { throw Self.isLoose }
    }
  }

  /// SQLite may take the rows of a partition as sorted by a column of an equation, though '5' and 5 sort apart: see
  /// ``QueryState``.
  private static let isLoose = NotMaintainable(
    "a window function, and an equation of values of different types")

  private static let isNested = NotMaintainable("window functions of window functions")

  private mutating func addWindows(
    _ select: SelectText, _ expression: SelectText.Tokens, _ scopes: [Scope]
  ) throws {
    guard expression.contains(where: select.isStandIn) else { return }
    usesStandIns = true
    if expression.contains(where: select.isScalar) { usesScalars = true }
    let isBeforeGroups = (select.conditions + select.groups).contains {
      $0.startIndex == expression.startIndex
    }
    let isAlias = { (name: String) in
      scopes[0].aliases.contains(name.asciiLowercased)
        && !scopes[0].members.contains { has(name, $0) }
        && !SelectText.rowidNames.contains(name.asciiLowercased)
    }
    guard select.hasGroups, !isBeforeGroups, select.isOfAggregatesAlone(expression, isAlias) else {
      do {
        return try addWindows(select, comparing: expression, scopes)
      } catch let refusal as NotMaintainable {
        let isOutput = select.outputs.contains {
          $0.expression.startIndex == expression.startIndex
        }
        guard isOutput, !select.isGrouped, scopes.count == 1 else { throw refusal }
        computedOutputs.insert(expression.startIndex)
        return
      }
    }
    // What is around the aggregates is computed again for each group.
    var rest = expression
    while let call = AggregateCall.first(in: rest) {
      try addWindows(select, comparing: rest[call.range], scopes)
      rest = rest[call.range.upperBound...]
    }
  }

  private mutating func addWindows(
    _ select: SelectText, comparing expression: SelectText.Tokens, _ scopes: [Scope]
  ) throws {
    for comparison in try select.comparisonsWithStandIns(in: expression) {
      let subject = comparison.subject
      if let column = origin(of: subject, scopes) {
        for column in [column] + column.others {
          windows.append(
            TimeWindow(
              leaf: column.leaf, name: "k\(column.leaf)",
              condition: comparison.condition(column.text), parameters: comparison.parameters))
        }
        continue
      }
      guard AggregateCall.first(in: subject) == nil else {
        throw NotMaintainable("it compares an aggregate with the time")
      }
      let compared = SelectText.names(in: subject).map { name in
        find(name, scopes).flatMap { found in
          column(found.name, found.member).map { ($0.leaf, found.member) }
        }
      }
      guard let first = compared.first, let (leaf, member) = first,
        compared.allSatisfy({ $0?.0 == leaf }),
        // Of the row that LEFT JOIN makes up, only a column and its time are NULL for certain.
        !member.isOptional || Self.isTimeAlone(subject)
      else { throw NotMaintainable("it compares other values than a table's with the time") }
      windows.append(
        TimeWindow(
          leaf: leaf, name: member.name, condition: comparison.condition(select.text(subject)),
          parameters: comparison.parameters))
    }
  }

  /// Whether an expression is the time of a column alone, which is NULL if that is: `date(sold, '+1 day')`.
  private static func isTimeAlone(_ expression: SelectText.Tokens) -> Bool {
    guard let first = expression.first, KnownFunctions.isDate(first) else { return false }
    return expression.allSatisfy { $0.kind != .symbol || [",", ".", ")", "("].contains($0.text) }
      && expression.count { $0.isSymbol("(") } == 1
  }

  private mutating func outputs(
    _ select: SelectText, _ scope: Scope, _ named: [String]?, hasUsing: Bool
  ) throws -> [(text: String, column: PartColumn)] {
    var outputs: [(text: String, column: PartColumn)] = []
    for output in select.outputs {
      if output.isStar {
        outputs += try Self.columns(output, scope, hasUsing: hasUsing).map {
          ($0.text, PartColumn(name: $0.name, comparison: comparison($0.name, $0.source)))
        }
      } else {
        let comparison = comparison(of: output.expression, scope)
        outputs.append(
          (select.text(output.expression), PartColumn(name: output.name, comparison: comparison)))
        if let alias = output.alias { computedNames.insert(alias.asciiLowercased) }
      }
    }
    guard let named else { return outputs }
    guard named.count == outputs.count else {
      throw NotMaintainable("its columns aren't recognised")
    }
    let renamed = zip(outputs, named).filter { !$0.column.isNamed($1.asciiLowercased) }
    computedNames.formUnion(renamed.map(\.1.asciiLowercased))
    // Its WHERE can mean an alias, which has another name in the SQL that is made of it.
    if !renamed.isEmpty, !scope.aliases.isEmpty {
      let own = Set(scope.members.flatMap { $0.columns ?? [] }.map(\.asciiLowercased))
      let used = select.conditions.flatMap { $0.compactMap(\.name?.asciiLowercased) }
      let aliases = scope.aliases.union(named.map(\.asciiLowercased))
      guard aliases.subtracting(own).isDisjoint(with: used) else {
        throw NotMaintainable("a part of it whose columns have two names")
      }
    }
    return zip(outputs, named).map {
      ($0.text, PartColumn(name: $1, comparison: $0.column.comparison))
    }
  }

  mutating func select(
    _ select: SelectText, _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws -> (node: Node, columns: [String]?) {
    // In an expression, all of it is evaluated again.
    if select.isGrouped || select.limit != nil, !context.isInExpression {
      let (part, names) = try statePart(select, context, meaning)
      return (.part(part), names)
    }
    let (part, names) = try part(select, context, meaning)
    return (.part(part), names)
  }

  private mutating func statePart(
    _ select: SelectText, _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws -> (part: Part, columns: [String]?) {
    let has = select.isGrouped ? "aggregates" : "LIMIT"
    guard select.limit == nil || !select.order.isEmpty else {
      throw NotMaintainable("the rows of a part of it have no order: add ORDER BY before LIMIT")
    }
    try Self.checkCannotFail(select)
    let inner = try QuerySources(
      select, isBesideEquation: context.isBesideEquation, meaning: meaning)
    guard !inner.usesStandIns else {
      throw NotMaintainable(
        select.tokens.contains(where: select.isScalar)
          ? "a part of it has \(has), and a SELECT in an expression"
          : "a part of it has \(has), and it depends on the time")
    }
    let plan = try MaintenancePlan(select, inner, isPart: true)
    _ = try plan.partBounds
    var places: [Int: Int] = [:]
    for (place, table) in inner.tables.enumerated() where !table.isPart {
      let known = tables.firstIndex { $0.id == table.id }
      if known == nil { tables.append(table) }
      places[known ?? tables.count - 1] = place
    }
    let columns = try inner.columns(ofLines: select)
    calls.formUnion(inner.calls)
    timeColumns.formUnion(plan.timeColumns)
    seriesColumns.formUnion(inner.seriesColumns)
    let names = context.columns.map { $0.map(Optional.some) } ?? columns.map(\.name)
    // A time among them isn't checked for `now`.
    computedNames.formUnion(inner.computedNames)
    computedNames.formUnion(names.compactMap { $0?.asciiLowercased })
    guard names.count == columns.count else {
      throw NotMaintainable("its columns aren't recognised")
    }
    let state = StatePart(
      table: tables.count, leaf: leaves.count, select: select, columns: columns.map(\.column),
      plan: plan, tables: places)
    parts.append(state)
    return try part(of: state.lines, zip(state.columns, names).map { ($0, $1) }, context)
  }

  private mutating func seriesPart(
    _ part: SelectText.Series, _ context: Context
  ) throws -> (part: Part, columns: [String]?) {
    guard !context.isInExpression else {
      throw NotMaintainable("rows without a table in a SELECT in an expression")
    }
    let names = context.columns ?? part.columns
    guard names.count == part.columns.count else {
      throw NotMaintainable("its columns aren't recognised")
    }
    if !part.standIns.isEmpty { usesStandIns = true }
    calls.formUnion(part.calls)
    seriesColumns.formUnion(names.map(\.asciiLowercased))
    series.append(SeriesPart(table: tables.count, series: part))
    let columns = names.map { _ in GroupColumn(affinity: nil, collation: .binary) }
    return try self.part(
      of: MaintainedTable(part: leaves.count, columns, keyCount: 1),
      zip(columns, names).map { ($0, $1) }, context)
  }

  /// Adds a table with the rows of a SELECT in FROM.
  private mutating func part(
    of lines: MaintainedTable, _ columns: [(column: GroupColumn, name: String?)],
    _ context: Context
  ) throws -> (part: Part, columns: [String]?) {
    guard leaves.count < Self.leafLimit else {
      throw NotMaintainable("it reads more than \(Self.leafLimit) tables")
    }
    let leaf = leaves.count
    leaves.append(tables.count)
    tables.append(lines)
    optionalDepths.append(context.optionalDepth)
    if context.optionalDepth == 0 { owners.append(leaf) }
    var part = Part(members: [.init(node: .leaf(leaf), name: "livequery rows \(leaf)")])
    part.rowsOfPart = leaf
    part.outputs = columns.enumerated().map { $1.column.sql($0, as: $1.name) }
    part.columns = columns.enumerated().map { place, column in
      PartColumn(name: column.name, comparison: column.column.comparison(place, ofLeaf: leaf))
    }
    let known = columns.compactMap(\.name)
    return (part, known.count == columns.count ? known : nil)
  }

  /// Checks that a parameter can stand for a scalar subquery, of which these are the sources.
  ///
  /// - Parameter isCompared: Whether it is more than a column of the result.
  /// - Throws: ``NotMaintainable``.
  func checkIsValue(of select: SelectText, isCompared: Bool) throws {
    // As in what WITH names, if the scalar subquery reads that.
    guard !usesScalars else {
      throw NotMaintainable("a SELECT as a value that depends on another one")
    }
    guard select.outputs.count == 1, let output = select.outputs.first, !output.isStar else {
      throw NotMaintainable("its columns aren't recognised")
    }
    guard select.hasGroups && select.groups.isEmpty || !select.order.isEmpty else {
      throw NotMaintainable("a SELECT of several rows as a value")
    }
    guard !isCompared || !KnownFunctions.hasJSON(output.expression) else {
      throw NotMaintainable("a SELECT as a value that is JSON")
    }
    // A parameter has no affinity.
    guard try !isCompared || comparison(of: output.expression, scope).affinity() == nil else {
      throw NotMaintainable("a SELECT as a value that is compared as a column is")
    }
  }

  private mutating func source(
    _ source: SelectText.Source, _ context: Context,
    _ meaning: (_ schema: String?, _ name: String) throws -> Meaning
  ) throws -> (node: Node, columns: [String]?) {
    switch source.origin {
    case .select(let select): return try self.select(select, context, meaning)
    case .union(let selects): return try union(selects, context, meaning)
    case .series(let series):
      let (part, names) = try seriesPart(series, context)
      return (.part(part), names)
    case .table(let schema, let name):
      switch try meaning(schema, name) {
      case .view(let selects, let columns):
        // The parameters of its moments would have the numbers of others.
        guard selects.allSatisfy(\.moments.isEmpty) else {
          throw NotMaintainable("the view \(name) depends on the time")
        }
        var context = context
        context.columns = columns
        return try NotMaintainable.inView(name, selects[0].bytes) {
          selects.count == 1
            ? try select(selects[0], context, meaning) : try union(selects, context, meaning)
        }
      case .table(let table):
        guard leaves.count < Self.leafLimit else {
          throw NotMaintainable("it reads more than \(Self.leafLimit) tables")
        }
        let leaf = leaves.count
        if let known = tables.firstIndex(where: { $0.id == table.id }) {
          leaves.append(known)
        } else {
          leaves.append(tables.count)
          tables.append(table)
        }
        optionalDepths.append(context.optionalDepth)
        if !context.isInExpression, context.optionalDepth == 0 { owners.append(leaf) }
        return (.leaf(leaf), table.columns.map(\.name))
      }
    }
  }
}
