/// An object that observes the transactions of a `Database`'s writer, and may refuse them.
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
/// - All methods are called on the writer's queue, never at the same time, in the order in which the
///   observers were added.
/// - ``willCommit(_:)`` is called for each transaction that wrote. After each transaction comes either ``didCommit(_:_:)`` or ``didRollback(_:)``, for each
///   observer, before any further write; transactions of `Database.write` and statements of the
///   console alike.
///
/// ## Limits
/// - Only transactions of this `Database` are observed. Commits of other processes and other connections
///   cannot be refused; ``Database/onCommit(_:)`` reports them.
/// - A commit that fails on the disk after it was asked about ends as a rollback, or is asked about
///   again when it is tried again.
/// - No write goes on while a method runs: be quick, and do not wait for the database.
/// - The connections that the methods get are for reading; writing through them throws. To write, give
///   the database a write of its own, from a task.
/// - Closing a `Database` rolls an open transaction back without a call.
public protocol TransactionObserver: AnyObject, Sendable {
  /// A transaction that wrote is about to be committed; one that changed no row and nothing else is not
  /// asked about.
  ///
  /// SQLite forbids all SQL at this moment: every statement on this connection throws a
  /// `DatabaseError` with code `misuse`.
  ///
  /// - Throws: To refuse. The whole transaction is rolled back, and the code that wrote gets the error. The
  ///   observers that were added later are not asked.
  func willCommit(_ transaction: PendingTransaction) throws

  /// A transaction was committed.
  ///
  /// - Parameters:
  ///   - connection: For reading the state that was committed, before any further write.
  ///   - commit: What changed; `nil` when nothing did, as after an empty `write`.
  func didCommit(_ connection: Connection, _ commit: Commit?)

  /// A transaction was rolled back, for any reason.
  ///
  /// - Parameter connection: For reading what is there now.
  func didRollback(_ connection: Connection)
}

extension TransactionObserver {
  /// Lets the transaction be committed.
  public func willCommit(_ transaction: PendingTransaction) throws {}
  /// Ignores the commit.
  public func didCommit(_ connection: Connection, _ commit: Commit?) {}
  /// Ignores the rollback.
  public func didRollback(_ connection: Connection) {}
}

/// A transaction that is about to be committed.
public struct PendingTransaction: Sendable, Equatable {
  /// The tables whose rows it touched, folded to lower case, in ascending order; some may end as they
  /// began.
  public let tables: [String]
}

/// How long an observer of transactions is called.
public enum TransactionObservationExtent: Sendable {
  /// Until it is removed; the database keeps the observer alive.
  case untilRemoved
  /// As long as the program keeps the observer alive.
  case observerLifetime
}

extension Database {
  /// Calls `observer` for the transactions to come.
  ///
  /// When a transaction is open at this moment, the observer is called at its end.
  ///
  /// - Complexity: O(1); each transaction costs O(observers).
  public func add(
    transactionObserver observer: any TransactionObserver,
    extent: TransactionObservationExtent = .untilRemoved
  ) {
    transactionObservers.add(observer, extent, RowCounting(commits))
  }

  /// Calls `observer` no more; a method that runs at this moment runs to its end.
  public func remove(transactionObserver observer: any TransactionObserver) {
    transactionObservers.remove(observer)
  }
}
