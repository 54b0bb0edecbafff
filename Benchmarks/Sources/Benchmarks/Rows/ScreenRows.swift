import Glibc

/// What a large frame costs, and how calm the screen stays beside a writer that never rests.
struct ScreenRows {
  let project: Project

  func run() throws -> [Row] {
    try frameRows() + calmRows() + KeyRows(project: project).run()
  }

  private func frameRows() throws -> [Row] {
    let figures = try TimerFigures(project.frameTimer, [])
    return [
      Row(
        "frame of 12 panels at 200x60, drawn", try figures["render"] / 1e6, .milliseconds,
        target: .atMost(1)),
      Row(
        "  of 12 line panels, all of them new", try figures["lines"] / 1e6, .milliseconds,
        target: .atMost(1)),
      Row("  taking over a result of 100 rows", try figures["reduce"] / 1e6, .milliseconds),
      Row(
        "  cells that one changed row writes", 100 * (try figures["changed"] / figures["cells"]),
        .percent),
    ]
  }

  /// Eight panels that read what is written all the time.
  private func calmRows() throws -> [Row] {
    let path = project.newDatabase("calm.db")
    try PlayerTable.make(path)
    let dashboard = try project.dashboard("eight-panels.sql", PlayerTable.eightPanels)
    let screen = try Screen(project, path, dashboard: dashboard)
    try screen.wait(for: "counter")
    screen.output.drain(for: 500_000_000)
    let (bytes, bursts) = (screen.output.total, screen.output.bursts)
    let (cpu, start) = (try screen.figures.cpuTime(), Clock.now)
    let flood = try Flood(
      project, path, sql: "UPDATE counter SET value = value + 1",
      options: [
        "--seconds", "6", "--pause", "0.8", "--journal", "WAL", "--sync", "NORMAL",
      ], screen: screen)
    let seconds = Double(Clock.now - start) / 1e9
    let used = Double(try screen.figures.cpuTime() - cpu) / 1e9
    let frames = Double(screen.output.bursts - bursts)
    let written = Double(screen.output.total - bytes)
    try screen.end()
    return [
      Row(
        "frames beside a steady writer to 8 panels", frames / seconds, .perSecond,
        target: .atMost(31)),
      Row("  CPU", 100 * used / seconds, .percent, target: .atMost(15)),
      Row("  KB written per frame", written / max(1, frames) / 1e3, .kilobytes),
      Row("  commits", flood.rate, .perSecond),
    ]
  }
}
