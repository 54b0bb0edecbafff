/// What is kept of a query so that changed rows bring its result up to date.
///
/// Not shared: the refresh that evaluates the query owns it meanwhile.
struct QueryState: Sendable {
  /// A row that the plan's SQL returned.
  typealias EvaluatedRow = [Value]
  /// Computes the expressions over aggregates from their values.
  typealias Finish = ([Value]) throws -> [Value]

  private struct Group: Sendable {
    var rows: Int64 = 0
    var accumulators: [Accumulator]
    var line: SortedLines.Line?
  }

  /// A result in order holds at most so many lines, all of which are copied for each new value.
  static let lineLimit = 20_000

  private let plan: MaintenancePlan
  private var lines: SortedLines
  private var groups: [[Value]: Group] = [:]
  /// What the groups' accumulators hold beyond their own size, and ``owned``.
  private var heldBytes = 0
  /// The rows of each row of the plan's owner, as long as groups are made of them.
  private var owned: [Value: [EvaluatedRow]] = [:]
  /// The first and the last place of the lines that are returned.
  private let range: Range<Int>
  /// Of a result in order: how many lines to keep; `nil` for all.
  private let capacity: Int?
  /// Whether there are no lines behind those that are kept.
  private var isComplete = true

  /// - Parameter bounds: What LIMIT and OFFSET say; no end when there is no LIMIT.
  /// - Throws: ``NotMaintainable``.
  init(_ plan: MaintenancePlan, bounds: (first: Int, end: Int?)) throws {
    self.plan = plan
    range = bounds.first..<max(bounds.first, bounds.end ?? .max)
    lines = SortedLines(isDescending: plan.isDescending)
    switch plan.shape {
    case .rows:
      let needed = bounds.end ?? Self.lineLimit
      guard needed <= Self.lineLimit else {
        throw NotMaintainable("its LIMIT is above \(Self.lineLimit) rows")
      }
      capacity = bounds.end == nil ? nil : needed + max(10, needed - bounds.first)
    case .groups(let shape):
      capacity = nil
      if shape.isWhole { groups[[]] = Self.newGroup(shape) }
    }
  }

  private static func newGroup(_ shape: MaintenancePlan.GroupShape) -> Group {
    Group(accumulators: shape.aggregates.map { _ in Accumulator() })
  }

  /// How many rows to read to fill the state; `nil` for all.
  var stateCount: Int? {
    guard case .rows = plan.shape else { return nil }
    return (capacity ?? Self.lineLimit) + 1
  }

  /// Its approximate size in memory.
  var byteCount: Int {
    lines.byteCount + heldBytes
      + groups.count * (160 + 200 * (groups.first?.value.accumulators.count ?? 0))
  }

  /// How many rows or groups it holds.
  var count: Int { groups.isEmpty ? lines.count : groups.count }

  // MARK: - Filling

