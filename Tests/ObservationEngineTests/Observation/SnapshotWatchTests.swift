import TestSupport
import Testing

@testable import ObservationEngine

/// To whom a read transaction gives way in this process, with a rollback journal.
struct SnapshotWatchTests {
  /// Watches the open transaction of a connection; its first look only begins.
  private func watch(
    _ connection: Connection, _ file: DatabaseFile, _ yielding: SnapshotWatch.Yielding,
    ownPatience: Duration = .zero
  ) -> SnapshotWatch {
    let watch = SnapshotWatch(
      connection, file: file, yielding: yielding, looksAhead: false, ownPatience: ownPatience)
    #expect(!watch.mustEnd())
    return watch
  }

  @Test
  func `a writer of this process is given way when it waits, and not before`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let file = try DatabaseFile(path: db.path, configuration: Configuration())
    var options = Connection.Options()
    options.isReader = true
    let reader = try file.open(options)
    defer { reader.close() }
    let writer = try PlainConnection(db.path)
    for yielding in [SnapshotWatch.Yielding.toAnyWriter, .toCommit] {
      try reader.snapshot { connection in
        _ = try connection.fetch(engine: "SELECT count(*) FROM player")
        let impatient = watch(connection, file, yielding)
        let patient = watch(connection, file, yielding, ownPatience: .seconds(3_600))
        try writer.run("BEGIN IMMEDIATE; INSERT INTO player (name) VALUES ('ada')")
        #expect(!impatient.mustEnd())
        // Refused, it keeps PENDING until it is rolled back or tries again.
        #expect(throws: PlainConnection.Failure.self) { try writer.run("COMMIT") }
        #expect(impatient.mustEnd())
        #expect(impatient.yieldReason == .writer)
        #expect(!patient.mustEnd())
      }
      try writer.run("COMMIT")
    }
  }

  @Test
  func `a connection that keeps its locks does not wait for itself`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    await db.database.close()
    let file = try DatabaseFile(path: db.path, configuration: Configuration())
    let connection = try file.open(Connection.Options())
    defer { connection.close() }
    try connection.execute(engine: "PRAGMA locking_mode = EXCLUSIVE")
    try connection.execute(engine: "INSERT INTO player (name) VALUES ('ada')")
    try connection.snapshot { connection in
      _ = try connection.fetch(engine: "SELECT count(*) FROM player")
      #expect(connection.holdsWriterLock)
      let observed = watch(connection, file, .toCommit)
      #expect(!observed.mustEnd())
    }
  }
}
