/// One delivered state of an observation, and how it came about.
public struct Update<Value: Sendable>: Sendable {
  /// The value, or why the newest state can't be shown. After a failure the last value is out of date.
  public let result: Result<Value, any Error>
  /// The ordinal of the newest commit that the value reflects; 0 when none was observed yet.
  public let ordinal: Int
  /// Who made that commit; `nil` for the first value.
  public let origin: Commit.Origin?
  /// What the commits changed that led to this fetch; `nil` for the first value.
  public let tables: Commit.Tables?
  /// How long the fetch took.
  public let duration: Duration
  /// What was fetched, before operators changed it: what the next update is compared with.
  let fetched: Result<any Sendable, any Error>
}

extension Update {
  /// Whether this is an error that may heal by itself.
  var isTransientFailure: Bool {
    if case .failure(let error) = result { error.isTransient } else { false }
  }

  /// Calls the handler for what this is.
  ///
  /// - Returns: Whether it was the last call: the error can't heal.
  func call(
    onError: (any Error) -> Void, onValue: (Value) -> Void
  ) -> Bool {
    switch result {
    case .success(let value):
      onValue(value)
      return false
    case .failure(let error):
      onError(error)
      return !error.isTransient
    }
  }
}

extension Update: NewestMessage {
  mutating func merge(_ newer: Update) { self = newer }

  func news(to known: inout LastResult) -> Update? { known.admits(fetched) ? self : nil }
}
