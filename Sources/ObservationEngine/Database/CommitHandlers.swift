internal import Synchronization

/// Those who are told of each own commit on the writer's queue, with its connection, right after the
/// commit and before any further write.
package final class CommitHandlers: Sendable {
  package typealias Handler = @Sendable (Connection, Commit, Changeset) -> Void

  private struct State {
    var handlers: [(id: Int, handler: Handler)] = []
    var last = 0
  }

  private let state = Mutex(State())
  /// Those who are told of transactions, and may refuse them.
  let transactions = TransactionObservers()

  /// Adds a handler, called after those that were added before; the result removes it.
  package func add(_ handler: @escaping Handler) -> Int {
    state.withLock { state in
      state.last += 1
      state.handlers.append((state.last, handler))
      return state.last
    }
  }

  package func remove(_ id: Int) {
    state.withLock { $0.handlers.removeAll { $0.id == id } }
  }

  /// Whether nobody is told of anything.
  var isEmpty: Bool { state.withLock { $0.handlers.isEmpty } && transactions.isEmpty }

  func tell(_ connection: Connection, _ commit: Commit, _ changeset: Changeset) {
    for entry in state.withLock({ $0.handlers }) { entry.handler(connection, commit, changeset) }
  }
}
