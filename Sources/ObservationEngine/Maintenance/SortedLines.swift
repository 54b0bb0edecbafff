/// Lines of a result in order, found by their order keys.
///
///     score DESC │ rowid       The second key breaks ties of the first: in the order of visits, which
///        30      │   4         is certain as long as SQLite has the plan that it follows from.
///        20      │   1
///        20      │   7  tied
///
/// Lines whose keys are all equal are kept in the order of what identifies them. A tie shows when the lines differ.
struct SortedLines: Sendable {
  struct Line: Sendable {
    /// The values of the ORDER BY terms, and of what breaks their ties.
    let keys: [Value]
    /// What tells the line from all others: the rowid, or the group keys.
    let identity: [Value]
    let outputs: [Value]

    /// Its approximate size in memory.
    var byteCount: Int {
      [keys, identity, outputs].joined().reduce(120) { $0 + $1.byteCount }
    }

    /// Compares what is returned as SQLite does: 0 also for values that are stored in two ways.
    func compareOutputs(_ other: Line) -> Int {
      for (own, other) in zip(outputs, other.outputs) {
        let order = own.compared(to: other)
        if order != 0 { return order }
      }
      return 0
    }
  }

  private(set) var lines: [Line] = []
  private(set) var byteCount = 0
  private let isDescending: [Bool]
  /// How many keys the statement itself sorts by; those behind them break ties.
  private let sortedCount: Int

  init(isDescending: [Bool], sortedCount: Int) {
    self.isDescending = isDescending
    self.sortedCount = sortedCount
  }

  /// Has no lines, which come in the order of another result.
  init(like other: SortedLines) {
    isDescending = other.isDescending
    sortedCount = other.sortedCount
  }

  var count: Int { lines.count }

  /// Takes lines that are in order already.
  mutating func append(_ line: Line) {
    lines.append(line)
    byteCount += line.byteCount
  }

  /// - Complexity: O(lines) moves of a few words each, O(log lines) comparisons.
  mutating func insert(_ line: Line) {
    lines.insert(line, at: place(of: line))
    byteCount += line.byteCount
  }

  /// Removes a line.
  ///
  /// - Returns: Whether there was one with the same keys, identity and outputs, bit by bit.
  mutating func remove(_ line: Line) -> Bool {
    let place = place(of: line)
    guard place < lines.count, lines[place].keys == line.keys,
      lines[place].identity == line.identity, lines[place].outputs == line.outputs
    else { return false }
    byteCount -= lines.remove(at: place).byteCount
    return true
  }

  /// Drops all lines behind the first `count`.
  mutating func truncate(to count: Int) {
    while lines.count > count { byteCount -= lines.removeLast().byteCount }
  }

  /// Sorts the lines, which were appended in any order.
  mutating func sort() {
    let order = self
    lines.sort { order.precedes($0, $1) }
  }

  func precedes(_ left: Line, _ right: Line) -> Bool {
    let order = compareKeys(left, right)
    if order != 0 { return order < 0 }
    for (left, right) in zip(left.identity, right.identity) {
      let order = left.compared(to: right)
      if order != 0 { return order < 0 }
    }
    return false
  }

  /// Whether lines that differ are tied in the statement's own order, of those in `range` or with these.
  ///
  /// - Complexity: O(lines in range and in the ties at its ends).
  private func hasVisibleTie(in range: Range<Int>) -> Bool {
    guard !range.isEmpty else { return false }
    var start = range.lowerBound
    while start > 0, isTied(lines[start - 1], lines[start]) { start -= 1 }
    var index = start + 1
    while index < lines.count {
      let isTied = isTied(lines[index - 1], lines[index])
      if isTied, lines[index - 1].outputs != lines[index].outputs { return true }
      if index >= range.upperBound, !isTied { break }
      index += 1
    }
    return false
  }

