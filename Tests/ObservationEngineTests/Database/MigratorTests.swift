import DatabaseConsole
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Migrations.
@Suite(.fewAtOnce)
struct MigratorTests {
  private func empty(
    _ kind: StorageKind = .wal, foreignKeys: Bool = false
  ) async throws -> TemporaryDatabase {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.enforcesForeignKeys = foreignKeys
    return try await TemporaryDatabase(kind, configuration: configuration, schema: "")
  }

  private var players: Migrator {
    var migrator = Migrator()
    migrator.register("players") {
      try $0.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    }
    migrator.register("ada") { try $0.execute("INSERT INTO player(name) VALUES ('ada')") }
    return migrator
  }

  @Test(arguments: StorageKind.allCases)
  func `migrations run in their order, each once`(_ kind: StorageKind) async throws {
    let db = try await empty(kind)
    var migrator = players
    try await migrator.migrate(db.database)
    try await migrator.migrate(db.database)
    migrator.register("bob") { try $0.execute("INSERT INTO player(name) VALUES ('bob')") }
    #expect(try await !db.database.read(migrator.hasCompletedMigrations))
    try await migrator.migrate(db.database)
    #expect(try await db.database.read(migrator.hasCompletedMigrations))
    #expect(try await db.database.read(migrator.appliedIdentifiers) == ["players", "ada", "bob"])
    let names = try await db.database.read { try $0.fetchAll("SELECT name FROM player").rows }
    #expect(names == [["ada"], ["bob"]])
    #expect(
      try await db.integer("SELECT count(*) FROM livequery_migrations") == 3)
  }

  @Test(arguments: StorageKind.allCases)
  func `a failing migration leaves the state before it, and says which it was`(
    _ kind: StorageKind
  ) async throws {
    let db = try await empty(kind)
    var migrator = players
    migrator.register("broken") { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('eve')")
      try connection.execute("ALTER TABLE player ADD COLUMN score INT")
      try connection.execute("UPDATE nobody SET x = 1")
    }
    migrator.register("later") { try $0.execute("DROP TABLE player") }
    let error = await #expect(throws: DatabaseError.self) {
      try await migrator.migrate(db.database)
    }
    #expect(error?.message == "migration 'broken' failed: no such table: nobody")
    #expect(error?.sql == "UPDATE nobody SET x = 1")
    #expect(try await db.database.read(migrator.appliedIdentifiers) == ["players", "ada"])
    let row = try await db.database.read { try $0.fetchAll("SELECT * FROM player") }
    #expect(row == RowSet(columns: ["id", "name"], rows: [[1, "ada"]]))
    var other = Migrator()
    other.register("stubborn") { _ in throw Unexpected("no") }
    let second = await #expect(throws: DatabaseError.self) { try await other.migrate(db.database) }
    #expect(second?.message.hasPrefix("migration 'stubborn' failed: ") == true)
  }

  @Test
  func `progress is told before each migration, and at the end`() async throws {
    let db = try await empty()
    let told = Mutex<[Migrator.Progress]>([])
    try await players.migrate(db.database, upTo: "players") { step in
      told.withLock { $0.append(step) }
    }
    try await players.migrate(db.database) { step in told.withLock { $0.append(step) } }
    try await players.migrate(db.database) { step in told.withLock { $0.append(step) } }
    let steps = told.withLock { $0 }.map { "\($0.identifier) \($0.completed)/\($0.total)" }
    #expect(steps == ["players 0/1", "players 1/1", "ada 0/1", "ada 1/1"])
  }

  @Test
  func `mistakes in what is registered, or asked for, are errors`() async throws {
    let db = try await empty()
    func message(_ migrator: Migrator, upTo last: String? = nil) async -> String {
      do {
        try await migrator.migrate(db.database, upTo: last)
        return ""
      } catch { return (error as? DatabaseError)?.message ?? "\(error)" }
    }
    var twice = players
    twice.register("ada") { _ in }
    #expect(await message(twice).contains("two migrations are named 'ada'"))
    #expect(await message(players, upTo: "nobody").contains("registered are: players, ada"))
    #expect(try await db.database.read(players.appliedIdentifiers) == [])
    #expect(await message(players) == "")
    #expect(await message(players, upTo: "players").contains("it has 'ada'"))
    try await db.run("BEGIN")
    #expect(await message(players).contains("a transaction is open"))
    try await db.run("ROLLBACK")
    let nested = await #expect(throws: DatabaseError.self) {
      try await db.database.write { _ in try players.migrateWaiting(db.database) }
    }
    #expect(nested?.code == .misuse)
  }

  @Test
  func `a database that is newer than the program is told apart`() async throws {
    let db = try await empty()
    #expect(try await !db.database.read(players.hasBeenSuperseded))
    try await players.migrate(db.database)
    var older = Migrator()
    older.register("players") { _ in throw Unexpected("runs twice") }
    #expect(try await db.database.read(older.hasBeenSuperseded))
    #expect(try await db.database.read(older.hasCompletedMigrations))
    try await older.migrate(db.database)
    #expect(try await !db.database.read(players.hasBeenSuperseded))
  }

  @Test(arguments: [false, true])
  func `foreign keys are off during a migration, and checked before it is committed`(
    _ areEnforced: Bool
  ) async throws {
    let db = try await empty(foreignKeys: areEnforced)
    var migrator = Migrator()
    migrator.register("tables") { connection in
      try connection.execute(
        script: """
          CREATE TABLE team (id INTEGER PRIMARY KEY);
          CREATE TABLE player (id INTEGER PRIMARY KEY, team INT REFERENCES team(id) ON DELETE CASCADE);
          INSERT INTO team VALUES (1); INSERT INTO player VALUES (7, 1)
          """)
    }
    // As a table is made anew: with enforcement on, the cascade would delete the player.
    migrator.register("new team") { connection in
      try connection.execute(
        script: """
          CREATE TABLE new_team (id INTEGER PRIMARY KEY, name TEXT);
          INSERT INTO new_team(id) SELECT id FROM team; DELETE FROM team; DROP TABLE team;
          ALTER TABLE new_team RENAME TO team
          """)
    }
    try await migrator.migrate(db.database)
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
    migrator.register("dangling") { try $0.execute("DELETE FROM team") }
    let error = await #expect(throws: DatabaseError.self) {
      try await migrator.migrate(db.database)
    }
    #expect(error?.code == .foreignKey)
    #expect(
      error?.message.hasPrefix(
        "migration 'dangling' failed: row 7 of player refers to a row of team that does not exist")
        == true)
    #expect(try await db.integer("SELECT count(*) FROM team") == 1)
    // The setting is the connection's again.
    let setting = try await db.run("PRAGMA foreign_keys").rows?.rows
    #expect(setting == [[areEnforced ? 1 : 0]])
  }

  @Test(arguments: StorageKind.allCases)
  func `eraseOnSchemaChange begins anew exactly when the applied migrations make another schema`(
    _ kind: StorageKind
  ) async throws {
    let db = try await empty(kind)
    var migrator = players
    migrator.eraseOnSchemaChange = true
    try await migrator.migrate(db.database)
    try await db.write(
      script: """
        INSERT INTO player(name) VALUES ('kept')
        """)
    migrator.register("more") {
      try $0.execute(
        script: """
          CREATE TABLE extra (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE VIEW v AS SELECT 1;
          CREATE TRIGGER t AFTER INSERT ON player BEGIN DELETE FROM extra; END;
          CREATE VIRTUAL TABLE note USING fts5(body)
          """)
    }
    try await migrator.migrate(db.database)
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
    let recorder = db.database.record(.scalar("SELECT count(*) FROM player", as: Int.self))
    try await recorder.expect(2)

    var changed = Migrator()
    changed.eraseOnSchemaChange = true
    changed.register("players") {
      try $0.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT)")
    }
    changed.register("ada") { _ in }
    try await changed.migrate(db.database)
    // Each migration is a commit of its own: in between the table may have been missing.
    while (try? await recorder.next().result.get()) != 0 {}
    #expect(try await db.database.read(changed.appliedIdentifiers) == ["players", "ada"])
    #expect(try await db.integer("SELECT count(*) FROM pragma_table_info('player')") == 3)
    let rest = try await db.database.read {
      try $0.fetchAll(
        "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' ORDER BY name"
      ).rows
    }
    #expect(rest == [["livequery_migrations"], ["player"]])

    // The same names, and another schema.
    var edited = Migrator()
    edited.eraseOnSchemaChange = true
    edited.register("players") { try $0.execute("CREATE TABLE player (id INTEGER PRIMARY KEY)") }
    edited.register("ada") { try $0.execute("INSERT INTO player VALUES (7)") }
    try await edited.migrate(db.database)
    #expect(try await db.integer("SELECT sum(id) FROM player") == 7)
    #expect(try await db.integer("SELECT count(*) FROM pragma_table_info('player')") == 1)
  }

  @Test
  func `two programs that migrate at the same time do it once`() async throws {
    let db = try await empty()
    let databases = try (1...4).map { _ in
      try Database(path: db.path, configuration: TemporaryDatabase.alwaysOpen)
    }
    try await withThrowingTaskGroup { group in
      for database in databases {
        group.addTask { [players] in try await players.migrate(database) }
      }
      try await group.waitForAll()
    }
    #expect(try await db.integer("SELECT count(*) FROM player") == 1)
    for database in databases { await database.close() }
  }
}
