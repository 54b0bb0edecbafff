/// Runs the migrations of a ``Migrator`` on the writer's connection, outside a transaction.
struct MigrationRun {
  let migrator: Migrator
  let connection: Connection
  let database: Database

  init(_ migrator: Migrator, _ connection: Connection, _ database: Database) {
    self.migrator = migrator
    self.connection = connection
    self.database = database
  }

  func run(upTo last: String?, _ progress: (Migrator.Progress) -> Void) throws {
    let wanted = try wantedMigrations(upTo: last)
    guard !connection.hasOpenTransaction else {
      throw DatabaseError(
        code: .misuse, message: "a transaction is open on the writer; end it before migrating")
    }
    try connection.withoutForeignKeys { _ in
      if migrator.eraseOnSchemaChange, try wouldMakeAnotherSchema() { try connection.eraseAll() }
      let applied = Set(try migrator.appliedIdentifiers(connection))
      if let last { try checkNothingBeyond(last, wanted, applied) }
      let due = wanted.filter { !applied.contains($0.identifier) }
      for (number, migration) in due.enumerated() {
        progress(
          Migrator.Progress(
            identifier: migration.identifier, completed: number, total: due.count))
        try apply(migration)
      }
      if let end = due.last {
        progress(
          Migrator.Progress(
            identifier: end.identifier, completed: due.count, total: due.count))
      }
    }
  }

  private func wantedMigrations(upTo last: String?) throws(DatabaseError) -> [Migrator.Migration] {
    var known: Set<String> = []
    for name in migrator.identifiers where !known.insert(name).inserted {
      throw DatabaseError(
        code: .misuse, message: "two migrations are named '\(name)'; give each a name of its own")
    }
    guard let last else { return migrator.migrations }
    guard let end = migrator.identifiers.firstIndex(of: last) else {
      throw DatabaseError(
        code: .misuse,
        message: "there is no migration '\(last)'; registered are: "
          + migrator.identifiers.joined(separator: ", "))
    }
    return Array(migrator.migrations[...end])
  }

  private func checkNothingBeyond(
    _ last: String, _ wanted: [Migrator.Migration], _ applied: Set<String>
  ) throws(DatabaseError) {
    let later = migrator.identifiers.dropFirst(wanted.count)
    if let beyond = later.first(where: applied.contains) {
      throw DatabaseError(
        code: .misuse,
        message: "the database is beyond '\(last)': it has '\(beyond)'; migrations do not go back")
    }
  }

  func apply(_ migration: Migrator.Migration) throws {
    do {
      try connection.transaction { connection in
        // Another process may have applied it since the check above.
        guard !(try migrator.appliedIdentifiers(connection).contains(migration.identifier)) else {
          return
        }
        try Self.record(migration, connection)
        try migration.body(connection)
        try checkForeignKeys()
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      let cause =
        error as? DatabaseError ?? DatabaseError(code: .error, message: String(describing: error))
      throw DatabaseError(
        code: cause.code, message: "migration '\(migration.identifier)' failed: \(cause.message)",
        sql: cause.sql, offset: cause.offset)
    }
  }

  private static func record(_ migration: Migrator.Migration, _ connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS main.\(identifier: Migrator.table)
      (identifier TEXT NOT NULL PRIMARY KEY)
      """)
    try connection.execute(
      """
      INSERT INTO main.\(identifier: Migrator.table) (identifier) VALUES (\(migration.identifier))
      """)
  }

  // MARK: - Foreign keys

  private func checkForeignKeys() throws {
    guard let violation = try SchemaReader(connection).violations(in: "main").first else { return }
    let row = violation.rowid.map(String.init) ?? "?"
    throw DatabaseError(
      code: .foreignKey,
      message: """
        row \(row) of \(violation.table) refers to a row of \(violation.parent) that does not exist; \
        correct or delete it in the migration
        """)
  }
}
