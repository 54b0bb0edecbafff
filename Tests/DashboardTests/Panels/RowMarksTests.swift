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
    #expect(state.changesAt == nil)
    state.deliver([0: Sample.scores(["ada": 2, "bob": 3])], at: 1)
    let start = Sample.moment(1).monotonic
    #expect(state.changesAt == start + 1_000_000_000)
    _ = reduce(&state, .ticked(Sample.moment(3.5)))
    #expect(state.changesAt == start + 3_000_000_000)
    _ = reduce(&state, .ticked(Sample.moment(4)))
    #expect(state.changesAt == nil)
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

  @Test func `the time of day in each row of a panel without a key leaves no ghosts`() {
    func rows(_ second: Int) -> RowSet {
      RowSet(
        columns: ["name", "now"],
        rows: ["a", "b", "c"].map { [.text($0), .integer(Int64(second))] })
    }
    let panel = panel(Sample.panel("p", .table), rows(1), rows(2), rows(3), rows(4))
    #expect(panel.marks.removed.isEmpty)
    #expect(panel.marks.latest == [0, 1, 2])
  }

  @Test func `another shape of result flashes nothing`() {
    let panel = panel(
      definition, Sample.scores(["ada": 5]), RowSet(columns: ["x"], rows: [[1], [2]]))
    #expect(panel.marks.byRow.isEmpty)
    #expect(panel.marks.removed.isEmpty)
  }

  @Test func `the last update is known by its first rows`() {
    let plain = Sample.panel("p", .table, key: ["id"])
    func rows(_ ids: Range<Int>, _ n: Int) -> RowSet {
      RowSet(
        columns: ["id", "n"], rows: ids.map { [.integer(Int64($0)), .integer(Int64(n))] })
    }
    let all = panel(plain, rows(0..<200, 1), rows(0..<200, 2))
    #expect(all.marks.latest == Array(0..<50))
    // What the update before changed still flashes, and is not the last change.
    var mixed = rows(0..<199, 2).rows
    mixed[7] = [7, 9]
    let last = panel(
      plain, rows(0..<200, 1), rows(0..<200, 2), RowSet(columns: ["id", "n"], rows: mixed))
    #expect(last.marks.latest == [7])
    #expect(last.marks.latestRemoved.map(\.row) == [[199, 2]])
    #expect(last.marks.byRow.count == 199)
  }

  @Test func `a panel of another preset wakes nobody`() throws {
    var definition = DashboardDefinition(panels: [definition, Sample.panel("n", .number)])
    definition.presets = [
      PresetDefinition(name: "one", panels: ["n"]), PresetDefinition(name: "two", panels: ["fame"]),
    ]
    var state = DashboardState(definition: definition, databaseName: "a", now: Sample.moment())
    state.deliver([0: Sample.scores(["ada": 2])])
    state.deliver([0: Sample.scores(["ada": 3])], at: 1)
    #expect(state.changesAt == nil)
    _ = state.choosePreset("two")
    #expect(state.changesAt != nil)
  }
}
