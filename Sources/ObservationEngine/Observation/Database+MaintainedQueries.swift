extension Database {
  /// Whether the result of an observed query is kept up to date from changed rows, and what that costs.
  ///
  /// - Returns: `nil` when the query has not run since its observation began, when it never took long enough to be
  ///   worth it, or when nothing is maintained (``Configuration/maintenanceMemory``).
  package func maintenance<Output>(of query: Query<Output>) -> MaintainedQueries.Report? {
    coordinator.runner.maintained.report(of: query.sql, query.arguments)
  }

  /// What could be kept of a query, so that its result needn't be computed again.
  ///
  /// - Throws: `DatabaseError` when the query or the schema can't be read.
  package func maintenanceProspect<Output>(
    of query: Query<Output>
  ) async throws -> MaintainedQueries.Prospect {
    try await coordinator.runner.maintained.prospect(of: query.sql, query.arguments)
  }
}
