import Glibc

/// How a window moves through a million rows, and what memory it takes, against a loop by LIMIT and OFFSET.
struct WindowRows {
  let project: Project

  func run() throws -> [Row] {
    try rows("", hasGaps: false) + rows(", every tenth row gone", hasGaps: true)
  }

  private func rows(_ what: String, hasGaps: Bool) throws -> [Row] {
    let path = try database(hasGaps: hasGaps)
    let figures = try TimerFigures(project.windowTimer, [path])
    func row(_ name: String, _ figure: String, _ unit: Row.Unit, target: Row.Target? = nil)
      throws(Failure) -> Row
    {
      let scale: Double =
        switch unit {
        case .microseconds: 1e3
        case .milliseconds: 1e6
        default: 1_048_576
        }
      return Row(name, try figures[figure] / scale, unit, target: target)
    }
    return [
      try row(
        "1M rows\(what): window of 1,000 moved by a page, p50", "page-p50", .microseconds,
        target: .atMost(2_000)),
      try row("  p99", "page-p99", .microseconds),
      try row("  plain LIMIT/OFFSET, p50", "plain-page-p50", .microseconds),
      try row("  to a random depth, p50", "depth-p50", .microseconds),
      try row("  p99", "depth-p99", .microseconds),
      try row("  plain LIMIT/OFFSET, p50", "plain-depth-p50", .microseconds),
      try row("  p99", "plain-depth-p99", .microseconds),
      try row("  sorted by a column without an index, p50", "sorted-p50", .milliseconds),
      try row("  filtered, p50", "filtered-p50", .milliseconds),
      try row("  first window", "first", .milliseconds),
      try row("  peak memory", "peak", .megabytes, target: .atMost(60)),
      try row("  more than before", "growth", .megabytes),
    ]
  }

  /// A database that is made once and kept.
  private func database(hasGaps: Bool) throws(Failure) -> String {
    let path = project.path(hasGaps ? "window-gaps.db" : "window.db")
    guard access(path, R_OK) != 0 else { return path }
    // Under its name only when it is complete.
    let unfinished = project.newDatabase("window-unfinished.db")
    try fill(PlainConnection(unfinished), hasGaps: hasGaps)
    guard rename(unfinished, path) == 0 else { throw Failure(call: path) }
    return path
  }

  /// Takes the connection, which is closed on return: the log is in the file then.
  private func fill(_ connection: consuming PlainConnection, hasGaps: Bool) throws(Failure) {
    try connection.run(
      """
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      BEGIN;
      CREATE TABLE item(id INTEGER PRIMARY KEY, customer TEXT NOT NULL, product TEXT,
        price REAL NOT NULL, pieces INTEGER NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1111111)
      INSERT INTO item SELECT i, 'customer ' || (i % 1000), 'product number ' || i,
        i * 7919 % 100003 * 1.25, i % 7 FROM n WHERE \(hasGaps ? "i % 10 <> 5" : "i <= 1000000");
      COMMIT;
      PRAGMA journal_mode = WAL;
      """)
  }
}
