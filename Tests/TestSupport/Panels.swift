package import DatabaseConsole
package import ObservationEngine

extension Database {
  /// Observes queries as the panels of a dashboard do, for a test that takes the updates one at a time.
  package func panels(
    _ queries: [Query<RowSet>], windowed: Set<Int> = []
  ) -> WindowedObservation {
    observe(all: queries, windowed: windowed)
  }
}

extension WindowedObservation {
  /// The next update; those that the test did not take in time are merged into one.
  ///
  /// - Returns: `nil` when the task is cancelled, or the database is closed.
  package func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async -> GroupUpdate<RowSet>? {
    var updates = makeAsyncIterator()
    return await updates.next(isolation: actor)
  }
}

extension GroupUpdate {
  /// The error of a query, if it has one in this update.
  package func error(_ index: Int) -> DatabaseError? {
    guard case .failure(let error)? = results[index] else { return nil }
    return error as? DatabaseError
  }
}
