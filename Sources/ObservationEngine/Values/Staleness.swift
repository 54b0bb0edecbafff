/// Why a result isn't of the newest committed state.
public struct Staleness: Sendable, Equatable {
  /// When the result was first found out of date.
  public let since: Timestamp
  /// What stands in the way: a lock, a time limit, a missing file, or a query that takes long.
  public let reason: String

  package init(since: Timestamp, reason: String) {
    self.since = since
    self.reason = reason
  }

  private static let slowness = "slow query, running on its own"

  /// Nothing stands in the way: the newest result is on its way, and takes long.
  package static func slow(since time: Timestamp) -> Staleness {
    Staleness(since: time, reason: slowness)
  }

  package var isSlowness: Bool { reason == Self.slowness }
}
