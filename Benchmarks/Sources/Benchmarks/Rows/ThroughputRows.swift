import Glibc

/// What a writer that commits without a pause loses when the program looks on.
struct ThroughputRows {
  let project: Project
  private let repetitions = 9
  private let seconds = 0.6

  func run() throws -> [Row] {
    var rows: [Row] = []
    rows += try measure(
      "8 panels", try project.dashboard("eight-panels.sql", PlayerTable.eightPanels),
      first: "counter", sql: "UPDATE counter SET value = value + 1"
    ) {
      let path = project.newDatabase("flood.db")
      try PlayerTable.make(path)
      return path
    }
    rows += try measure(
      "arena.sql", project.arena, first: "slow matches",
      sql: "UPDATE scores SET points = (points + 1) % 1000 WHERE id = 48000"
    ) { try project.copyOfSample("flood.db") }
    return rows
  }

  private func measure(
    _ name: String, _ dashboard: String, first: String, sql: String, database: () throws -> String
  ) throws -> [Row] {
    var alone: [Flood] = []
    var attached: [Flood] = []
    var plain: [Flood] = []
    // In alternation, each on a fresh file: what else the machine does meets all alike.
    for _ in 0..<repetitions {
      alone.append(try flood(database(), sql, screen: nil))
      let path = try database()
      let screen = try Screen(project, path, dashboard: dashboard)
      try screen.wait(for: first)
      screen.output.drain(for: 100_000_000)
      attached.append(try flood(path, sql, screen: screen))
      try screen.end()
      plain.append(try floodWithPlainReader(database(), sql, queries: dashboard))
    }
    func ratio(_ floods: [Flood], _ figure: (Flood) -> Double) -> Double {
      zip(floods, alone).map { figure($0) / figure($1) }.median
    }
    return [
      Row("unpaced foreign writer alone, \(name)", alone.map { $0.rate }.median, .perSecond),
      Row(
        "  with livequery attached / alone, \(name)", ratio(attached) { $0.rate }, .ratio,
        target: .atLeast(0.95)),
      Row("  the same, its CPU time per commit", ratio(attached) { $0.cpuTime }, .ratio),
      Row("  with a plain loop every 16 ms / alone", ratio(plain) { $0.rate }, .ratio),
      Row("  the same, its CPU time per commit", ratio(plain) { $0.cpuTime }, .ratio),
    ]
  }

  /// What the same queries cost the writer when nothing but SQLite runs them, as often.
  private func floodWithPlainReader(
    _ path: String, _ sql: String, queries: String
  ) throws -> Flood {
    let connection = try PlainConnection(path)
    let queries = try "BEGIN; \(TextFile.read(queries)); COMMIT"
    let reader = PlainThread {
      let next = Clock.now + 16_000_000
      // Interrupted by nobody; a locked file is read the next time.
      try? connection.run(queries)
      let now = Clock.now
      if now < next { Clock.sleep(next - now) }
    }
    defer { reader.stop() }
    return try flood(path, sql, screen: nil)
  }

  private func flood(_ path: String, _ sql: String, screen: Screen?) throws -> Flood {
    try Flood(
      project, path, sql: sql,
      options: ["--seconds", "\(seconds)", "--journal", "WAL", "--sync", "NORMAL"], screen: screen)
  }
}
