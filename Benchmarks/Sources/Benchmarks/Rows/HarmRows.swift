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

  private struct Mode {
    let journal: String
    let sync: String
    /// The share of its speed that a writer keeps beside the program.
    let least: Double

    var name: String { "\(journal) \(sync)" }
    var options: [String] { ["--journal", journal, "--sync", sync] }
  }

  private static let modes = [
    ("WAL", 0.98), ("DELETE", 0.95), ("TRUNCATE", 0.95), ("PERSIST", 0.95),
  ]
  .flatMap { journal, least in
    ["OFF", "NORMAL", "FULL"].map { Mode(journal: journal, sync: $0, least: least) }
  }

  func run() throws -> [Row] {
    let dashboard = try project.dashboard("eight-panels.sql", PlayerTable.eightPanels)
    var rows: [Row] = []
    var largest = 0.0
    for mode in Self.modes {
      let pairs = try measure(dashboard, mode.options)
      rows.append(
        Row(
          "unpaced foreign writer, attached / alone, \(mode.name)",
          pairs.map { $0.attached.rate / $0.alone.rate }.median, .ratio,
          target: .atLeast(mode.least)))
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
    return try (0..<(repetitions ?? self.repetitions)).map { turn in
      func alone() throws -> Flood {
        try Flood(project, newDatabase(options), sql: sql, options: options)
      }
      let before = turn.isMultiple(of: 2) ? try alone() : nil
      let path = try newDatabase(options)
      let screen = try Screen(project, path, dashboard: dashboard)
      try screen.wait(for: "counter")
      screen.output.drain(for: 100_000_000)
      let attached = try Flood(project, path, sql: sql, options: options, screen: screen)
      var info = stat()
      let logSize = stat(path + "-wal", &info) == 0 ? Double(info.st_size) : 0
      try screen.end()
      return Pair(alone: try before ?? alone(), attached: attached, logSize: logSize)
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

  /// A writer that does not wait for locks: how often it was refused in ten seconds.
  private func refusalRows(_ dashboard: String) throws -> [Row] {
    var rows: [Row] = []
    for mode in Self.modes {
      let refusals = try refusals(dashboard, mode.options, seconds: 10)
      rows.append(
        Row(
          "writer with busy_timeout 0 refused in 10 s, \(mode.name), no pause", refusals, .times,
          target: .atMost(0)))
    }
    let refusals = try refusals(
      dashboard, ["--journal", "DELETE", "--sync", "OFF", "--pause", "5"], seconds: 10)
    rows.append(
      Row("  the same, DELETE OFF, 5 ms between commits", refusals, .times, target: .atMost(10)))
    return rows
  }

  private func refusals(
    _ dashboard: String, _ options: [String], seconds: Int
  ) throws -> Double {
    let options = options + ["--busy", "0", "--seconds", "\(seconds)"]
    let path = try newDatabase(options)
    let screen = try Screen(project, path, dashboard: dashboard)
    try screen.wait(for: "counter")
    screen.output.drain(for: 100_000_000)
    let flood = try Flood(project, path, sql: sql, options: options, screen: screen)
    try screen.end()
    return (flood.refusals * Double(seconds)).rounded()
  }

  private func newDatabase(_ options: [String]) throws -> String {
    let path = project.newDatabase("harm.db")
    let journal = options.firstIndex(of: "--journal").map { options[$0 + 1] }
    try PlayerTable.make(path, journal: journal ?? "WAL")
    return path
  }
}
