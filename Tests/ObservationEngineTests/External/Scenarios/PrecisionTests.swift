import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// What makes the engine forget which pages belong to which table, and learn it anew.
enum Upheaval: String, CaseIterable, Sendable {
  case vacuum, restore, truncatingCheckpoint, killedWriter, deletedLog, deletedIndex, renameOver
  case emptiedAndFilled, movedAndBack, rollbackJournalAndBack

  /// Has it happen, by another process.
  func happen(to db: TemporaryDatabase) async throws {
    switch self {
    case .vacuum: try await db.other("VACUUM")
    case .truncatingCheckpoint: try await db.other("PRAGMA wal_checkpoint(TRUNCATE)")
    case .deletedLog:
      // So that whoever comes before the engine has closed the log finds the tables in the file.
      try await db.other("PRAGMA wal_checkpoint(TRUNCATE)")
      db.delete(["-wal", "-shm"])
    case .deletedIndex: db.delete(["-shm"])
    case .restore:
      let backup = try await db.makeOther("backup.db", name: "bob", journal: "wal")
      let process = try await ExternalProcess.serve(db.path)
      try await process.send(".restore \(backup)")
      await process.finish()
    case .killedWriter:
      let process = try await ExternalProcess.serve(db.path)
      try await process.send("BEGIN IMMEDIATE; INSERT INTO map(name) VALUES ('never')")
      try await process.send(".spill")
      process.kill()
      await process.ended()
    case .renameOver:
      let new = try await db.makeOther("new.db", name: "bob", journal: "wal")
      #expect(rename(new, db.path) == 0)
    case .emptiedAndFilled:
      // Just behind a checkpoint, a content whose page 1 is the same isn't noticed.
      try await db.makeOther("new.db", name: "bob", journal: "wal", version: 7)
      try await db.other("PRAGMA wal_checkpoint(TRUNCATE)")
      try db.folder.write(try db.folder.bytes("new.db"), to: "test.db")
    case .movedAndBack:
      #expect(rename(db.path, db.folder.path("moved.db")) == 0)
      #expect(rename(db.folder.path("moved.db"), db.path) == 0)
    case .rollbackJournalAndBack:
      let process = try await ExternalProcess.serve(db.path, "--busy", "60000")
      try await process.change(to: "delete")
      try await process.send("INSERT INTO map(name) VALUES ('tower')")
      try await process.change(to: "wal")
      await process.finish()
    }
  }
}

/// Precision comes back.
@Suite(.fewAtOnce)
struct PrecisionTests {
  @Test(arguments: Upheaval.allCases)
  func `commits are told by their tables again afterwards`(_ upheaval: Upheaval) async throws {
    // Only who lets go of the file lets others change its journal mode.
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.keepsConnectionsOpen = upheaval != .rollbackJournalAndBack
    configuration.patienceWithOthers = .milliseconds(1)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM map")
    try await recorder.settle(on: 0)
    for table in ["map", "player"] {
      try await log.expectNamed([table]) {
        let status = try await db.other("INSERT INTO \(table)(name) VALUES ('x')")
        if status != 0 { throw Unexpected("the other process ended with \(status)") }
      }
    }
    try await upheaval.happen(to: db)
    for table in ["map", "player"] {
      try await log.expectNamed([table]) {
        let status = try await db.other("INSERT INTO \(table)(name) VALUES ('x')")
        if status != 0 { throw Unexpected("the other process ended with \(status)") }
      }
    }
    let other = try await ExternalProcess.serve(db.path)
    let count = try await other.send("SELECT count(*) FROM map")[0][0]
    try await recorder.settle(on: try #require(Int(count)))
    #expect(try await other.send("PRAGMA integrity_check") == [["ok"]])
  }
}