  /// Adds a row of the state's query.
  ///
  /// - Throws: ``NotMaintainable``.
  mutating func fill(_ row: EvaluatedRow) throws {
    try Self.checkTexts(row)
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
      heldBytes += Self.add(row, plan, to: &groups[key, default: Self.newGroup(shape)], shape)
      if case .owner = plan.method { keep(row) }
    }
  }

  private mutating func keep(_ row: EvaluatedRow) {
    owned[row[1], default: []].append(row)
    heldBytes += Self.byteCount(of: row)
  }

  private static func byteCount(of row: EvaluatedRow) -> Int {
    row.reduce(120) { $0 + $1.byteCount }
  }

  /// Ends filling.
  ///
  /// - Throws: ``NotMaintainable``, or what `finish` throws.
  mutating func didFill(_ finish: Finish) throws {
    guard case .groups(let shape) = plan.shape else { return }
    for (key, group) in groups {
      guard let line = try makeLine(key, group, shape, finish) else { continue }
      groups[key]!.line = line
      lines.append(line)
    }
    lines.sort()
  }

  // MARK: - Changes

  /// Applies changed rows.
  ///
  /// - Returns: Whether any line differs.
  /// - Throws: ``NotMaintainable``, or what `finish` throws; the state must not be used then.
  /// - Complexity: O(changed rows · log lines), and one `finish` for each group concerned.
  mutating func apply(_ rows: [EvaluatedRow], _ finish: Finish) throws -> Bool {
    for row in rows { try Self.checkTexts(row) }
    switch plan.shape {
    case .rows: return try applyRows(rows)
    case .groups(let shape): return try applyGroups(rows, shape, finish)
    }
  }

  /// Puts rows in place of all those of some rows of the plan's owner.
  ///
  /// - Parameter owners: The rowids of these.
  /// - Returns: Whether any line differs.
  /// - Throws: As ``apply(_:_:)``.
  /// - Complexity: O(lines + rows).
  mutating func replace(
    _ owners: Set<Value>, with rows: [EvaluatedRow], _ finish: Finish
  ) throws -> Bool {
    guard case .owner(let owner) = plan.method else { return try apply(rows, finish) }
    var gone: [EvaluatedRow] = []
    switch plan.shape {
    case .rows:
      for line in lines.lines where owners.contains(line.identity[owner.place]) {
        gone.append([-1] + line.identity + line.keys + line.outputs)
      }
    case .groups:
      for rowid in owners {
        for var row in owned.removeValue(forKey: rowid) ?? [] {
          heldBytes -= Self.byteCount(of: row)
          row[0] = -1
          gone.append(row)
        }
      }
      for row in rows { keep(row) }
    }
    return try apply(gone + rows, finish)
  }

  private mutating func applyRows(_ rows: [EvaluatedRow]) throws -> Bool {
    var hasChanged = false
    // What is gone first: a row may come back with the same rowid.
    guard rows.allSatisfy({ [1, -1].contains(Self.weight(of: $0)) }) else {
      throw NotMaintainable("a row that is gone wasn't known")
    }
    for row in rows where row[0] == -1 {
      let line = try line(of: row)
      guard isKept(line) else { continue }
      guard lines.remove(line) else {
        throw NotMaintainable("a row that is gone wasn't known")
      }
      hasChanged = true
    }
    for row in rows where row[0] == 1 {
      let line = try line(of: row)
      guard isKept(line) else { continue }
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

  /// Whether a line is among those that are kept: none between them is missing.
  private func isKept(_ line: SortedLines.Line) -> Bool {
    guard !isComplete else { return true }
    guard let last = lines.lines.last else { return false }
    return !lines.precedes(last, line)
  }

  private mutating func applyGroups(
    _ rows: [EvaluatedRow], _ shape: MaintenancePlan.GroupShape, _ finish: Finish
  ) throws -> Bool {
    var touched: Set<[Value]> = []
    // What comes first: an extremum that is replaced is never missing.
    for isGone in [false, true] {
      for row in rows where (Self.weight(of: row) < 0) == isGone {
        let key = try Self.key(of: row, plan, shape)
        heldBytes += Self.add(
          row, plan, to: &groups[key, default: Self.newGroup(shape)], shape)
        touched.insert(key)
      }
    }
    var hasChanged = false
    for key in touched {
      let group = groups[key]!
      guard group.rows >= 0 else { throw NotMaintainable("a row that is gone wasn't known") }
      let isGone = group.rows == 0 && !shape.isWhole
      let line = isGone ? nil : try makeLine(key, group, shape, finish)
      if isGone { groups[key] = nil } else { groups[key]!.line = line }
      if group.line?.outputs == line?.outputs, group.line?.keys == line?.keys { continue }
      hasChanged = true
      if let old = group.line { _ = lines.remove(old) }
      if let line { lines.insert(line) }
    }
    return hasChanged
  }

  // MARK: - The result

  /// The rows of the result.
  ///
  /// - Returns: `nil` when SQLite alone knows in which order it returns rows that are tied.
  /// - Complexity: O(rows).
  func rows() -> [[Value]]? {
    let shown = range.clamped(to: 0..<lines.count)
    guard !lines.hasVisibleTie(in: shown) else { return nil }
    // A row behind those that are kept may be tied with the last one that shows.
    if !isComplete, let last = shown.last, lines.endIsTied(with: last) { return nil }
    return lines.lines[shown].map(\.outputs)
  }

  // MARK: - Lines

  private func line(of row: EvaluatedRow) throws -> SortedLines.Line {
    let keys = 1 + plan.identityCount
    let outputs = keys + plan.orderCount
    try Self.checkSorted(row[keys..<outputs], plan)
    return SortedLines.Line(
      keys: Array(row[keys..<outputs]), identity: Array(row[1..<keys]),
      outputs: Array(row[outputs...]))
  }

  /// - Returns: `nil` when HAVING doesn't let the group through.
  private func makeLine(
    _ key: [Value], _ group: Group, _ shape: MaintenancePlan.GroupShape, _ finish: Finish
  ) throws -> SortedLines.Line? {
    let aggregates = try zip(group.accumulators, shape.aggregates).map {
      try $0.value($1.function)
    }
    let expressions = shape.finishSQL == nil ? [] : try finish(aggregates)
    if let having = shape.having, expressions[having] != 1 { return nil }
    func value(_ source: MaintenancePlan.GroupShape.Source) -> Value {
      switch source {
      case .key(let index): key[index]
      case .aggregate(let index): aggregates[index]
      case .expression(let index): expressions[index]
      }
    }
    return SortedLines.Line(
      keys: shape.order.map(value), identity: key, outputs: shape.outputs.map(value))
  }

  /// For SQLite, the column of an equation, as in `ON o.a = t.a`, needs no sorting: all its values are equal for a row of
  /// the other table. But 1 and '1.0' can be equal by their affinities, and then they come in any order.
  private static func checkSorted(_ keys: some Sequence<Value>, _ plan: MaintenancePlan) throws {
    guard plan.sources.hasLooseEquations else { return }
    for case .text(let text) in keys where text.isNumber {
      throw NotMaintainable("it sorts or groups by a text that equals a number")
    }
  }

  private static func key(
    of row: EvaluatedRow, _ plan: MaintenancePlan, _ shape: MaintenancePlan.GroupShape
  ) throws -> [Value] {
    let start = 1 + plan.identityCount
    let key = Array(row[start..<start + shape.keyCount])
    for case .real in key {
      throw NotMaintainable("a group of REAL values can be shown as one of several")
    }
    try checkSorted(key, plan)
    return key
  }

  private static func weight(of row: EvaluatedRow) -> Int64 {
    if case .integer(let weight) = row[0] { weight } else { 0 }
  }

  /// Static: a method of the state that is changed would have all of it copied first.
  ///
  /// - Returns: How many bytes more the accumulators hold.
  private static func add(
    _ row: EvaluatedRow, _ plan: MaintenancePlan, to group: inout Group,
    _ shape: MaintenancePlan.GroupShape
  ) -> Int {
    let weight = weight(of: row)
    let start = 1 + plan.identityCount + shape.keyCount
    group.rows += weight
    var bytes = 0
    for (index, aggregate) in shape.aggregates.enumerated() {
      bytes -= group.accumulators[index].byteCount
      group.accumulators[index].add(
        aggregate.argument.map { row[start + $0] }, weight: weight,
        aggregate.function)
      bytes += group.accumulators[index].byteCount
    }
    return bytes
  }

  /// A text that isn't UTF-8 is read as another one, so that what SQLite compares isn't known.
  private static func checkTexts(_ row: EvaluatedRow) throws {
    guard row.allSatisfy(\.isFaithful) else {
      throw NotMaintainable("a text that may not be UTF-8")
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
