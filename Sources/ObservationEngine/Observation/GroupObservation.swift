/// The updates of a list of queries; each iterator observes by itself.
struct GroupObservation<Output: Sendable & Equatable>: AsyncSequence, Sendable {
  let database: Database
  let queries: [Query<Output>]

  func makeAsyncIterator() -> GroupUpdates<Output> {
    let group = ObservationGroup(observing: queries.map { ObservedFetch($0) }, in: database)
    return queries.isEmpty
      ? GroupUpdates(ofNone: group, asOf: database.commits.ordinal) : GroupUpdates(group)
  }
}
