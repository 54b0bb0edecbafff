/// The updates of a list of queries; each iterator observes by itself.
struct GroupObservation<Output: Sendable & Equatable>: AsyncSequence, Sendable {
  let database: Database
  let queries: [Query<Output>]

  func makeAsyncIterator() -> GroupUpdates<Output> {
    GroupUpdates(ObservationGroup(observing: queries.map { ObservedFetch($0) }, in: database))
  }
}
