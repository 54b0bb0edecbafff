import ObservationEngine
import TestSupport
import Testing

/// The examples of reading and writing.
@Suite(.fewAtOnce)
struct AccessExamples {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Stands for the initialiser in the examples: their files belong in the folder of the test.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private func Database(
    path: String, configuration: Configuration = Configuration()
  ) throws -> ObservationEngine.Database {
    try ObservationEngine.Database(path: folder.path(path), configuration: configuration)
  }

  @Test func `a database is opened, read and written`() async throws {
    try await Database(path: "app.db").write { connection in
      try connection.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    }

    let database = try Database(path: "app.db")
    let count = try await database.read { try $0.count(of: "player") }
    try await database.write { try $0.execute("INSERT INTO player(name) VALUES (?)", ["ada"]) }

    #expect(count == 0)
    let name: String? = try await database.read { try $0.fetchOne("SELECT name FROM player") }
    #expect(name == "ada")
  }

  @Test func `a database in memory is shared by its name`() async throws {
    typealias Database = ObservationEngine.Database

    let database = try Database(sharedMemoryNamed: "scores")
    let other = try Database(sharedMemoryNamed: "scores")  // sees what `database` commits

    try await database.write { try $0.execute("CREATE TABLE player (name TEXT)") }
    #expect(try await other.read { try $0.count(of: "player") } == 0)
  }

  @Test func `a file is put into WAL mode`() async throws {
    var configuration = Configuration()
    configuration.journalMode = .wal
    let database = try Database(path: "app.db", configuration: configuration)

    #expect(try await database.read { try $0.fetchOne("PRAGMA journal_mode") } == "wal")
  }

  @Test func `another file is attached`() async throws {
    var configuration = Configuration()
    configuration.attachments = ["archive": "/var/lib/game/archive.db"]
    #expect(throws: DatabaseError.self) {
      try Database(path: "app.db", configuration: configuration)
    }
  }

  @Test func `a write is part of another`() async throws {
    let db = try await TemporaryDatabase(
      schema: """
        CREATE TABLE player (name TEXT);
        CREATE TABLE statistics (players INT);
        INSERT INTO statistics VALUES (0)
        """)
    let database = db.database

    try await database.write { connection in
      try addPlayer(connection)
      try addPlayer(connection)
    }

    #expect(try await db.integer("SELECT players FROM statistics") == 2)
  }

  @Test func `a savepoint is undone by itself`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    struct Changed: Error {}

    try await database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      do {
        try connection.savepoint {
          try connection.execute("DELETE FROM player")
          throw Changed()
        }
      } catch is Changed {}
    }  // ada is committed

    #expect(try await db.integer("SELECT count(*) FROM player") == 3)
  }

  @Test func `queries have types`() async throws {
    let db = try await exampleDatabase()

    let count = Query.count(of: "player")
    let names = Query.rows("SELECT name FROM player ORDER BY score DESC") { row in
      try row[0] as String
    }

    #expect(try await db.database.read { try $0.fetch(count) } == 2)
    #expect(try await db.database.read { try $0.fetch(names) } == ["ada", "bob"])
  }
}

func addPlayer(_ connection: Connection) throws {
  try connection.inTransaction {
    try connection.execute("INSERT INTO player(name) VALUES ('ada')")
    try connection.execute("UPDATE statistics SET players = players + 1")
  }
}
