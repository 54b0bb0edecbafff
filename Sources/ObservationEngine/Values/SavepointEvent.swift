/// What became of a savepoint of an open transaction.
public enum SavepointEvent: Sendable, Equatable {
  /// It began.
  case began(String)
  /// It was released, and with it those that began after it: what was done since stays part of the
  /// transaction.
  case released(String)
  /// What was done since it began is undone, and savepoints that began after it are gone; it is still
  /// there.
  case rolledBack(String)

  /// The name of the savepoint.
  public var name: String {
    switch self {
    case .began(let name), .released(let name), .rolledBack(let name): name
    }
  }

  /// - Parameter operation: As SQLite's authorizer names it.
  init?(operation: String, name: String) {
    switch operation {
    case "BEGIN": self = .began(name)
    case "RELEASE": self = .released(name)
    case "ROLLBACK": self = .rolledBack(name)
    default: return nil
    }
  }
}
