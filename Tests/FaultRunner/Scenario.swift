import DatabaseConsole
import ObservationEngine
import TestSupport

enum FaultStorage: String, CaseIterable, CustomStringConvertible {
  case wal, rollbackJournal, single

  var description: String { rawValue }
  var isWAL: Bool { self != .rollbackJournal }

  var configuration: Configuration {
    var configuration = Configuration()
    configuration.keepsConnectionsOpen = true
    configuration.usesSingleConnection = self == .single
    // Nobody else uses the file meanwhile: who waits, waits in vain.
    configuration.busyTimeout = .milliseconds(20)
    configuration.maximumReaders = 2
    // So that statements read and write the file, and not only their cache.
    configuration.prepareConnection = { try $0.execute(script: "PRAGMA cache_size = 8") }
    return configuration
  }
}

/// Something that the engine does with a database, during which calls fail.
struct Scenario: Sendable {
  let name: String
  /// Runs on a database with the rows of ``Trial``; adds `rows` rows to `t`, or none when it throws.
  let run: @Sendable (Database, String) async throws -> Void
  var rows = 0
  /// The rows may be committed also when it throws.
  var mayKeepRows = false
  var isOnlyWAL = false
  /// The database is opened by the scenario, with the calls failing from the beginning.
  var opens = false
  /// The database is closed with the calls failing.
  var closes = false

  func isFor(_ storage: FaultStorage) -> Bool { !isOnlyWAL || storage.isWAL }

  private struct Thrown: Error {}

  static let all = [
    Scenario(name: "read") { db, _ in
      _ = try await db.read { try $0.fetchAll("SELECT * FROM t ORDER BY payload, id").rows.count }
    },
    Scenario(
      name: "write",
      run: { db, _ in
        _ = try await db.write { try $0.execute("INSERT INTO t(payload) VALUES (randomblob(900))") }
      }, rows: 1),
    Scenario(
      name: "large write",
      run: { db, _ in
        try await db.write { connection in
          try connection.execute("UPDATE t SET payload = randomblob(1900)")
          try connection.execute("INSERT INTO t(payload) VALUES (randomblob(900))")
        }
      }, rows: 1),
    Scenario(name: "write that throws") { db, _ in
      do {
        try await db.write { connection in
          try connection.execute("UPDATE t SET payload = randomblob(1900)")
          throw Thrown()
        }
      } catch is Thrown {}
    },
    Scenario(
      name: "savepoints",
      run: { db, _ in
        try await db.write { connection in
          try connection.execute("INSERT INTO t(payload) VALUES ('kept')")
          do {
            try connection.savepoint {
              try connection.execute("DELETE FROM t")
              throw Thrown()
            }
          } catch is Thrown {}
        }
      }, rows: 1),
    Scenario(
      name: "write, then read",
      run: { db, _ in
        _ = try await db.write { connection in
          try connection.execute("INSERT INTO t(payload) VALUES ('seen')")
        } thenRead: { connection, _ in
          try connection.fetchAll("SELECT count(*) FROM t").rows.count
        }
      }, rows: 1, mayKeepRows: true),
    Scenario(name: "schema") { db, _ in
      try await db.write { connection in
        try connection.execute("CREATE TABLE made (a, b)")
        try connection.execute("CREATE INDEX made_b ON made (b)")
      }
      _ = try await db.write { try $0.execute("DROP TABLE made") }
    },
    Scenario(
      name: "console",
      run: { db, _ in
        _ = try await db.run(statement: "BEGIN", rowLimit: 10)
        do {
          _ = try await db.run(statement: "INSERT INTO t(payload) VALUES ('typed')", rowLimit: 10)
          _ = try await db.run(statement: "COMMIT", rowLimit: 10)
        } catch {
          // As a person would: the transaction is theirs.
          if await db.isInTransaction() {
            _ = try? await db.run(statement: "ROLLBACK", rowLimit: 1)
          }
          throw error
        }
      }, rows: 1),
    Scenario(
      name: "checkpoint",
      run: { db, _ in _ = try await db.checkpoint(.truncate) }, isOnlyWAL: true),
    Scenario(name: "vacuum") { db, _ in
      _ = try await db.withoutTransaction { try $0.execute("VACUUM") }
    },
    Scenario(name: "backup") { db, path in try await db.backup(to: path + "-copy") },
    Scenario(
      name: "observation",
      run: { db, _ in
        let counts = db.observe(Query.scalar("SELECT count(*) FROM t", as: Int.self))
        for try await _ in counts { break }
        _ = try await db.write { try $0.execute("INSERT INTO t(payload) VALUES ('observed')") }
      }, rows: 1),
    Scenario(
      name: "opening",
      run: { db, _ in
        _ = try await db.read { try $0.fetchAll("SELECT count(*) FROM t").rows.count }
      }, opens: true),
    Scenario(
      name: "closing",
      run: { db, _ in
        _ = try await db.write { try $0.execute("INSERT INTO t(payload) VALUES ('last')") }
        await db.close()
      }, rows: 1, mayKeepRows: true, closes: true),
  ]
}
