package import Testing

/// Lets few test cases run at the same time, each for a limited time: those that observe a file, or
/// start a program.
///
/// Each observed file takes an inotify instance, and Linux gives a user 128 of them; beyond, the
/// engine polls, and everything takes longer. And of a hundred programs that begin at once each
/// waits for all the others.
///
/// The limit counts from when a case is let in. The one of Swift Testing's `timeLimit` trait counts
/// from when it began to wait, which is when all began: on a slow machine the last in the queue
/// would have used it up before their turn.
package struct FewAtOnce: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> FewAtOnce? {
    testCase == nil ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    await Self.turnstile.enter()
    defer { Self.turnstile.leave() }
    try await withUnsafeCurrentTask { task in
      // The group ends before the closure, and the closure before the task.
      let runner = Runner(task: task)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          try await Task.sleep(for: Self.limit)
          Issue.record("it took longer than \(Self.limit)", sourceLocation: test.sourceLocation)
          runner.task?.cancel()
        }
        defer { group.cancelAll() }
        try await function()
      }
    }
  }

  /// The task of a test case, for what ends before it does.
  ///
  /// Proof of `@unchecked`: `UnsafeCurrentTask.cancel()` may be called from any thread, and nothing else is.
  private struct Runner: @unchecked Sendable {
    let task: UnsafeCurrentTask?
  }

  private static let turnstile = Turnstile(places: 8)

  /// Far beyond what a case needs on a slow machine, beside seven others; in a soak, after that is over.
  private static let limit = Duration.seconds(
    300 + (EnvironmentVariable.number("LIVEQUERY_SOAK_SECONDS") ?? 0)
      + 60 * (EnvironmentVariable.number("LIVEQUERY_POSTGRES_ROUNDS") ?? 0))
}

extension Trait where Self == FewAtOnce {
  package static var fewAtOnce: FewAtOnce { FewAtOnce() }
}
