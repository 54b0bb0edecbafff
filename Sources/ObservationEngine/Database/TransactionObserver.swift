/// An object that a `Database` notifies of its writer's transactions, and that may refuse them.
///
///     final class Guard: TransactionObserver {
///       func willCommit(_ transaction: PendingTransaction) throws {
///         if transaction.tables.contains("audit") { throw Refused() }
///       }
///     }
///     database.add(transactionObserver: Guard())
///
/// Every method has a default that does nothing. For a single transaction there is
/// ``Connection/afterNextTransaction(onCommit:onRollback:)``.
///
/// ## Guarantees
/// - All methods are called on the writer's queue, never concurrently, in the order in which the
///   observers were added.
///   observers were added.
/// - ``willCommit(_:)`` is called for each transaction that wrote. After each transaction, every
///   observer gets either ``didCommit(_:_:)`` or ``didRollback(_:)``, before any further write.
///   That applies to transactions of `Database.write` and statements of the console alike.
///
/// ## Limits
/// - Only transactions of this `Database` are reported. Commits of other processes and other
///   connections cannot be refused; ``Database/onCommit(_:)`` reports them.
/// - If a commit fails on the disk after the observers allowed it, it ends as a rollback, or they
///   are asked again when it is retried.
/// - No write proceeds while a method runs: be quick, and don't wait for the database.
/// - The methods' connections are for reading; writing through them throws. To write, use a write
///   of the database, from a task.
/// - Closing a `Database` rolls an open transaction back without notifying observers.
public protocol TransactionObserver: AnyObject, Sendable {
  /// A transaction that wrote is about to be committed. It isn't called for one that changed
  /// neither rows nor anything else.
  ///
  /// SQLite forbids all SQL here: every statement on this connection throws a `DatabaseError` with
  /// code `misuse`.
  ///
  /// - Throws: To refuse. The whole transaction is rolled back, and the code that wrote gets the
  ///   error. Observers that were added later are not asked.
  func willCommit(_ transaction: PendingTransaction) throws

  /// A transaction was committed.
  ///
  /// - Parameters:
  ///   - connection: For reading the committed state, before any further write.
  ///   - commit: What changed; `nil` when nothing did, as after an empty `write`.
  func didCommit(_ connection: Connection, _ commit: Commit?)

  /// A transaction was rolled back, for whatever reason.
  ///
  /// - Parameter connection: For reading the current state.
  func didRollback(_ connection: Connection)
}

extension TransactionObserver {
  /// Allows the commit.
  public func willCommit(_ transaction: PendingTransaction) throws {}
  /// Ignores the commit.
  public func didCommit(_ connection: Connection, _ commit: Commit?) {}
  /// Ignores the rollback.
  public func didRollback(_ connection: Connection) {}
}

/// A transaction that is about to be committed.
public struct PendingTransaction: Sendable, Equatable {
  /// The tables whose rows it touched, folded to lower case, in ascending order; some may end up
  /// unchanged.
  public let tables: [String]
}

/// How long an observer of transactions is notified.
public enum TransactionObservationExtent: Sendable {
  /// Until it is removed; the database keeps the observer alive.
  case untilRemoved
  /// As long as the program keeps the observer alive.
  case observerLifetime
}

extension Database {
  /// Notifies `observer` of future transactions.
  ///
  /// If a transaction is open now, its end is reported.
  ///
  /// - Complexity: O(1); each transaction costs O(observers).
  public func add(
    transactionObserver observer: any TransactionObserver,
    extent: TransactionObservationExtent = .untilRemoved
  ) {
    transactionObservers.add(observer, extent, RowCounting(commits))
  }

  /// Stops notifying `observer`; a method that is running finishes.
  public func remove(transactionObserver observer: any TransactionObserver) {
    transactionObservers.remove(observer)
  }
}
