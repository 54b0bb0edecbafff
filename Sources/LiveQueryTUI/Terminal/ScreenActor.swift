/// Everything that belongs to the screen: the terminal, the state that is shown, the event loop.
///
/// Its code runs on the thread that runs the ``MainLoop``, and nowhere else, because ncurses is not
/// thread-safe. `@MainActor` would not do: on Linux its executor wants the main thread for itself
/// and cannot wait for a terminal.
@globalActor
actor ScreenActor {
  static let shared = ScreenActor()
  static let executor = MainThreadExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }

  /// Calls `body` as code of this actor, from the thread of the loop.
  ///
  /// - Precondition: The caller runs on the thread that runs the loop.
  nonisolated static func assumeIsolated<Value: Sendable>(
    _ body: @ScreenActor () throws -> Value
  ) rethrows -> Value {
    shared.preconditionIsolated("not on the thread of the main loop")
    return try withoutActuallyEscaping(body) { body in
      // The types differ in isolation alone, which has no representation at run time, and the line
      // above proved the isolation. MainActor.assumeIsolated is made in the same way.
      try unsafeBitCast(body, to: (() throws -> Value).self)()
    }
  }
}
