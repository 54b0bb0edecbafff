import Glibc

/// From a key to its echo, both of them at the terminal, while another process commits a thousand times a
/// second to what eleven of twelve panels read.
struct KeyRows {
  let project: Project
  private let pace = Pace(milliseconds: 40...60)
  private let count = 200

  func run() throws -> [Row] {
    let path = project.newDatabase("keys.db")
    try PlayerTable.make(path)
    let dashboard = try project.dashboard("twelve-panels.sql", Self.panels)
    let screen = try Screen(project, path, dashboard: dashboard, columns: 200, rows: 60)
    try screen.wait(for: "calm001")
    screen.output.drain(for: 500_000_000)
    let writer = try Flood.start(
      project, path,
      sql: "UPDATE player SET score = (score * 31 + 7) % 100003 WHERE id = abs(random()) % 10000",
      options: ["--seconds", "45", "--pause", "0.75", "--journal", "WAL", "--sync", "NORMAL"])
    screen.output.drain(for: 500_000_000)
    let moves = try moves(screen)
    let letters = try letters(screen)
    writer.signal(SIGTERM)
    writer.waitForEnd()
    try screen.end()
    var rows: [Row] = []
    append("key → cursor, 12 panels, 1,000 commits/s", moves, to: &rows)
    append("key → letter in the console, beside a slow query", letters, to: &rows)
    return rows
  }

  private func append(_ name: String, _ samples: Samples, to rows: inout [Row]) {
    rows.append(
      Row("\(name), p50", samples.median / 1e6, .milliseconds, target: .atMost(50)))
    rows.append(
      Row("\(name), p99", samples.percentile(99) / 1e6, .milliseconds, target: .atMost(50)))
  }

  /// The cursor goes through rows that nobody changes: a row is written anew when the cursor comes.
  private func moves(_ screen: Screen) throws -> Samples {
    var samples = Samples()
    // The first one makes the cursor appear.
    try screen.press("j")
    screen.output.drain(for: pace.next())
    for index in 0..<count {
      // Down and up again through a part of the rows that fits the panel.
      let row = index % 2 == 0 ? 2 : 1
      try press(row == 2 ? "j" : "k", until: "calm00\(row)", screen, &samples)
    }
    return samples
  }

  /// Letters that stand nowhere else on the screen, taken back one by one.
  private func letters(_ screen: Screen) throws -> Samples {
    try screen.press("c")
    screen.output.drain(for: 300_000_000)
    try screen.press(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;\r")
    screen.output.drain(for: 500_000_000)
    var samples = Samples()
    for _ in 0..<count {
      try press("ж", until: "ж", screen, &samples)
      try screen.press("\u{7f}")
      screen.output.drain(for: pace.next())
    }
    // The query has run all the time, and ends by Ctrl-C.
    screen.output.clear()
    try screen.press("\u{3}")
    try screen.wait(for: "cancelled")
    return samples
  }

  private func press(
    _ key: String, until echo: String, _ screen: Screen, _ samples: inout Samples
  ) throws {
    screen.output.clear()
    let pressed = try screen.press(key)
    samples.append(from: pressed, to: try screen.wait(for: echo))
    screen.output.drain(for: pace.next())
  }

  private static let panels = """
    -- name: calm
    -- key: id
    SELECT id, printf('calm%03d', id) AS name FROM player WHERE id <= 40;

    -- name: top
    -- key: id
    -- rank: score
    -- spark: score
    \(PlayerTable.top);

    -- name: last
    -- key: id
    SELECT id, name, score FROM player ORDER BY score, id LIMIT 10;

    -- name: best
    SELECT max(score) AS best FROM player;

    -- name: hundred
    SELECT count(*) AS hundred FROM player WHERE score BETWEEN 1000 AND 2000;

    -- name: newest
    -- key: id
    SELECT id, name, score FROM player ORDER BY id DESC LIMIT 10;

    -- name: bars
    -- view: bar
    SELECT name, score FROM player ORDER BY score DESC LIMIT 10;

    -- name: line
    -- view: line
    SELECT id, score FROM player ORDER BY id LIMIT 100;

    -- name: spread
    -- view: histogram
    SELECT score FROM player LIMIT 200;

    -- name: share
    -- view: gauge min=0 max=100003
    SELECT min(score) FROM player WHERE score > 100;

    -- name: spark
    -- view: sparkline
    SELECT count(*) FROM player WHERE score > 50000;

    -- name: first
    -- key: id
    SELECT id, name, score FROM player ORDER BY id LIMIT 10;
    """
}
