internal import Synchronization

/// The times when this process empties one WAL, for which it locks its own writers out as well.
///
/// A writer that waits for no lock must not fail because of that. When it is refused, it can't know
/// by whom: the emptying may be over by then. So it counts.
final class LogEmptyings: Sendable {
  /// How many have begun and ended, together: odd while one runs.
  private let boundaries = Atomic(0)

  var count: Int { boundaries.load(ordering: .sequentiallyConsistent) }

  func run<Output>(_ body: () -> Output) -> Output {
    boundaries.add(1, ordering: .sequentiallyConsistent)
    defer { boundaries.add(1, ordering: .sequentiallyConsistent) }
    return body()
  }
}
