import ObservationEngine
import TestSupport
import Testing

/// The examples of transactions as values.
@Suite(.fewAtOnce)
struct TransactionValueExamples {
  @Test(arguments: [true, false])
  func `transactions are combined`(_ isFirst: Bool) async throws {
    let db = try await exampleDatabase()
    let database = db.database

    let name = "eve"

    let join = Transaction.execute("INSERT INTO player(name) VALUES (\(name))")
    let bonus = isFirst ? Transaction { try $0.execute("UPDATE player SET score = 10") } : nil
    let ordinal = try await database.commit([join, bonus])

    #expect(ordinal != nil)
    #expect(try await db.integer("SELECT count(*) FROM player") == 3)
    #expect(try await db.integer("SELECT max(score) FROM player") == (isFirst ? 10 : 3))
  }

  @Test func `a transaction is committed, or applied in a write`() async throws {
    let db = try await exampleDatabase()
    let database = db.database

    let ordinal = try await database.commit(.execute("UPDATE player SET score = 0"))
    #expect(ordinal != nil)

    try await database.write { connection in
      try connection.apply(.execute("UPDATE player SET score = 0"))
    }
    #expect(try await db.integer("SELECT max(score) FROM player") == 0)
  }
}
