package import ObservationEngine

/// How a panel is refreshed, in a line.
package enum RefreshText {
  /// Returns `kept up to date from changed rows: groups of player, 7 lines in 4 KB; last 14 µs, to
  /// run it 65 ms`, or why the panel's query runs again, and where in its SQL that stands.
  ///
  /// - Parameter report: `nil` when the query has not run since a commit.
  package static func text(_ report: MaintainedQueries.Report?) -> String {
    guard let report else {
      return "run again after each commit that may concern it: it takes less than 20 µs"
    }
    let run = duration(report.runCost)
    guard report.isMaintained else {
      let place = report.place.map { " (\($0))" } ?? ""
      return
        "run again after each commit that may concern it: \(report.reason)\(place); last \(run)"
    }
    let state =
      "\(QuantityText.count(report.stateCount, "line")) in "
      + QuantityText.bytes(Int64(report.stateBytes))
    return """
      kept up to date from changed rows: \(report.plan), \(state); last \(duration(report.maintenanceCost)), \
      to run it \(run)
      """
  }

  private static func duration(_ nanoseconds: UInt64) -> String {
    nanoseconds < 100_000
      ? "\((nanoseconds + 500) / 1_000) µs" : QuantityText.duration(nanoseconds: nanoseconds)
  }
}
