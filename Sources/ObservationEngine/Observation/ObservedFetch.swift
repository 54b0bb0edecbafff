/// What one observation fetches, and how two of its results compare; the type is erased.
package struct ObservedFetch: Sendable {
  let run: @Sendable (Connection) throws -> any Sendable
  let areEqual: @Sendable (any Sendable, any Sendable) -> Bool
  /// How long the next run will take, for a fetch that knows better than the duration of its last run tells.
  ///
  /// Its parameter says whether nothing was committed since the last run. It returns `nil` when it can't tell. It
  /// is called under a lock, and must only read what the fetch has noted.
  package var estimate: (@Sendable (_ isUnchanged: Bool) -> Duration?)?

  init(
    run: @escaping @Sendable (Connection) throws -> any Sendable,
    areEqual: @escaping @Sendable (any Sendable, any Sendable) -> Bool
  ) {
    self.run = run
    self.areEqual = areEqual
  }

  package init<Output: Sendable>(
    _ run: @escaping @Sendable (Connection) throws -> Output,
    areEqual: @escaping @Sendable (Output, Output) -> Bool
  ) {
    self.run = { Box(value: try run($0)) }
    self.areEqual = { left, right in
      areEqual(Self.unbox(left), Self.unbox(right))
    }
  }

  package init<Output: Sendable & Equatable>(_ query: Query<Output>) {
    self.init({ try $0.fetch(query) }) { $0 == $1 }
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
