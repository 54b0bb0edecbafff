import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct SeriesTests {
  private func set(_ result: RowSet, _ options: String = "") -> SeriesSet {
    let definition = Sample.panel("p", .line, options)
    return SeriesSet(
      result, ColumnSummary.summaries(of: result, key: []), rows: Array(result.rows.indices),
      options: definition.options)
  }

  @Test func `the axis is a moment, a number that only grows, or the order of rows`() {
    #expect(set(Sample.minutes(["v": [1, 2]])).axis == .time)
    let numbers = RowSet(columns: ["x", "y"], rows: [[1, 5], [2, 3], [4, 9]])
    #expect(set(numbers).axis == .number)
    #expect(set(numbers).span == 1...4)
    let falling = RowSet(columns: ["x", "y"], rows: [[4, 5], [2, 3], [1, 9]])
    #expect(set(falling).series[0].points.map(\.y) == [9, 3, 5])
    let measured = RowSet(columns: ["x", "y"], rows: [[1, 5], [1, 3], [4, 9]])
    #expect(set(measured).axis == .ordinal(label: nil))
    #expect(set(measured).series.map(\.name) == ["x", "y"])
    let named = RowSet(columns: ["map", "y"], rows: [["a", 5], ["b", 3]])
    #expect(set(named).axis == .ordinal(label: 0))
    #expect(set(measured, "x=y").axis == .number)
    #expect(set(numbers, "y=x").series.map(\.name) == ["x"])
  }

  @Test func `one text stands along the axis, and another names the lines`() {
    let months = RowSet(
      columns: ["m", "state", "n"],
      rows: [
        ["2026-01", "open", 5], ["2026-01", "paid", 3], ["2026-02", "paid", 4],
        ["2026-03", "open", 1],
      ])
    for options in ["", "x=m"] {
      let set = set(months, options)
      #expect(set.axis == .ordinal(label: 0))
      #expect(set.rows == [0, 2, 3])
      #expect(set.series.map(\.name) == ["open", "paid"])
      #expect(set.series[0].points == [.init(x: 0, y: 5), .init(x: 2, y: 1)])
      #expect(set.series[1].points == [.init(x: 0, y: 3), .init(x: 1, y: 4)])
    }
    #expect(set(months, "x=state").series.map(\.name) == ["2026-01", "2026-03", "2026-02"])
    // Two labels of one line.
    let cities = RowSet(
      columns: ["city", "state", "n"], rows: [["a", "x", 5], ["b", "x", 3], ["c", "y", 4]])
    #expect(set(cities).series.map(\.name) == ["n"])
    #expect(set(cities).rows == [0, 1, 2])
  }

  private func pairs(_ rows: [[Value]]) -> RowSet { RowSet(columns: ["x", "y"], rows: rows) }

  @Test func `a column with few numbers is the series, and the first column its axis`() {
    let mixed = pairs([[1, 5], [2, "abc"], [3, .blob([0, 255])], [4, nil], [5, "7"]])
    let set = set(mixed)
    #expect(set.axis == .number)
    #expect(set.span == 1...5)
    #expect(set.series.map(\.name) == ["y"])
    #expect(set.series[0].points.filter { !$0.y.isNaN } == [Series.Point(x: 1, y: 5)])
    #expect(set.remark == "3 not numbers")
    let columns = ColumnSummary.summaries(of: mixed, key: [])
    for options in ["", "y=y"] {
      for kind in [ViewKind.line, .sparkline, .histogram] {
        let definition = Sample.panel("p", kind, options)
        #expect(kind.obstacle(mixed, columns, definition.options) == nil)
      }
    }
    #expect(self.set(mixed, "y=y").series.map(\.name) == ["y"])
  }

  @Test func `what is left out of a series is counted, but for NULL`() {
    #expect(set(pairs([[1, 5], [2, "abc"], [3, 6]])).remark == "1 not a number")
    #expect(set(pairs([[1, 5], [2, nil], [3, 6]])).remark == nil)
    let lost = set(pairs([[1, 5], ["two", 7], [nil, 8], [4, 6]]))
    #expect(lost.axis == .number)
    #expect(lost.series.map(\.name) == ["y"])
    #expect(lost.remark == "2 without a place on the axis")
  }

  @Test func `the first number of a single row is the place of the others`() {
    let set = set(pairs([[1, 42]]))
    #expect(set.axis == .number)
    #expect(set.series == [Series(name: "y", points: [Series.Point(x: 1, y: 42)])])
    // What a sparkline remembers of a row are all of its numbers.
    let roles = ColumnRoles(
      pairs([[1, 42]]), ColumnSummary.summaries(of: pairs([[1, 42]]), key: []), rows: [0],
      options: ViewOptions(), isCourse: true)
    #expect(roles.values == [0, 1])
  }

  @Test func `words with a number among them are a label beside numbers`() {
    let named = set(pairs([["a", 5], [7, 3], ["c", 4]]))
    #expect(named.axis == .ordinal(label: 0))
    #expect(named.series.map(\.name) == ["y"])
    let both = set(pairs([["a", 5], [7, "x"], ["c", "y"]]))
    #expect(both.axis == .ordinal(label: 0))
    #expect(both.series.map(\.name) == ["y"])
    #expect(both.remark == "2 not numbers")
  }

  @Test func `an axis of time that broken dates prevent is told`() {
    let days: [[Value]] = [
      ["2026-11-01", 1], [5, 2], ["soon", 3], ["2026-11-04", 4], [nil, 6],
    ]
    let broken = set(pairs(days + [[1, 5]]))
    #expect(broken.axis == .ordinal(label: 0))
    #expect(broken.remark == "rows in order: 3 of 5 aren't times")
    #expect(set(pairs([["a", 5], ["b", 3]])).remark == nil)
    #expect(set(pairs([["2026-11-01", 5], ["x", 3]]), "x=x").remark?.contains("1 of 2") == true)
  }

  @Test func `six series are drawn, and the others counted`() {
    let rows = (0..<20).map { index in
      [.text("2026-11-\(CivilTime.two(index + 1))"), .text("s\(index % 9)"), 1] as [Value]
    }
    let result = set(RowSet(columns: ["day", "kind", "n"], rows: rows))
    #expect(result.series.map(\.name) == ["s0", "s1", "s2", "s3", "s4", "s5"])
    #expect(result.remark == "3 series more")
  }

  @Test func `a million points are reduced, and each peak stays`() {
    let points = (0..<1_000_000).map { index in
      Series.Point(x: Double(index), y: index == 777_777 ? 5 : index == 123_456 ? -5 : 0)
    }
    let reduced = Series(name: "s", points: points).points
    #expect(reduced.count <= Series.maximumPoints + 4)
    #expect(reduced.contains(Series.Point(x: 777_777, y: 5)))
    #expect(reduced.contains(Series.Point(x: 123_456, y: -5)))
    #expect(reduced.first?.x == 0 && reduced.last?.x == 999_999)
    #expect(zip(reduced, reduced.dropFirst()).allSatisfy { $0.x <= $1.x })
    // All at one place: there is no stretch to speak of.
    let pile = Array(repeating: Series.Point(x: 1, y: 2), count: 10_000)
    #expect(Series(name: "s", points: pile).points.count == 2)
    var peak = pile
    peak[9_000].y = 7
    #expect(Series(name: "s", points: peak).points.map(\.y).max() == 7)
    // Too far apart to be measured.
    let far = peak.indices.map { Series.Point(x: $0 < 5_000 ? -1.7e308 : 1.7e308, y: peak[$0].y) }
    let kept = Series(name: "s", points: far).points
    #expect(kept.map(\.y).max() == 7 && kept.count <= Series.maximumPoints)
  }

  @Test func `bins count every number once`() {
    for values in [
      [1, 2, 3], [5, 5, 5], [-1e308, 1e308], [0], [0.1, 0.2, 0.3, 0.4],
    ] as [[Double]] {
      for wanted in [nil, 1, 2, 7, 500] {
        let bins = Bins(values.map { Value.real($0) } + [nil, "x"], wanted: wanted)
        #expect(bins?.counts.reduce(0, +) == values.count)
        #expect(bins?.total == values.count)
        #expect(bins?.skipped == 1)
        #expect((bins?.counts.count ?? 0) <= (wanted ?? 60))
      }
    }
    #expect(Bins([nil, "x"], wanted: nil) == nil)
  }

  @Test func `bins that do not fit are put together`() {
    let bins = Bins((0..<100).map { .integer($0) }, wanted: 100)
    let merged = bins?.merged(into: 30)
    #expect(merged?.counts.reduce(0, +) == 100)
    #expect((merged?.counts.count ?? 99) <= 30)
  }
}
