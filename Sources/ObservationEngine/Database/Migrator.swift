/// The steps that bring a database to the schema that a program needs, each applied once.
///
///     var migrator = Migrator()
///     migrator.register("players") { connection in
///       try connection.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
///     }
///     migrator.register("scores") { connection in
///       try connection.execute("ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
///     }
///     try await migrator.migrate(database)
///
/// The table `livequery_migrations` of the database stores the names of applied migrations. Never
/// change a migration that has been shipped: register a further one.
///
/// ## Guarantees
/// - Migrations run in the order of their registration, each once, even when several processes
///   start at the same time.
/// - Each is one IMMEDIATE transaction. When one fails, it is undone, earlier ones stay, and later
///   ones don't run.
/// - Foreign keys are not enforced while a migration runs, so that it can rebuild tables; all of
///   them are checked before it commits.
public struct Migrator: Sendable {
  /// The progress of a migration run.
  public struct Progress: Sendable, Equatable {
    /// The migration that is about to run, or was the last one.
    public let identifier: String
    /// How many migrations this call has committed.
    public let completed: Int
    /// How many migrations this call runs.
    public let total: Int
  }

  struct Migration: Sendable {
    let identifier: String
    let body: @Sendable (Connection) throws -> Void
  }

  /// Erases the database and runs all migrations when the applied ones would produce another schema
  /// today: for development, while you still edit migrations. **All data is lost**; never set it in
  /// a program that is in use.
  public var eraseOnSchemaChange = false
  private(set) var migrations: [Migration] = []

  /// A migrator without migrations.
  public init() {}

  /// Adds a migration, to run after those registered before.
  ///
  /// - Parameters:
  ///   - identifier: A name that no other migration has, and that never changes.
  ///   - body: Changes schema and content; it runs on the writer's thread, in a transaction.
  public mutating func register(
    _ identifier: String, _ body: @escaping @Sendable (Connection) throws -> Void
  ) {
    migrations.append(Migration(identifier: identifier, body: body))
  }

  /// The names of all registered migrations, in order.
  public var identifiers: [String] { migrations.map(\.identifier) }

  /// Runs the migrations that are not applied yet.
  ///
  /// Applied migrations that this migrator does not know are left alone; see
  /// ``hasBeenSuperseded(_:)``.
  ///
  /// - Parameters:
  ///   - database: The database to migrate.
  ///   - last: The last one to run; `nil` for all.
  ///   - progress: Called on the writer's thread before each migration and at the end.
  /// - Throws: `DatabaseError` whose message names the migration that failed. With code `misuse`
  ///   when two migrations have the same name, `last` is unknown, or the database is already beyond
  ///   it. With code `constraint` when a foreign key has no matching row.
  public func migrate(
    _ database: Database, upTo last: String? = nil,
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws {
    try await database.withoutTransaction { connection in
      try MigrationRun(self, connection, database).run(upTo: last, progress)
    }
  }

  /// Runs the migrations that are not applied yet, and blocks the calling thread meanwhile; for
  /// scripts, never for tasks.
  ///
  /// - Throws: As ``migrate(_:upTo:progress:)``; `DatabaseError` with code `misuse` within a
  ///   closure of the database.
  public func migrateWaiting(
    _ database: Database, upTo last: String? = nil, progress: (Progress) -> Void = { _ in }
  ) throws {
    try database.withoutTransactionWaiting { connection in
      try MigrationRun(self, connection, database).run(upTo: last, progress)
    }
  }
}

// MARK: - What a database has

extension Migrator {
  static let table = "livequery_migrations"

  /// The names of the migrations that the database has, in the order in which they were applied.
  public func appliedIdentifiers(_ connection: Connection) throws -> [String] {
    let tables = try connection.fetchAll(
      "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = \(Self.table)")
    guard !tables.isEmpty else { return [] }
    return try connection.fetchAll(
      "SELECT identifier FROM main.\(identifier: Self.table) ORDER BY rowid"
    ) { row in try row[0] }
  }

  /// Whether the database has every registered migration.
  public func hasCompletedMigrations(_ connection: Connection) throws -> Bool {
    Set(identifiers).isSubset(of: try appliedIdentifiers(connection))
  }

  /// Whether the database has a migration that is not registered: a newer version of the program
  /// has used it, and this one should stop.
  public func hasBeenSuperseded(_ connection: Connection) throws -> Bool {
    !Set(try appliedIdentifiers(connection)).isSubset(of: identifiers)
  }
}
