/// From the start of the program to the first frame with all panels, and the memory it takes.
struct StartRows {
  let project: Project
  private let repetitions = 30

  func run() throws -> [Row] {
    let sample = try project.copyOfSample("start.db")
    let best = try champion(sample)
    var starts = Samples()
    for _ in 0..<repetitions {
      let screen = try Screen(project, sample, dashboard: project.arena)
      starts.append(from: screen.process.started, to: try screen.wait(for: best))
      try screen.end()
    }
    var rows: [Row] = []
    rows.append("start → first frame, arena.sql", starts, .milliseconds, target: .atMost(50))
    rows.append("start → end of --once", try printings(sample), .milliseconds)
    let small = try peak(
      sample, dashboard: project.arena, first: best,
      sql: "UPDATE scores SET points = points + 1 WHERE id = (SELECT max(id) FROM scores)")
    rows.append(Row("peak memory, sample.db", small, .megabytes, target: .atMost(25)))
    let large = try peak(
      try MillionRows.database(project), dashboard: nil, first: MillionRows.newest,
      sql: "UPDATE item SET amount = amount + 1 WHERE id = 1000000")
    rows.append(Row("peak memory, a million rows", large, .megabytes, target: .atMost(25)))
    return rows
  }

  /// The times of runs that print one value.
  private func printings(_ path: String) throws -> Samples {
    var times = Samples()
    for _ in 0..<repetitions {
      let run = try ChildProcess(
        project.livequery, ["--once", "--csv", path, "-c", "SELECT 1"])
      guard run.waitForEnd() == 0 else { throw Failure("--once fails") }
      times.append(from: run.started, to: Clock.now)
    }
    return times
  }

  /// Who leads the hall of fame: its name is on the screen once the panels are.
  private func champion(_ path: String) throws -> String {
    let names = try PlainConnection(path).prepare(
      "SELECT player FROM hall_of_fame LIMIT 1")
    guard let name = try names.text() else { throw Failure("sample.db has no players") }
    return name
  }

  /// The most memory resident after the start and thirty commits, in megabytes.
  private func peak(
    _ path: String, dashboard: String?, first: String, sql: String
  ) throws -> Double {
    let writer = try ServingWriter(project, path)
    let screen = try Screen(project, path, dashboard: dashboard)
    try screen.wait(for: first)
    for _ in 0..<30 {
      _ = try writer.commit(sql)
      screen.output.drain(for: 50_000_000)
    }
    let bytes = try screen.figures.peakMemory()
    try screen.end()
    return Double(bytes) / 1_048_576
  }
}