  /// The outputs of the lines that are returned, and whether some are in an order that the statement doesn't say.
  ///
  /// - Parameters:
  ///   - range: The lines that are returned, as far as there are so many.
  ///   - ends: The last lines that are kept of results that have more.
  /// - Complexity: O(lines in range and in the ties at its ends).
  func outputs(
    in range: Range<Int>, before ends: some Sequence<Line>
  ) -> (rows: [[Value]], areTied: Bool) {
    (lines[range.clamped(to: 0..<lines.count)].map(\.outputs), areTied(in: range, before: ends))
  }

  /// Whether some of the lines that are returned are in an order that the statement doesn't say.
  ///
  /// - Complexity: O(lines in range and in the ties at its ends).
  func areTied(in range: Range<Int>, before ends: some Sequence<Line>) -> Bool {
    let shown = range.clamped(to: 0..<lines.count)
    return hasVisibleTie(in: shown)
      // A line behind those that are kept may be tied with the last one that shows.
      || shown.last.map { last in ends.contains { isTied(lines[last], $0) } } ?? false
  }

  /// Whether lines that differ are tied of which some are in `range`, and others aren't.
  ///
  /// - Parameter ends: The last lines that are kept of a result that has more.
  /// - Complexity: O(lines in the ties at its ends).
  func areTied(acrossEndsOf range: Range<Int>, before ends: some Sequence<Line>) -> Bool {
    func areTied(across place: Int) -> Bool {
      guard place > 0, place < lines.count else { return false }
      let first = lines[place]
      let before = lines[..<place].reversed().prefix { isTied($0, first) }
      guard !before.isEmpty else { return false }
      let behind = lines[place...].prefix { isTied($0, first) }
      return (before + behind).contains { $0.outputs != first.outputs }
        // Lines that aren't kept may be tied with these.
        || ends.contains { isTied($0, first) }
    }
    return areTied(across: range.lowerBound) || areTied(across: range.upperBound)
  }

  /// Whether two lines have the same values of the first `count` terms.
  func areEqual(_ place: Int, _ other: Int, upTo count: Int) -> Bool {
    compareKeys(lines[place], lines[other], upTo: count) == 0
  }

  private func isTied(_ left: Line, _ right: Line) -> Bool {
    compareKeys(left, right, upTo: sortedCount) == 0
  }

  fileprivate func compareKeys(_ left: Line, _ right: Line) -> Int {
    compareKeys(left, right, upTo: isDescending.count)
  }

  private func compareKeys(_ left: Line, _ right: Line, upTo count: Int) -> Int {
    for index in 0..<count {
      let order = left.keys[index].compared(to: right.keys[index])
      if order != 0 { return isDescending[index] ? -order : order }
    }
    return 0
  }

  /// The place of a line, or where it would be.
  private func place(of line: Line) -> Int {
    var (low, high) = (0, lines.count)
    while low < high {
      let middle = (low + high) / 2
      if precedes(lines[middle], line) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension SortedLines {
  /// Goes through the lines of results that are sorted alike, with all those at once whose order keys are equal.
  struct Merge {
    /// A line, and the number of the result that has it.
    typealias Element = (number: Int, line: Line)

    private let results: [SortedLines]
    /// The places of the lines that come next.
    private var places: [Int]

    init(_ results: [SortedLines]) {
      self.results = results
      places = results.map { _ in 0 }
    }

    /// - Returns: `nil` when there are no more.
    /// - Complexity: O(lines returned + results).
    mutating func next() -> [Element]? {
      var first: Line?
      for (result, place) in zip(results, places) where place < result.count {
        let line = result.lines[place]
        if first.map({ result.compareKeys(line, $0) < 0 }) ?? true { first = line }
      }
      guard let first else { return nil }
      var run: [Element] = []
      for (number, result) in results.enumerated() {
        while places[number] < result.count {
          let line = result.lines[places[number]]
          guard result.compareKeys(line, first) == 0 else { break }
          run.append((number, line))
          places[number] += 1
        }
      }
      return run
    }
  }
}
