/// What is kept of a SELECT so that changed rows bring its lines up to date.
///
/// Not shared: the refresh that evaluates the query owns it meanwhile.
struct QueryState: Sendable {
  /// A row that the plan's SQL returned.
  typealias EvaluatedRow = [Value]
  /// Computes the expressions over aggregates and keys from the values of both.
  typealias Finish = (_ aggregates: [Value], _ key: [Value]) throws -> [Value]
  /// Computes the sums over rows in the order in which they are visited; see ``MaintenancePlan/GroupShape/sumSQL(of:)``.
  typealias AddUp = ([DeltaTable.Row]) throws -> [Value]

  /// A result in order holds at most so many lines, all of which are copied for each new value.
  static let lineLimit = 20_000

  /// A row of a part that came or went.
  typealias Change = (id: Int64, old: [Value]?, new: [Value]?)

  private let plan: MaintenancePlan
  /// Those of the parts that have a state.
  var parts: [QueryState]
  /// The rows that are in no table of the file.
  private var series: [FirstLines]
  /// The rows that a part with LIMIT has; `nil` for any other SELECT.
  private var firstLines: FirstLines?
  /// What changed in the groups of a part since it was asked for last.
  private var groupChanges: [Change] = []
  private var lastGroupID: Int64 = 0
  private(set) var lines: SortedLines
  /// By their keys in a form that is the same for equal ones.
  private var groups: [[Value]: GroupState] = [:]
  /// How many groups have the same keys that the SQL groups by, if there are others.
  private var groupCounts: [ArraySlice<Value>: Int] = [:]
  /// What the groups' accumulators hold beyond their own size, and ``owned``.
  private var heldBytes = 0
  /// The rows of each row of the plan's owner or of each partition, as long as groups are made of them.
  private var owned: [ArraySlice<Value>: [EvaluatedRow]] = [:]
  /// How many rows the counted LEFT JOIN finds for those before it, by their keys; none for all others.
  private var matches: [ArraySlice<Value>: Int64] = [:]
  /// The first and the last place of the lines that are returned.
  let range: Range<Int>
  /// Of a result in order: how many lines to keep; `nil` for all.
  private let capacity: Int?
  /// Whether there are no lines behind those that are kept.
  private var isComplete = true

  /// - Parameter bounds: What LIMIT and OFFSET say; no end when there is no LIMIT.
  /// - Throws: ``NotMaintainable``.
  init(_ plan: MaintenancePlan, bounds: (first: Int, end: Int?)) throws {
    self.plan = plan
    range = bounds.first..<max(bounds.first, bounds.end ?? .max)
    lines = SortedLines(isDescending: plan.isDescending, sortedCount: plan.sortedCount)
    parts = try plan.sources.parts.map { try QueryState($0.plan, bounds: $0.plan.partBounds) }
    series = plan.sources.series.map { _ in FirstLines() }
    if plan.isPart, plan.limit != nil { firstLines = FirstLines() }
    switch plan.shape {
    case .rows:
      let needed = bounds.end ?? Self.lineLimit
      guard needed <= Self.lineLimit else {
        throw NotMaintainable("its LIMIT is above \(Self.lineLimit) rows")
      }
      // Only of rows that are kept is it known whether they are in doubt, or sorted.
      let isPartitioned = if case .partitions = plan.method { true } else { false }
      let keepsAll = isPartitioned || plan.isSortedLoosely || bounds.end == nil
      capacity = keepsAll ? nil : needed + max(10, needed - bounds.first)
    case .groups(let shape):
      capacity = nil
      if shape.isWhole { groups[[]] = GroupState(0, [], shape) }
    }
  }

  /// How many rows to read to fill the state; `nil` for all.
  var stateCount: Int? {
    guard case .rows = plan.shape else { return nil }
    return (capacity ?? Self.lineLimit) + 1
  }

