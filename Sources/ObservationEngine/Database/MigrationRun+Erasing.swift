// MARK: - Erasing for development

extension MigrationRun {
  /// Whether the applied migrations differ from the registered ones, or would produce another
  /// schema today. To find out, it runs the registered ones in an in-memory database.
  func wouldMakeAnotherSchema() throws -> Bool {
    let applied = try migrator.appliedIdentifiers(connection)
    if applied.isEmpty { return false }
    guard Set(applied).isSubset(of: migrator.identifiers) else { return true }
    var options = Storage.privateMemory.options(database.configuration, isReader: false)
    options.isReadOnly = false
    options.journalMode = nil
    options.enforcesForeignKeys = false
    options.attachments = options.attachments.map { (schema: $0.schema, path: ":memory:") }
    let scratch = try Storage.privateMemory.open(options)
    defer { scratch.close() }
    let run = MigrationRun(migrator, scratch, database)
    for migration in migrator.migrations where applied.contains(migration.identifier) {
      // A migration that fails on an empty database is no longer the one that was applied.
      do { try run.apply(migration) } catch { return true }
    }
    return try Self.schema(of: scratch) != Self.schema(of: connection)
  }

  private static func schema(
    of connection: Connection
  ) throws -> Set<SchemaReader.Declaration> {
    Set(try SchemaReader(connection).declarations(in: "main").filter { !$0.isInternal })
  }
}

extension Connection {
  /// Drops everything, in one transaction; foreign keys must not be enforced.
  func eraseAll() throws {
    try transaction { connection in
      let all = try SchemaReader(connection).trees(in: "main")
        .filter { !$0.declaration.isInternal }
      let tables = all.filter { $0.declaration.kind == .table }
      // Views and triggers may refer to tables; virtual tables take their shadow tables with them.
      for (kind, entries) in [
        ("TRIGGER", all.filter { $0.declaration.kind == .trigger }),
        ("VIEW", all.filter { $0.declaration.kind == .view }),
        ("TABLE", tables.filter { $0.root == nil }), ("TABLE", tables.filter { $0.root != nil }),
      ] {
        for (declaration, _) in entries {
          try connection.execute(
            "DROP \(raw: kind) IF EXISTS main.\(identifier: declaration.name)")
        }
      }
    }
  }
}

extension Database {
  /// Empties the database: drops all tables, views, triggers and indexes of the file, in one transaction.
  ///
  ///     try await database.eraseAll()
  ///     try await migrator.migrate(database)
  ///
  /// The names of applied migrations go too, so that a ``Migrator`` runs all of them again.
  /// Attached databases, and settings such as `user_version`, stay.
  ///
  /// ## Guarantees
  /// - Observations refresh; those whose tables are gone deliver an error until the tables exist
  ///   again.
  ///
  /// - Throws: `DatabaseError`: the database is read-only, or another connection locks it.
  public func eraseAll() async throws {
    try await withoutTransaction { try $0.withoutForeignKeys { try $0.eraseAll() } }
  }

  /// Empties the database, as ``eraseAll()`` does, and blocks the calling thread meanwhile; for scripts,
  /// never for tasks.
  ///
  /// - Throws: As ``eraseAll()``; `DatabaseError` with code `misuse` within a closure of this database.
  public func eraseAllWaiting() throws {
    try withoutTransactionWaiting { try $0.withoutForeignKeys { try $0.eraseAll() } }
  }
}

extension Connection {
  /// Runs `body` without enforcing foreign keys: the setting cannot change within a transaction,
  /// and applies to this connection only.
  func withoutForeignKeys<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    let areEnforced = try fetch(engine: "PRAGMA foreign_keys").first?.first == 1
    guard areEnforced else { return try body(self) }
    try execute(engine: "PRAGMA foreign_keys = 0")
    let result = Result { try body(self) }
    try uninterrupted { () throws(DatabaseError) in
      try execute(engine: "PRAGMA foreign_keys = 1")
    }
    return try result.get()
  }
}
