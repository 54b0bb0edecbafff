import ObservationEngine
import TestSupport
import Testing

/// The examples of SQL with values in it, and of what comes back.
@Suite(.fewAtOnce)
struct SQLExamples {
  private func players() throws -> Database {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db in
      try db.execute("CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT)")
      try db.execute("INSERT INTO player VALUES (1, 'ada', 41), (2, 'bob', 3)")
    }
    return database
  }

  @Test func `values are interpolated`() throws {
    try players().writeWaiting { db throws in
      let (name, score) = ("ada", 42)
      try db.execute("UPDATE player SET score = \(score) WHERE name = \(name)")
      #expect(try db.fetchOne("SELECT max(score) FROM player", as: Int.self) == 42)

      let (ids, column, limit) = ([1, 2, 3], "score", 1)
      let chosen: SQL = "SELECT name, score FROM player WHERE id IN (\(values: ids))"
      let best: SQL = "\(chosen) ORDER BY \(identifier: column) DESC LIMIT \(limit)"
      try db.execute("PRAGMA cache_size = \(raw: "-2000")")
      #expect(try db.fetchAll(best).map(\.values) == [["ada", 42]])

      let (statement, id) = ("DELETE FROM player WHERE id = :id", 1)
      try db.execute(SQL(raw: statement), ["id": id])
      #expect(try db.count(of: "player") == 1)
    }
  }

  @Test func `values are given next to the SQL`() throws {
    try players().writeWaiting { db throws in
      let (name, score, id, fields) = ("eve", UInt8(7), 1, ["zoe", "9"])
      try db.execute("INSERT INTO player(name, score) VALUES (?, ?)", [name, score])
      try db.execute("UPDATE player SET score = :score WHERE id = :id", ["score": nil, "id": id])
      try db.execute("INSERT INTO player(name, score) VALUES (?, ?)", QueryArguments(fields))
      #expect(
        try db.fetchAll("SELECT score FROM player ORDER BY id").map(\.values) == [
          [nil], [3], [7], [9],
        ])
    }
    try players().writeWaiting { db throws in
      let (name, score) = ("bob", 50)
      try db.execute("INSERT INTO player(name, score) VALUES (?, ?)", [name, score])
      try db.execute("UPDATE player SET score = \(score) WHERE name = \(name)")
      #expect(try db.count(of: "player", where: "score = 50") == 2)
    }
  }

  @Test func `a result is a collection of rows`() throws {
    try players().writeWaiting { db throws in
      for row in try db.fetchAll("SELECT name, score FROM player") {
        try print(row["name"] as String, row[1] as Int)
      }

      let players = try db.fetchAll("SELECT name, score FROM player ORDER BY score DESC")
      let best = try players.first?["name"] as String?
      let scores = try players.map { row in try row[1] as Int }
      #expect(best == "ada" && scores == [41, 3])
    }
  }

  @Test func `an article interpolates`() async throws {
    let database = try players()
    let (name, score, least) = ("bob", 42, 40)
    let task = Task {
      let best = Query.rows("SELECT name FROM player WHERE score > \(least)") { row in
        try row[0] as String
      }
      for try await names in database.observe(best) { print(names) }
    }

    try await database.write { db in
      try db.execute("UPDATE player SET score = \(score) WHERE name = \(name)")
    }

    task.cancel()
    let names = try await database.read { db in
      try db.fetchAll("SELECT name FROM player WHERE score > \(least)") { row in
        try row[0] as String
      }
    }
    #expect(names == ["ada", "bob"])
  }
}
