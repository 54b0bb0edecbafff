import ObservationEngine
import TestSupport
import Testing

/// The examples of following transactions.
@Suite(.fewAtOnce)
struct TransactionExamples {
  @Test func `an observer refuses a transaction`() async throws {
    let db = try await TemporaryDatabase(schema: "CREATE TABLE audit (line TEXT)")
    let database = db.database
    struct Refused: Error {}

    final class Guard: TransactionObserver {
      func willCommit(_ transaction: PendingTransaction) throws {
        if transaction.tables.contains("audit") { throw Refused() }
      }
    }
    database.add(transactionObserver: Guard())

    await #expect(throws: Refused.self) {
      try await db.write(script: "INSERT INTO audit VALUES ('nobody was here')")
    }
    #expect(try await db.integer("SELECT count(*) FROM audit") == 0)
  }
}
