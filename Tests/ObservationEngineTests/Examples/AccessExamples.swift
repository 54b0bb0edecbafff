import ObservationEngine
import TestSupport
import Testing

/// The examples of reading and writing.
@Suite(.fewAtOnce, .timeLimit(.minutes(1)))
struct AccessExamples {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Stands for the initialiser in the examples: their files belong in the folder of the test.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private func Database(path: String) throws -> ObservationEngine.Database {
    try ObservationEngine.Database(path: folder.path(path))
  }

  @Test func `a database is opened, read and written`() async throws {
    try await Database(path: "app.db").write { connection in
      try connection.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT)")
    }

    let database = try Database(path: "app.db")
    let count: Int = try await database.read { try $0.fetchOne("SELECT count(*) FROM player") }
    try await database.write { try $0.execute("INSERT INTO player(name) VALUES (?)", ["ada"]) }

    #expect(count == 0)
    let name: String = try await database.read { try $0.fetchOne("SELECT name FROM player") }
    #expect(name == "ada")
  }

  @Test func `queries have types`() async throws {
    let db = try await exampleDatabase()

    let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
    let names = Query.list("SELECT name FROM player ORDER BY score DESC") { row in
      try row.decode(0, as: String.self)
    }

    #expect(try await db.database.read { try $0.fetch(count) } == 2)
    #expect(try await db.database.read { try $0.fetch(names) } == ["ada", "bob"])
  }
}