  /// Its approximate size in memory.
  var byteCount: Int {
    let groupBytes = 160 + 200 * plan.aggregateCount
    return parts.reduce(0) { $0 + $1.byteCount } + series.reduce(0) { $0 + $1.byteCount }
      + lines.byteCount + heldBytes
      + (firstLines?.byteCount ?? 0) + groups.count * groupBytes
  }

  /// How many rows or groups it holds.
  var count: Int { groups.isEmpty ? lines.count : groups.count }

  // MARK: - Filling

  /// Adds a row of the state's query.
  ///
  /// - Throws: ``NotMaintainable``.
  mutating func fill(_ row: EvaluatedRow) throws {
    try Self.check(row, plan)
    let row = try Self.folded(row, plan)
    switch plan.shape {
    case .rows:
      guard lines.count < (capacity ?? Self.lineLimit) else {
        guard capacity != nil else {
          throw NotMaintainable("it returns more than \(Self.lineLimit) rows")
        }
        isComplete = false
        return
      }
      lines.append(try line(of: row))
    case .groups(let shape):
      let key = try Self.key(of: row, plan, shape)
      let place = try Self.place(of: key, shape)
      let id = try idOfGroup(at: place, shape, isFilling: true)
      heldBytes += try groups[place, default: GroupState(id, key, shape)].add(
        row, key, plan, shape, isFilling: true)
      keep(row)
    }
  }

  /// Adds a group.
  ///
  /// - Parameter row: What ``GroupTotals/sql`` returned of it.
  /// - Returns: Whether that suffices.
  /// - Throws: ``NotMaintainable``.
  mutating func fill(_ totals: GroupTotals, _ row: EvaluatedRow) throws -> Bool {
    try Self.check(row, plan)
    guard let (key, rows, accumulators) = totals.group(row) else { return false }
    try Self.checkSorted(key, plan)
    guard case .groups(let shape) = plan.shape else { return false }
    let place = try Self.place(of: key, shape)
    // A text that is equal to this one, but differs, has a group already.
    guard groups[place] == nil || shape.isWhole else { return false }
    let id = try idOfGroup(at: place, shape, isFilling: true)
    groups[place] = GroupState(id: id, key: key, rows: rows, accumulators: accumulators)
    return true
  }

  /// The id that a group has if it is new.
  ///
  /// - Throws: ``NotMaintainable`` when one of a state that is filled differs from another in what must be the same.
  private mutating func idOfGroup(
    at place: [Value], _ shape: MaintenancePlan.GroupShape, isFilling: Bool = false
  ) throws -> Int64 {
    lastGroupID += 1
    if let determined = shape.determined, groups[place] == nil {
      let key = place.prefix(determined.groupedCount)
      groupCounts[key, default: 0] += 1
      heldBytes += 120
      if isFilling, groupCounts[key] != 1 { throw determined.refusal }
    }
    return lastGroupID
  }

  /// The key of what is evaluated again together with a row; `nil` when nothing is.
  private func evaluatedKey(_ row: EvaluatedRow) -> ArraySlice<Value>? {
    plan.evaluatedPlaces.map { row[($0.lowerBound + 1)..<($0.upperBound + 1)] }
  }

  private mutating func keep(_ row: EvaluatedRow) {
    guard let key = evaluatedKey(row) else { return }
    owned[key, default: []].append(row)
    heldBytes += Self.byteCount(of: row)
  }

  private static func byteCount(of row: some Sequence<Value>) -> Int {
    row.reduce(120) { $0 + $1.byteCount }
  }

  // MARK: - What LEFT JOIN finds

  /// How many rows the counted LEFT JOIN finds for the row before it that has some keys.
  func matches(of keys: ArraySlice<Value>) -> Int64 { matches[keys] ?? 0 }

