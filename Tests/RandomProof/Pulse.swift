internal import Glibc
internal import Synchronization

/// Ends the process when what is proved stands still: what is waited for will not come.
package final class Pulse: Sendable {
  private static let step: Duration = .seconds(5)
  private static let mostSteps = 24
  /// How many steps have passed since the last beat. They are counted, because a process that was stopped for a while
  /// does not stand still.
  private let steps = Mutex(0)

  /// - Parameter state: What to say in the end.
  package init(_ state: @escaping @Sendable () -> String) {
    Task.detached { [weak self] in
      while true {
        try? await Task.sleep(for: Self.step)
        guard let self else { return }
        let passed = steps.withLock { steps in
          steps += 1
          return steps
        }
        guard passed > Self.mostSteps else { continue }
        print("RandomProof: nothing has come for \(Self.mostSteps * 5) seconds: \(state())")
        exit(1)
      }
    }
  }

  package func beat() { steps.withLock { $0 = 0 } }
}
