import ObservationEngine
import TestSupport
import Testing

/// The examples of queries and their decoding.
@Suite(.timeLimit(.minutes(1)))
struct FetchExamples {
  private struct Player: Equatable {
    var id = 0
    var name: String
    var score = 0
  }

  @Test func `queries decode by position`() async throws {
    let db = try await exampleDatabase()

    let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
    let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC") { row in
      try Player(name: row[0], score: row[1])
    }

    #expect(try await db.database.read { try $0.fetch(count) } == 2)
    #expect(try await db.database.read { try $0.fetch(best).first?.name } == "ada")
  }

  @Test func `a list has a limit`() async throws {
    let db = try await exampleDatabase()

    let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC LIMIT 10") { row in
      try Player(name: row[0], score: row[1])
    }

    #expect(try await db.database.read { try $0.fetch(best).count } == 2)
  }

  @Test func `rows are decoded as they come`() async throws {
    let example = try await exampleDatabase()
    try await example.database.read { db in
      let players = try db.fetchAll("SELECT id, name, score FROM player") { row in
        try Player(id: row[0], name: row[1], score: row[2])
      }
      #expect(players.map(\.score) == [3, 1])
    }
    try await example.database.read { db in
      let players = try db.fetchAll("SELECT id, name FROM player WHERE score > ?", [40]) { row in
        try Player(id: row[0], name: row[1])
      }
      #expect(players.isEmpty)
      let name = try db.fetchFirst("SELECT name FROM player WHERE id = ?", [7]) { row in
        try row[0] as String
      }
      #expect(name == nil)
      try db.forEachRow("SELECT name FROM player") { row in try print(row[0] as String) }
    }
  }

  @Test func `a list is read`() async throws {
    let example = try await exampleDatabase()
    let database = example.database

    let names = try await database.read { db in
      try db.fetchAll("SELECT name FROM player WHERE score > ?", [40]) { row in
        try row[0] as String
      }
    }

    #expect(names.isEmpty)
  }

  @Test func `a type of one's own is a value`() async throws {
    let example = try await exampleDatabase()
    try await example.database.write { db in
      let (score, id) = (41, 1)
      try db.execute("UPDATE player SET score = ? WHERE id = ?", [try Value(score), try Value(id)])
    }
    #expect(try await example.integer("SELECT score FROM player WHERE id = 1") == 41)

  }

  @Test func `an enumeration is a value`() throws {
    let row = Row(columns: ["team"], values: ["red"])

    // swift-format-ignore
    enum Team: String, ValueConvertible { case red, blue }
    let team = try row.decode(0, as: Team.self)

    #expect(team == .red)
  }

  @Test func `moments are stored in another form`() {
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    guard case .unixSeconds = configuration.dateFormat else {
      Issue.record("moments are stored as \(configuration.dateFormat)")
      return
    }
  }
}

// swift-format-ignore
enum Team: String, ValueConvertible { case red, blue }

extension Team: ColumnConvertible {}
