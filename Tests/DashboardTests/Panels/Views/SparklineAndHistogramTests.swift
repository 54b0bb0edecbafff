import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct SparklineAndHistogramTests {
  private let spark = Sample.panel("s", .sparkline, "")

  @Test func `a sparkline is as high as its panel`() {
    let numbers = Sample.column([1, 3, 2, 8, 5])
    #expect(
      drawn(panel(spark, numbers), width: 40, height: 6).text == """
        ╭─┤1 s├────────────────────────────────╮
        │ v  5   min 1   max 8                 │
        │                                   █  │
        │                                 ▁ █▇ │
        │                                ▃█▆██ │
        ╰──────────────────────────────────────╯
        """)
    #expect(
      drawn(panel(spark, numbers), width: 40, height: 3).text == """
        ╭─┤1 s├────────────────────────────────╮
        │                             ▁▃▂█▅  5 │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `several series stand below each other`() {
    let ramp = (0..<11).map { Double($0 * 6) }
    let two = Sample.minutes(["ranked": ramp, "casual": ramp.map { $0 / 2 }])
    #expect(
      drawn(panel(spark, two), width: 40, height: 6).text == """
        ╭─┤1 s├────────────────────────────────╮
        │ ranked  60   min 0   max 60          │
        │                          ▁▁▂▂▃▄▅▆▆▇█ │
        │ casual  30   min 0   max 30          │
        │                          ▁▁▂▂▃▄▅▆▆▇█ │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `of a single value its history is drawn`() {
    let history = panel(spark, Sample.value(5), Sample.value(9), Sample.value(7))
    #expect(
      drawn(history, width: 40, height: 6).text == """
        ╭─┤1 s├────────────────────────────────╮
        │ n  7   min 5   max 9                 │
        │                                   █  │
        │                                   █▄ │
        │                                  ▁██ │
        ╰──────────────────────────────────────╯
        """)
  }

  @Test func `more points than cells keep their peaks`() {
    var numbers = Array(repeating: Value.integer(0), count: 5000)
    numbers[2500] = 9
    let grid = drawn(panel(spark, Sample.column(numbers)), width: 40, height: 4)
    #expect(grid.text.contains("█"))
  }

  private let squares = Sample.column((0..<100).map { .integer(Int64($0 * $0 / 100)) })

  @Test func `a histogram counts numbers in bins with round edges`() {
    let bins = Sample.panel("h", .histogram, "bins=8")
    #expect(
      drawn(panel(bins, squares), width: 50, height: 10).text == """
        ╭─┤1 h├─────────────────────────────┤100 values├─╮
        │ 45┤▂▂▂▂▂                                       │
        │   │█████                                       │
        │ 30┤█████                                       │
        │   │█████ ▁▁▁▁▁                                 │
        │ 15┤█████ █████ ▆▆▆▆▆ ▃▃▃▃▃ ▂▂▂▂▂ ▁▁▁▁▁         │
        │   │█████ █████ █████ █████ █████ █████ ▅▅▅▅▅▅  │
        │  0┼─────┬─────┬─────┬─────┬─────┬─────┬──────┬ │
        │    0     15    30    45    60    75    90  105 │
        ╰────────────────────────────────────────────────╯
        """)
    #expect(
      drawn(panel(bins, squares), width: 50, height: 10, glyphs: .ascii).text == """
        +-[1 h]-----------------------------[100 values]-+
        | 45+_____                                       |
        |   |#####                                       |
        | 30+#####                                       |
        |   |##### _____                                 |
        | 15+##### ##### ===== ..... _____               |
        |   |##### ##### ##### ##### ##### ##### ======  |
        |  0+-----+-----+-----+-----+-----+-----+------+ |
        |    0     15    30    45    60    75    90  105 |
        +------------------------------------------------+
        """)
  }

  @Test func `labels with numbers are bars on both sides of zero`() {
    let maps = RowSet(
      columns: ["map", "n"], rows: [["dust", 12], ["mill", -4], ["keep", 7], ["lab", nil]])
    #expect(
      drawn(panel(Sample.panel("h", .histogram, ""), maps), width: 50, height: 10).text == """
        ╭─┤1 h├─────────────────────────────────┤4 bars├─╮
        │ 12┤█████████                                   │
        │   │█████████            ▃▃▃▃▃▃▃▃▃▃             │
        │  6┤█████████            ██████████             │
        │   │█████████            ██████████             │
        │  0┤          ██████████                        │
        │   │                                            │
        │ -6┼─────────┬──────────┬──────────┬─────────── │
        │    dust      mill       keep       lab         │
        ╰────────────────────────────────────────────────╯
        """)
  }

  @Test func `five thousand labels show what fits`() {
    let many = RowSet(
      columns: ["c", "n"], rows: (0..<5000).map { [.text("c\($0)"), .integer(Int64($0 % 9))] })
    #expect(
      drawn(panel(Sample.panel("h", .histogram, ""), many), width: 50, height: 8).text == """
        ╭─┤1 h├─────────────────────────────┤5 000 bars├─╮
        │ 8┤       ▄▄█        ▄█        ▄█        ▄█     │
        │  │     ▄████     ▄████     ▄▄███      ▄███     │
        │ 4┤   ▄██████   ▄██████   ▄██████   ▄██████     │
        │  │ ▄████████ ▄████████ ▄████████ ▄████████ ▄██ │
        │ 0┼────┬─────┬────┬─────┬─────┬────┬─────┬───── │
        │   c0   c5    c10  c15   c20   c25  c30   c35   │
        ╰────────────────────────────────────────────────╯
        """)
  }

  @Test(arguments: [ViewKind.line, .sparkline, .histogram, .bar, .gauge, .log, .number])
  func `no series and no size is too much`(_ kind: ViewKind) {
    let series: [[Value]] = [
      [], [nil], [.real(.infinity), .real(-.infinity)], [1e308, -1e308, 1e308],
      [.real(.leastNonzeroMagnitude), 0],
      [nil, "x", .blob([0]), 3], Array(repeating: 7, count: 5000), ["2026-13-45", "12:00", 1e15],
    ]
    for values in series {
      for columns in [["v"], ["at", "v"], ["at", "label", "v", "w"]] {
        let rows = values.enumerated().map { index, value in
          columns.indices.map { $0 == 0 && columns.count > 1 ? .integer(Int64(index)) : value }
        }
        let panel = panel(
          Sample.panel("p", kind, ""), RowSet(columns: columns, rows: rows),
          RowSet(columns: columns, rows: rows.reversed()))
        for (width, height) in [(0, 0), (1, 1), (3, 3), (9, 4), (20, 5), (80, 24), (5, 60)] {
          for glyphs in [GlyphSet.unicode, .ascii] {
            let grid = drawn(panel, width: width, height: height, glyphs: glyphs)
            #expect(grid.size == Size(width: width, height: height))
            if glyphs == .ascii { #expect(grid.text.utf8.allSatisfy { $0 < 0x80 }) }
          }
        }
      }
    }
  }

  @Test func `the history of one row is that of the column that is drawn`() {
    func row(_ number: Int64) -> RowSet {
      RowSet(columns: ["at", "n"], rows: [[.integer(1_795_176_271 + number), .integer(number)]])
    }
    let text = drawn(panel(spark, row(5), row(9)), width: 40, height: 5).text
    #expect(text.contains("n  9   min 5   max 9"), "\(text)")
  }

  @Test func `the highest bins are in view beside a wide scale`() {
    let ends = [0, 52].flatMap { Array(repeating: Value.integer($0), count: 1200) }
    let values = (1..<52).map { Value.integer($0) } + ends
    let bins = Sample.panel("h", .histogram, "bins=53")
    let grid = drawn(panel(bins, Sample.column(values)), width: 64, height: 10)
    let middle = String(grid.text.split(separator: "\n")[4])
    #expect(middle.split { $0 != "█" }.count == 2, "\(grid.text)")
  }

  /// The numbers below a histogram, and where they begin.
  private func labels(_ grid: Grid) -> [(x: Int, number: Double)] {
    let line = grid.text.split(separator: "\n")[grid.size.height - 2]
    var labels: [(x: Int, number: Double)] = []
    var text = ""
    let cells = Array(line)
    for (x, character) in cells.enumerated() {
      let isGap =
        character == " " && cells[max(0, x - 1)].isNumber
        && cells[min(x + 1, cells.count - 1)].isNumber
      if isGap { continue }
      if character.isNumber {
        text.append(character)
      } else if !text.isEmpty {
        labels.append((x - text.count - (text.count > 3 ? 1 : 0), Double(text) ?? .nan))
        text = ""
      }
    }
    return labels
  }

  @Test(arguments: [48, 60, 66, 73, 80, 100, 120])
  func `bars use the width, and labels are round and a step apart`(_ width: Int) {
    let durations = (0..<1500).map { Value.integer(Int64(230 + $0 * $0 % 971)) }
    let grid = drawn(
      panel(Sample.panel("h", .histogram, ""), Sample.column(durations)), width: width, height: 10)
    let ground = grid.size.height - 4
    let filled = (0..<width).filter { "▁▂▃▄▅▆▇█".contains(grid[$0, ground].character) }
    let axis = (0..<width).filter { "─┬┼".contains(grid[$0, ground + 1].character) }
    #expect((axis.last ?? 0) - (filled.last ?? 0) <= 2, "\(grid.text)")
    let labels = labels(grid)
    #expect(labels.count >= 3, "\(grid.text)")
    let steps = Set(zip(labels, labels.dropFirst()).map { $1.number - $0.number })
    #expect(steps.count == 1, "\(grid.text)")
    let step = steps.first ?? 1
    #expect([50, 100, 150, 200, 250, 300].contains(step), "\(grid.text)")
    #expect(
      labels.allSatisfy { $0.number.truncatingRemainder(dividingBy: step) == 0 }, "\(grid.text)")
    // The last one may end before its tick.
    let distances = zip(labels, labels.dropFirst().dropLast()).map { $1.x - $0.x }
    #expect((distances.max() ?? 0) - (distances.min() ?? 0) <= 1, "\(grid.text)")
  }
}
