import DatabaseConsole
import ObservationEngine
import Testing

@testable import Dashboard

/// What Enter on a line of the feed tells of rows.
@Suite struct CommitReportTests {
  private func state(
    _ origin: Commit.Origin = .own, size: Size = Size(width: 100, height: 40)
  ) throws -> DashboardState {
    var state = Sample.state([Sample.panel("p", .table)], size: size)
    let refresh = Refresh(events: [Sample.commit(7, origin)], ordinal: 7)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    state.focus = .feed
    return state
  }

  private func entry(_ rowid: Int64, _ old: [Value]?, _ new: [Value]?) -> RowDifference.Entry {
    RowDifference.Entry(key: .rowid(rowid), old: old, new: new)
  }

  private var scores: CommitRows.Table {
    CommitRows.Table(
      name: "scores", columns: ["player", "points"],
      rows: [
        entry(1, nil, ["ada", 100]), entry(2, ["bob", 20], ["bob", 30]),
        entry(3, ["eve", 5], nil), entry(4, [.null, 1], ["x", .null]),
      ], counts: Commit.RowCounts(inserted: 1, updated: 2, deleted: 1))
  }

  private func lines(_ rows: CommitRows?, size: Size = Size(width: 100, height: 40)) throws
    -> [CommitReport.Line]
  {
    var state = try state(size: size)
    #expect(try state.press("<Enter>") == [.console(.describeCommit(ordinal: 7))])
    _ = reduce(&state, .console(.commitRows(rows, ordinal: 7)))
    guard case .commit(let report) = state.modes.overlay else { throw CancellationError() }
    return report.lines
  }

