extension Database {
  /// Observes the results of one or more queries, read together.
  ///
  /// All values in one element come from a single read transaction.
  ///
  ///     for try await (count, top) in database.observe(countQuery, topQuery) {
  ///       render(count, top)
  ///     }
  ///
  /// ## Guarantees
  /// - The first element is the current value; consecutive elements differ.
  /// - Every element is some committed state, in commit order; commits may be coalesced.
  ///
  /// ## Limits
  /// - With a rollback journal, a commit by another process makes every observation run again. In
  ///   WAL mode only a commit to the tables that it reads does, if they can be derived from the
  ///   WAL.
  ///
  /// - Parameter query: Queries; their results are compared to skip repeats.
  /// - Complexity: One run of each distinct SQL and arguments per refresh.
  public func observe<each Output: Sendable & Equatable>(
    _ query: repeat Query<each Output>
  ) -> ValueObservation<(repeat each Output)> {
    let fetch = ObservedFetch { connection in
      (repeat try connection.fetch(each query))
    } areEqual: { left, right in
      for (a, b) in repeat (each left, each right) {
        if a != b { return false }
      }
      return true
    }
    return ValueObservation(database: self, fetch: fetch)
  }

  /// Observes the result of one query.
  ///
  ///     for try await count in database.observe(.count(of: "player")) { print(count) }
  ///
  /// Guarantees, limits and complexity are those of several queries.
  ///
  /// - Parameter query: The query; its result is compared to skip repeats.
  public func observe<Output: Sendable & Equatable>(
    _ query: Query<Output>
  ) -> ValueObservation<Output> {
    ValueObservation(database: self, fetch: ObservedFetch(query))
  }

  /// Observes the result of one query, of a type that is not `Equatable`.
  ///
  /// ## Limits
  /// - The engine can't know whether a result differs from the one before: each fetch delivers one.
  ///   ``ValueObservation/removeDuplicates(by:)`` can.
  public func observe<Output: Sendable>(_ query: Query<Output>) -> ValueObservation<Output> {
    ValueObservation(
      database: self, fetch: ObservedFetch({ try $0.fetch(query) }) { _, _ in false })
  }

  /// Observes whatever `fetch` computes from the database.
  ///
  /// What its SQL reads is recorded at each run, so it may read other tables from one run to the next.
  ///
  ///     for try await hall in database.observe({ try HallOfFame(from: $0) }) { render(hall) }
  ///
  /// The engine may cancel a run whose queries take long, and run `fetch` again where it holds up nothing. Its
  /// statements throw then; what a cancelled run returns, or throws, isn't delivered.
  ///
  /// - Parameter fetch: Reads through the connection it is given; it runs on a thread of the engine,
  ///   in one read transaction, and its result must depend on the database alone.
  public func observe<Output: Sendable & Equatable>(
    _ fetch: @escaping @Sendable (Connection) throws -> Output
  ) -> ValueObservation<Output> {
    ValueObservation(database: self, fetch: ObservedFetch(fetch) { $0 == $1 })
  }

  /// Observes whatever `fetch` computes from the database, of a type that is not `Equatable`.
  ///
  ///     let reports = database.observe { try Report($0) }.removeDuplicates { $0.version == $1.version }
  ///
  /// ## Limits
  /// - The engine can't know whether a value differs from the one before: each fetch delivers one.
  ///   That includes tuples. ``ValueObservation/removeDuplicates(by:)`` compares them.
  ///
  /// - Parameter fetch: Reads through the connection it is given; it runs on a thread of the engine,
  ///   in one read transaction, and its result must depend on the database alone.
  public func observe<Output: Sendable>(
    _ fetch: @escaping @Sendable (Connection) throws -> Output
  ) -> ValueObservation<Output> {
    ValueObservation(database: self, fetch: ObservedFetch(fetch) { _, _ in false })
  }
}
