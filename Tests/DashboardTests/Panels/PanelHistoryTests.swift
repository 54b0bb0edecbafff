import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct PanelHistoryTests {
  private func rows(_ rows: KeyValuePairs<String, Value>) -> RowSet {
    RowSet(columns: ["name", "n"], rows: rows.map { [.text($0.key), $0.value] })
  }

  private func history(_ results: RowSet...) -> PanelHistory {
    var history = PanelHistory()
    for (index, result) in results.enumerated() {
      history.append(
        result, value: nil, key: RowKey(columns: ["name"], of: result), spark: 1, ordinal: index * 3
      )
    }
    return history
  }

  private func samples(_ history: PanelHistory, _ name: String, _ count: Int = 10) -> [Double] {
    let result = rows([:])
    return history.samples(
      of: [.text(name), nil], key: RowKey(columns: ["name"], of: result), count)
  }

  @Test func `each row has the numbers of its last results, wherever it stood`() {
    let history = history(rows(["a": 1, "b": 9]), rows(["b": 8, "a": 2]), rows(["a": 3, "b": 8]))
    #expect(samples(history, "a") == [1, 2, 3])
    #expect(samples(history, "b") == [9, 8, 8])
    #expect(samples(history, "a", 2) == [2, 3])
    #expect(samples(history, "c") == [])
  }

  @Test func `a row that comes back has a gap, and one that stays away is forgotten`() {
    var history = history(rows(["a": 1, "b": 9]), rows(["a": 2]), rows(["a": 3, "b": 7]))
    let samples = samples(history, "b")
    #expect(samples[0] == 9 && samples[1].isNaN && samples[2] == 7)
    for ordinal in 0..<PanelHistory.samplesPerRow {
      let result = rows(["a": 1])
      history.append(
        result, value: nil, key: RowKey(columns: ["name"], of: result), spark: 1, ordinal: ordinal)
    }
    #expect(history.rowCount == 1)
  }

  @Test func `memory is bounded by results and by rows`() {
    var history = PanelHistory()
    for ordinal in 0..<300 {
      let result = RowSet(
        columns: ["name", "n"],
        rows: (0..<60).map { [.text("\(ordinal * 60 + $0)"), .integer(Int64(ordinal))] })
      history.append(
        result, value: nil, key: RowKey(columns: ["name"], of: result), spark: 1, ordinal: ordinal)
      #expect(history.rowCount <= PanelHistory.rowCapacity)
    }
    #expect(history.values.count == PanelHistory.capacity)
    #expect(history.values.suffix(2) == [298, 299])
  }

  @Test func `what is no number is a gap`() {
    let history = history(rows(["a": 1]), rows(["a": "x"]), rows(["a": nil]), rows(["a": 2.5]))
    #expect(samples(history, "a").map(\.isNaN) == [false, true, true, false])
  }

  @Test func `the span counts observed changes, not results`() {
    #expect(history(rows(["a": 1])).span(10) == nil)
    #expect(history(rows(["a": 1]), rows(["a": 2]), rows(["a": 3])).span(10) == 7)
    #expect(history(rows(["a": 1]), rows(["a": 2]), rows(["a": 3])).span(2) == 4)
  }

  @Test func `a ring keeps the newest`() {
    var ring = SampleRing(capacity: 3)
    #expect(ring.last == nil)
    for number in 1...5 { ring.append(Double(number)) }
    #expect(ring.suffix(10) == [3, 4, 5])
    #expect(ring.suffix(1) == [5])
    #expect(ring.last == 5)
  }

  @Test func `an older frame has the history and the chart of its time`() throws {
    let ranking = Sample.panel("t", .table, "", key: ["name"], spark: "n")
    var state = Sample.state([ranking, Sample.panel("l", .line, "")])
    for number in 1...4 {
      let points = Sample.column((0...number).map { .integer(Int64($0)) })
      state.deliver(
        [0: rows(["a": .integer(Int64(number * number))]), 1: points], ordinal: number,
        at: Double(number))
    }
    let row: [Value] = ["a", 0]
    let newest = state.screen(at: 4)
    try state.press(",,")
    #expect(state.panels[0].spark(of: row, 9) == [1, 4])
    guard case .series(let set) = state.panels[1].chart else {
      Issue.record("no chart")
      return
    }
    #expect(set.series[0].points.map(\.y) == [0, 1, 2])
    try state.press(".")
    #expect(state.panels[0].spark(of: row, 9) == [1, 4, 9])
    try state.press("0")
    #expect(state.panels[0].spark(of: row, 9) == [1, 4, 9, 16])
    #expect(state.screen(at: 4).text == newest.text)
  }

  @Test func `frames hold no history and no chart of their own`() {
    var state = Sample.state([Sample.panel("t", .line, "", key: ["name"], spark: "n")])
    state.deliver([0: rows(["a": 1, "b": 2])])
    let kept = state.timeline[0].panels[0]
    #expect(kept.chart == nil)
    #expect(kept.history.rowCount == 0)
  }

  @Test func `other columns begin a new history`() {
    var panel = PanelState(definition: Sample.panel("p", .number))
    panel.receive(Sample.value(1), ordinal: 1, at: Sample.moment())
    panel.receive(Sample.value(2), ordinal: 2, at: Sample.moment())
    #expect(panel.history.values.count == 2)
    panel.receive(RowSet(columns: ["m"], rows: [[7]]), ordinal: 3, at: Sample.moment())
    #expect(panel.history.values.suffix(9) == [7])
  }
}
