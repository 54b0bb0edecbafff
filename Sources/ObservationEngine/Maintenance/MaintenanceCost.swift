/// What running a query costs, and what maintaining its result, from its own history. In nanoseconds.
struct MaintenanceCost: Sendable {
  /// A query that takes less time is run again, and nothing is noted of it.
  static let least: UInt64 = 20_000
  /// What capturing the rows of a commit for it costs the writer.
  private static let capture: UInt64 = 15_000

  /// How long the last run took.
  private var last: UInt64?
  /// Moving averages; 0 for none yet.
  private var run: UInt64 = 0
  private var maintenance: UInt64 = 0
  /// What each changed row costs, as far as there were many.
  private var row: UInt64 = 3_000

  /// Takes the time of a run. What took long only once doesn't count: the first run has its statement prepared, and
  /// any may have to wait for a processor.
  mutating func noteRun(_ cost: UInt64) {
    if let last { run = Self.average(run, min(last, cost)) }
    last = cost
  }

  /// Whether it ran twice.
  var isKnown: Bool { run > 0 }

  /// Whether nothing needs to be noted of the query: it takes little time.
  var isNegligible: Bool { isKnown && run < Self.least }

  /// Takes the time of a result that was maintained from `rows` changed rows.
  mutating func noteMaintenance(_ cost: UInt64, rows: Int) {
    if rows < 16 {
      maintenance = Self.average(maintenance, cost)
    } else {
      row = Self.average(row, cost / UInt64(rows))
    }
  }

  /// Whether maintaining the result costs clearly less than running the query.
  func isWorthwhile(rows: Int) -> Bool {
    let expected =
      (maintenance == 0 ? Self.capture : maintenance) + UInt64(rows) * (rows < 16 ? 0 : row)
    return run >= 2 * expected + Self.capture
  }

  private static func average(_ old: UInt64, _ new: UInt64) -> UInt64 {
    old == 0 ? new : (3 * old + new) / 4
  }
}