  @Test func `the rows of an own commit stand in columns, with what changed in them`() throws {
    let lines = try lines(CommitRows(ordinal: 7, tables: [scores]))
    let table = lines.drop { $0.text != "table scores  +1 ~2 -1" }.prefix(6)
    #expect(
      table.map(\.text) == [
        "table scores  +1 ~2 -1",
        "    player      points",
        "  + ada            100",
        "  ~ bob        20 → 30",
        "  - eve              5",
        "  ~ NULL → x  1 → NULL",
      ])
    #expect(
      table.map(\.role) == [.title, .header, .inserted, .changed, .removed, .changed])
  }

  @Test func `a table that is too wide tells what changed in each row`() throws {
    let names = (1...9).map { "column_number_\($0)" }
    let old = names.indices.map { Value.integer(Int64($0)) }
    var new = old
    new[8] = 99
    let table = CommitRows.Table(
      name: "wide", columns: names, rows: [entry(5, old, new)],
      counts: Commit.RowCounts(updated: 1))
    let lines = try lines(CommitRows(ordinal: 7, tables: [table]))
    #expect(lines.contains { $0.text == "  ~ rowid 5  column_number_9 8 → 99" })
  }

  @Test func `what is longer than a line goes on below it`() throws {
    let names = (1...9).map { "column_number_\($0)" }
    let row = names.indices.map { Value.text("value-\($0 + 1)-of-\(names.count)") }
    let remark = "the rows of this commit are those of several transactions that were seen at once"
    let table = CommitRows.Table(
      name: "wide", columns: names, rows: [entry(5, nil, row)],
      counts: Commit.RowCounts(inserted: 1))
    for width in [60, 100] {
      var state = try state(size: Size(width: width, height: 40))
      try state.press("<Enter>")
      _ = reduce(
        &state,
        .console(
          .commitRows(CommitRows(ordinal: 7, tables: [table], remark: remark), ordinal: 7)))
      guard case .commit(let report) = state.modes.overlay else { throw CancellationError() }
      let lines = report.lines(onScreen: width, .unicode)
      #expect(lines.count > report.lines.count)
      #expect(lines.allSatisfy { $0.text.count <= width - 8 })
      let screen = state.screen().text
      for word in ["column_number_1 ", "column_number_5 ", "value-9-of-9", "seen"] {
        #expect(screen.contains(word), "\(word) at \(width)")
      }
      // Below the values, not below the sign; and below the text, not below its heading.
      #expect(lines.contains { $0.role == .inserted && $0.text.hasPrefix("    ") })
      #expect(
        lines.contains { $0.name.isEmpty && $0.text.hasPrefix("           ") } == (width == 60))
    }
  }

  @Test func `of a value that is shown in a row of its own, more is shown than in a column`() throws
  {
    let long = String(repeating: "abc ", count: 20)
    let names = (1...9).map { "column_number_\($0)" }
    let row = names.indices.map { _ in Value.text(long) }
    let table = CommitRows.Table(
      name: "wide", columns: names, rows: [entry(5, nil, row)],
      counts: Commit.RowCounts(inserted: 1))
    let lines = try lines(CommitRows(ordinal: 7, tables: [table]))
    #expect(lines.contains { $0.text.contains("column_number_9 \(long)") })
  }

  @Test func `of long values that differ late, the difference is shown`() throws {
    let same = String(repeating: "a", count: 300)
    let table = CommitRows.Table(
      name: "notes", columns: ["id", "text"],
      rows: [entry(1, [1, .text(same + "OLD")], [1, .text(same + "NEW")])],
      counts: Commit.RowCounts(updated: 1))
    let lines = try lines(CommitRows(ordinal: 7, tables: [table]))
    let line = try #require(lines.first { $0.role == .changed })
    #expect(line.text.contains("…aaaaaaaaaaaaaaaaOLD → …aaaaaaaaaaaaaaaaNEW"))
  }

  @Test func `rows that were not kept are told with the reason, and others by their number`() throws
  {
    let bulk = CommitRows.Table(
      name: "bulk", columns: [], rows: [], counts: nil, missing: "more than 50 000 rows changed")
    let many = CommitRows.Table(
      name: "many", columns: ["n"], rows: [entry(1, nil, [1])],
      counts: Commit.RowCounts(inserted: 1_201))
    let lines = try lines(
      CommitRows(ordinal: 7, tables: [bulk, many], remark: "another program committed"))
    #expect(lines.contains { $0.text == "  rows not kept: more than 50 000 rows changed" })
    #expect(lines.contains { $0.text == "  and 1 200 more" })
    #expect(lines.contains { $0.name == "rows" && $0.text == "another program committed" })
  }

  @Test func `what is not kept any more says so`() throws {
    #expect(try lines(nil).contains { $0.text.hasPrefix("not kept any more") })
  }

  @Test func `the rows of a commit by another process are asked for and shown, too`() throws {
    var state = try state(.external)
    #expect(try state.press("<Enter>") == [.console(.describeCommit(ordinal: 7))])
    _ = reduce(
      &state, .console(.commitRows(CommitRows(ordinal: 7, tables: [scores]), ordinal: 7)))
    guard case .commit(let report) = state.modes.overlay else { throw CancellationError() }
    #expect(report.lines.contains { $0.text.hasPrefix("table score") })
  }

  @Test(arguments: [
    (Value.integer(1204), Value.integer(1205), nil, "  ~ n 1 204 → 1 205"),
    (Value.real(0.0141), Value.real(0.0139), ColumnFormat.percent, "  ~ n 0.0141 → 0.0139"),
    (Value.null, Value.text("x"), nil, "  ~ n NULL → x"),
  ])
  func `a panel with one value needs no key to say what became of it`(
    _ old: Value, _ new: Value, _ format: ColumnFormat?, _ expected: String
  ) throws {
    var panel = Sample.panel("share")
    panel.formats = format.map { [ColumnFormatting(column: "n", format: $0)] } ?? []
    var state = Sample.state([panel])
    state.deliver([0: Sample.value(old)])
    let refresh = Refresh(
      results: [0: .success(Sample.value(new))], events: [Sample.commit(2)], ordinal: 2)
    _ = reduce(&state, .refreshed(refresh, at: Sample.moment(1)))
    state.focus = .feed
    try state.press("<Enter>")
    guard case .commit(let report) = state.modes.overlay else { throw CancellationError() }
    #expect(report.lines.map(\.text).contains(expected), "\(report.lines.map(\.text))")
  }

  @Test func `an answer that comes late changes nothing`() throws {
    var state = try state()
    try state.press("<Enter><Esc>")
    _ = reduce(&state, .console(.commitRows(nil, ordinal: 7)))
    #expect(state.modes.overlay == nil)
    try state.press("<Enter>")
    let before = state.modes.overlay
    _ = reduce(&state, .console(.commitRows(nil, ordinal: 6)))
    #expect(state.modes.overlay == before)
  }

  @Test(arguments: [Size(width: 80, height: 24), Size(width: 40, height: 12)])
  func `it is drawn on a small screen too`(_ size: Size) throws {
    var state = try state(size: size)
    state.focus = .feed
    try state.press("<Enter>")
    _ = reduce(
      &state, .console(.commitRows(CommitRows(ordinal: 7, tables: [scores]), ordinal: 7)))
    for _ in 0..<20 { try state.press("j") }
    #expect(state.screen().size == size)
  }
}
