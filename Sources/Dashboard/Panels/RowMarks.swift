import ObservationEngine

/// The marks of recent changes, row by row, and how long they last.
package struct RowMarks: Sendable, Equatable {
  /// The mark of one row.
  struct Mark: Sendable, Equatable {
    var change: ResultDiff.Change
    /// Positions risen or, if negative, fallen; nil or never zero.
    var rankDelta: Int?
    var delta: ResultDiff.Delta?
    /// When, on the monotonic clock.
    var start: UInt64
  }

  /// A removed row that is still shown briefly.
  struct Removed: Sendable, Equatable {
    var row: [Value]
    var start: UInt64
  }

  /// More than a screenful is useless.
  private static let screenful = 50
  private static let second: UInt64 = 1_000_000_000
  /// How long a change flashes, in three steps of fading.
  static let flash: UInt64 = 3 * second

  private(set) var byRow: [Int: Mark] = [:]
  private(set) var removed: [Removed] = []
  /// The first rows that the last update inserted or changed, ascending.
  private(set) var latest: [Int] = []
  /// How many of ``removed``, at its end, were removed by the last update.
  private var latestRemovedCount = 0
  /// The times of the changes that may still be fading, ascending.
  private var starts: [UInt64] = []

  /// Applies `diff`; marks that still flash move with their rows.
  ///
  /// Ranks change in any list that grows at its head, so arrows are only for panels that rank.
  mutating func update(with diff: ResultDiff, ranked: Bool, at now: UInt64) {
    guard !diff.isReset else {
      self = RowMarks()
      return
    }
    var marks: [Int: Mark] = [:]
    latest = []
    for (index, row) in diff.rows.enumerated() {
      let rankDelta = ranked && row.rankDelta != 0 ? row.rankDelta : nil
      if row.change != .same || rankDelta != nil {
        marks[index] = Mark(
          change: row.change, rankDelta: rankDelta, delta: row.delta, start: now)
        if row.change != .same, latest.count < Self.screenful { latest.append(index) }
      } else if let old = row.oldIndex, let mark = byRow[old], Self.isFresh(mark.start, at: now) {
        marks[index] = mark
      }
    }
    byRow = marks
    removed.removeAll { !Self.isFresh($0.start, at: now) }
    let gone = diff.removed.prefix(Self.screenful).map { Removed(row: $0.row, start: now) }
    latestRemovedCount = gone.count
    removed = (removed + gone).suffix(Self.screenful)
    starts.removeAll { !Self.isFresh($0, at: now) }
    if starts.last != now { starts.append(now) }
    // Changes in quick succession fade together in the end.
    if starts.count > 64 { starts.removeFirst(starts.count - 64) }
  }

  /// Applies a change of the loaded range, with equal rows: marks move with their rows.
  mutating func move(with diff: ResultDiff) {
    var marks: [Int: Mark] = [:]
    var places: [Int: Int] = [:]
    for (index, row) in diff.rows.enumerated() {
      guard let old = row.oldIndex, let mark = byRow[old] else { continue }
      marks[index] = mark
      places[old] = index
    }
    byRow = marks
    latest = latest.compactMap { places[$0] }.sorted()
  }

  /// The approximate memory of the marks, without the rows that they refer to.
  ///
  /// - Complexity: O(marks).
  var estimatedBytes: Int {
    // A dictionary keeps a quarter of its slots free.
    let places = byRow.count * (MemoryLayout<Mark>.stride + MemoryLayout<Int>.stride) * 4 / 3
    let columns = byRow.values.reduce(0) { sum, mark in
      guard case .changed(let columns) = mark.change else { return sum }
      return sum + 32 + columns.count * MemoryLayout<Int>.stride
    }
    return places + columns + latest.count * MemoryLayout<Int>.stride
      + removed.count * MemoryLayout<Removed>.stride
  }

  /// The rows that the last update removed, as far as they are kept.
  var latestRemoved: ArraySlice<Removed> { removed.suffix(latestRemovedCount) }

  /// How strongly a change at time `start` flashes: 3 at first, 0 when it is over.
  static func level(since start: UInt64, at now: UInt64) -> UInt8 {
    let age = now >= start ? now - start : 0
    return age >= flash ? 0 : UInt8(3 - age / second)
  }

  func nextChange(after now: UInt64) -> UInt64? {
    starts.lazy
      .filter { Self.isFresh($0, at: now) }
      .map { start in
        now < start ? start : start + ((now - start) / Self.second + 1) * Self.second
      }
      .min()
  }

  private static func isFresh(_ start: UInt64, at now: UInt64) -> Bool {
    level(since: start, at: now) > 0
  }
}
