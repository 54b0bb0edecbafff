/// Isolates everything that belongs to the screen: the terminal, the shown state, the event loop.
///
/// Its code runs only on the thread that runs the ``MainLoop``, because ncurses is not thread-safe.
/// `@MainActor` would not work: on Linux its executor needs the main thread for itself and can't
/// wait for a terminal.
@globalActor
actor ScreenActor {
  static let shared = ScreenActor()
  static let executor = MainThreadExecutor()
  private static let preference = ThreadPreference(executor)

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    Self.executor.asUnownedSerialExecutor()
  }

  /// Starts a task that is resumed on the thread of the loop directly, whatever it waits for: for
  /// what follows commits.
  ///
  /// What it calls outside of the actor runs on that thread, too, so that it must not compute for
  /// long.
  @discardableResult
  nonisolated static func task(
    _ body: @escaping @ScreenActor @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task(executorPreference: preference, operation: body)
  }

  /// Calls `body` as code of this actor, from the thread of the loop.
  ///
  /// - Precondition: The caller runs on the thread that runs the loop.
  nonisolated static func assumeIsolated<Value: Sendable>(
    _ body: @ScreenActor () throws -> Value
  ) rethrows -> Value {
    shared.preconditionIsolated("not on the thread of the main loop")
    return try withoutActuallyEscaping(body) { body in
      // The types differ only in isolation, which has no representation at run time, and the line
      // above proved the isolation. MainActor.assumeIsolated works in the same way.
      try unsafeBitCast(body, to: (() throws -> Value).self)()
    }
  }
}
