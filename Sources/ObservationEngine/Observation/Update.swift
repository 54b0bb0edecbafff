/// One delivered state of an observation, and how it came about.
public struct Update<Value: Sendable>: Sendable {
  /// How a value was brought up to date.
  public enum Refresh: Sendable, Equatable {
    /// The queries were run again.
    case recomputed(reason: String)
  }

  /// The value, or why it cannot be computed now; a later update may have a value again.
  public let result: Result<Value, any Error>
  /// The ordinal of the newest commit that the value reflects; 0 when none was observed yet.
  public let ordinal: Int
  /// Who made that commit; `nil` for the first value.
  public let origin: Commit.Origin?
  /// What the commits changed that led to this fetch; `nil` for the first value.
  public let tables: Commit.Tables?
  /// How that was found out; `nil` for the first value.
  public let evidence: Commit.Evidence?
  /// How the value was brought up to date.
  public let refresh: Refresh
  /// How long the fetch took.
  public let duration: Duration
  /// What was fetched, before operators changed it: what the next update is compared with.
  let fetched: Result<any Sendable, any Error>
}

/// Where a consumer gets its updates from.
protocol UpdateSource<Value>: Sendable {
  associatedtype Value: Sendable
  /// The next update; `nil` at the end, or when the task is cancelled.
  func next(isolation: isolated (any Actor)?) async -> Update<Value>?
}

extension Update {
  /// The value.
  ///
  /// - Throws: Why it cannot be computed.
  public var value: Value {
    get throws { try result.get() }
  }
}

extension Update: NewestMessage {
  mutating func merge(_ newer: Update) { self = newer }

  func news(to known: inout LastResult) -> Update? { known.admits(fetched) ? self : nil }
}
