/// What a run did and saw.
struct Report {
  var cases = 0
  /// Commits acknowledged by SQLite, by journal mode.
  var commits: [String: Int] = [:]
  /// Times at which the writers paused and the rows were compared.
  var fences = 0
  /// Rows that were compared.
  var rows = 0
  var checks = 0
  var work: [String: Int] = [:]
  /// What SQLite refused because of locks.
  var refused: [String: Int] = [:]
  /// Milliseconds until the rows were the same, of each fence.
  var delays: [Double] = []
  var failures: [String] = []

  var total: Int { commits.values.reduce(0, +) }

  var summary: String {
    "\(cases) databases, \(total) commits, \(fences) fences, \(failures.count) failures"
  }

  func description(seeds: Range<UInt64>) -> String {
    let sorted = delays.sorted()
    func delay(_ share: Double) -> String {
      guard !sorted.isEmpty else { return "–" }
      let value = sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
      return "\((value * 10).rounded() / 10) ms"
    }
    return """
      writers: \(cases) databases (seeds \(seeds.lowerBound)…), \(total) commits \
      (\(Self.listing(commits)))
      fences: \(fences), \(rows) rows compared, \(checks) integrity checks; until the rows were the same: \
      median \(delay(0.5)), 99 % \(delay(0.99)), longest \(delay(1)), \
      \(sorted.count { $0 > 900 }) after more than 900 ms
      work: \(Self.listing(work))
      refused by locks: \(Self.listing(refused))
      failures: \(failures.count)\(failures.map { "\n  \($0)" }.joined())
      """
  }

  private static func listing(_ counts: [String: Int]) -> String {
    counts.isEmpty
      ? "none"
      : counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }
}