  /// Notes how many more, or less, it finds.
  ///
  /// - Throws: ``NotMaintainable``.
  mutating func note(matches more: Int64, of keys: ArraySlice<Value>) throws {
    let former = matches(of: keys)
    let count = former + more
    guard count >= 0 else { throw NotMaintainable("a row that is gone wasn't known") }
    // Not the whole row of which it is a slice.
    matches[former == 0 ? Array(keys)[...] : keys] = count == 0 ? nil : count
    if former == 0, count > 0 { heldBytes += Self.byteCount(of: keys) }
    if former > 0, count == 0 { heldBytes -= Self.byteCount(of: keys) }
  }

  /// Ends filling.
  ///
  /// - Throws: ``NotMaintainable``, or what `finish` throws.
  mutating func didFill(_ finish: Finish, addingUp addUp: AddUp = { _ in [] }) throws {
    defer {
      // Of these it isn't known what changed.
      if firstLines != nil { _ = takeChanges() }
    }
    guard case .groups(let shape) = plan.shape else { return }
    for place in groups.keys {
      groups[place]!.didFill(plan)
      let aggregates = try groups[place]!.values(plan, shape, addUp)
      if shape.finishesStandIns { groups[place]!.aggregates = aggregates }
      guard let line = try makeLine(groups[place]!.key, aggregates, shape, finish) else { continue }
      groups[place]!.line = line
      lines.append(line)
    }
    lines.sort()
  }

  // MARK: - Changes

  /// Applies changed rows.
  ///
  /// - Returns: Whether any line differs.
  /// - Throws: ``NotMaintainable``, or what `finish` throws; the state must not be used then.
  /// - Complexity: O(changed rows · log lines), and one `finish` for each group concerned; where the order of rows
  ///   matters, also O(rows of these groups).
  mutating func apply(
    _ rows: [EvaluatedRow], _ finish: Finish, addingUp addUp: AddUp = { _ in [] }
  ) throws -> Bool {
    for row in rows { try Self.check(row, plan) }
    let rows = plan.collations.isEmpty ? rows : try rows.map { try Self.folded($0, plan) }
    switch plan.shape {
    case .rows: return try applyRows(rows)
    case .groups(let shape): return try applyGroups(rows, shape, finish, addUp)
    }
  }

  /// Puts rows in place of all those of some rows of the plan's owner, or of some partitions.
  ///
  /// - Parameter owners: What tells these from others.
  /// - Returns: Whether any line differs.
  /// - Throws: As ``apply(_:_:)``.
  /// - Complexity: O(lines + rows).
  mutating func replace(
    _ owners: Set<ArraySlice<Value>>, with rows: [EvaluatedRow], _ finish: Finish,
    addingUp addUp: AddUp = { _ in [] }
  ) throws -> Bool {
    guard let places = plan.evaluatedPlaces else {
      return try apply(rows, finish, addingUp: addUp)
    }
    var gone: [EvaluatedRow] = []
    switch plan.shape {
    case .rows:
      for line in lines.lines where owners.contains(line.identity[places]) {
        gone.append([-1] + line.identity + line.keys + line.outputs)
      }
    case .groups:
      for owner in owners {
        for var row in owned.removeValue(forKey: owner) ?? [] {
          heldBytes -= Self.byteCount(of: row)
          row[0] = -1
          gone.append(row)
        }
      }
      for row in rows { keep(row) }
    }
    return try apply(gone + rows, finish, addingUp: addUp)
  }

  /// Takes rows that are in no table, in their order: that is the key of each, and what tells them apart.
  ///
  /// - Returns: What differs from those before.
  /// - Complexity: O(rows).
  mutating func take(_ rows: [[Value]], ofSeries index: Int) -> [Change] {
    let lines = rows.enumerated().map { place, row in
      let key = [Value.integer(Int64(place))]
      return SortedLines.Line(keys: key, identity: key, outputs: row)
    }
    return series[index].follow(lines[...])
  }

  /// The rows of a series.
  func rows(ofSeries index: Int) -> [DeltaTable.Row] { series[index].rows }

