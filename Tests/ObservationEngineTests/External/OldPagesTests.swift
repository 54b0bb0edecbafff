import TestSupport
import Testing

@testable import ObservationEngine

/// The read transaction that keeps old pages while another process writes a large transaction.
struct OldPagesTests {
  private let db: TemporaryDatabase
  private let other: ExternalProcess
  private let connection: Connection

  init() async throws {
    db = try await TemporaryDatabase(.wal)
    other = try await ExternalProcess.serve(db.path)
    // Pages reach the WAL before the commit.
    try await other.send("PRAGMA cache_size = 10")
    try await other.send(
      """
      CREATE TABLE big AS
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      SELECT i, hex(zeroblob(300)) AS text FROM n
      """)
    var options = Connection.Options()
    options.isReader = true
    connection = try DatabaseFile(path: db.path, configuration: Configuration()).open(options)
    connection.wal.isOn = true
  }

  private func look(_ pages: inout OldPages, isWanted: Bool = true) {
    guard case .header(let header) = connection.wal.indexState() else {
      Issue.record("there is no WAL")
      return
    }
    pages.writerIsBusy(behind: header, pageSize: 4096, connection) { isWanted }
    #expect(pages.areKept == connection.hasOpenTransaction)
  }

  @Test
  func `a large transaction that isn't committed holds up no checkpoint for long`() async throws {
    try await other.send("BEGIN IMMEDIATE")
    try await other.send("UPDATE big SET text = text || 'x'")
    var pages = OldPages()
    look(&pages)
    #expect(pages.areKept)
    try await wait(for: "its end") {
      look(&pages)
      return !pages.areKept
    }
    look(&pages)
    #expect(!pages.areKept, "the same transaction is not waited for again")
    try await other.send("ROLLBACK")
    connection.close()
  }

  @Test
  func `nothing is kept for a small transaction, or where nobody wants the rows`() async throws {
    var pages = OldPages()
    try await other.send("BEGIN IMMEDIATE")
    try await other.send("UPDATE big SET text = text || 'x' WHERE i = 1")
    look(&pages)
    #expect(!pages.areKept)
    try await other.send("UPDATE big SET text = text || 'x'")
    look(&pages, isWanted: false)
    #expect(!pages.areKept)
    look(&pages)
    #expect(pages.areKept)
    pages.end(connection)
    #expect(!connection.hasOpenTransaction)
    try await other.send("ROLLBACK")
    connection.close()
  }

  @Test func `a long log is let go on`() async throws {
    try await other.send("PRAGMA wal_autocheckpoint = 0")
    try await other.send("CREATE TABLE long AS SELECT zeroblob(64000000) AS text")
    var pages = OldPages()
    try await other.send("BEGIN IMMEDIATE")
    try await other.send("UPDATE big SET text = text || 'x'")
    look(&pages)
    #expect(!pages.areKept)
    try await other.send("ROLLBACK")
    try await other.send("PRAGMA wal_checkpoint = TRUNCATE")
    try await other.send("BEGIN IMMEDIATE")
    try await other.send("UPDATE big SET text = text || 'x'")
    look(&pages)
    #expect(pages.areKept)
    pages.end(connection)
    try await other.send("ROLLBACK")
    connection.close()
  }
}
