import CSQLite
import ObservationEngine
import TestSupport
import Testing

/// The examples of migrations, copies, and what is below.
@Suite(.fewAtOnce)
struct MaintenanceExamples {
  @Test func `a database is migrated`() async throws {
    let database = try Database(inMemory: Configuration())

    var migrator = Migrator()
    migrator.register("players") { connection in
      try connection.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    }
    migrator.register("scores") { connection in
      try connection.execute("ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
    }
    try await migrator.migrate(database)

    let isComplete = try await database.read { [migrator] connection in
      try migrator.hasCompletedMigrations(connection)
    }
    #expect(isComplete)
  }

  @Test func `what was written is read`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let best = Query.scalar("SELECT max(score) FROM player", as: Int.self)

    let top = try await database.write { connection in
      try connection.execute("UPDATE player SET score = score + 1 WHERE id = 7")
    } thenRead: { connection, _ in
      try connection.fetch(best)
    }

    #expect(top == 3)
  }

  @Test func `a database is copied and restored`() async throws {
    let db = try await exampleDatabase()
    // Stands for the database: the paths of the examples belong in the folder of the test.
    let database = Copied(database: db.database, folder: db.folder)

    try await database.backup(to: "/backup/app.db") { progress in
      print("\(Int(progress.fractionCompleted * 100)) %")
    }
    try await db.write(script: "DELETE FROM player")
    try await database.restore(from: "/backup/app.db")

    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  private struct Copied {
    let database: Database
    let folder: TemporaryFolder

    func backup(
      to path: String, progress: @escaping @Sendable (BackupProgress) -> Void
    ) async throws {
      try await database.backup(to: folder.path("backup.db"), progress: progress)
    }

    func restore(from path: String) async throws {
      try await database.restore(from: folder.path("backup.db"))
    }
  }

  @Test func `the log is copied into the file`() async throws {
    let db = try await exampleDatabase()
    let database = db.database

    let result = try await database.checkpoint(.truncate)

    #expect(result.isComplete)
  }

  @Test func `a blob is written in parts`() async throws {
    let db = try await TemporaryDatabase(
      schema: "CREATE TABLE photo (id INTEGER PRIMARY KEY, data BLOB)")
    let database = db.database
    let chunks = [[UInt8]](repeating: [UInt8](repeating: 7, count: 65_536), count: 3)

    try await database.write { connection in
      try connection.execute("INSERT INTO photo(id, data) VALUES (1, zeroblob(10000000))")
      try connection.withBlob(
        table: "photo", column: "data", rowid: 1, isWritable: true
      ) { blob in
        for index in chunks.indices { try blob.write(chunks[index], at: index * 65_536) }
      }
    }

    #expect(try await db.integer("SELECT length(rtrim(data, x'00')) FROM photo") > 65_536)
  }

  @Test func `SQLite's own handle is lent`() async throws {
    let db = try await exampleDatabase()
    let database = db.database

    try await database.write { connection in
      connection.withUnsafeHandle { sqlite3_exec($0, "DELETE FROM player", nil, nil, nil) }
    }

    #expect(try await db.integer("SELECT count(*) FROM player") == 0)
  }
}
