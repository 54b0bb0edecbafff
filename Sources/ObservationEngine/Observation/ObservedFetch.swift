/// What one observation fetches, and how two of its results compare; the type is erased.
struct ObservedFetch: Sendable {
  let run: @Sendable (Connection) throws -> any Sendable
  let areEqual: @Sendable (any Sendable, any Sendable) -> Bool
  /// How long the next run will take, for a fetch that knows better than by how long the last one took.
  ///
  /// It gets whether nothing was committed since its last run; it answers `nil` when it does not know. Called
  /// under a lock: it must only look at what it has noted.
  var estimate: (@Sendable (_ isUnchanged: Bool) -> Duration?)?

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

  /// A tuple isn't an `any Sendable` by itself.
  struct Box<Output: Sendable>: Sendable { let value: Output }

  static func unbox<Output: Sendable>(_ value: any Sendable) -> Output {
    guard let box = value as? Box<Output> else {
      preconditionFailure("an observation holds \(type(of: value)), not \(Output.self)")
    }
    return box.value
  }
}
