/// What running a query costs, and what maintaining its result, from its own history. In nanoseconds.
struct MaintenanceCost: Sendable {
  /// A query that takes less time is run again, and nothing is noted of it.
  static let least: UInt64 = 20_000
  /// A query that takes less time than this may run once more before its state is read.
  static let small: UInt64 = 5_000_000
  /// What capturing the rows of a commit for it costs the writer.
  private static let capture: UInt64 = 15_000

  private var run = Steady()
  private var maintenance = Steady()
  /// What each changed row costs, as far as there were many.
  private var row: UInt64 = 3_000

  /// The moving average of what takes about as long each time. What took long only once doesn't count: the first time
  /// has statements prepared, and any may have to wait for a processor.
  private struct Steady {
    private var last: UInt64?
    /// `nil` until it was taken twice.
    private(set) var average: UInt64?

    mutating func note(_ cost: UInt64) {
      if let last { average = MaintenanceCost.average(average, min(last, cost)) }
      last = cost
    }
  }

  /// Takes the time of a run.
  mutating func noteRun(_ cost: UInt64) { run.note(cost) }

  /// Whether it ran twice.
  var isKnown: Bool { run.average != nil }

  /// Whether nothing needs to be noted of the query: it takes little time.
  var isNegligible: Bool { run.average.map { $0 < Self.least } ?? false }

  /// Takes the time of a result that was maintained from `rows` changed rows.
  mutating func noteMaintenance(_ cost: UInt64, rows: Int) {
    if rows < 16 {
      maintenance.note(cost)
    } else {
      row = Self.average(row, cost / UInt64(rows))
    }
  }

  /// Whether maintaining the result costs clearly less than running the query.
  func isWorthwhile(rows: Int) -> Bool {
    guard let run = run.average else { return false }
    let expected = (maintenance.average ?? Self.capture) + UInt64(rows) * (rows < 16 ? 0 : row)
    return run >= 2 * expected + Self.capture
  }

  /// How much less a result cost that was maintained than running the query does.
  func saving(of cost: UInt64) -> UInt64 {
    guard let run = run.average, run > cost else { return 0 }
    return run - cost
  }

  private static func average(_ old: UInt64?, _ new: UInt64) -> UInt64 {
    old.map { (3 * $0 + new) / 4 } ?? new
  }
}
