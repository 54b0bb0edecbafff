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
    ValueObservation(database: self, fetch: ObservedFetch({ try $0.fetch(query) }) { $0 == $1 })
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

  /// Observes a group of queries whose results are delivered together, with the events between them.
  ///
  /// - Parameter windowed: Those, by index, of which a window is held when they are long; see
  ///   ``RefreshSequence/show(_:of:)``.
  package func observe(
    group queries: [Query<RowSet>], windowed: Set<Int> = []
  ) -> RefreshSequence {
    RefreshSequence(database: self, queries: queries, windowed: windowed)
  }
}

/// The refreshes of a group of queries; one iterator observes.
package struct RefreshSequence: Sendable {
  let group: ObservationGroup
  /// By the index of the query.
  private let windows: [Int: WindowedQuery]

  init(database: Database, queries: [Query<RowSet>], windowed: Set<Int>) {
    let windows = Dictionary(
      uniqueKeysWithValues: windowed.map { ($0, WindowedQuery(queries[$0])) })
    self.windows = windows
    group = ObservationGroup(
      database,
      queries.enumerated().map { index, query in
        if let window = windows[index] {
          var fetch = ObservedFetch({ try window.fetch($0) }) { $0 == $1 }
          fetch.estimate = { window.estimate(isUnchanged: $0) }
          return fetch
        }
        return ObservedFetch({ try $0.fetch(query) }) { $0 == $1 }
      },
      wantsEvents: true)
  }

  /// Moves the window of a query, or orders and filters what it shows; the rows come with a refresh, as
  /// those of a snapshot of their own unless there are commits too.
  ///
  /// - Precondition: The query is one of those that are windowed.
  package func show(_ window: RowWindow, of index: Int) {
    guard let query = windows[index] else { preconditionFailure("query \(index) has no window") }
    query.show(window)
    group.refresh(index)
  }

  /// The next refresh; those that were not taken in time are merged into one.
  ///
  /// - Returns: `nil` when the task is cancelled.
  package func next(isolation: isolated (any Actor)? = #isolation) async -> Refresh? {
    guard let delivery = await group.next(isolation: isolation) else { return nil }
    return Refresh(
      results: delivery.results.mapValues { result in
        result.map { ObservedFetch.unbox($0) }.mapError {
          $0 as? DatabaseError ?? DatabaseError(code: .error, message: String(describing: $0))
        }
      },
      recomputed: delivery.recomputed, stale: delivery.stale, events: delivery.events,
      droppedEvents: delivery.droppedEvents, ordinal: delivery.ordinal,
      duration: delivery.duration, noticed: delivery.noticed, pause: delivery.pause)
  }

  /// Runs all queries of the group again, whether or not a commit was seen.
  package func refresh() { group.refresh() }

  /// Cancels a query of any group that runs for itself because it is slow.
  package func cancelSlowQuery() { group.cancelSlowQuery() }
}
