package import ObservationEngine

/// What happened to each row from one result of a query to the next.
///
/// A row is identified by its key columns; rows that share a key are matched in order of
/// occurrence.
///
/// ## Guarantees
/// - The first result, and one with different columns than before, has nothing to flash.
/// - Without key columns all values identify a row, so it never counts as changed: one row is
///   removed, another inserted. But where no row stayed the same, rows change in place if there is
///   a single row, such as a total, or if each row kept a value, as rows with the time of day do.
/// - Of two windows of a long result, only the overlap is compared: a row at an edge that merely
///   entered or left the window is neither inserted nor removed. A row that moved from outside the
///   window to between its rows counts as inserted: nothing shows that it existed before.
///
/// - Complexity: O(rows · columns).
package struct ResultDiff: Sendable, Equatable {
  /// What happened to a row.
  package enum Change: Sendable, Equatable {
    /// No change, or there is nothing to compare with.
    case same
    case inserted
    /// Values differ in these columns, in ascending order.
    case changed(columns: [Int])
  }

  /// By how much a number grew; never zero.
  package enum Delta: Sendable, Equatable {
    case integer(Int64)
    case real(Double)
  }

  /// The difference of a row of the new result.
  package struct Row: Sendable, Equatable {
    package var change: Change
    /// Its position in the old result.
    package var oldIndex: Int?
    /// How many positions it rose (or, if negative, fell); nil when it is new or rows have no key.
    package var rankDelta: Int?
    /// How much the ranked column grew; nil when it did not change, or isn't a number.
    package var delta: Delta?

    package init(
      change: Change = .same, oldIndex: Int? = nil, rankDelta: Int? = nil, delta: Delta? = nil
    ) {
      self.change = change
      self.oldIndex = oldIndex
      self.rankDelta = rankDelta
      self.delta = delta
    }
  }

  /// A row of the old result that the new one lacks.
  package struct Removed: Sendable, Equatable {
    package var oldIndex: Int
    package var row: [Value]

    package init(oldIndex: Int, row: [Value]) {
      self.oldIndex = oldIndex
      self.row = row
    }
  }

  /// One per row of the new result.
  package private(set) var rows: [Row]
  /// In the order of the old result.
  package private(set) var removed: [Removed]
  /// Whether there was nothing to compare with: no old result, or one with other columns.
  package let isReset: Bool

  /// Compares two results of one query.
  ///
  /// - Parameters:
  ///   - key: Key columns by name. If one of them isn't a column of the result, there is no key.
  ///   - rank: The column whose growth to compute.
  ///   - isSameView: Whether both show the same rows in the same order. Otherwise only the former
  ///     positions are computed, and nothing counts as a change.
  package init(
    from old: RowSet?, to new: RowSet, key: [String] = [], rank: String? = nil,
    isSameView: Bool = true
  ) {
    removed = []
    guard let old, old.columns == new.columns else {
      rows = Array(repeating: Row(), count: new.rows.count)
      isReset = true
      return
    }
    isReset = false
    let key = RowKey(columns: key, of: new)
    let rank = rank.flatMap { RowKey.index(ofColumn: $0, in: new.columns) }

    var unmatched: [[Value]: OccurrenceQueue] = [:]
    unmatched.reserveCapacity(old.rows.count)
    for (index, row) in old.rows.enumerated() {
      unmatched[key.values(of: row), default: OccurrenceQueue()].append(index)
    }
    var isGone = Array(repeating: true, count: old.rows.count)
    rows = []
    rows.reserveCapacity(new.rows.count)
    let isByPosition =
      key.isWholeRow && isSameView && !new.rows.contains { unmatched[$0] != nil }
      && Self.isReplacedInPlace(old, by: new)
    for (index, row) in new.rows.enumerated() {
      let match = isByPosition ? index : unmatched[key.values(of: row)]?.next()
      guard let oldIndex = match else {
        rows.append(Row(change: .inserted))
        continue
      }
      isGone[oldIndex] = false
      let before = old.rows[oldIndex]
      let columns = row.indices.filter { row[$0] != before[$0] }
      rows.append(
        Row(
          change: columns.isEmpty ? .same : .changed(columns: columns), oldIndex: oldIndex,
          rankDelta: key.isWholeRow ? nil : oldIndex - index,
          delta: rank.flatMap { Delta(from: before[$0], to: row[$0]) }))
    }
    removed = old.rows.indices.filter { isGone[$0] }
      .map { Removed(oldIndex: $0, row: old.rows[$0]) }
    if !isSameView {
      rows = rows.map { Row(oldIndex: $0.oldIndex) }
      removed = []
    } else if old.part != nil || new.part != nil {
      confine(from: old, to: new)
    }
  }

  /// Whether rows that all differ may be taken for the rows formerly in their positions.
  private static func isReplacedInPlace(_ old: RowSet, by new: RowSet) -> Bool {
    guard old.part == nil, new.part == nil, old.rows.count == new.rows.count else { return false }
    return new.rows.count == 1
      || zip(old.rows, new.rows).allSatisfy { zip($0, $1).contains(where: ==) }
  }

  /// Leaves out what windows can't reveal, and computes ranks in the whole result.
  private mutating func confine(from old: RowSet, to new: RowSet) {
    let (before, after) = (WindowExtent(old), WindowExtent(new))
    let matched = rows.compactMap(\.oldIndex)
    func seen(_ matches: [Int], count: Int) -> Range<Int> {
      let reachesStart = before.reachesStart && after.reachesStart
      let reachesEnd = before.reachesEnd && after.reachesEnd
      let lower = reachesStart ? 0 : matches.min() ?? count
      let upper = reachesEnd ? count : (matches.max() ?? -1) + 1
      return lower..<max(lower, upper)
    }
    let seenNow = seen(rows.indices.filter { rows[$0].oldIndex != nil }, count: rows.count)
    let seenBefore = seen(matched, count: old.rows.count)
    for index in rows.indices {
      if rows[index].change == .inserted, !seenNow.contains(index) { rows[index].change = .same }
      rows[index].rankDelta = rows[index].rankDelta.map { $0 + before.first - after.first }
    }
    removed.removeAll { !seenBefore.contains($0.oldIndex) }
  }

  /// Whether the rows are the same as before; their order may differ.
  package var isEmpty: Bool { removed.isEmpty && rows.allSatisfy { $0.change == .same } }
}

