/// Takes the updates of a group one after the other. All fetches of the group return an `Output`.
package struct GroupUpdates<Output: Sendable>: AsyncIteratorProtocol {
  private let group: ObservationGroup
  /// The first update, if no result has to be waited for.
  private var first: Delivery?

  package init(_ group: ObservationGroup) { self.group = group }

  /// Takes updates of no queries: the first one is that there is nothing to wait for.
  init(ofNone group: ObservationGroup, asOf ordinal: Int) {
    self.group = group
    first = Delivery(ordinal: ordinal)
  }

  /// The next update. `nil` when the task is cancelled or the database is closed: then the observation has
  /// ended, and every further call returns `nil`.
  package mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(Never) -> GroupUpdate<Output>? {
    if !Task.isCancelled, let first = first.take() { return GroupUpdate(first) }
    if let delivery = await group.next(isolation: actor) { return GroupUpdate(delivery) }
    group.cancel()
    return nil
  }
}
