/// What one observation fetches, and how two of its results compare; the type is erased.
struct ObservedFetch: Sendable {
  let run: @Sendable (Connection) throws -> any Sendable
  let areEqual: @Sendable (any Sendable, any Sendable) -> Bool
  /// What its last run had to read, when it fetches a window of a result; `nil` otherwise.
  var effort: (@Sendable () -> WindowedQuery.Effort)?

  init(
    run: @escaping @Sendable (Connection) throws -> any Sendable,
    areEqual: @escaping @Sendable (any Sendable, any Sendable) -> Bool
  ) {
    self.run = run
    self.areEqual = areEqual
  }

  init<Output: Sendable>(
    _ run: @escaping @Sendable (Connection) throws -> Output,
    areEqual: @escaping @Sendable (Output, Output) -> Bool
  ) {
    self.run = { Box(value: try run($0)) }
    self.areEqual = { left, right in
      areEqual(Self.unbox(left), Self.unbox(right))
    }
  }

  /// Whether `new` tells a consumer something that `old` did not.
  func isNews(_ new: Result<any Sendable, any Error>, after old: Result<any Sendable, any Error>?)
    -> Bool
  {
    switch (old, new) {
    case (.success(let old), .success(let new)): !areEqual(old, new)
    case (.failure(let old), .failure(let new)): String(describing: old) != String(describing: new)
    default: true
    }
  }

  /// A tuple is no `any Sendable` by itself.
  struct Box<Output: Sendable>: Sendable { let value: Output }

  static func unbox<Output: Sendable>(_ value: any Sendable) -> Output {
    guard let box = value as? Box<Output> else {
      preconditionFailure("an observation holds \(type(of: value)), not \(Output.self)")
    }
    return box.value
  }
}

/// What a refresh brought to the members of a group; see ``Refresh``.
struct Delivery: Sendable {
  var results: [Int: Result<any Sendable, any Error>] = [:]
  var recomputed: [Int: Duration] = [:]
  var stale: [Int: Staleness] = [:]
  var events: [DatabaseEvent] = []
  var droppedEvents = 0
  var ordinal = 0
  var origin: Commit.Origin?
  var tables: Commit.Tables?
  var evidence: Commit.Evidence?
  var duration: Duration = .zero
  var noticed: UInt64 = 0
  var pause: Duration = .zero

  /// Events kept for a consumer that does not fetch them.
  static let eventLimit = 1_000

  mutating func merge(_ newer: Delivery) {
    results.merge(newer.results) { $1 }
    recomputed.merge(newer.recomputed) { $1 }
    stale = newer.stale
    append(newer.events)
    droppedEvents += newer.droppedEvents
    // A slow query can end after a later commit was told of.
    ordinal = max(ordinal, newer.ordinal)
    origin = newer.origin
    tables = newer.tables.map { tables?.union($0) ?? $0 } ?? tables
    evidence = newer.evidence.map { evidence?.union($0) ?? $0 } ?? evidence
    duration = newer.duration
    if noticed == 0 { noticed = newer.noticed }
    pause = newer.pause
  }

  mutating func append(_ more: [DatabaseEvent]) {
    events += more
    if events.count > Self.eventLimit {
      droppedEvents += events.count - Self.eventLimit
      events.removeFirst(events.count - Self.eventLimit)
    }
  }
}
