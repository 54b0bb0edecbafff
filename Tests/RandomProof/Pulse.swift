internal import Glibc
internal import Synchronization

/// Ends the process when what is proved stands still: what is waited for will not come.
package final class Pulse: Sendable {
  private static let longest: Duration = .seconds(120)
  private let last = Mutex(ContinuousClock.now)

  /// - Parameter state: What to say in the end.
  package init(_ state: @escaping @Sendable () -> String) {
    Task.detached { [weak self] in
      while true {
        try? await Task.sleep(for: .seconds(5))
        guard let self else { return }
        guard ContinuousClock.now - last.withLock({ $0 }) > Self.longest else { continue }
        print("RandomProof: nothing has come for \(Self.longest): \(state())")
        exit(1)
      }
    }
  }

  package func beat() { last.withLock { $0 = .now } }
}
