import DatabaseConsole
package import ObservationEngine

/// The tree of tables, views, indexes and triggers, and the user's position in it.
package struct SchemaBrowser: Sendable, Equatable {
  /// The identity of a line, independent of changes to the schema around it.
  package enum Node: Sendable, Hashable {
    case group(Group)
    case table(String)
    case column(table: String, name: String)
    case foreignKey(table: String, index: Int)
    case index(table: String, name: String)
    case trigger(table: String, name: String)
    /// Under the groups of indexes and triggers rather than under their tables.
    case listed(Group, name: String)
  }

  /// The headings of the tree, in their order.
  package enum Group: String, Sendable, CaseIterable {
    case tables, views
    case virtual = "virtual tables"
    case shadow = "shadow tables"
    case indexes, triggers
  }

  /// One line of the tree.
  struct Line: Sendable, Equatable {
    var node: Node
    var depth: Int
    /// Whether its children are shown; nil when it has none.
    var isOpen: Bool?
    var name: String
    /// Type, columns, target: the text after the name.
    var detail: String
  }

  private(set) var description: SchemaDescription?
  /// Why there is no newer description.
  private(set) var error: String?
  private(set) var counts: [String: RowCount] = [:]
  /// Bytes by the name of a table or index, once requested.
  private(set) var sizes: [String: Int64]?
  var isMeasuring = false
  /// The description may be outdated.
  private(set) var isOutdated = true
  /// It was requested, and has not arrived yet.
  private(set) var isReading = false
  /// Tables whose rows must be counted.
  private var uncounted: Set<String> = []
  private var isCounting = false
  private var countedAt: UInt64?
  /// When it was last read, or failed to be.
  private var readAt: UInt64?
  private var opened: Set<Node> = [.group(.tables)]
  /// The lines that can be scrolled through.
  private(set) var lines: [Line] = []
  private var list = ScrollingList(cursor: 0)

  /// The chosen line, as an index into ``lines``.
  var cursor: Int { list.cursor ?? 0 }
  /// The first line in view.
  var top: Int { list.top }

  /// The line under the cursor.
  var chosen: Line? { lines.indices.contains(cursor) ? lines[cursor] : nil }

  func table(_ name: String) -> SchemaDescription.Table? {
    description?.tables.first { $0.name == name }
      ?? description?.tables.first { $0.name.asciiLowercased == name.asciiLowercased }
  }

  // MARK: What comes in

  mutating func receive(_ new: SchemaDescription) {
    isReading = false
    error = nil
    let known = Set(description?.tables.map(\.name) ?? [])
    description = new
    let names = Set(countable.map(\.name))
    counts = counts.filter { names.contains($0.key) }
    uncounted.formIntersection(names)
    let unknown = names.subtracting(known)
    uncounted.formUnion(unknown)
    // A new table need not wait for its turn.
    if !unknown.isEmpty { countedAt = nil }
    rebuild()
  }

  /// Records a failed request; it is repeated a second later, except for the sizes.
  mutating func fail(_ question: SchemaQuestion, _ error: String, at now: UInt64) {
    switch question {
    case .description:
      isReading = false
      isOutdated = true
      readAt = now
      self.error = error
    case .counts(let tables):
      isCounting = false
      uncounted.formUnion(tables)
    case .sizes: isMeasuring = false
    }
  }

  mutating func receive(_ new: [String: RowCount], asked: [String]) {
    isCounting = false
    for table in asked { counts[table] = new[table] }
  }

  mutating func receive(sizes: [String: Int64]) {
    isMeasuring = false
    self.sizes = sizes
  }

  /// Records what a commit may have changed.
  mutating func note(_ commit: Commit) {
    if commit.mayChangeSchema { isOutdated = true }
    // A known schema change is read immediately; a possible one waits for its turn.
    if commit.kind != .data { readAt = nil }
    guard case .named(let tables) = commit.tables else { return countAll() }
    let changed = Set(tables.map(\.asciiLowercased))
    // A virtual table reads unknown other tables: its shadow tables, the table of its content.
    uncounted.formUnion(
      countable.filter { $0.kind == .virtual || changed.contains($0.name.asciiLowercased) }
        .map(\.name))
  }

  /// Records that everything may have changed.
  mutating func refresh() {
    isOutdated = true
    readAt = nil
    countAll()
  }

  private mutating func countAll() { uncounted.formUnion(countable.map(\.name)) }

  /// The tables whose rows are counted. A table whose first count is running is among them: a
  /// commit may follow after that count was taken.
  private var countable: [SchemaDescription.Table] {
    description?.tables.filter { $0.kind != .view } ?? []
  }

  /// The requests to the database now that it is described somewhere.
  ///
  /// - Parameter wantsCounts: Whether the tree is visible, which shows the rows of all tables.
  mutating func wishes(counts wantsCounts: Bool, at now: UInt64) -> [SchemaEffect] {
    var effects: [SchemaEffect] = []
    if isOutdated, !isReading, readingMoment.map({ $0 <= now }) ?? true {
      isOutdated = false
      readAt = now
      isReading = true
      effects.append(.describe)
    }
    if wantsCounts, !isCounting, !uncounted.isEmpty, countingMoment.map({ $0 <= now }) ?? true {
      isCounting = true
      countedAt = now
      effects.append(.countRows(uncounted.sorted()))
      uncounted = []
    }
    return effects
  }

  /// When rows may be counted again: a busy writer does not cause a count after each commit.
  private var countingMoment: UInt64? { countedAt.map { $0 + 1_000_000_000 } }

  /// When the description may be read again.
  private var readingMoment: UInt64? { readAt.map { $0 + 1_000_000_000 } }

  /// When ``wishes(counts:at:)`` has further requests, on the monotonic clock.
  func wishesAt(counts wantsCounts: Bool) -> UInt64? {
    let counting = isCounting || uncounted.isEmpty || !wantsCounts ? nil : countingMoment
    let reading = isOutdated && !isReading ? readingMoment : nil
    return [counting, reading].compactMap { $0 }.min()
  }

  // MARK: Moving

  mutating func move(by step: Int, visible: Int) { move(to: cursor + step, visible: visible) }

  mutating func move(to line: Int, visible: Int) {
    list.choose(line, of: lines.count, visible: visible)
  }

  /// Opens the line under the cursor, or closes it.
  mutating func toggle() {
    guard let line = chosen, let isOpen = line.isOpen else { return }
    set(line.node, open: !isOpen)
  }

  /// Opens the line under the cursor; on an open one, moves to its first child.
  mutating func open(visible: Int) {
    guard let line = chosen, let isOpen = line.isOpen else { return }
    if isOpen { move(by: 1, visible: visible) } else { set(line.node, open: true) }
  }

  /// Closes the line under the cursor; on a closed one, moves to its parent.
  mutating func close(visible: Int) {
    guard let line = chosen else { return }
    if line.isOpen == true { return set(line.node, open: false) }
    guard let parent = lines[..<cursor].lastIndex(where: { $0.depth < line.depth }) else { return }
    move(to: parent, visible: visible)
  }

  /// Goes to a table, and opens it.
  ///
  /// - Returns: Whether there is one of that name.
  mutating func jump(to name: String, visible: Int) -> Bool {
    guard let table = table(name) else { return false }
    opened.insert(.group(SchemaTree.group(of: table)))
    opened.insert(.table(table.name))
    rebuild()
    guard let line = lines.firstIndex(where: { $0.node == .table(table.name) }) else {
      return false
    }
    move(to: line, visible: visible)
    return true
  }

  private mutating func set(_ node: Node, open: Bool) {
    if open { opened.insert(node) } else { opened.remove(node) }
    rebuild()
  }

  /// Rebuilds the lines; the cursor stays on its node.
  private mutating func rebuild() {
    let node = chosen?.node
    lines = description.map { SchemaTree(description: $0, opened: opened).lines } ?? []
    let place = node.flatMap { node in lines.firstIndex { $0.node == node } }
    let target = place ?? min(cursor, max(0, lines.count - 1))
    list = ScrollingList(cursor: target, top: max(0, min(top + target - cursor, target)))
  }
}

extension Commit {
  /// Whether it may have changed the schema. A foreign commit without any details, as with a
  /// rollback journal, may have.
  package var mayChangeSchema: Bool {
    if kind != .data { return true }
    guard case .all = tables else { return false }
    return origin == .external
  }
}
