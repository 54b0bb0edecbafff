// MARK: - Erasing for development

extension MigrationRun {
  /// Whether the migrations that the database has are not what is registered, or would make another
  /// schema today. They run in a database of their own, in memory, to find out.
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

  private static func schema(of connection: Connection) throws -> Set<[Value]> {
    Set(
      try connection.fetch(
        engine: """
          SELECT type, name, tbl_name, sql FROM main.sqlite_schema
          WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          """))
  }

  /// Drops everything, in one transaction.
  func erase() throws {
    try connection.transaction { connection in
      // Views and triggers may refer to tables; virtual tables take their shadow tables with them.
      for (kind, condition) in [
        ("TRIGGER", "type = 'trigger'"), ("VIEW", "type = 'view'"),
        ("TABLE", "type = 'table' AND sql LIKE 'CREATE VIRTUAL%'"), ("TABLE", "type = 'table'"),
      ] {
        let names = try connection.fetch(
          engine: """
            SELECT name FROM main.sqlite_schema
            WHERE \(condition) AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """)
        for case .text(let name) in names.compactMap(\.first) {
          try connection.execute("DROP \(kind) IF EXISTS main.\(name.quotedIdentifier)")
        }
      }
    }
  }
}
