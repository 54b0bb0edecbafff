extension Connection {
  /// Runs `body` in one read transaction, or as part of the open transaction.
  ///
  /// - Throws: What `body` throws; `DatabaseError` with code `readOnly`, after rolling back, when
  ///   it wrote: an SQL function of a virtual table's module can do that unnoticed.
  package func snapshot<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    try readingOnly {
      guard !hasOpenTransaction else {
        assert(transactionState.isKnown, "a transaction is open that no job began")
        _ = try renewIfSchemaChanged()
        return try body(self)
      }
      return try readTransaction {
        let result = Result {
          try limitingResults {
            _ = try renewIfSchemaChanged()
            return try body(self)
          }
        }
        if hasOpenTransaction, isWriting {
          try rollBack()
          throw DatabaseError(
            code: .readOnly, message: "a query wrote to the database, which is undone: use write")
        }
        return try result.get()
      }
    }
  }
}
