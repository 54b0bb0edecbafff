import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// Changes of the journal mode by the writer itself.
@Suite(.fewAtOnce)
struct JournalModeTests {
  @Test
  func `leaving the WAL mode leaves no file of it, and commits are told on`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.usesSingleConnection = true
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let log = CommitLog(db.database, noticesOthers: false)
    for number in 1...3 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      #expect(try await db.run("PRAGMA journal_mode = DELETE").rows?.rows == [["delete"]])
      #expect(db.folder.names == ["test.db"])
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      #expect(db.folder.names == ["test.db"])
      #expect(try await db.run("PRAGMA journal_mode = WAL").rows?.rows == [["wal"]])
      let tables = log.commits.map(\.tables).filter { $0 == .named(["player"]) }
      #expect(tables.count == 2 * number)
    }
  }
}
