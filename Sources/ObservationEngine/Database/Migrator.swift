/// The steps by which a database comes to the schema that a program needs, each done once.
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
/// Names of what was done are kept in the table `livequery_migrations` of the database. A migration
/// that has been shipped must not change any more: register a further one.
///
/// ## Guarantees
/// - Migrations run in the order of their registration, each once, also when several processes
///   begin at the same time.
/// - Each is one IMMEDIATE transaction. When it fails, nothing of it is kept, those before it stay,
///   and those after it do not run.
/// - Foreign keys are not enforced while it runs, so that tables can be made anew, and all of them
///   are checked before it is committed.
public struct Migrator: Sendable {
  /// How far a migration has come.
  public struct Progress: Sendable, Equatable {
    /// The migration that is about to run, or was the last one.
    public let identifier: String
    /// How many of this call have been committed.
    public let completed: Int
    /// How many this call has to do.
    public let total: Int
  }

  struct Migration: Sendable {
    let identifier: String
    let body: @Sendable (Connection) throws -> Void
  }

  /// Erases the database, and runs all migrations, when the migrations that were applied would make
  /// another schema today: for the time in which they are still being written. **All data is
  /// lost**; never set it in a program that is used.
  public var eraseOnSchemaChange = false
  private(set) var migrations: [Migration] = []

  /// A migrator without migrations.
  public init() {}

  /// Adds a migration, to run after those that were registered before.
  ///
  /// - Parameters:
  ///   - identifier: A name that no other migration has, and that stays for ever.
  ///   - body: Changes schema and content; it runs on the writer's thread, in a transaction.
  public mutating func register(
    _ identifier: String, _ body: @escaping @Sendable (Connection) throws -> Void
  ) {
    migrations.append(Migration(identifier: identifier, body: body))
  }

  /// The names of all registered migrations, in order.
  public var identifiers: [String] { migrations.map(\.identifier) }

  /// Runs the migrations that were not applied yet.
  ///
  /// Those which the database has and this migrator does not know are left alone; see
  /// ``hasBeenSuperseded(_:)``.
  ///
  /// - Parameters:
  ///   - database: The database to migrate.
  ///   - last: The last one to run; `nil` for all.
  ///   - progress: Called on the writer's thread before each migration and at the end.
  /// - Throws: `DatabaseError` whose message names the migration that failed. With code `misuse`
  ///   when two migrations have one name, `last` is unknown, or the database is beyond it already.
  ///   With code `constraint` when a foreign key refers to nothing.
  public func migrate(
    _ database: Database, upTo last: String? = nil,
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws {
    try await database.withoutTransaction { connection in
      try MigrationRun(self, connection, database).run(upTo: last, progress)
    }
  }

  /// Runs the migrations that were not applied yet, and blocks the calling thread meanwhile; for
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
  /// has been at work, and this one had better stop.
  public func hasBeenSuperseded(_ connection: Connection) throws -> Bool {
    !Set(try appliedIdentifiers(connection)).isSubset(of: identifiers)
  }
}
