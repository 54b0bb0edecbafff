extension Database {
  /// Observes whatever `fetch` computes, and refreshes it when `region` changes, whatever it reads.
  ///
  ///     let reports = database.observe(tracking: .table("player")) { connection in
  ///       try Report(connection)  // reads other tables too, which do not matter
  ///     }
  ///
  /// For a fetch that reads more than it depends on, such as a table of constants, or something that
  /// is not to be seen in its SQL.
  ///
  /// ## Guarantees
  /// - Those of any observation, as far as commits touch `region`.
  ///
  /// ## Limits
  /// - The engine takes your word: a commit that changes what `fetch` reads, outside of `region`, is
  ///   not noticed, and the value delivered last stays. Leave the region out when in doubt; it is
  ///   recorded then, and costs nothing.
  /// - After a fetch that failed every commit counts, until it succeeds.
  ///
  /// - Parameters:
  ///   - region: What matters; names in it are looked up at each fetch.
  ///   - fetch: As for an observation without a region.
  public func observe<Output: Sendable & Equatable>(
    tracking region: Region, _ fetch: @escaping @Sendable (Connection) throws -> Output
  ) -> ValueObservation<Output> {
    ValueObservation(database: self, fetch: ObservedFetch(tracking(region, fetch)) { $0 == $1 })
  }

  /// Observes whatever `fetch` computes, of a type that is not `Equatable`, and refreshes it when
  /// `region` changes.
  public func observe<Output: Sendable>(
    tracking region: Region, _ fetch: @escaping @Sendable (Connection) throws -> Output
  ) -> ValueObservation<Output> {
    ValueObservation(
      database: self, fetch: ObservedFetch(tracking(region, fetch)) { _, _ in false })
  }

  private func tracking<Output: Sendable>(
    _ region: Region, _ fetch: @escaping @Sendable (Connection) throws -> Output
  ) -> @Sendable (Connection) throws -> Output {
    { connection in
      let output = try fetch(connection)
      connection.fetchState.recorded = connection.resolved(region)
      return output
    }
  }
}
