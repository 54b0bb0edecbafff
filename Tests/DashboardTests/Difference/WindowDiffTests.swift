import ObservationEngine
import Testing

@testable import Dashboard

/// What can be said of windows of a long result.
@Suite struct WindowDiffTests {
  /// The rows at these positions of a result with the keys `all`.
  private func window(_ all: [Int64], _ range: Range<Int>) -> RowSet {
    RowSet(
      columns: ["id", "n"], rows: all[range].map { [.integer($0), 0] },
      part: RowSet.Part(first: range.lowerBound, total: all.count, all: all.count))
  }

  private let before = (0..<100).map { Int64(1_000 - $0) }

  private func diff(_ old: RowSet, _ new: RowSet) -> ResultDiff {
    ResultDiff(from: old, to: new, key: ["id"])
  }

  @Test func `a window that moves changes nothing`() {
    for first in [0, 5, 30, 85] {
      let diff = diff(window(before, 20..<35), window(before, first..<first + 15))
      #expect(diff.isEmpty)
      #expect(diff.rows.allSatisfy { $0.rankDelta ?? 0 == 0 })
    }
  }

  @Test func `rows that came above a window shift it, and no row is new or gone`() {
    let after = [1_002, 1_001] + before
    let diff = diff(window(before, 20..<35), window(after, 20..<35))
    #expect(diff.isEmpty)
    #expect(diff.rows[2].oldIndex == 0)
    #expect(diff.rows[2].rankDelta == -2)
  }

  @Test func `at the head of the result new rows are new, and the last ones only leave`() {
    let after = [1_002, 1_001] + before
    let diff = diff(window(before, 0..<15), window(after, 0..<15))
    #expect(diff.rows.prefix(3).map(\.change) == [.inserted, .inserted, .same])
    #expect(diff.removed.isEmpty)
  }

  @Test func `at its end, too`() {
    let after = before + [1, 2]
    let diff = diff(window(before, 85..<100), window(after, 87..<102))
    #expect(diff.rows.suffix(3).map(\.change) == [.same, .inserted, .inserted])
    #expect(diff.removed.isEmpty)
  }

  @Test func `between rows that stay, rows are inserted and removed`() {
    var after = before
    after.insert(7, at: 25)
    after.remove(at: 30)
    let diff = diff(window(before, 20..<35), window(after, 20..<35))
    #expect(diff.rows[5].change == .inserted)
    #expect(diff.rows.count { $0.change == .inserted } == 1)
    #expect(diff.removed.map(\.row) == [[.integer(before[29]), 0]])
  }

  @Test func `a result that grows beyond what is held is compared as far as it is`() {
    let whole = RowSet(columns: ["id", "n"], rows: before.map { [.integer($0), 0] })
    let after = [1_001] + before
    let diff = diff(whole, window(after, 0..<15))
    #expect(diff.rows.map(\.change).count { $0 == .inserted } == 1)
    #expect(diff.removed.isEmpty)
  }

  @Test func `another view of the rows is no change`() {
    let diff = ResultDiff(
      from: window(before, 0..<15), to: window(before.reversed(), 80..<95), key: ["id"],
      isSameView: false)
    #expect(diff.isEmpty)
    #expect(diff.rows[14].oldIndex == 5)
    #expect(diff.rows.allSatisfy { $0.rankDelta == nil })
  }
}
