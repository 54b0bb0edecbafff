import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct GaugeViewTests {
  private let gauge = Sample.panel(
    "rate", .gauge, "min=0 max=10% warn=5% crit=8%", formats: ["rate": .percent])

  private func rate(_ rate: Double) -> RowSet { RowSet(columns: ["rate"], rows: [[.real(rate)]]) }

  @Test func `a gauge has its change, its thresholds and its history`() {
    let grid = drawn(panel(gauge, rate(0.048), rate(0.062)), width: 38, height: 7)
    #expect(
      grid.text == """
        ╭─┤1 rate├───────────────────────────╮
        │  6.2 %   ▲ 1.4 %      ! WARN > 5 % │
        │                                    │
        │ [███████████████████▉     │      ] │
        │ 0 %           5 %│     8 %│   10 % │
        │ ▁█                                 │
        ╰────────────────────────────────────╯
        """)
    #expect(grid[3, 1].style.role == .warning)
    #expect(grid[3, 3].style.role == .warning)
  }

  @Test(arguments: [3, 4, 5, 6])
  func `a lower panel leaves out what matters least`(_ height: Int) {
    let expected = [
      3: """
      ╭─┤1 rate├───────────────────────────╮
      │ 6.2 % [████████████████▏   │     ] │
      ╰────────────────────────────────────╯
      """,
      4: """
      ╭─┤1 rate├───────────────────────────╮
      │  6.2 %   ▲ 1.4 %      ! WARN > 5 % │
      │ [███████████████████▉     │      ] │
      ╰────────────────────────────────────╯
      """,
      5: """
      ╭─┤1 rate├───────────────────────────╮
      │  6.2 %   ▲ 1.4 %      ! WARN > 5 % │
      │ [███████████████████▉     │      ] │
      │ 0 %           5 %│     8 %│   10 % │
      ╰────────────────────────────────────╯
      """,
      6: """
      ╭─┤1 rate├───────────────────────────╮
      │  6.2 %   ▲ 1.4 %      ! WARN > 5 % │
      │ [███████████████████▉     │      ] │
      │ 0 %           5 %│     8 %│   10 % │
      │ ▁█                                 │
      ╰────────────────────────────────────╯
      """,
    ]
    let grid = drawn(panel(gauge, rate(0.048), rate(0.062)), width: 38, height: height)
    #expect(grid.text == expected[height])
  }

  @Test func `what is beyond the scale is more than a full bar`() {
    let grid = drawn(panel(gauge, rate(0.062), rate(0.12)), width: 38, height: 7)
    #expect(
      grid.text == """
        ╭─┤1 rate├───────────────────────────╮
        │  12 %   ▲ 5.8 %       ! CRIT > 8 % │
        │                                    │
        │ [████████████████████████████████› │
        │ 0 %           5 %│     8 %│   10 % │
        │ ▁█                                 │
        ╰────────────────────────────────────╯
        """)
    #expect(grid[3, 1].style.role == .error)
  }

  @Test func `ASCII terminals get ASCII`() {
    #expect(
      drawn(panel(gauge, rate(0.062), rate(0.03)), width: 38, height: 7, glyphs: .ascii).text == """
        +-[1 rate]---------------------------+
        |  3 %   v 3.2 %                     |
        |                                    |
        | [##########      |        |      ] |
        | 0 %           5 %|     8 %|   10 % |
        | #_                                 |
        +------------------------------------+
        """)
  }

  @Test func `several rows are a gauge each, and less can be worse`() {
    let disks = RowSet(
      columns: ["disk", "free"],
      rows: [["/", 8], ["/home", 55.5], ["/var", 19], ["x", nil], ["y", -5], ["z", 1e300]])
    let gauge = Sample.panel("disks", .gauge, "min=0 max=100 warn=20 crit=10")
    let grid = drawn(panel(gauge, disks), width: 44, height: 8)
    #expect(
      grid.text == """
        ╭─┤1 disks├────────────────────────────────╮
        │!/     [█▊│ │                 ]         8 │
        │ /home [████████████▎         ]      55.5 │
        │!/var  [████▏                 ]        19 │
        │ x                                   NULL │
        │!y     ‹  │ │                 ]        -5 │
        │ z     [██████████████████████› 1.00e+300 │
        ╰──────────────────────────────────────────╯
        """)
    #expect(grid[1, 1].style.role == .error)
    #expect(grid[1, 3].style.role == .warning)
  }

  @Test(
    arguments: [
      .real(.infinity), .real(-.infinity), 1e308, -1e308, 0, nil, "text",
      .real(.leastNonzeroMagnitude),
    ]
      as [Value])
  func `any value has a gauge or is written`(_ value: Value) {
    for options in ["", "min=5", "max=-5", "warn=1 crit=0"] {
      let definition = Sample.panel("v", .gauge, options)
      for height in 1...8 {
        let grid = drawn(
          panel(definition, Sample.value(1), Sample.value(value)), width: 30, height: height)
        #expect(!grid.text.contains("nan"))
      }
    }
  }

  @Test func `a gauge of the greatest numbers is nearly full`() {
    let gauge = Sample.panel("v", .gauge, "")
    let grid = drawn(panel(gauge, Sample.value(.real(1.7e308))), width: 30, height: 6)
    #expect(grid.text.contains("█████████████████████"), "\(grid.text)")
  }

  @Test(arguments: [(0, "1"), (-3, "0")] as [(Int64, String)])
  func `a gauge of nothing or less has a scale that can be read`(_ number: Int64, _ high: String) {
    let gauge = Sample.panel("v", .gauge, "")
    let grid = drawn(panel(gauge, Sample.value(.integer(number))), width: 30, height: 6)
    let scale = grid.text.split(separator: "\n")[3]
    #expect(scale.hasSuffix(" \(high) │"), "\(grid.text)")
    #expect(!grid.text.contains("e-"))
  }

  @Test func `a threshold between whole numbers is written as it is`() {
    let gauge = Sample.panel("v", .gauge, "max=5 warn=0.5 crit=2.25")
    let text = drawn(panel(gauge, Sample.value(1)), width: 40, height: 6).text
    #expect(text.contains("! WARN > 0.5 "), "\(text)")
    #expect(text.contains("2.25│"), "\(text)")
  }

  @Test(
    arguments: [
      ("rate > 5%", 0.05, nil), ("rate > 5%", 0.051, "! CRIT > 5 %"),
      ("rate >= 5%", 0.05, "! CRIT > 5 %"), ("0.05 > rate", 0.049, "! CRIT < 5 %"),
      ("0.05 > rate", 0.05, nil), ("RATE < 5% until rate > 6%", 0.01, "! CRIT < 5 %"),
      ("rate > 5% and rows > 2", 0.07, nil), ("rate = 5%", 0.05, nil), ("other > 5%", 0.07, nil),
    ] as [(String, Double, String?)])
  func `what raises the alert is critical`(
    _ rule: String, _ value: Double, _ expected: String?
  ) throws {
    var gauge = Sample.panel("rate", .gauge, "min=0 max=10%", formats: ["rate": .percent])
    gauge.alert = try AlertRule(rule)
    let text = drawn(panel(gauge, rate(value)), width: 38, height: 6).text
    #expect(text.contains("CRIT") == (expected != nil), "\(text)")
    if let expected { #expect(text.contains(expected), "\(text)") }
  }

  /// The first panel as a screen shows it.
  private func framed(_ state: DashboardState, height: Int) -> Grid {
    var canvas = Canvas(size: Size(width: 44, height: height), glyphs: .unicode)
    let context = PanelContext(
      index: 0, isFocused: false, showsDelta: true, moment: Sample.moment(9),
      alert: AlertNote(state, panel: 0))
    PanelView.draw(
      state.panels[0], frame: Rect(x: 0, y: 0, width: 44, height: height), context: context,
      on: &canvas)
    return canvas.grid
  }

  @Test(
    arguments: [
      ("rate > 5% until rate < 4%", [0.06, 0.045], .error),
      ("rate > 5% until rate < 4%", [0.045], .bar),
      ("rate > 5% until rate < 4%", [0.06, 0.045, 0.03], .bar),
      ("rate > 5% until rate < 4%", [0.06, 0.03, 0.045], .bar),
      ("rate < 2% until rate > 3%", [0.01, 0.025], .error),
      ("rate < 2% until rate > 3%", [0.01, 0.035, 0.025], .bar),
      ("rate > 5% until rate < 4% and rate <> 1%", [0.06, 0.01], .error),
    ] as [(String, [Double], Style.Role)], [3, 4, 6])
  func `a gauge looks as it was raised until its alert is over`(
    _ example: (rule: String, rates: [Double], role: Style.Role), _ height: Int
  ) throws {
    let gauge = Sample.panel("rate", .gauge, "min=0 max=10%", formats: ["rate": .percent])
    var definition = gauge
    definition.alert = try AlertRule(example.rule)
    var state = Sample.state([definition], console: false)
    for (index, value) in example.rates.enumerated() {
      state.deliver([0: rate(value)], ordinal: index + 1, at: Double(index))
    }
    let grid = framed(state, height: height)
    let isRaised = example.role == .error
    #expect(state.alerts.board["rate"].isRaised == isRaised)
    let bar = try #require(grid.text.split(separator: "\n").firstIndex { $0.contains("[") })
    let start = try #require((0..<grid.size.width).first { grid[$0, bar].character == "[" })
    #expect(grid[start + 1, bar].style.role == example.role, "\(grid.text)")
    guard height > 3 else { return }
    #expect(grid.text.contains("CRIT") == isRaised, "\(grid.text)")
    #expect(grid[3, 1].style.role == (isRaised ? .error : .accent))
  }

  @Test func `raised, a gauge is as worrying as it says of the number that raised it`() throws {
    var gauge = gauge
    gauge.alert = try AlertRule("rate > 6% until rate < 2%")
    var state = Sample.state([gauge], console: false)
    for (index, value) in [0.065, 0.03].enumerated() {
      state.deliver([0: rate(value)], ordinal: index + 1, at: Double(index))
    }
    let grid = framed(state, height: 6)
    #expect(grid.text.contains("3 %   ▼ 3.5 %"), "\(grid.text)")
    #expect(grid.text.contains("! WARN > 5 %"), "\(grid.text)")
    #expect(grid[3, 1].style.role == .warning)
  }

  @Test func `of several gauges those look raised that keep the alert from ending`() throws {
    var disks = Sample.panel("disks", .gauge, "min=0 max=100")
    disks.alert = try AlertRule("used > 90 until used < 80")
    var state = Sample.state([disks], console: false)
    for (index, used) in [95, 85, 70].enumerated() {
      let rows = RowSet(
        columns: ["disk", "used"],
        rows: [["/", .integer(Int64(used))], ["/home", 85], ["/var", 9]])
      state.deliver([0: rows], ordinal: index + 1, at: Double(index))
    }
    let grid = framed(state, height: 5)
    #expect((1...3).map { grid[1, $0].character } == [" ", "!", " "], "\(grid.text)")
    #expect(grid[1, 2].style.role == .error)
  }

  @Test func `what the panel says is critical counts more than its alert`() throws {
    var gauge = gauge
    gauge.alert = try AlertRule("rate > 6%")
    let text = drawn(panel(gauge, rate(0.07)), width: 38, height: 6).text
    #expect(text.contains("! WARN > 5 %"), "\(text)")
  }

  @Test func `the history is that of the number that the gauge shows`() {
    func row(_ label: Value, _ n: Value) -> RowSet {
      RowSet(columns: ["label", "n"], rows: [[label, n]])
    }
    let gauge = Sample.panel("v", .gauge, "")
    let both = panel(
      gauge, RowSet(columns: ["a", "b"], rows: [[7, 3]]),
      RowSet(columns: ["a", "b"], rows: [[nil, 4]]), RowSet(columns: ["a", "b"], rows: [[9, 5]]))
    let values = both.history.values.suffix(9)
    #expect(values.count == 3 && values[0] == 7 && values[1].isNaN && values[2] == 9)
    let grid = drawn(panel(gauge, row("x", 5), row("x", 8)), width: 40, height: 7)
    #expect(grid.text.contains("8   ▲ 3"), "\(grid.text)")
  }

  @Test func `a number that is NULL at present leaves the view as it is`() {
    for kind in [ViewKind.gauge, .line, .bar, .number, .sparkline, .histogram] {
      for columns in [["n"], ["name", "n"]] {
        let label: [Value] = columns.count > 1 ? ["x"] : []
        let panel = panel(
          Sample.panel("v", kind, ""), RowSet(columns: columns, rows: [label + [5]]),
          RowSet(columns: columns, rows: [label + [nil]]))
        #expect(panel.kind == kind)
        let text = drawn(panel, width: 40, height: 7).text
        #expect(!text.contains("no number:") && !text.contains("there is no"), "\(text)")
        #expect(!text.contains("5"), "\(kind) still shows what was\n\(text)")
      }
    }
    let words = panel(Sample.panel("v", .gauge, ""), Sample.value("text"))
    #expect(words.kind == .table)
  }
}
