import ObservationEngine
import TestSupport
import Testing

/// The examples of reading rows by position, as dictionaries, and of observing them.
@Suite(.fewAtOnce)
struct RowExamples {
  private struct Player: Equatable, Sendable {
    var id = 0
    var name: String
    var score = 0
  }

  private func tables() throws -> Database {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db in
      try db.create(
        table: "player", columns: ["id": "INTEGER PRIMARY KEY", "name": "TEXT NOT NULL"])
      try db.execute("ALTER TABLE player ADD COLUMN score INT")
      try db.execute("ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'red'")
      try db.insert(into: "player", ["id": 7, "name": "bob", "score": 50])
    }
    return database
  }

  @Test func `rows are read by position`() async throws {
    try tables().writeWaiting { db throws in
      let players = try db.fetchAll("SELECT id, name, score FROM player") { row in
        try Player(id: row[0], name: row[1], score: row[2])
      }
      #expect(players == [Player(id: 7, name: "bob", score: 50)])
    }
    try tables().writeWaiting { db throws in
      let (least, id) = (40, 7)
      let players = try db.fetchAll("SELECT id, name FROM player WHERE score > \(least)") { row in
        try Player(id: row[0], name: row[1])
      }
      #expect(players == [Player(id: 7, name: "bob")])

      let player = try db.fetchOne("SELECT id, name FROM player WHERE id = \(id)") { row in
        try Player(id: row[0], name: row[1])
      }
      #expect(player?.name == "bob")

      let score = try db.fetchOne("SELECT score FROM player WHERE id = \(id)", as: Int.self)
      #expect(score == 50)

      try db.forEachRow("SELECT name FROM player") { row in try print(row[0] as String) }

      enum Team: String, ColumnConvertible { case red, blue }
      let teams = try db.fetchAll("SELECT team FROM player") { row in try row[0] as Team }
      #expect(teams == [.red])
    }
  }

  @Test func `queries decode by position`() async throws {
    let db = try tables()

    let team = "red"

    let count = Query.count(of: "player")
    let best = Query.rows("SELECT name, score FROM player WHERE team = \(team)") { row in
      try Player(name: row[0], score: row[1])
    }

    #expect(try await db.read { try $0.fetch(count) } == 1)
    #expect(try await db.read { try $0.fetch(best) } == [Player(name: "bob", score: 50)])
  }

  @Test func `a query takes the best ten`() async throws {
    let best = Query.rows("SELECT name, score FROM player ORDER BY score DESC LIMIT 10") { row in
      try Player(name: row[0], score: row[1])
    }
    #expect(try await tables().read { try $0.fetch(best) }.count == 1)
  }

  @Test func `the format of dates is configured once`() throws {
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    #expect(throws: Never.self) { try Database(inMemory: configuration) }
  }

  @Test func `rows are dictionaries`() throws {
    try tables().writeWaiting { db throws in
      let id = try db.insert(into: "player", ["name": "ada", "score": 41])
      #expect(id == 8)

      try db.update(in: "player", ["id": 7, "score": 42])
      try db.updateOne(in: "player", key: 7, set: ["score": 42])
      try db.updateAll(in: "player", set: ["score": 0], where: "team = :team", ["team": "red"])

      let player = try db.fetchOne(from: "player", key: 7)
      let name = player?["name"]
      #expect(name == "bob")

      let least = 40
      let best = try db.fetchAll(
        from: "player", where: "score > \(least)", orderBy: "score DESC", limit: 10)
      #expect(best.isEmpty)

      try db.deleteAll(from: "player", where: "score < ?", [10])
      #expect(try db.count(of: "player") == 0)
    }
    try tables().writeWaiting { db throws in
      try db.execute("DROP TABLE player")
      try db.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, score INT)")
      try db.insertOrUpdate(in: "player", ["id": 7, "score": 42])
      #expect(try db.fetchAll(from: "player") == [["id": 7, "score": 42]])
      try db.execute("DROP TABLE player")

      try db.create(
        table: "player", columns: ["id": "INTEGER PRIMARY KEY", "name": "TEXT NOT NULL"])
    }
  }

  @Test func `rows of a table are observed`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<RowChange>()
    let least = 40
    func show(_ kind: RowChange.Kind, _ old: String?, _ new: String?) {
      screen.show(
        RowChange(
          table: kind.rawValue, key: .rowid(0),
          old: old.map { Row(columns: ["x"], values: [.text($0)]) },
          new: new.map { Row(columns: ["x"], values: [.text($0)]) }))
    }
    let task = Task {
      let changes = try await database.changes(of: "player", where: "score > \(least)")
      for try await change in changes {
        try show(change.kind, change.old?["name"] as String?, change.new?["name"] as String?)
      }
    }
    // It is not known when the observation begins: there are changes until one is shown.
    while screen.journal.entries.isEmpty {
      try await db.write(script: "UPDATE player SET score = iif(score > 40, 0, 50) WHERE id = 1")
    }
    let shown = try #require(screen.journal.entries.first)
    #expect((shown.new ?? shown.old)?.values == ["ada"])
    task.cancel()
    try await task.value
  }
}
