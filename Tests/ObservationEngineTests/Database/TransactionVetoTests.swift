import DatabaseConsole
import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// Observers that refuse transactions.
@Suite(.fewAtOnce)
struct TransactionVetoTests {
  private struct Refused: Error, Equatable {}

  /// Refuses transactions that touch a table.
  private final class Guard: TransactionObserver {
    let table: String
    let asked = Mutex<[[String]]>([])

    init(_ table: String) { self.table = table }

    func willCommit(_ transaction: PendingTransaction) throws {
      asked.withLock { $0.append(transaction.tables) }
      if transaction.tables.contains(table) { throw Refused() }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a refusal rolls the whole transaction back, and the write throws it`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database, noticesOthers: false)
    let refuser = Guard("map")
    db.database.add(transactionObserver: refuser)
    await #expect(throws: Refused()) {
      try await db.write(
        script: "INSERT INTO player DEFAULT VALUES; INSERT INTO map VALUES (1, 'x')")
    }
    #expect(try await db.integer("SELECT (SELECT count(*) FROM player) + count(*) FROM map") == 0)
    guard case .rollback = try await log.nextEvent() else {
      Issue.record("expected a rollback")
      return
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(try await log.nextCommit().tables == .named(["player"]))
    #expect(refuser.asked.withLock { $0 } == [["map", "player"], ["player"]])
    db.database.remove(transactionObserver: refuser)
    try await db.write(script: "INSERT INTO map VALUES (1, 'x')")
    #expect(try await db.integer("SELECT count(*) FROM map") == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `statements of the console can be refused`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    db.database.add(transactionObserver: Guard("map"))
    await #expect(throws: Refused()) { try await db.run("INSERT INTO map VALUES (1, 'x')") }
    try await db.run("BEGIN")
    try await db.run("INSERT INTO map VALUES (1, 'x')")
    await #expect(throws: Refused()) { try await db.run("COMMIT") }
    #expect(await !db.database.isInTransaction())
    #expect(try await db.integer("SELECT count(*) FROM map") == 0)
    try await db.run("INSERT INTO player DEFAULT VALUES")
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
  }
}
