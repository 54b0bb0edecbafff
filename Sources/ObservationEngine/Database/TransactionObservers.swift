internal import Synchronization

/// The observers of the writer's transactions, in the order in which they were added.
package final class TransactionObservers: Sendable {
  private struct Entry {
    let id: Int
    /// Retains the observer, unless it is observed for its own lifetime only.
    let strong: (any TransactionObserver)?
    weak var observer: (any TransactionObserver)?
    /// Makes the writer count changed rows meanwhile.
    let counting: RowCounting
  }

  private struct State {
    var entries: [Entry] = []
    var last = 0
    /// A transaction was rolled back, and no observer has been notified yet.
    var didRollBack = false
  }

  private let state = Mutex(State())

  func add(
    _ observer: any TransactionObserver, _ extent: TransactionObservationExtent,
    _ counting: RowCounting
  ) {
    state.withLock { state in
      state.entries.removeAll { $0.observer === observer || $0.observer == nil }
      state.last += 1
      state.entries.append(
        Entry(
          id: state.last, strong: extent == .observerLifetime ? nil : observer, observer: observer,
          counting: counting))
    }
  }

  func remove(_ observer: any TransactionObserver) {
    state.withLock { state in
      state.entries.removeAll { $0.observer === observer || $0.observer == nil }
    }
  }

  /// An observer that is about to be called, unless one before it removes it.
  private struct Callee {
    let id: Int
    let observer: any TransactionObserver
  }

  private func call(
    _ callee: Callee, _ body: (any TransactionObserver) throws -> Void
  ) rethrows {
    let isRegistered = state.withLock { $0.entries.contains { $0.id == callee.id } }
    if isRegistered { try body(callee.observer) }
  }

  var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

  /// Asks the observers in order, until one refuses.
  ///
  /// - Returns: Why the transaction must not be committed; `nil` when it may be.
  func refusal(of transaction: () -> PendingTransaction) -> (any Error)? {
    let observers = current
    guard !observers.isEmpty else { return nil }
    let transaction = transaction()
    do {
      for observer in observers { try call(observer) { try $0.willCommit(transaction) } }
      return nil
    } catch {
      return error
    }
  }

  /// Records a rollback, inside SQLite's hook.
  func noteRollback() { state.withLock { $0.didRollBack = true } }

  func didCommit(_ connection: Connection, _ commit: Commit?) {
    tell(connection) { $0.didCommit($1, commit) }
  }

  /// Notifies the observers of a rollback.
  ///
  /// - Returns: Whether there was one.
  func settleRollback(_ connection: Connection) -> Bool {
    guard state.withLock({ $0.didRollBack }) else { return false }
    tell(connection) { $0.didRollback($1) }
    return true
  }

  /// Calls `body` for all observers, in one snapshot if possible. Without one, their own reads fail
  /// and report it.
  private func tell(
    _ connection: Connection, _ body: (any TransactionObserver, Connection) -> Void
  ) {
    var untold = endTransaction()[...]
    guard !untold.isEmpty else { return }
    // Both throw only if there is no snapshot: the remaining observers are called without one.
    try? connection.snapshot { connection in
      while let observer = untold.popFirst() { call(observer) { body($0, connection) } }
    }
    try? connection.readingOnly {
      for observer in untold { call(observer) { body($0, connection) } }
    }
  }

  private var current: [Callee] { state.withLock { Self.callees($0) } }

  private static func callees(_ state: State) -> [Callee] {
    state.entries.compactMap { entry in
      entry.observer.map { Callee(id: entry.id, observer: $0) }
    }
  }

  /// The observers to notify of the end.
  private func endTransaction() -> [Callee] {
    state.withLock { state in
      state.didRollBack = false
      state.entries.removeAll { $0.observer == nil }
      return Self.callees(state)
    }
  }
}
