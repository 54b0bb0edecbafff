extension Database {
  /// Whether the result of an observed query is kept up to date from changed rows, and what that costs.
  ///
  /// - Returns: `nil` when the query has not run since its observation began, when it never took long enough to be
  ///   worth it, or when nothing is maintained (``Configuration/maintenanceMemory``).
  package func maintenance<Output>(of query: Query<Output>) -> MaintainedQueries.Report? {
    coordinator.runner.maintained.report(of: query.sql, query.arguments)
  }
}
