import FoundationEssentials
import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

// The examples of the documentation stand here, word for word; `Scripts/check-examples` compares.

/// The examples of records.
@Suite(.fewAtOnce)
struct RecordCallExamples {
  struct Player: Record {
    var id: Int64?
    var name: String
    var score: Int
  }

  private func players() throws -> Database {
    let database = try memory(Player.self)
    try database.writeWaiting { db in
      try db.execute("ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'red'")
      try db.insert(Player(id: 7, name: "bob", score: 50))
    }
    return database
  }

  @Test func `records are stored and fetched`() async throws {
    let database = try Database(inMemory: Configuration())
    try await database.write { db in
      try db.create(Player.self, ifNotExists: true)
      let ada = try db.insert(Player(id: nil, name: "ada", score: 41))
      let best = try db.fetchAll(Player.self, where: "score > ?", [40], orderBy: "score DESC")
      print(ada.id!, best.count)
    }
  }

  @Test func `columns are named otherwise`() {
    struct Other: Record {
      var id: Int
      var highScore: Int
      static var columnNaming: ColumnNaming { .snakeCase }  // highScore is high_score
    }
    #expect(throws: Never.self) { try memory(Other.self) }
  }

  @Test func `one record is changed`() throws {
    try players().writeWaiting { db throws in
      try db.create(Player.self, ifNotExists: true)

      let ada = try db.insert(Player(id: nil, name: "ada", score: 41))
      print(ada.id!)

      var player = ada
      player.score += 1
      try db.update(player)

      try db.insertOrUpdate(player)
      #expect(try db.fetchOne(Player.self, key: 8)?.score == 42)
    }
  }

  @Test func `one record is changed in a transaction of its own`() async throws {
    let database = try players()
    try await database.updateOne(Player.self, key: 7, set: ["score": 42])
    #expect(try await database.fetchOne(Player.self, key: 7)?.score == 42)
  }

  @Test func `records are found`() throws {
    try players().readWaiting { db throws in
      let team = "red"
      let leader = try db.fetchOne(Player.self, where: "team = \(team)", orderBy: "score DESC")
      #expect(leader?.name == "bob")

      let best = try db.fetchAll(
        Player.self, where: "team = :team AND score > :least", ["team": "red", "least": 40],
        orderBy: "score DESC", limit: 10)
      #expect(best.count == 1)

      if try db.exists(Player.self, where: "name = ?", ["ada"]) { Issue.record("there is none") }
    }
    let database = try memory(Stay.self, Player.self)
    try database.readWaiting { db throws in
      let ada = try db.fetchOne(Player.self, key: 7)
      let stay = try db.fetchOne(Stay.self, key: "FR", 1789)  // of a composite key, in its order
      #expect(ada == nil && stay == nil)
    }
  }

  @Test func `many records are changed`() throws {
    try players().writeWaiting { db throws in
      try db.updateOne(Player.self, key: 7, set: ["score": 42])
      try db.updateAll(Player.self, set: ["score": 0], where: "team = ?", ["red"])
      try db.deleteAll(Player.self, where: "score < ?", [10])
      try db.deleteOne(Player.self, key: 7)
      #expect(try db.count(Player.self) == 0)
    }
  }

  @Test func `any query is decoded`() throws {
    try players().readWaiting { db throws in
      struct Best: Decodable {
        var name: String
        var score: Int
      }
      let best = try db.fetchAll(
        "SELECT name, score FROM player ORDER BY score DESC", as: Best.self)
      #expect(best.map(\.name) == ["bob"])

      let id = 7
      let ada = try db.fetchOne("SELECT * FROM player WHERE id = \(id)", as: Player.self)
      #expect(ada?.score == 50)
    }
  }

  @Test func `moments are compared in the format of the database`() throws {
    struct Task: Record {
      var id: Int
      var due: Date
    }
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    let now = Date(timeIntervalSince1970: 5)
    try memory(Task.self, configuration: configuration).readWaiting { db throws in
      let due = try now.value(.unixSeconds)
      let late = try db.fetchAll(Task.self, where: "due < ?", [due])
      #expect(late.isEmpty)
    }
  }
}

/// The examples of records in a database as a whole.
@Suite(.fewAtOnce)
struct RecordDatabaseExamples {
  @Test func `one call is one transaction`() async throws {
    struct Player: Record {
      var id: Int64?
      var name: String
      var score: Int
    }
    let database = try memory(Player.self)

    let ada = try await database.insert(Player(id: nil, name: "ada", score: 41))
    let best = try await database.fetchAll(Player.self, where: "score > ?", [40])
    #expect(ada.id == 1 && best.count == 1)
  }

  @Test func `a record is found by its key`() async throws {
    let database = try memory(Player.self)
    let ada = try await database.fetchOne(Player.self, key: 7)
    #expect(ada == nil)
  }

  @Test func `transactions of records`() async throws {
    let database = try memory(Player.self)
    let (ada, bob) = (Player("ada", id: 1), Player("bob", id: 2))
    try await database.commit([.add(ada), .add(bob)])
    let players = [Player("eve", id: 3), Player("zoe", id: 4)]
    try await database.commit(Transaction(players.map { .add($0) }))

    let player = ada
    try await database.commit(.set(\.score, 42, on: player))
    try await database.commit(.set(\Player.score, 0, where: "team = ?", ["red"]))
    do {
      let cheer = Transaction.update(player) { $0.score += 1 }.refreshing()
      try await database.commit(cheer)
    }
    do {
      let cheer = Transaction.update(player) { $0.score += 1 }
      try await database.commit(cheer.refreshing())
    }
    #expect(try await database.fetchOne(Player.self, key: 1)?.score == 44)
  }

  @Test func `queries of records are observed`() async throws {
    struct Best: Decodable, Equatable {
      var name: String
      var score: Int
    }
    let database = try memory(Player.self)
    let shown = Journal<Int>()
    func show<Shown>(_ players: [Shown]) { shown.append(players.count) }
    try await database.insert(Player("ada", score: 41))
    let first = Task {
      let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC", as: Best.self)
      for try await players in database.observe(best) { show(players) }
    }
    #expect(await shown.entry(at: 0) == 1)
    first.cancel()
    let second = Task {
      let best = try Query.all(Player.self, where: "score > ?", [40], orderBy: "score DESC")
      for try await players in database.observe(best) { show(players) }
    }
    #expect(await shown.entry(at: 1) == 1)
    second.cancel()
    let count = Query.count(Player.self, where: "score > ?", [40])
    #expect(try await database.read { try $0.fetch(count) } == 1)
  }

  @Test func `records are observed row by row`() async throws {
    let database = try memory(Player.self)
    let shown = Journal<String>()
    func print(_ kind: RowChange.Kind, _ old: Int?, _ new: Int?) { shown.append(kind.rawValue) }
    let task = Task {
      let changes = try await Player.changes([.insert, .update], where: "score > 40", in: database)
      for try await change in changes {
        print(change.kind, change.old?.score, change.new?.score)
      }
    }
    while shown.entries.isEmpty { try await database.insert(Player("ada", score: 41)) }
    #expect(shown.entries.first == "insert")
    task.cancel()
    try await task.value
  }
}
