/// Hears of what a connection does, on its thread of execution; see ``CommitAccountant``.
protocol ConnectionDelegate: AnyObject {
  /// A statement that was not the engine's own has finished, or a job, or the engine ended a transaction: looks
  /// how that left the transaction.
  ///
  /// - Returns: The ordinal of the commit that ended it, if one did that wrote something.
  @discardableResult
  func settle() -> Int?

  /// All statements of a transaction that the engine manages have run, and its COMMIT follows.
  func transactionWillEnd()

  /// A VACUUM begins that rewrites `schema`.
  func willVacuum(_ schema: String)

  /// The connection is about to be closed.
  func connectionWillClose()
}