  private mutating func applyRows(_ rows: [EvaluatedRow]) throws -> Bool {
    var hasChanged = false
    // What is gone first: a row may come back with the same rowid.
    guard rows.allSatisfy({ [1, -1].contains(Self.weight(of: $0)) }) else {
      throw NotMaintainable("a row that is gone wasn't known")
    }
    // Also when it goes, all lines before it are known.
    let lastKept = end
    for row in rows where row[0] == -1 {
      let line = try line(of: row)
      guard isKept(line, upTo: lastKept) else { continue }
      guard lines.remove(line) else {
        throw NotMaintainable("a row that is gone wasn't known")
      }
      hasChanged = true
    }
    for row in rows where row[0] == 1 {
      let line = try line(of: row)
      guard isKept(line, upTo: lastKept) else { continue }
      lines.insert(line)
      hasChanged = true
    }
    if let capacity {
      if lines.count > 2 * capacity {
        lines.truncate(to: capacity)
        isComplete = false
      }
      // One more than is returned: it must not be tied with the last that is.
      guard isComplete || lines.count > range.upperBound else {
        throw NotMaintainable("too few of its first rows are left")
      }
    } else if lines.count > Self.lineLimit {
      throw NotMaintainable("it returns more than \(Self.lineLimit) rows")
    }
    return hasChanged
  }

  /// Checks that the rows of a partition have the same key, and that SQLite finds them by it.
  static func checkPartition(_ key: some Sequence<Value>) throws {
    guard key.allSatisfy(\.isFaithful) else {
      throw NotMaintainable("a text that may not be UTF-8")
    }
    guard key.allSatisfy({ $0 == $0.canonical }) else {
      throw NotMaintainable("a partition of equal values that can be stored in two ways")
    }
  }

  /// Whether a line is among those that are kept: none between them is missing.
  private func isKept(_ line: SortedLines.Line, upTo lastKept: SortedLines.Line?) -> Bool {
    guard !isComplete else { return true }
    return lastKept.map { !lines.precedes($0, line) } ?? false
  }

  private mutating func applyGroups(
    _ rows: [EvaluatedRow], _ shape: MaintenancePlan.GroupShape, _ finish: Finish, _ addUp: AddUp
  ) throws -> Bool {
    var touched: Set<[Value]> = []
    // What comes first: an extremum that is replaced is never missing.
    for isGone in [false, true] {
      for row in rows where (Self.weight(of: row) < 0) == isGone {
        let key = try Self.key(of: row, plan, shape)
        let place = try Self.place(of: key, shape)
        let id = try idOfGroup(at: place, shape)
        heldBytes += try groups[place, default: GroupState(id, key, shape)].add(
          row, key, plan, shape)
        touched.insert(place)
      }
    }
    var hasChanged = false
    for place in touched {
      let group = groups[place]!
      guard group.rows >= 0 else { throw NotMaintainable("a row that is gone wasn't known") }
      let isGone = group.rows == 0 && !shape.isWhole
      var line: SortedLines.Line?
      if !isGone {
        let aggregates = try group.values(plan, shape, addUp)
        if shape.finishesStandIns { groups[place]!.aggregates = aggregates }
        line = try makeLine(group.key, aggregates, shape, finish)
      }
      if replaceLine(of: place, with: line) { hasChanged = true }
      guard isGone else { continue }
      groups[place] = nil
      if let determined = shape.determined {
        let key = place.prefix(determined.groupedCount)
        groupCounts[key]! -= 1
        heldBytes -= 120
        if groupCounts[key] == 0 { groupCounts[key] = nil }
      }
    }
    if let determined = shape.determined {
      let areSame = touched.allSatisfy {
        groupCounts[$0.prefix(determined.groupedCount), default: 0] <= 1
      }
      guard areSame else { throw determined.refusal }
    }
    return hasChanged
  }

