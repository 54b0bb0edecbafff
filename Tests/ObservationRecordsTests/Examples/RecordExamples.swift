import FoundationEssentials
import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

/// The examples of records.
@Suite(.fewAtOnce)
struct RecordExamples {
  struct Player: Record {
    var id: Int64?
    var name: String
    var score: Int
  }

  private struct Stay: Record {
    static var primaryKey: [String] { ["country", "number"] }
    static var columnNaming: ColumnNaming { .snakeCase }  // highScore is high_score

    var country: String
    var number: Int
    var nightsBooked: Int
  }

  private struct Task: Record {
    var id: Int
    var due: Date
  }

  @Test func `a table is made, filled and read`() async throws {
    let database = try Database(inMemory: Configuration())

    let best = try await database.write { db in
      try db.create(Player.self, ifNotExists: true)
      try db.insert(Player(id: nil, name: "ada", score: 41))
      return try db.fetchAll(Player.self, where: "score > ?", [40], orderBy: "score DESC")
    }

    #expect(best.map(\.id) == [1])
  }

  @Test func `records are changed`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(Player.self, ifNotExists: true)

      let ada = try db.insert(Player(id: nil, name: "ada", score: 41))
      print(ada.id!)

      var player = ada
      player.score += 1
      try db.update(player)
      try db.insertOrUpdate(player)

      if try db.exists(Player.self, where: "name = ?", ["ada"]) { player.score = 0 }
      #expect(player.score == 0)
    }
  }

  @Test func `records are found`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(Player.self)
      try db.create(Stay.self)
      try db.execute("ALTER TABLE player ADD COLUMN team TEXT")
      try db.insert(Player(id: 7, name: "ada", score: 41))
      try db.insert(Stay(country: "FR", number: 1789, nightsBooked: 2))

      let ada = try db.fetchOne(Player.self, key: 7)
      let stay = try db.fetchOne(Stay.self, key: "FR", 1789)  // of a composite key, in its order
      #expect(ada?.name == "ada" && stay?.nightsBooked == 2)
      let team = "red"
      let leader = try db.fetchOne(Player.self, where: "team = \(team)", orderBy: "score DESC")
      #expect(leader == nil)
      let best = try db.fetchAll(
        Player.self, where: "team = :team AND score > :least", ["team": "red", "least": 40],
        orderBy: "score DESC", limit: 10)
      #expect(best.isEmpty)
    }
  }

  @Test func `many records are changed`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(Player.self)
      try db.execute("ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'red'")
      try db.insert(Player(id: 7, name: "ada", score: 41))
      try db.insert(Player(id: 8, name: "bob", score: 41))

      try db.updateAll(Player.self, set: ["score": 0], where: "team = ?", ["red"])
      try db.updateOne(Player.self, key: 7, set: ["score": 42])
      try db.deleteAll(Player.self, where: "score < ?", [10])
      #expect(try db.fetchAll(Player.self).map(\.score) == [42])
      try db.deleteOne(Player.self, key: 7)
      #expect(try db.count(Player.self) == 0)
    }
  }

  @Test func `any Codable type is decoded`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(Player.self)
      try db.insert(Player(id: 7, name: "ada", score: 41))

      // swift-format-ignore
      struct Best: Decodable { var name: String; var score: Int }
      let best = try db.fetchAll("SELECT name, score FROM player", as: Best.self)
      #expect(best.map(\.name) == ["ada"])
      let ada = try db.fetchOne("SELECT * FROM player WHERE id = ?", [7], as: Player.self)
      #expect(ada?.score == 41)
    }
  }

  @Test func `a date in a dictionary is read in the format of the database`() async throws {
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    let database = try Database(inMemory: configuration)
    try await database.write { db in
      try db.create(Task.self)
      try db.insert(Task(id: 7, due: Date(timeIntervalSince1970: 999_999)))
    }

    let row = try await database.read { try $0.fetchOne(from: "task", key: 7) }
    let due = row?["due"].flatMap { Date.fromValue($0, in: .unixSeconds) }
    #expect(due == Date(timeIntervalSince1970: 999_999))
  }

  @Test func `moments are compared in the form of the database`() throws {
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    try Database(inMemory: configuration).writeWaiting { db in
      try db.create(Task.self)
      let now = Date(timeIntervalSince1970: 1_000_000)
      try db.insert(Task(id: 1, due: Date(timeIntervalSince1970: 999_999)))

      let due = try now.value(.unixSeconds)
      let late = try db.fetchAll(Task.self, where: "due < ?", [due])
      #expect(late.map(\.id) == [1])
    }
  }
}
