/// From the return of another process's COMMIT to the moment at which the changed number can be
/// read from the terminal.
struct FrameRows {
  let project: Project
  /// No screen draws faster than every 33 ms: a commit sooner than that would measure the limit.
  private let pace = Pace(milliseconds: 40...60)
  private let warmUp = 20
  private let count = 300

  func run() throws -> [Row] {
    let simple = project.newDatabase("frame.db")
    try PlayerTable.make(simple)
    let one = try measure(
      simple, try project.dashboard("one-panel.sql", PlayerTable.onePanel), first: "counter"
    ) { "UPDATE counter SET value = \($0)" }
    let sample = try project.copyOfSample("frame-sample.db")
    // The sum of a player's points becomes the number: the hall of fame shows it.
    let arena = try measure(sample, project.arena, first: "slow matches") {
      "UPDATE scores SET points = points + \($0)"
        + " - (SELECT sum(points) FROM scores WHERE player_id = 1)"
        + " WHERE id = (SELECT max(id) FROM scores WHERE player_id = 1)"
    }
    var rows: [Row] = []
    rows.append("foreign commit → frame, one panel", one, .milliseconds, target: .atMost(2))
    rows.append("foreign commit → frame, arena.sql", arena, .milliseconds, target: .atMost(2))
    rows.append(
      Row("  the queries of arena.sql alone, plain loop", try queries(sample), .milliseconds))
    return rows
  }

  private func measure(
    _ path: String, _ dashboard: String, first: String, sql: (Int) -> String
  ) throws -> Samples {
    let writer = try ServingWriter(project, path, ["--journal", "WAL", "--sync", "NORMAL"])
    let screen = try Screen(project, path, dashboard: dashboard)
    try screen.wait(for: first)
    screen.output.drain(for: 300_000_000)
    var number = ChangingNumber()
    var samples = Samples()
    for index in 0..<warmUp + count {
      let (value, shown) = number.next()
      let (committed, read) = try writer.commit(sql(value), andRead: screen.output) {
        $0.contains(shown)
      }
      if index >= warmUp { samples.append(from: committed, to: read) }
      screen.output.drain(for: pace.next())
    }
    try screen.end()
    return samples
  }

  /// What SQLite needs for the panels after a foreign commit, which empties its cache.
  private func queries(_ path: String) throws -> Double {
    let reader = try PlainConnection(path)
    let writer = try PlainConnection(path)
    try writer.run("PRAGMA synchronous = NORMAL")
    let arena = try TextFile.read(project.arena)
    var samples = Samples()
    for index in 0..<100 {
      try writer.run("UPDATE scores SET points = \(index) WHERE id = 1")
      let start = Clock.now
      try reader.run("BEGIN; \(arena); COMMIT")
      samples.append(from: start, to: Clock.now)
      Clock.sleep(Pace(milliseconds: 5...9).next())
    }
    return samples.median / 1e6
  }
}