  /// - Returns: Whether it differs.
  private mutating func replaceLine(of place: [Value], with line: SortedLines.Line?) -> Bool {
    let group = groups[place]!
    groups[place]!.line = line
    if group.line?.outputs == line?.outputs, group.line?.keys == line?.keys { return false }
    if plan.isPart, firstLines == nil {
      groupChanges.append((group.id, group.line?.outputs, line?.outputs))
    }
    if let old = group.line { _ = lines.remove(old) }
    if let line { lines.insert(line) }
    return true
  }

  /// Computes again what the groups' lines have of moments and scalar subqueries.
  ///
  /// - Returns: Whether any line differs.
  /// - Throws: What `finish` throws; the state must not be used then.
  /// - Complexity: O(groups), and one `finish` for each.
  mutating func finishAgain(_ finish: Finish) throws -> Bool {
    guard case .groups(let shape) = plan.shape else { return false }
    var hasChanged = false
    for place in groups.keys {
      let group = groups[place]!
      let line = try makeLine(group.key, group.aggregates, shape, finish)
      if replaceLine(of: place, with: line) { hasChanged = true }
    }
    return hasChanged
  }

  // MARK: - The result

  /// The last line that is kept, if there are lines behind it.
  var end: SortedLines.Line? { isComplete ? nil : lines.lines.last }

  /// All rows of a part, and what tells them apart.
  ///
  /// - Complexity: O(rows).
  var partRows: [DeltaTable.Row] {
    if let firstLines { return firstLines.rows }
    return groups.values.compactMap { group in
      group.line.map { DeltaTable.Row(weight: 1, rowid: group.id, values: $0.outputs) }
    }
  }

  /// What changed in a part since it was asked for last.
  ///
  /// - Complexity: O(changed groups); with LIMIT O(rows).
  mutating func takeChanges() -> [Change] {
    if firstLines != nil {
      return firstLines!.follow(lines.lines[range.clamped(to: 0..<lines.count)])
    }
    defer { groupChanges = [] }
    return groupChanges
  }

  /// How the LIMIT of a part cuts its lines.
  enum Cut: Comparable {
    case certain
    /// Between lines that are tied and differ, as SQLite's query plan says.
    case planned
    /// Between such lines, as SQLite alone knows.
    case unknown
  }

  /// How the parts are cut, and this one if it is a part.
  ///
  /// - Complexity: O(parts, and the lines in the ties at the ends of LIMIT).
  var cut: Cut {
    let others = parts.map(\.cut).max() ?? .certain
    guard firstLines != nil,
      lines.areTied(acrossEndsOf: range, before: [end].compactMap(\.self))
    else { return others }
    return max(others, plan.tiePlan == nil ? .unknown : .planned)
  }

  // MARK: - Lines

  private func line(of row: EvaluatedRow) throws -> SortedLines.Line {
    let keys = 1 + plan.identityCount
    let outputs = keys + plan.orderCount
    try Self.checkSorted(row[keys..<(keys + plan.sortedCount)], plan)
    return SortedLines.Line(
      keys: Array(row[keys..<outputs]), identity: Array(row[1..<keys]),
      outputs: Array(row[outputs...]))
  }

  /// - Returns: `nil` when HAVING doesn't let the group through.
  private func makeLine(
    _ key: [Value], _ aggregates: [Value], _ shape: MaintenancePlan.GroupShape, _ finish: Finish
  ) throws -> SortedLines.Line? {
    let expressions = shape.finishSQL == nil ? [] : try finish(aggregates, key)
    if let having = shape.having, expressions[having] != 1 { return nil }
    func value(_ source: MaintenancePlan.GroupShape.Source) -> Value {
      shape.value(of: source, key, aggregates, expressions)
    }
    let keys = try zip(shape.order, shape.orderCollations).map { source, collation in
      try Self.folded(value(source), collation)
    }
    return SortedLines.Line(keys: keys, identity: key, outputs: shape.outputs.map(value))
  }

