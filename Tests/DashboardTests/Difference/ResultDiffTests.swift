import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

@Suite struct ResultDiffTests {
  private typealias Row = ResultDiff.Row

  private let before = RowSet(
    columns: ["player", "score"],
    rows: [["ada", 98], ["linus", 96], ["bob", 92], ["grace", 90]])

  @Test func `rows are new, changed, moved or gone`() {
    let after = RowSet(
      columns: ["player", "score"],
      rows: [["ada", 98], ["grace", 97], ["linus", 96], ["nihon", 90]])
    let diff = ResultDiff(from: before, to: after, key: ["player"], rank: "score")
    #expect(
      diff.rows == [
        Row(change: .same, oldIndex: 0, rankDelta: 0),
        Row(change: .changed(columns: [1]), oldIndex: 3, rankDelta: 2, delta: .integer(7)),
        Row(change: .same, oldIndex: 1, rankDelta: -1),
        Row(change: .inserted),
      ])
    #expect(diff.removed == [ResultDiff.Removed(oldIndex: 2, row: ["bob", 92])])
    #expect(!diff.isReset)
    #expect(!diff.isEmpty)
  }

  @Test func `without a key a change is a removal and an insertion`() {
    let after = RowSet(columns: before.columns, rows: [["ada", 99]] + before.rows.dropFirst())
    let diff = ResultDiff(from: before, to: after, rank: "score")
    #expect(diff.rows[0] == Row(change: .inserted))
    #expect(diff.rows[1] == Row(change: .same, oldIndex: 1))
    #expect(diff.removed == [ResultDiff.Removed(oldIndex: 0, row: ["ada", 98])])
  }

  @Test func `rows without a key that all change in their places leave none behind`() {
    func rows(_ time: String, _ names: Value...) -> RowSet {
      RowSet(columns: ["name", "at"], rows: names.map { [$0, .text(time)] })
    }
    let diff = ResultDiff(from: rows("1", "a", "b"), to: rows("2", "a", "b"))
    #expect(diff.rows.map(\.change) == [.changed(columns: [1]), .changed(columns: [1])])
    #expect(diff.removed == [])
    let others = ResultDiff(from: rows("1", "a", "b"), to: rows("2", "c", "d"))
    #expect(others.rows.map(\.change) == [.inserted, .inserted])
    let more = ResultDiff(from: rows("1", "a", "b"), to: rows("2", "a", "b", "c"))
    #expect(more.removed.count == 2, "which row is which is not known")
    let single = ResultDiff(
      from: RowSet(columns: ["n"], rows: [[1]]), to: RowSet(columns: ["n"], rows: [[2]]))
    #expect(single.rows.map(\.change) == [.changed(columns: [0])])
  }

  @Test func `a key that is no column of the result is no key`() {
    let after = RowSet(columns: before.columns, rows: [["ada", 99]])
    let diff = ResultDiff(from: before, to: after, key: ["player", "nope"])
    #expect(diff.rows == [Row(change: .inserted)])
    #expect(diff.removed.count == 4)
  }

  @Test func `the first result has nothing to flash`() {
    let diff = ResultDiff(from: nil, to: before, key: ["player"])
    #expect(diff.isReset)
    #expect(diff.rows == Array(repeating: Row(), count: 4))
    #expect(diff.removed == [])
  }

  @Test func `other columns have nothing to flash`() {
    let after = RowSet(columns: ["player", "points"], rows: [["ada", 1]])
    let diff = ResultDiff(from: before, to: after, key: ["player"])
    #expect(diff.isReset)
    #expect(diff.rows == [Row()])
    #expect(diff.removed == [])
  }

  @Test func `rows that share a key are matched in order of occurrence`() {
    let old = RowSet(columns: ["k", "v"], rows: [["a", 1], ["a", 2], ["a", 3]])
    let new = RowSet(columns: ["k", "v"], rows: [["a", 1], ["a", 5], ["a", 3], ["a", 4]])
    let diff = ResultDiff(from: old, to: new, key: ["K"])
    #expect(diff.rows.map(\.oldIndex) == [0, 1, 2, nil])
    #expect(
      diff.rows.map(\.change) == [.same, .changed(columns: [1]), .same, .inserted])
    #expect(ResultDiff(from: new, to: old, key: ["k"]).removed.map(\.oldIndex) == [3])
  }

  @Test func `a value of another storage class is another value`() {
    let old = RowSet(columns: ["k", "v"], rows: [["a", 1]])
    let new = RowSet(columns: ["k", "v"], rows: [["a", 1.0]])
    let diff = ResultDiff(from: old, to: new, key: ["k"], rank: "v")
    #expect(diff.rows == [Row(change: .changed(columns: [1]), oldIndex: 0, rankDelta: 0)])
  }

  @Test(
    arguments: [
      (1, 3, .integer(2)), (3, 1, .integer(-2)), (1.5, 2, .real(0.5)), (1, 1.25, .real(0.25)),
      (2, 2, nil), (2, 2.0, nil), (nil, 2, nil), ("1", 2, nil), (1, nil, nil),
      (.integer(.min), .integer(.max), .real(0x1p64)),
      (.real(.infinity), .real(.infinity), nil),
    ] as [(Value, Value, ResultDiff.Delta?)])
  func `growth is told of numbers only`(
    _ old: Value, _ new: Value, _ expected: ResultDiff.Delta?
  ) {
    #expect(ResultDiff.Delta(from: old, to: new) == expected)
  }

  @Test func `another order is no change of rows`() {
    let after = RowSet(columns: before.columns, rows: before.rows.reversed())
    #expect(ResultDiff(from: before, to: after, key: ["player"]).isEmpty)
    #expect(ResultDiff(from: before, to: after).isEmpty)
  }

  @Test(arguments: 0..<200)
  func `old rows without the removed, patched and extended, are the new rows`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let key = [[], ["k"], ["k", "v"]][Int(seed % 3)]
    let old = RowSet.random(using: &random)
    let new = RowSet.random(using: &random)
    let diff = ResultDiff(from: old, to: new, key: key)
    var unused = Set(old.rows.indices)
    for removed in diff.removed {
      #expect(unused.remove(removed.oldIndex) != nil)
      #expect(old.rows[removed.oldIndex] == removed.row)
    }
    for (row, fate) in zip(new.rows, diff.rows) {
      guard let index = fate.oldIndex else {
        #expect(fate.change == .inserted)
        continue
      }
      #expect(unused.remove(index) != nil)
      let differing = row.indices.filter { row[$0] != old.rows[index][$0] }
      #expect(fate.change == (differing.isEmpty ? .same : .changed(columns: differing)))
      let identity = RowKey(columns: key, of: new)
      // Without a key, all rows are as they were, or all have changed in their places.
      if key.isEmpty, fate.change != .same {
        #expect(diff.rows.indices.allSatisfy { diff.rows[$0].oldIndex == $0 })
      } else {
        #expect(identity.values(of: row) == identity.values(of: old.rows[index]))
      }
    }
    #expect(unused.isEmpty)
    // No row is removed whose key was inserted: it would have been matched.
    let identity = RowKey(columns: key, of: new)
    let inserted = zip(new.rows, diff.rows).filter { $1.change == .inserted }
    let insertedKeys = Set(inserted.map { identity.values(of: $0.0) })
    #expect(diff.removed.allSatisfy { !insertedKeys.contains(identity.values(of: $0.row)) })
  }
}
