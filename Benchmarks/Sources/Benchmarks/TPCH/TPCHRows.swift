/// The 22 queries of TPC-H as panels: from a commit of another process to the value of each, beside running it again.
///
/// A query is observed alone, so that its figures are its own. Commits of one row change one of the tables that it
/// reads; the refresh functions of the specification insert and delete a thousandth of the orders.
struct TPCHRows {
  /// What to measure.
  struct Options {
    var scale = 0.1
    /// The names of panels; all when empty.
    var queries: [String] = []
    /// How long all of it may take, but for making the database, and for what was begun.
    var seconds = 240.0
  }

  let project: Project
  let options: Options
  private let pace = Pace(milliseconds: 4...7)

  func run() throws -> [Row] {
    let panels = try Self.panels(try TextFile.read(project.tpch))
    let unknown = Set(options.queries).subtracting(panels.map(\.name))
    guard unknown.isEmpty else {
      throw Failure("\(project.tpch) has no panel \(unknown.sorted().joined(separator: ", "))")
    }
    let chosen = panels.filter { options.queries.isEmpty || options.queries.contains($0.name) }
    let database = TPCHDatabase(scale: options.scale)
    let original = try database.original(project)
    let path = project.newDatabase("tpch.db")
    let copy = try ChildProcess("/bin/cp", [original, path], streams: .inherited)
    guard copy.waitForEnd() == 0 else { throw Failure("\(original) cannot be copied") }
    var rows: [Row] = []
    var ratios: [Double] = []
    var commits = TPCHCommits(database.sizes)
    let writer = try ServingWriter(project, path, ["--sync", "NORMAL"])
    for panel in chosen {
      let budget = UInt64(options.seconds / Double(chosen.count) * 1e9)
      let measured = try measure(panel, path, writer, &commits, budget: budget)
      rows += measured.rows
      if let ratio = measured.ratio { ratios.append(ratio) }
    }
    guard !ratios.isEmpty else { return rows }
    return rows + [
      Row(
        "TPC-H, maintained: refresh after a 1-row commit / rerun, median", ratios.median, .ratio,
        target: .atMost(1 / 200)),
      Row("  the worst", ratios.max() ?? 0, .ratio, target: .atMost(1 / 20)),
    ]
  }

  /// The times of one kind of commit.
  private struct Times {
    var values = Samples()
    /// Of the panel's own refreshes, in nanoseconds.
    var refreshes: [Double] = []
    var maintained = 0
    var unconcerned = 0
  }

  private func measure(
    _ panel: (name: String, sql: String), _ path: String, _ writer: ServingWriter,
    _ commits: inout TPCHCommits, budget: UInt64
  ) throws -> (rows: [Row], ratio: Double?) {
    let start = Clock.now
    let rerun = try rerun(path, panel.sql, until: start + budget / 4)
    let tables = ["lineitem", "orders", "customer", "partsupp", "part", "supplier"].filter {
      panel.sql.wholeWords.contains($0)
    }
    let observed = try ObservedPanels(project, path, project.tpch, [panel.name])
    defer { observed.end() }
    func repeated(
      _ most: Int, until end: UInt64, _ sql: () -> String,
      isEnough: (Times) -> Bool = { _ in false }
    ) throws -> Times {
      var times = Times()
      var count = 0
      while count < most, count == 0 || Clock.now < end, !isEnough(times) {
        count += 1
        Clock.sleep(pace.next())
        let committed = try writer.commit(sql())
        let answer = try observed.answer(to: commits.number)
        guard let refresh = answer.refreshes[panel.name] else {
          times.unconcerned += 1
          continue
        }
        times.values.append(from: committed, to: answer.time)
        times.refreshes.append(refresh.duration)
        if refresh.isMaintained { times.maintained += 1 }
      }
      return times
    }
    // Its state is read once it ran again and again.
    _ = try repeated(
      60, until: start + budget / 2, { commits.changedRow(of: tables) },
      isEnough: { $0.maintained > 2 })
    let single = try repeated(200, until: start + budget * 3 / 4) {
      commits.changedRow(of: tables)
    }
    let new = try repeated(20, until: start + budget * 7 / 8) { commits.newOrders() }
    let gone = try repeated(20, until: start + budget) { commits.goneOrders() }
    let state = try observed.states()[panel.name] ?? ObservedPanels.State()
    Narration.say("\(panel.name): \(state.why)")
    let isMaintained = single.maintained * 2 > single.refreshes.count
    if isMaintained { try audit(panel.name, tables, path, writer, &commits) }
    var rows = [
      Row(
        "TPC-H \(panel.name), \(isMaintained ? "maintained" : "run again"): run by SQLite alone",
        rerun / 1e6, .milliseconds)
    ]
    for (name, times) in [("1 row", single), ("RF1", new), ("RF2", gone)]
    where times.values.count > 0 {
      rows.append("  foreign commit of \(name) → value", times.values, .milliseconds)
    }
    guard isMaintained else { return (rows, nil) }
    let ratio = single.refreshes.median / rerun
    rows.append(
      Row("  its refresh after 1 row / run by SQLite alone", ratio, .ratio, target: .atMost(1 / 20))
    )
    rows.append(Row("  its state", Double(state.bytes) / 1e6, .megabytes))
    return (rows, ratio)
  }

  /// Has each maintained result compared with what the query returns, for some commits of each kind.
  private func audit(
    _ name: String, _ tables: [String], _ path: String, _ writer: ServingWriter,
    _ commits: inout TPCHCommits
  ) throws {
    let observed = try ObservedPanels(project, path, project.tpch, [name], audits: true)
    defer { observed.end() }
    for index in 0..<16 {
      let sql =
        switch index % 8 {
        case 5: commits.newOrders()
        case 7: commits.goneOrders()
        default: commits.changedRow(of: tables)
        }
      _ = try writer.commit(sql)
      _ = try observed.answer(to: commits.number)
    }
  }

  /// How long the query takes, in nanoseconds: the best of up to three.
  private func rerun(_ path: String, _ sql: String, until end: UInt64) throws(Failure) -> Double {
    let connection = try PlainConnection(path)
    let statement = try connection.prepare(sql)
    var best = UInt64.max
    for round in 0..<3 where round == 0 || Clock.now < end {
      let start = Clock.now
      try statement.run()
      best = min(best, Clock.now - start)
    }
    return Double(best)
  }

  /// The panels of the dashboard file: all that stands between `-- name:` and the semicolon.
  private static func panels(_ text: String) throws(Failure) -> [(name: String, sql: String)] {
    var panels: [(name: String, sql: String)] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("-- name: ") {
        panels.append((String(line.dropFirst(9)), ""))
      } else if !line.hasPrefix("--"), !panels.isEmpty {
        panels[panels.count - 1].sql += line + "\n"
      }
    }
    guard panels.count == 22 else { throw Failure("there are \(panels.count) queries, not 22") }
    return panels
  }
}

extension String {
  /// The words of letters, digits and underscores in it.
  fileprivate var wholeWords: Set<String> {
    Set(split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
  }
}
