import TestSupport
import Testing

@testable import ObservationEngine

/// A VACUUM that SQLite refuses is no commit, and hides none of others.
@Suite(.fewAtOnce)
struct FailedVacuumTests {
  @Test(arguments: [StorageKind.wal, .rollbackJournal])
  func `what another program commits while VACUUM waits is seen`(_ kind: StorageKind) async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(200)
    let db = try await TemporaryDatabase(kind, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    var count = 0
    try await recorder.expect(0)
    var options = Connection.Options()
    options.busyTimeout = .seconds(30)
    let other = try Connection(path: db.path, options: options)
    defer { other.close() }
    var hasFailed = false
    while !hasFailed {
      try other.execute(engine: "BEGIN IMMEDIATE")
      try other.execute(engine: "INSERT INTO player(name) VALUES ('foreign')")
      async let vacuum: Void = db.database.vacuum()
      try await wait(for: "VACUUM to begin") { db.database.ledger.current.isCommitting }
      try other.execute(engine: "COMMIT")
      count += 1
      // VACUUM seldom comes in between.
      try other.execute(engine: "BEGIN IMMEDIATE")
      do { try await vacuum } catch { hasFailed = true }
      try other.execute(engine: "ROLLBACK")
      try await recorder.expect(count)
    }
    #expect(!db.database.ledger.current.isCommitting)
  }

  @Test(arguments: [StorageKind.wal, .rollbackJournal])
  func `within a transaction it publishes nothing`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    try await db.database.write { connection in
      try connection.execute("CREATE TABLE z(a)")
      #expect(throws: DatabaseError.self) { try connection.execute("VACUUM") }
      try connection.execute("INSERT INTO player(name) VALUES ('own')")
    }
    #expect(try await log.nextCommit().kind == .schema)
    try await db.write(script: "INSERT INTO player(name) VALUES ('next')")
    #expect(try await log.nextChangeset().rowCounts == Commit.RowCounts(inserted: 1))
  }
}
