import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct BarAndNumberViewTests {
  private let games = RowSet(
    columns: ["map", "games"], rows: [["dust", 412], ["mill", 251], ["keep", 117], ["lab", 0]])

  @Test func `bars are as long as their numbers`() {
    let panel = panel(Sample.panel("games"), games)
    #expect(
      drawn(panel, width: 30, height: 6).text == """
        ╭─┤1 games├──────────────────╮
        │ dust ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇  412  │
        │ mill ▇▇▇▇▇▇▇▇▇        251  │
        │ keep ▇▇▇▇             117  │
        │ lab                     0  │
        ╰────────────────────────────╯
        """)
    #expect(
      drawn(panel, width: 50, height: 6).text == """
        ╭─┤1 games├──────────────────────────────────────╮
        │ dust ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇  412  53 %  │
        │ mill ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇             251  32 %  │
        │ keep ▇▇▇▇▇▇▇▇                       117  15 %  │
        │ lab                                   0   0 %  │
        ╰────────────────────────────────────────────────╯
        """)
    #expect(
      drawn(panel, width: 30, height: 6, glyphs: .ascii).text == """
        +-[1 games]------------------+
        | dust ###############  412  |
        | mill #########        251  |
        | keep ####             117  |
        | lab                     0  |
        +----------------------------+
        """)
  }

  @Test func `a bar that changed has its sign while it flashes`() {
    let changed = RowSet(
      columns: ["map", "games"], rows: [["dust", 413], ["mill", 251], ["moon", 5]])
    let panel = panel(Sample.panel("games"), games, changed)
    #expect(
      drawn(panel, width: 30, height: 5).text == """
        ╭─┤1 games├──────────────────╮
        │~dust ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇  413  │
        │ mill ▇▇▇▇▇▇▇▇▇        251  │
        │+moon ▏                  5  │
        ╰────────────────────────────╯
        """)
    #expect(!drawn(panel, width: 30, height: 5, at: 3).text.contains("~"))
  }

  @Test func `bars without a number are a table`() {
    let result = RowSet(columns: ["a", "b"], rows: [["x", "y"]])
    #expect(
      drawn(panel(Sample.panel("p", .bar), result), width: 20, height: 4).text == """
        ╭─┤1 p├───┤no bar├─╮
        │   a   b          │
        │   x   y          │
        ╰──────────────────╯
        """)
  }

  @Test func `a number is as large as its panel allows`() {
    let panel = panel(
      Sample.panel("players"), Sample.value(1180), Sample.value(1201), Sample.value(1204))
    #expect(
      drawn(panel, width: 38, height: 8).text == """
        ╭─┤1 players├────────────────────────╮
        │  ▄█   ▀▀█ █▀█ █ █                  │
        │   █   █▀▀ █ █ ▀▀█   ▲ +3           │
        │  ▀▀▀  ▀▀▀ ▀▀▀   ▀   last tx        │
        │                                    │
        │  ▁▇█  min 1 180                    │
        │       max 1 204                    │
        ╰────────────────────────────────────╯
        """)
    #expect(
      drawn(panel, width: 30, height: 6).text == """
        ╭─┤1 players├────────────────╮
        │  ▄█   ▀▀█ █▀█ █ █          │
        │   █   █▀▀ █ █ ▀▀█   ▲ +3   │
        │  ▀▀▀  ▀▀▀ ▀▀▀   ▀   last tx│
        │  ▁▇█  3 tx                 │
        ╰────────────────────────────╯
        """)
    #expect(
      drawn(panel, width: 52, height: 11).text == """
        ╭─┤1 players├──────────────────────────────────────╮
        │                                                  │
        │    ██      ██████  ██████  ██  ██                │
        │  ████          ██  ██  ██  ██  ██                │
        │    ██      ██████  ██  ██  ██████   ▲ +3         │
        │    ██      ██      ██  ██      ██   last tx      │
        │  ██████    ██████  ██████      ██                │
        │                                                  │
        │  ▁▇█  min 1 180                                  │
        │       max 1 204                                  │
        ╰──────────────────────────────────────────────────╯
        """)
    #expect(
      drawn(panel, width: 16, height: 3).text == """
        ╭─┤1 players├──╮
        │  1 204   ▲ +3│
        ╰──────────────╯
        """)
    #expect(
      drawn(panel, width: 40, height: 10, glyphs: .ascii).text == """
        +-[1 players]--------------------------+
        |   #   ### ### # #                    |
        |  ##     # # # # #                    |
        |   #   ### # # ###   ^ +3             |
        |   #   #   # #   #   last tx          |
        |  ###  ### ###   #                    |
        |                                      |
        |  _*#  min 1 180                      |
        |       max 1 204                      |
        +--------------------------------------+
        """)
  }

  @Test(arguments: [ViewKind.number, .gauge, .bar, .table])
  func `a filter that nothing passes leaves nothing else to see`(_ view: ViewKind) {
    var panel = panel(Sample.panel("n", view), Sample.value(1_000))
    panel.setFilter("user")
    let lines = drawn(panel, width: 30, height: 5).text.split(separator: "\n")
    #expect(lines[2] == "│   no row contains “user”   │", "\(lines)")
    #expect(!lines.contains { $0.contains("▇") || $0.contains("1 000") }, "\(lines)")
  }

  @Test func `a change that does not fit beside the number stands elsewhere`() {
    let panel = panel(
      Sample.panel("players"), Sample.value(1180), Sample.value(1201), Sample.value(1204))
    #expect(
      drawn(panel, width: 24, height: 6).text == """
        ╭─┤1 players├──────────╮
        │  ▄█   ▀▀█ █▀█ █ █    │
        │   █   █▀▀ █ █ ▀▀█    │
        │  ▀▀▀  ▀▀▀ ▀▀▀   ▀    │
        │  ▁▇█  ▲ +3           │
        ╰──────────────────────╯
        """)
    #expect(
      drawn(panel, width: 24, height: 8).text == """
        ╭─┤1 players├──────────╮
        │  ▄█   ▀▀█ █▀█ █ █    │
        │   █   █▀▀ █ █ ▀▀█    │
        │  ▀▀▀  ▀▀▀ ▀▀▀   ▀    │
        │  ▲ +3                │
        │  ▁▇█  min 1 180      │
        │       max 1 204      │
        ╰──────────────────────╯
        """)
  }

  @Test func `bars of negative numbers grow to the left of zero`() {
    let result = RowSet(
      columns: ["a", "n"],
      rows: [
        ["x", 10], ["y", -5], ["z", 0], ["i", .real(.infinity)], ["m", 8], ["t", "text"],
      ])
    #expect(
      drawn(panel(Sample.panel("b", .bar), result), width: 50, height: 8).text == """
        ╭─┤1 b├──────────────────────────────────────────╮
        │ x           ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇    10  56 %  │
        │ y ▇▇▇▇▇▇▇▇▇▇│                        -5        │
        │ z           │                         0   0 %  │
        │ i           ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇   Inf        │
        │ m           ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇         8  44 %  │
        │ t           │                      text        │
        ╰────────────────────────────────────────────────╯
        """)
  }

  @Test func `what is no number is written`() {
    #expect(
      drawn(panel(Sample.panel("p"), Sample.value(nil)), width: 20, height: 3).text == """
        ╭─┤1 p├────────────╮
        │  NULL            │
        ╰──────────────────╯
        """)
    #expect(
      drawn(panel(Sample.panel("p"), Sample.value("all is well")), width: 20, height: 3).text == """
        ╭─┤1 p├────────────╮
        │  all is well     │
        ╰──────────────────╯
        """)
  }

  @Test func `the least numbers that there are have bars`() {
    let least = -Double.leastNonzeroMagnitude
    let result = RowSet(columns: ["a", "n"], rows: [["x", .real(least)], ["y", 0]])
    let text = drawn(panel(Sample.panel("p", .bar), result), width: 40, height: 4).text
    #expect(text.contains("x") && text.contains("▇"), "\(text)")
  }
}
