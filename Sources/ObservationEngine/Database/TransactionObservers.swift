internal import Synchronization

/// Those who are told of the transactions of the writer, in the order of their coming.
package final class TransactionObservers: Sendable {
  private struct Entry {
    let id: Int
    /// Keeps the observer alive, unless it is to be told for its own lifetime only.
    let strong: (any TransactionObserver)?
    weak var observer: (any TransactionObserver)?
    /// Has the changed rows counted meanwhile.
    let counting: RowCounting
  }

  private struct State {
    var entries: [Entry] = []
    var last = 0
    /// A transaction was rolled back, and nobody has been told yet.
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

  /// An observer that is about to be called, unless one that is called before removes it.
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

  /// Asks all observers, up to the first that refuses.
  ///
  /// - Returns: Why the transaction must not be committed; `nil` when it may.
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

  /// Takes note of a rollback, inside of SQLite's hook.
  func noteRollback() { state.withLock { $0.didRollBack = true } }

  func didCommit(_ connection: Connection, _ commit: Commit?) {
    tell(connection) { $0.didCommit($1, commit) }
  }

  /// Tells of a rollback.
  ///
  /// - Returns: Whether there was one.
  func settleRollback(_ connection: Connection) -> Bool {
    guard state.withLock({ $0.didRollBack }) else { return false }
    tell(connection) { $0.didRollback($1) }
    return true
  }

  /// Calls `body` for all observers, in one snapshot where it can be had: what they read fails
  /// otherwise, and says so itself.
  private func tell(
    _ connection: Connection, _ body: (any TransactionObserver, Connection) -> Void
  ) {
    var untold = endTransaction()[...]
    guard !untold.isEmpty else { return }
    // Neither throws but for want of a snapshot: those who are left are told without one.
    try? Database.snapshot(connection) { connection in
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
