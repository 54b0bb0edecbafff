import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct RowMarksTests {
  private let definition = Sample.panel("fame", .table, key: ["player"], rank: "score")

  @Test func `a change flashes in three steps`() {
    let second: UInt64 = 1_000_000_000
    let levels = [0, 999_999_999, second, 2 * second, 3 * second - 1, 3 * second].map {
      RowMarks.level(since: 5, at: 5 + $0)
    }
    #expect(levels == [3, 3, 2, 1, 1, 0])
    #expect(RowMarks.level(since: 5, at: 4) == 3)
  }

  @Test func `the picture changes by itself only while something fades`() {
    var state = Sample.state([definition])
    state.deliver([0: Sample.scores(["ada": 2, "bob": 1])])
    #expect(state.needsTickAt == nil)
    state.deliver([0: Sample.scores(["ada": 2, "bob": 3])], at: 1)
    let start = Sample.moment(1).monotonic
    #expect(state.needsTickAt == start + 1_000_000_000)
    _ = reduce(&state, .ticked(Sample.moment(3.5)))
    #expect(state.needsTickAt == start + 3_000_000_000)
    _ = reduce(&state, .ticked(Sample.moment(4)))
    #expect(state.needsTickAt == nil)
  }

  @Test func `a mark moves with its row while it is fresh`() {
    let first = Sample.scores(["ada": 5, "bob": 3])
    let second = Sample.scores(["ada": 5, "bob": 4])
    let third = Sample.scores(["eve": 9, "ada": 5, "bob": 4])
    var panel = PanelState(definition: Sample.panel("p", .table, key: ["player"]))
    panel.receive(first, ordinal: 1, at: Sample.moment(0))
    panel.receive(second, ordinal: 2, at: Sample.moment(10))
    panel.receive(third, ordinal: 3, at: Sample.moment(11))
    #expect(panel.marks.byRow[0]?.change == .inserted)
    #expect(panel.marks.byRow[1] == nil)
    #expect(panel.marks.byRow[2]?.change == .changed(columns: [1]))
    #expect(panel.marks.byRow[2]?.start == Sample.moment(10).monotonic)
    panel.receive(second, ordinal: 4, at: Sample.moment(14))
    #expect(panel.marks.byRow.isEmpty)
    #expect(panel.marks.removed.map(\.row) == [["eve", 9]])
  }

  @Test func `only a panel that ranks has arrows`() {
    let before = Sample.scores(["ada": 5, "bob": 3])
    let after = Sample.scores(["bob": 9, "ada": 5])
    let ranked = panel(definition, before, after)
    #expect(ranked.marks.byRow[0]?.rankDelta == 1)
    #expect(ranked.marks.byRow[0]?.delta == .integer(6))
    #expect(ranked.marks.byRow[1]?.rankDelta == -1)
    let plain = panel(Sample.panel("p", .table, key: ["player"]), before, after)
    #expect(plain.marks.byRow[0]?.rankDelta == nil)
    #expect(plain.marks.byRow[1] == nil)
  }

  @Test func `another shape of result flashes nothing`() {
    let panel = panel(
      definition, Sample.scores(["ada": 5]), RowSet(columns: ["x"], rows: [[1], [2]]))
    #expect(panel.marks.byRow.isEmpty)
    #expect(panel.marks.removed.isEmpty)
  }
}