extension ResultDiff.Delta {
  /// The growth from one number to another; nil when there is none, or one of them isn't a number.
  package init?(from old: Value, to new: Value) {
    switch (old, new) {
    case (.integer(let old), .integer(let new)):
      let (difference, overflow) = new.subtractingReportingOverflow(old)
      self = overflow ? .real(Double(new) - Double(old)) : .integer(difference)
    case (.integer(let old), .real(let new)): self = .real(new - Double(old))
    case (.real(let old), .integer(let new)): self = .real(Double(new) - old)
    case (.real(let old), .real(let new)): self = .real(new - old)
    default: return nil
    }
    switch self {
    case .integer(let difference): if difference == 0 { return nil }
    // Infinity minus infinity is undefined.
    case .real(let difference): if difference == 0 || difference.isNaN { return nil }
    }
  }
}

/// The position of rows in their result.
private struct WindowExtent {
  let first: Int
  let reachesEnd: Bool
  var reachesStart: Bool { first == 0 }

  init(_ result: RowSet) {
    first = result.part?.first ?? 0
    reachesEnd = result.part.map { $0.first + result.rows.count >= $0.total } ?? true
  }
}

/// Indices of rows that share a key, handed out in order.
///
/// Nearly every key occurs once, so the first index needs no allocation.
private struct OccurrenceQueue {
  private var first: Int?
  private var rest: [Int] = []
  private var position = 0

  mutating func append(_ index: Int) {
    if first == nil, rest.isEmpty { first = index } else { rest.append(index) }
  }

  mutating func next() -> Int? {
    if let index = first {
      first = nil
      return index
    }
    guard position < rest.count else { return nil }
    defer { position += 1 }
    return rest[position]
  }
}
