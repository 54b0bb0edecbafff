import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

/// The examples for those who begin.
@Suite(.fewAtOnce)
struct GettingStartedExamples {
  private let folder: TemporaryFolder
  private let lines = Journal<String>()

  init() throws { folder = try TemporaryFolder() }

  /// Stands for the initialiser in the examples: their files belong in the folder of the test.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  private func Database(path: String) throws -> ObservationEngine.Database {
    try ObservationEngine.Database(path: folder.path(path))
  }

  private func print(_ line: Any) { lines.append("\(line)") }

  struct Player: Record, Equatable {
    static var primaryKey: [String] { ["name"] }
    var name: String
    var score: Int
  }

  private func begin() async throws {
    let database = try Database(path: "hall.db")
    var migrator = Migrator()
    migrator.register("players") { db in try db.create(Player.self) }
    try await migrator.migrate(database)

    try await database.write { db in try db.insertOrUpdate(Player(name: "ada", score: 3)) }

    for try await players in database.observe({ try $0.fetchAll(Player.self, orderBy: "name") }) {
      print(players.map(\.name))
    }
  }

  @Test func `ten lines are enough`() async throws {
    let task = Task { try await begin() }
    defer { task.cancel() }
    #expect(await lines.entry(at: 0) == #"["ada"]"#)
    let other = try await ExternalProcess.serve(folder.path("hall.db"))
    _ = try await other.send("INSERT INTO player VALUES ('bob', 5)")
    #expect(await lines.entry(at: 1) == #"["ada", "bob"]"#)
  }

  private func observe(_ database: ObservationEngine.Database) async throws {
    let count = Query.count(of: "player")
    let best = Query.rows("SELECT name FROM player ORDER BY score DESC LIMIT 10") { row in
      try row[0] as String
    }
    for try await (count, best) in database.observe(count, best) {
      print("\(count) players, led by \(best.first ?? "nobody")")
    }
  }

  @Test func `SQL is enough`() async throws {
    let database = try Database(path: "hall.db")
    try await database.write { db in try db.create(Player.self) }
    let task = Task { try await observe(database) }
    defer { task.cancel() }
    #expect(await lines.entry(at: 0) == "0 players, led by nobody")
  }
}
