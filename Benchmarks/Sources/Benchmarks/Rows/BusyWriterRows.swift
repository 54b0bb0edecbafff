import Glibc

/// Twenty-four panels of a table of 100,000 rows, beside a process that commits 200 times a second to it: how many of
/// their results are kept up to date, and what that takes of the processors.
///
/// Some refreshes begin while the next commit is made.
struct BusyWriterRows {
  let project: Project
  private let seconds = 6

  func run() throws -> [Row] {
    let path = project.newDatabase("busy.db")
    try Self.make(path)
    let program = try ChildProcess(
      project.livequery, ["--stream", path, try project.dashboard("busy.sql", Self.panels)])
    guard let output = program.output else { throw Failure("livequery has no output") }
    defer {
      program.signal(SIGTERM)
      program.waitForEnd()
    }
    _ = try output.read(within: 60_000_000_000) { $0.contains(#""panel":"p23","op":"end""#) }
    let figures = ProcessFigures(pid: program.pid)
    // States are read after a few runs.
    try results(of: output, path, pause: 100)
    let before = try figures.cpuTime()
    let start = Clock.now
    let found = try results(of: output, path, pause: 5)
    let elapsed = Clock.now - start
    let cpu = Double(try figures.cpuTime() - before)
    let all = Double(found.maintained + found.recomputed)
    return [
      Row(
        "24 panels beside 200 commits a second: results kept up to date",
        100 * Double(found.maintained) / max(1, all), .percent, target: .atLeast(95)),
      Row("  results a second", all / Double(elapsed) * 1e9, .perSecond),
      Row("  CPU for each of them", cpu / max(1, all) / 1e3, .microseconds),
    ]
  }

  private static func make(_ path: String) throws(Failure) {
    try PlainConnection(path).run(
      """
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      BEGIN;
      CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, team INTEGER, score INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
      INSERT INTO player SELECT i, 'player' || i, i * 7 % 100, i * 7919 % 1000003 FROM n;
      COMMIT;
      """)
  }

  private static let panels = (0..<24).map { number in
    let sql =
      switch number % 3 {
      case 0: "SELECT team, count(*), sum(score) FROM player WHERE score > \(number) GROUP BY team"
      case 1:
        "SELECT name, score FROM player WHERE team <> \(number) ORDER BY score DESC, id LIMIT 10"
      default: "SELECT count(*), avg(score) FROM player WHERE team <> \(number)"
      }
    return "-- name: p\(number)\n\(sql);\n"
  }.joined(separator: "\n")

  /// How the results came about that were printed while a writer committed.
  @discardableResult
  private func results(
    of output: ByteSource, _ path: String, pause: Int
  ) throws(Failure) -> (maintained: Int, recomputed: Int) {
    let writer = try Flood.start(
      project, path,
      sql: "UPDATE player SET score = random() % 1000000 WHERE id = 1 + abs(random() % 100000)",
      options: [
        "--seconds", "\(seconds)", "--pause", "\(pause)", "--journal", "WAL", "--sync", "NORMAL",
      ])
    guard let end = writer.output else { throw Failure("the writer has no output") }
    output.clear()
    var found = (maintained: 0, recomputed: 0)
    while !end.hasEnded {
      guard ByteSource.wait([output, end], until: Clock.now + 60_000_000_000) else {
        throw Failure("a flood does not end")
      }
      if end.isReady { end.read() }
      guard output.isReady else { continue }
      output.read()
      while let line = output.takeLine() {
        if line.contains(#""how":"maintained""#) { found.maintained += 1 }
        if line.contains(#""how":"recomputed""#) { found.recomputed += 1 }
      }
    }
    writer.waitForEnd()
    return found
  }
}
