internal import ObservationEngine

/// A query of panels with its last result; panels with the same text and values share one.
final class TrackedQuery {
  struct Key: Hashable {
    var statement: ServerStatement
    var values: [String?]
  }

  /// The relations that a query read.
  struct Reads: Equatable {
    var relations: Set<UInt32>
    /// Whether it reads no others as long as the schema is the same.
    var areFixed = false
  }

  let key: Key
  /// The newest result; nil before the first one.
  private(set) var result: Result<RowSet, DatabaseError>?
  /// Why the newest result is not of the newest state.
  var staleness: Staleness?
  /// What it read when it last ran; nil while that is unknown.
  var reads: Reads?
  /// Whether it may differ although nothing was committed.
  var dependsOnTime: Bool
  /// Whether it ran without an error the last time, so that it needs no savepoint of its own.
  var isReliable = false
  /// Whether it calls what may do more than return a value, as `set_config` changes a setting of the session.
  let callsOthers: Bool
  /// Whether it waited in vain for a lock the last time, so that it must run again.
  var isLocked = false
  /// Whether its own time is measured: whether those that ran with it the last time took long.
  var isTimed = true
  /// Whether it takes so long that the others don't wait for it: it runs in a transaction of its own.
  private(set) var isSlow = false
  /// Since when it is to run by itself, on the monotonic clock; nil when it isn't.
  var awaitedSince: UInt64?
  var isAwaited: Bool { awaitedSince != nil }
  /// Whether its last run was refused or cancelled, so that its rows are those of an earlier one.
  var wasRefused = false
  /// How many groups show it.
  var users = 0

  init(_ key: Key) {
    self.key = key
    dependsOnTime = key.statement.dependsOnTime
    callsOthers = !key.statement.callsKnownFunctions
  }

  /// Whether a commit to these relations may change its result.
  func isConcerned(by relations: Set<UInt32>) -> Bool {
    reads.map { !$0.relations.isDisjoint(with: relations) } ?? true
  }

  /// Whether nothing has to be learned when it runs.
  var isKnown: Bool { isReliable && reads?.areFixed == true }

  /// Notes how long it ran. What has been slow returns to the others when it is much faster.
  func note(duration: Duration) {
    if duration > Self.slowness { isSlow = true }
    if duration < Self.quickness { isSlow = false }
  }

  private static let slowness = Duration.milliseconds(250)
  private static let quickness = Duration.milliseconds(50)

  /// Takes a new result.
  ///
  /// - Returns: Whether it differs from the last one.
  func take(_ new: Result<RowSet, DatabaseError>) -> Bool {
    defer { result = new }
    switch (result, new) {
    case (.success(let old)?, .success(let new)): return old != new
    case (.failure(let old)?, .failure(let new)): return old != new
    default: return true
    }
  }
}
