/// Takes the updates of a group one after the other. All fetches of the group return an `Output`.
package struct GroupUpdates<Output: Sendable>: AsyncIteratorProtocol {
  private let group: ObservationGroup

  package init(_ group: ObservationGroup) { self.group = group }

  /// The next update. `nil` when the task is cancelled or the database is closed: then the observation has
  /// ended, and every further call returns `nil`.
  package mutating func next(
    isolation actor: isolated (any Actor)?
  ) async throws(Never) -> GroupUpdate<Output>? {
    if let delivery = await group.next(isolation: actor) { return GroupUpdate(delivery) }
    group.cancel()
    return nil
  }
}