  /// For SQLite, the column of an equation, as in `ON o.a = t.a`, needs no sorting: all its values are equal for a row of
  /// the other table. But 1 and '1.0' can be equal by their affinities, and then they come in any order; or two numbers
  /// to the text '0.3'.
  static func checkSorted(_ keys: some Sequence<Value>, _ plan: MaintenancePlan) throws {
    guard plan.sources.looseness > .none else { return }
    for key in keys {
      switch key {
      case .text(let text) where text.isNumber:
        throw NotMaintainable("it compares a text that equals a number")
      case .real where plan.sources.looseness == .texts:
        throw NotMaintainable("it compares a REAL value that may equal a text")
      default: break
      }
    }
  }

  private static func key(
    of row: EvaluatedRow, _ plan: MaintenancePlan, _ shape: MaintenancePlan.GroupShape
  ) throws -> [Value] {
    let start = 1 + plan.identityCount
    let key = Array(row[start..<start + shape.keyCount])
    try checkSorted(key, plan)
    return key
  }

  /// The place of a group in ``groups``: the same for keys that are equal to SQLite.
  private static func place(
    of key: [Value], _ shape: MaintenancePlan.GroupShape
  ) throws -> [Value] {
    var place = key
    for case .real in key {
      place = key.map(\.canonical)
      break
    }
    for (index, collation) in shape.keyCollations.enumerated() where collation != .binary {
      place[index] = try folded(place[index], collation)
    }
    return place
  }

  private static func folded(_ value: Value, _ collation: Collation) throws -> Value {
    guard let folded = collation.folded(value) else {
      throw NotMaintainable("a text with NUL that is compared by \(collation.rawValue)")
    }
    return folded
  }

  static func weight(of row: EvaluatedRow) -> Int64 {
    if case .integer(let weight) = row[0] { weight } else { 0 }
  }

  /// - Returns: The row, with what is sorted by as BINARY sorts it.
  private static func folded(
    _ row: EvaluatedRow, _ plan: MaintenancePlan
  ) throws -> EvaluatedRow {
    guard !plan.collations.isEmpty else { return row }
    var row = row
    for (place, collation) in plan.collations { row[place] = try folded(row[place], collation) }
    return row
  }

  private static func check(_ row: EvaluatedRow, _ plan: MaintenancePlan) throws {
    // It is read as another one, so that what SQLite compares isn't known.
    guard row.allSatisfy(\.isFaithful) else {
      throw NotMaintainable("a text that may not be UTF-8")
    }
    guard case .partitions(let partitions) = plan.method else { return }
    try checkPartition(row[(partitions.places.lowerBound + 1)...partitions.places.upperBound])
    guard row[partitions.places.upperBound + 1] == 0 else { throw WindowPartitions.isInDoubt }
  }
}

extension MaintenancePlan.GroupShape {
  /// - Parameters:
  ///   - aggregates: The values of the aggregates, and behind them the columns that one carries.
  ///   - expressions: What ``finishSQL`` returned.
  func value(
    of source: Source, _ key: [Value], _ aggregates: [Value], _ expressions: [Value]
  ) -> Value {
    switch source {
    case .key(let index): key[index]
    case .aggregate(let index): aggregates[index]
    case .carried(let index): aggregates[self.aggregates.count + index]
    case .expression(let index): expressions[index]
    case .isNull(let source): value(of: source, key, aggregates, expressions) == .null ? 1 : 0
    }
  }
}

extension String {
  /// Whether SQLite can take it for a number; hexadecimal ones count as well.
  fileprivate var isNumber: Bool {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
    let trimmed = utf8.drop(while: isSpace).reversed().drop(while: isSpace)
    // No word is one: not `inf` either.
    guard let first = trimmed.last, first <= UInt8(ascii: "9") else { return false }
    return Double(String(decoding: trimmed.reversed(), as: UTF8.self)) != nil
  }
}
