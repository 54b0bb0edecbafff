package import ObservationEngine

extension Database {
  /// Observes queries together, as `observe(all:)` does, and reads windows of those results that are long.
  ///
  ///     let panels = database.observe(all: queries, windowed: [0])
  ///     panels.show(RowWindow(first: 15_000, count: 100), of: 0)
  ///     for await update in panels { … }
  ///
  /// - Parameter windowed: The queries, by index, whose long results are read in windows.
  package func observe(
    all queries: [Query<RowSet>], windowed: Set<Int>
  ) -> WindowedObservation {
    WindowedObservation(self, queries, windowed: windowed)
  }
}

/// Queries that are observed together, some of them through a window that can be moved meanwhile.
///
/// The observation begins when this object is made. It ends when the last copy and the last iterator are
/// released, or the task that iterates is cancelled. One iterator at a time takes the updates.
package struct WindowedObservation: AsyncSequence, Sendable {
  package typealias Element = GroupUpdate<RowSet>
  package typealias Failure = Never

  private let group: ObservationGroup
  /// By the index of the query.
  private let windows: [Int: WindowedQuery]

  fileprivate init(_ database: Database, _ queries: [Query<RowSet>], windowed: Set<Int>) {
    let windows = Dictionary(
      uniqueKeysWithValues: windowed.map { ($0, WindowedQuery(queries[$0])) })
    self.windows = windows
    group = ObservationGroup(
      observing: queries.enumerated().map { index, query in
        guard let window = windows[index] else { return ObservedFetch(query) }
        var fetch = ObservedFetch({ try window.fetch($0) }) { $0 == $1 }
        fetch.estimate = { window.estimate(isUnchanged: $0) }
        return fetch
      }, in: database)
  }

  package func makeAsyncIterator() -> GroupUpdates<RowSet> { GroupUpdates(group) }

  /// Moves the window of a query, or orders and filters what it shows.
  ///
  /// The rows come with an update. They are from a snapshot of their own unless something was committed too.
  ///
  /// - Precondition: The query is one of those that are windowed.
  package func show(_ window: RowWindow, of index: Int) {
    guard let query = windows[index] else { preconditionFailure("query \(index) has no window") }
    query.show(window)
    group.refresh(index)
  }

  /// Checks for foreign commits now, and runs all queries again.
  package func refresh() { group.refresh() }
}
