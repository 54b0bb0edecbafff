import Glibc

/// What it costs to know which tables another process changed, and what a commit costs that concerns
/// no panel.
struct TableRows {
  let project: Project
  /// Of the file in which pages are looked up; what is told is per gigabyte.
  private let megabytes = 250

  func run() throws -> [Row] {
    try trackingRows("WALK") + trackingRows("PTRMAP") + programRows()
  }

  private func trackingRows(_ form: String) throws -> [Row] {
    let path = project.newDatabase("tables.db")
    defer { _ = project.newDatabase("tables.db") }
    let figures = try TimerFigures(project.tableTimer, [path, form, "\(megabytes)"])
    return [
      Row(
        "pages → tables, \(form), made per GB",
        try figures["build"] / 1e6 / (figures["bytes"] / 1_073_741_824), .milliseconds,
        target: .atMost(50)),
      Row(
        "  tables of a 1-row commit", try figures["row"] / 1e3, .microseconds, target: .atMost(5)),
      Row(
        "  of 10k contiguous rows", try figures["contiguous"] / 1e3, .microseconds,
        target: .atMost(100)),
      Row("  of 10k random rows", try figures["random"] / 1e3, .microseconds),
      Row(
        "  rows of a 1-row commit", try figures["changed-row"] / 1e3, .microseconds,
        target: .atMost(40)),
      Row("  rows of 10k contiguous rows", try figures["changed-rows"] / 1e3, .microseconds),
    ]
  }

  /// The real program, with eight panels on other tables than the one that is written to.
  private func programRows() throws -> [Row] {
    let path = project.newDatabase("unread.db")
    try PlayerTable.make(path)
    try ItemTable.make(path, count: 10_000)
    let dashboard = try project.dashboard("eight-panels.sql", PlayerTable.eightPanels)
    let screen = try Screen(project, path, dashboard: dashboard)
    try screen.wait(for: "counter")
    screen.output.drain(for: 1_000_000_000)
    let idle = try cpuTime(of: screen) { screen.output.drain(for: 2_000_000_000) }
    let lone = try commits(pause: 20, seconds: 6, path, screen)
    let steady = try commits(pause: 0.9, seconds: 6, path, screen)
    try screen.end()
    let rest = Double(idle.cpu) / Double(idle.elapsed)
    let players = try project.dashboard("eight-players.sql", PlayerTable.eightPlayers)
    let second = try Screen(project, path, dashboard: players)
    try second.wait(for: "player8")
    second.output.drain(for: 1_000_000_000)
    let others = try commits(
      pause: 20, seconds: 6, path, second,
      sql: "UPDATE player SET score = score + 1 WHERE id = 5000"
    )
    try second.end()
    return [
      Row(
        "CPU of a foreign commit to a table that no panel reads",
        (Double(lone.cpu) - rest * Double(lone.elapsed)) / lone.commits / 1e3, .microseconds,
        target: .atMost(50)),
      Row("  commits", lone.commits / Double(lone.elapsed) * 1e9, .perSecond),
      Row(
        "CPU of a foreign commit to rows that no panel reads",
        (Double(others.cpu) - rest * Double(others.elapsed)) / others.commits / 1e3, .microseconds,
        target: .atMost(120)),
      Row(
        "CPU beside a steady writer to such a table",
        100 * Double(steady.cpu) / Double(steady.elapsed), .percent, target: .atMost(8)),
      Row("  commits", steady.commits / Double(steady.elapsed) * 1e9, .perSecond),
    ]
  }

  private struct Load {
    let cpu: UInt64
    let elapsed: UInt64
    var commits = 0.0
  }

  private func commits(
    pause: Double, seconds: Double, _ path: String, _ screen: Screen,
    sql: String = "UPDATE item SET amount = amount + 1 WHERE id = 1"
  ) throws -> Load {
    var flood: Flood?
    var load = try cpuTime(of: screen) {
      flood = try Flood(
        project, path, sql: sql,
        options: [
          "--seconds", "\(seconds)", "--pause", "\(pause)", "--journal", "WAL", "--sync", "NORMAL",
        ], screen: screen)
    }
    load.commits = flood?.commits ?? 0
    return load
  }

  /// What the program takes of the processors while `body` runs.
  private func cpuTime(of screen: Screen, _ body: () throws -> Void) throws -> Load {
    let before = try screen.figures.cpuTime()
    let start = Clock.now
    try body()
    return Load(cpu: try screen.figures.cpuTime() - before, elapsed: Clock.now - start)
  }
}
