package import DatabaseConsole
package import ObservationEngine

/// Where a test's database lives.
package enum StorageKind: String, CaseIterable, Sendable {
  case wal
  case rollbackJournal
  case memory

  /// Those that other processes can open.
  package static let files: [StorageKind] = [.wal, .rollbackJournal]
}

/// A database of its own for one test; its folder goes with it.
package final class TemporaryDatabase: Sendable {
  package let folder: TemporaryFolder
  package let database: Database

  package static let players = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT)"
  package static let maps = "CREATE TABLE map (id INTEGER PRIMARY KEY, name TEXT)"

  /// Connections stay open: a commit of another process that falls into the moment of going dormant
  /// may be told twice, and most tests count. Dormancy has tests of its own.
  package static var alwaysOpen: Configuration {
    var configuration = Configuration()
    configuration.keepsConnectionsOpen = true
    return configuration
  }

  /// Makes the database and its tables.
  package init(
    _ kind: StorageKind = .wal, configuration: Configuration = alwaysOpen,
    schema: String = "\(players); \(maps)"
  ) async throws {
    folder = try TemporaryFolder()
    var configuration = configuration
    // A test must not wait for the disk.
    let prepare = configuration.prepareConnection
    configuration.prepareConnection = { connection in
      try connection.execute(script: "PRAGMA synchronous = OFF")
      try prepare?(connection)
    }
    let path = folder.path("test.db")
    switch kind {
    case .wal: configuration.journalMode = .wal
    case .rollbackJournal:
      // A file that the library did not make keeps SQLite's own default.
      _ = try folder.write("", to: "test.db")
      configuration.createsFile = false
    case .memory: break
    }
    database =
      try kind == .memory
      ? Database(inMemory: configuration)
      : Database(path: path, configuration: configuration)
    if !schema.isEmpty { try await write(script: schema) }
  }

  deinit { database.close() }

  package var path: String { folder.path("test.db") }

  /// Runs statements in one transaction.
  package func write(script: String) async throws {
    try await database.write { try $0.execute(script: script) }
  }

  /// Runs a statement as the console would.
  @discardableResult
  package func run(_ sql: String) async throws -> StatementOutcome {
    try await database.run(statement: sql, rowLimit: 1_000)
  }

  /// Reads one integer.
  package func integer(_ sql: String) async throws -> Int {
    let number = try await database.read { try $0.fetchOne(SQL(raw: sql), as: Int.self) }
    guard let number else { throw Unexpected("no integer from \(sql)") }
    return number
  }
}
