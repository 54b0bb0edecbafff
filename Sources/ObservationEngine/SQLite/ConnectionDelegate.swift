/// Receives what a connection does, on its thread of execution; see ``CommitAccountant``.
protocol ConnectionDelegate: AnyObject {
  /// A statement other than the engine's own has finished, or a job has, or the engine has ended a
  /// transaction. Checks how that left the transaction.
  ///
  /// - Returns: The ordinal of the commit, if one has ended that wrote something.
  @discardableResult
  func settle() -> Int?

  /// The ordinal that ``settle()`` returned last; `nil` when it never did.
  var lastOrdinal: Int? { get }

  /// All statements of a transaction that the engine manages have run; its COMMIT follows.
  func transactionWillEnd()

  /// A VACUUM is starting that rewrites `schema`.
  func willVacuum(_ schema: String)

  /// The VACUUM has failed; its statement is about to finish.
  func didFailToVacuum()

  /// The connection is about to be closed.
  func connectionWillClose()
}
