import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct TableExtrasTests {
  private let fame = Sample.panel(
    "fame", .table, "", key: ["player"], formats: ["wins": .bar], spark: "score", rank: "score")

  private func scores(_ ada: Int64, _ bob: Int64) -> RowSet {
    RowSet(
      columns: ["player", "score", "wins"],
      rows: [["ada", .integer(ada), 140], ["bob", .integer(bob), 70]])
  }

  private var ranking: PanelState { panel(fame, scores(90, 80), scores(95, 80), scores(120, 85)) }

  @Test func `a column is written in its format`() {
    let result = RowSet(
      columns: ["size", "took", "at", "full", "part", "n", "when"],
      rows: [
        [184_320, 3.1, "2026-11-20 12:02:00", 0.42, 3, 123_456_789, 2_461_365.003],
        [5e12, 0.0004, 1_795_176_270, 1.7, 1, 0.5, "broken"],
        ["x", nil, nil, -1, .real(.infinity), -12345.678, 1],
      ])
    let table = Sample.panel(
      "f", .table, "",
      formats: [
        "size": .bytes, "took": .duration, "at": .relative, "full": .percentBar,
        "part": .shareBar, "n": .compact, "when": .time,
      ])
    #expect(
      drawn(panel(table, result), width: 110, height: 6).text == """
        ╭─┤1 f├──────────────────────────────────────────────────────────────────────────────────────────────────────╮
        │     size     took           at   full                   part                       n   when                │
        │   180 KB    3.1 s    2 min ago   ▇▇▇▇▇▇          42 %   ▇▇▇▇▇▇▇▇▇▇    75 %     123 M   2026-11-20 12:04:19 │
        │     4 TB   400 us      1 s ago   ▇▇▇▇▇▇▇▇▇▇▇▇▇  170 %   ▇▇▇           25 %       0.5   broken              │
        │        x     NULL         NULL                 -100 %   ▇▇▇▇▇▇▇▇▇▇▇▇▇  Inf   -12.3 k   1                   │
        ╰────────────────────────────────────────────────────────────────────────────────────────────────────────────╯
        """)
  }

  @Test func `each row has its history`() {
    #expect(
      drawn(ranking, width: 80, height: 5).text == """
        ╭─┤1 fame├─────────────────────────────────────────────────┤key player · tx 3├─╮
        │  #     player    score          Δ    wins                      last 3 tx     │
        │  1 ~   ada         120        +25    ▇▇▇▇▇▇▇▇▇▇▇▇▇                   ▁▂█     │
        │  2 ~   bob          85         +5    ▇▇▇▇▇▇▇                         ▁▁█     │
        ╰──────────────────────────────────────────────────────────────────────────────╯
        """)
    #expect(
      drawn(ranking, width: 80, height: 5, glyphs: .ascii).text == """
        +-[1 fame]-------------------------------------------------[key player - tx 3]-+
        |  #     player    score        +/-    wins                      last 3 tx     |
        |  1 ~   ada         120        +25    #############                   _.#     |
        |  2 ~   bob          85         +5    #######                         __#     |
        +------------------------------------------------------------------------------+
        """)
  }

  @Test func `a narrow table keeps its ranking longest`() {
    #expect(
      drawn(ranking, width: 60, height: 5).text == """
        ╭─┤1 fame├─────────────────────────────────────────────────╮
        │  #     player  score        Δ  wins            last 3 tx │
        │  1 ~   ada       120      +25  ▇▇▇▇▇▇▇▇▇▇▇▇          ▁▂█ │
        │  2 ~   bob        85       +5  ▇▇▇▇▇▇                ▁▁█ │
        ╰──────────────────────────────────────────────────────────╯
        """)
    #expect(
      drawn(ranking, width: 44, height: 5).text == """
        ╭─┤1 fame├─────────────────────────────────╮
        │  #     player   score         Δ         ›│
        │  1 ~   ada        120       +25          │
        │  2 ~   bob         85        +5          │
        ╰──────────────────────────────────────────╯
        """)
  }

  @Test func `the last change tells what was and what is`() {
    let lines = drawn(ranking, width: 80, height: 19).text.split(separator: "\n")
    #expect(lines[17].hasPrefix("│ last change tx 3:  ~ ada 95→120  ~ bob 80→85  "))
  }

  @Test func `columns keep their width while values change`() {
    let name = Sample.panel("p", .table, key: ["id"])
    func rows(_ text: String) -> RowSet {
      RowSet(columns: ["id", "b", "c"], rows: [[1, .text(text), 2]])
    }
    let wide = drawn(panel(name, rows("1234567890")), width: 40, height: 4)
    let narrow = drawn(panel(name, rows("1234567890"), rows("1")), width: 40, height: 4)
    let headers = [wide, narrow].map { $0.text.split(separator: "\n")[1] }
    #expect(headers[0] == headers[1])
  }

  @Test func `a relative time changes by itself, and nothing else does`() {
    let table = Sample.panel("p", .table, "", formats: ["at": .relative])
    var state = Sample.state([table])
    state.deliver([0: RowSet(columns: ["at"], rows: [["2026-11-20 12:04:00"]])])
    #expect(state.screen().text.contains("31 s ago"))
    let next = state.changesAt ?? 0
    #expect(next > Sample.moment().monotonic)
    #expect(next <= Sample.moment(1).monotonic)
    _ = reduce(&state, .ticked(Sample.moment(70)))
    #expect(state.screen(at: 70).text.contains("1 min ago"))
    #expect((state.changesAt ?? 0) > Sample.moment(80).monotonic)
    state.deliver([0: RowSet(columns: ["at"], rows: [["broken"], [nil]])], at: 100)
    _ = reduce(&state, .ticked(Sample.moment(120)))
    #expect(state.changesAt == nil)
  }

  @Test func `columns are chosen in front of the table`() throws {
    var state = Sample.state(
      [Sample.panel("t", .table, "", formats: ["b": .hidden])], console: false,
      size: Size(width: 60, height: 14))
    state.deliver([0: RowSet(columns: ["a", "b", "c"], rows: [[1, 2, 3]])])
    try state.press("<lt>j")
    #expect(
      state.screen().text == """
         livequery  arena.sqlite  rw         ● LIVE  tx 1  12:04:31
        ┏━┫1 t┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
        ┃   a    c                                                 ┃
        ┃ ┏━┫columns of t┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫2 of 3┣━┓ ┃
        ┃ ┃ [x] a                                                ┃ ┃
        ┃ ┃ [ ] b                                                ┃ ┃
        ┃ ┃ [x] c                                                ┃ ┃
        ┃ ┃ Space show/hide   < > move   0 reset   Esc           ┃ ┃
        ┃ ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛ ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛

         j k choose  Spc show/hide  < > move  0 reset  Esc close
        """)
    // Shows b and moves it behind c.
    try state.press(" <gt><Esc>")
    #expect(
      state.screen().text == """
         livequery  arena.sqlite  rw         ● LIVE  tx 1  12:04:31
        ┏━┫1 t┣━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
        ┃   a    c    b                                            ┃
        ┃   1    3    2                                            ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┃                                                          ┃
        ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛

         ?help  Tab focus  z zoom  / filter  Spc pause  : cmd  q
        """)
    try state.press("<gt>0<Esc>")
    #expect(state.panels[0].columnChoice.visible == [0, 2])
  }

  @Test func `the last column cannot be hidden, and new columns are all shown`() throws {
    var state = Sample.state([Sample.panel("t", .table)], console: false)
    state.deliver([0: RowSet(columns: ["a", "b"], rows: [[1, 2]])])
    try state.press("<lt>gjxkx<Esc>")
    #expect(state.panels[0].columnChoice.visible == [0])
    state.deliver([0: RowSet(columns: ["x", "y", "z"], rows: [[1, 2, 3]])], ordinal: 2)
    #expect(state.panels[0].columnChoice.visible == [0, 1, 2])
  }

  @Test func `charts have no columns to choose`() throws {
    var state = Sample.state([Sample.panel("n", .number)])
    state.deliver([0: Sample.value(1)])
    try state.press("<lt>")
    #expect(state.modes.overlay == nil)
    #expect(state.message?.text == "columns can be chosen in tables and logs")
  }

  @Test(
    arguments: [
      (499_500, "+499 500"), (-499_500, "-499 500"), (12_345, "+12 345"),
      (123_456_789, "+123 456 789"), (1_234_567_890, "+1.23 G"), (99_999, "+99 999"),
      (1_250, "+1 250"), (.max / 2, "+4.61e+18"),
    ] as [(Int64, String)])
  func `a growth is fitted and not cut`(_ growth: Int64, _ text: String) {
    let panel = panel(fame, scores(0, 80), scores(growth, 80))
    let line =
      drawn(panel, width: 60, height: 5).text.split(separator: "\n")[2...3]
      .first { $0.contains("ada") } ?? ""
    #expect(line.contains(" \(text) "), "\(line)")
    #expect(!line.contains("…"), "\(line)")
  }

  @Test func `a growth in a format is fitted as well`() {
    let times = Sample.panel(
      "t", .table, "", key: ["player"], formats: ["score": .duration], rank: "score")
    for growth in [61, 3_725, 90_061, 40_000_000] as [Int64] {
      let text = drawn(panel(times, scores(0, 80), scores(growth, 80)), width: 70, height: 5).text
      #expect(!text.contains("…"), "\(text)")
      #expect(text.contains("+"), "\(text)")
    }
  }

  @Test func `a bar that is gone lingers as a bar`() {
    let maps = Sample.panel(
      "maps", .table, "", key: ["map"], formats: ["n": .bar, "part": .percentBar])
    func rows(_ names: [String]) -> RowSet {
      RowSet(
        columns: ["map", "n", "part"],
        rows: names.map { [.text($0), $0 == "keep" ? 18 : 36, $0 == "keep" ? 0.6 : 0.3] })
    }
    let grid = drawn(panel(maps, rows(["dust", "keep"]), rows(["dust"])), width: 60, height: 6)
    let lines = grid.text.split(separator: "\n")
    #expect(lines[3].hasPrefix("│ - keep"), "\(grid.text)")
    #expect(lines[3].filter { $0 == "▇" }.count >= 8, "\(grid.text)")
    #expect(lines[3].contains("60 %"), "\(grid.text)")
    #expect(!lines[3].contains("18"), "\(grid.text)")
    let end = Array(lines[2]).firstIndex(of: "%")
    #expect(Array(lines[3]).firstIndex(of: "%") == end, "\(grid.text)")
    let last = drawn(panel(maps, rows(["keep"]), rows([])), width: 60, height: 6)
    let line = last.text.split(separator: "\n")[2]
    #expect(line.filter { $0 == "▇" }.count >= 8 && line.contains("60 %"), "\(last.text)")
  }
}
