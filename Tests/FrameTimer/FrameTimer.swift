import Dashboard
import Glibc
import ObservationEngine

/// Times how long it takes to draw a large dashboard, and how much of it changes with one row.
///
///     FrameTimer
///
/// Twelve panels of all views, or of lines alone, on 200 by 60 cells, with a hundred rows or points each;
/// prints a line for each figure: its name, and nanoseconds or cells.
@main
struct FrameTimer {
  static func main() {
    var timer = FrameTimer([
      .table, .bar, .line, .number, .table, .histogram, .gauge, .sparkline, .table, .log, .line,
      .table,
    ])
    timer.run()
    var lines = FrameTimer(Array(repeating: .line, count: 12))
    lines.runLines()
  }

  private let size = Size(width: 200, height: 60)
  private var state: DashboardState
  private var ordinal = 0

  private init(_ views: [ViewKind]) {
    let panels = views.enumerated().map { index, view in
      PanelDefinition(
        name: "panel\(index)", sql: "", view: view, key: ["id"],
        rank: view == .table ? "score" : nil)
    }
    state = DashboardState(
      definition: DashboardDefinition(panels: panels), databaseName: "app.db")
    _ = reduce(&state, .resized(size))
  }

  private mutating func run() {
    deliver(Set(state.panels.indices))
    var times: [UInt64] = []
    var reductions: [UInt64] = []
    var changed: [Int] = []
    var shown = render(state, size: size, moment: moment)
    for _ in 0..<200 {
      let start = now
      deliver([0])
      let reduced = now
      let grid = render(state, size: size, moment: moment)
      times.append(now - reduced)
      reductions.append(reduced - start)
      changed.append(zip(grid.cells, shown.cells).count { $0 != $1 })
      shown = grid
    }
    print("render \(times.sorted()[times.count / 2])")
    print("reduce \(reductions.sorted()[reductions.count / 2])")
    print("changed \(changed.sorted()[changed.count / 2])")
    print("cells \(size.width * size.height)")
  }

  /// All panels have new results each time.
  private mutating func runLines() {
    var times: [UInt64] = []
    for _ in 0..<200 {
      deliver(Set(state.panels.indices))
      let start = now
      _ = render(state, size: size, moment: moment)
      times.append(now - start)
    }
    print("lines \(times.sorted()[times.count / 2])")
  }

  /// New results of these panels, in which one row differs from the last.
  private mutating func deliver(_ panels: Set<Int>) {
    ordinal += 1
    let rows = (0..<100).map { row -> [Value] in
      let score = row == ordinal % 10 ? row * 91 + ordinal : row * 91
      return [.integer(Int64(row)), .text("player \(row)"), .integer(Int64(score))]
    }
    let result = RowSet(columns: ["id", "name", "score"], rows: rows)
    let refresh = Refresh(
      results: Dictionary(uniqueKeysWithValues: panels.map { ($0, .success(result)) }),
      ordinal: ordinal)
    _ = reduce(&state, .refreshed(refresh, at: moment))
  }

  /// A tenth of a second later with each commit.
  private var moment: Moment {
    Moment(
      monotonic: UInt64(ordinal) * 100_000_000,
      civil: Timestamp(microseconds: 1_795_176_271_204_000 + Int64(ordinal) * 100_000))
  }

  private var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
