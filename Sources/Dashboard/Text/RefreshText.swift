package import ObservationEngine

/// How a panel is refreshed, in lines.
package enum RefreshText {
  /// Returns `kept up to date from changed rows`, what its state is made of, and what it costs; or
  /// that its query runs again, why, where in its SQL that stands, and what it costs.
  ///
  /// - Parameters:
  ///   - report: `nil` when the query has not run since a commit.
  ///   - prospect: What could be kept of it, as long as it isn't decided whether that is worth it.
  package static func lines(
    _ report: MaintainedQueries.Report?, _ prospect: MaintainedQueries.Prospect? = nil
  ) -> [String] {
    let runs = "run again after each commit that may concern it"
    guard let report else { return [runs, "because it takes less than 20 µs"] }
    let run = duration(report.runCost)
    switch prospect {
    case .none(let reason, let place)? where !report.isMaintained:
      return [runs, "because: \(reason)"] + (place.map { ["in \($0)"] } ?? [])
        + ["last time: \(run)"]
    case .state(let plan)? where !report.isMaintained:
      return [
        runs, "because: \(report.reason)", "what can be kept up to date: \(plan)",
        "last time: \(run)",
      ]
    default: break
    }
    guard report.isMaintained else {
      return [runs, "because: \(report.reason)"]
        + (report.place.map { ["in \($0)"] } ?? []) + ["last time: \(run)"]
    }
    let state =
      "\(QuantityText.count(report.stateCount, "line")) in "
      + QuantityText.bytes(Int64(report.stateBytes))
    return [
      "kept up to date from changed rows", "state: \(report.plan): \(state)",
      "last time: \(duration(report.maintenanceCost)); to run it: \(run)",
    ]
  }

  private static func duration(_ nanoseconds: UInt64) -> String {
    nanoseconds < 100_000
      ? "\((nanoseconds + 500) / 1_000) µs" : QuantityText.duration(nanoseconds: nanoseconds)
  }
}
