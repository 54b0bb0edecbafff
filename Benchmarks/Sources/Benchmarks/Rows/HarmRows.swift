import Glibc

/// What the program does to those who write to the database that it shows: how many commits they
/// lose, how often they are refused, and how long the log grows.
struct HarmRows {
  let project: Project
  private let repetitions = 7
  private let seconds = 1.0
  private let sql = "UPDATE counter SET value = value + 1"
  /// The size of a log at which SQLite's automatic checkpoint begins it anew.
  private let logLimit = 1_000.0 * (4_096 + 24)

  func run() throws -> [Row] {
    let dashboard = try project.dashboard("eight-panels.sql", PlayerTable.eightPanels)
    var rows: [Row] = []
    var largest = 0.0
    for (journal, sync, least) in [
      ("WAL", "OFF", 0.97), ("WAL", "NORMAL", 0.97), ("WAL", "FULL", 0.97),
      ("DELETE", "OFF", 0.9), ("DELETE", "FULL", 0.9),
    ] {
      let pairs = try measure(dashboard, ["--journal", journal, "--sync", sync])
      rows.append(
        Row(
          "unpaced foreign writer, attached / alone, \(journal) \(sync)",
          pairs.map { $0.attached.rate / $0.alone.rate }.median, .ratio, target: .atLeast(least)))
      rows.append(
        Row(
          "  the same, its CPU time per commit",
          pairs.map { $0.attached.cpuTime / $0.alone.cpuTime }.median, .ratio))
      rows.append(Row("  commits alone", pairs.map { $0.alone.rate }.median, .perSecond))
      largest = max(largest, pairs.map { $0.logSize }.max() ?? 0)
    }
    rows.append(
      Row("largest log / autocheckpoint limit", largest / logLimit, .ratio, target: .atMost(2)))
    rows += try slowRows()
    return try rows + refusalRows(dashboard)
  }

  private struct Pair {
    let alone: Flood
    let attached: Flood
    /// Bytes of the -wal file at the end: as long as somebody has it open it is never cut.
    let logSize: Double
  }

  private func measure(
    _ dashboard: String, _ options: [String], repetitions: Int? = nil
  ) throws -> [Pair] {
    let options = options + ["--seconds", "\(seconds)"]
    // In alternation, each on a fresh file: what else the machine does meets both alike.
    return try (0..<(repetitions ?? self.repetitions)).map { _ in
      let alone = try Flood(project, newDatabase(options), sql: sql, options: options)
      let path = try newDatabase(options)
      let screen = try Screen(project, path, dashboard: dashboard)
      try screen.wait(for: "counter")
      screen.output.drain(for: 100_000_000)
      let attached = try Flood(project, path, sql: sql, options: options, screen: screen)
      var info = stat()
      let logSize = stat(path + "-wal", &info) == 0 ? Double(info.st_size) : 0
      try screen.end()
      return Pair(alone: alone, attached: attached, logSize: logSize)
    }
  }

  /// With a ninth panel that holds a snapshot of its own for as long as it may.
  private func slowRows() throws -> [Row] {
    let dashboard = try project.dashboard("slow-panel.sql", PlayerTable.eightPanelsAndSlow)
    let pairs = try measure(dashboard, ["--journal", "WAL", "--sync", "NORMAL"], repetitions: 3)
    return [
      Row(
        "  with a slow panel", (pairs.map { $0.logSize }.max() ?? 0) / logLimit, .ratio,
        target: .atMost(2)),
      Row(
        "  writer beside a slow panel, attached / alone, WAL NORMAL",
        pairs.map { $0.attached.rate / $0.alone.rate }.median, .ratio),
    ]
  }

  /// A writer with a rollback journal that waits for nobody.
  private func refusalRows(_ dashboard: String) throws -> [Row] {
    var rows: [Row] = []
    for (name, pause, most) in [("no pause", 0.0, 4.0), ("5 ms between commits", 5, 1)] {
      let options =
        ["--journal", "DELETE", "--sync", "OFF", "--busy", "0"]
        + (pause > 0 ? ["--pause", "\(pause)"] : [])
      let pairs = try measure(dashboard, options, repetitions: 5)
      rows.append(
        Row(
          "writer with busy_timeout 0 refused, DELETE, \(name)",
          pairs.map { $0.attached.refusals }.median, .perSecond, target: .atMost(most)))
      rows.append(
        Row("  its commits", pairs.map { $0.attached.rate }.median, .perSecond))
    }
    return rows
  }

  private func newDatabase(_ options: [String]) throws -> String {
    let path = project.newDatabase("harm.db")
    try PlayerTable.make(path, journal: options.contains("DELETE") ? "DELETE" : "WAL")
    return path
  }
}
