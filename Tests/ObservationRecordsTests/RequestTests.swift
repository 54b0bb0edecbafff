import ObservationEngine
import ObservationRecords
import Testing

/// Finding and changing records by conditions.
struct RequestTests {
  private func players() throws -> Database {
    let database = try memory(Player.self)
    try database.writeWaiting { db throws in
      for index in 0..<10 {
        try db.insert(
          Player("p\(index)", score: index * 10, team: index.isMultiple(of: 2) ? .red : .blue))
      }
    }
    return database
  }

  @Test
  func `records are found by conditions with arguments of both kinds`() throws {
    try players().readWaiting { db throws in
      func scores(_ condition: SQL?, _ arguments: QueryArguments = []) throws -> [Int] {
        try db.fetchAll(Player.self, where: condition, arguments, orderBy: "score").map(\.score)
      }
      #expect(try scores("score > ? AND team = ?", [60, "red"]) == [80])
      #expect(try scores("score > :least", ["least": 70]) == [80, 90])
      #expect(
        try scores("score > :least AND team = ?", .init(["blue"], named: ["least": 70])) == [90])
      #expect(try scores("score > ?2 OR score < ?1", [10, 80]) == [0, 90])
      #expect(try scores("score < 10 -- a comment") == [0])
      #expect(try scores(nil).count == 10)
      #expect(try scores("score = 0) OR (1") == scores("score = 0 OR 1"))
    }
  }

  @Test
  func `order, limit and offset`() throws {
    try players().readWaiting { db throws in
      func names(limit: Int? = nil, offset: Int? = nil) throws -> [String] {
        try db.fetchAll(Player.self, orderBy: "score DESC", limit: limit, offset: offset).map(
          \.name)
      }
      #expect(try names(limit: 2) == ["p9", "p8"])
      #expect(try names(limit: 2, offset: 3) == ["p6", "p5"])
      #expect(try names(offset: 8) == ["p1", "p0"])
      #expect(try names(limit: 0) == [])
      #expect(try names(limit: 5, offset: 100) == [])
      #expect(
        try db.fetchOne(Player.self, where: "score < 50", orderBy: "score DESC")?.name == "p4")
    }
  }

  @Test
  func `counting, and whether there is one`() throws {
    try players().readWaiting { db throws in
      #expect(try db.count(Player.self) == 10)
      #expect(try db.count(Player.self, where: "team = ?", ["red"]) == 5)
      #expect(try db.exists(Player.self, where: "score = 90"))
      #expect(try !db.exists(Player.self, where: "score = 91"))
      #expect(try db.exists(Player.self, key: 1))
      #expect(try !db.exists(Player.self, key: 11))
    }
  }

  @Test
  func `updating all that fulfil a condition, whatever its parameters`() throws {
    try players().writeWaiting { db throws in
      func score(_ name: String) throws -> Int? {
        try db.fetchOne(Player.self, where: "name = ?", [name])?.score
      }
      #expect(
        try db.updateAll(Player.self, set: ["score": 1, "team": nil], where: "name = ?", ["p1"])
          == 1)
      #expect(try score("p1") == 1)
      #expect(
        try db.updateAll(Player.self, set: ["score": 2], where: "name = :n", ["n": "p2"]) == 1)
      #expect(try score("p2") == 2)
      #expect(try db.updateAll(Player.self, set: ["score": 3], where: "name = ?1", ["p3"]) == 1)
      #expect(try score("p3") == 3)
      #expect(
        try db.updateAll(Player.self, set: ["score": 4], where: "name = :by_position", ["p4"]) == 1)
      #expect(try score("p4") == 4)
      #expect(
        try db.updateAll(
          Player.self, set: ["score": 5], where: "name = '?' OR \"name\" = ?2 /* ? */ OR name = ?1",
          ["p5", "p6"]) == 2)
      #expect(try score("p5") == 5 && score("p6") == 5)
      #expect(try db.updateAll(Player.self, set: ["score": 0]) == 10)
      #expect(try db.updateOne(Player.self, key: 1, set: ["score": 9]))
      #expect(try !db.updateOne(Player.self, key: 99, set: ["score": 9]))
      #expect(try score("p0") == 9)
    }
  }

  @Test
  func `deleting all that fulfil a condition`() throws {
    try players().writeWaiting { db throws in
      #expect(try db.deleteAll(Player.self, where: "score >= ?", [50]) == 5)
      #expect(try db.deleteOne(Player.self, key: 1))
      #expect(try !db.deleteOne(Player.self, key: 1))
      #expect(try db.deleteAll(Player.self) == 4)
    }
  }

  @Test
  func `a database has the same methods, each call in its own transaction`() async throws {
    let database = try Database(inMemory: Configuration())
    try await database.create(Player.self)
    try await database.create(Player.self, ifNotExists: true)
    let ada = try await database.insert(Player("ada", score: 41))
    var bob = try await database.updateOrInsert(Player("bob", score: 50, team: .blue))
    bob.score = 51
    #expect(try await database.updateOrInsert(bob) == bob)
    let leader = try await database.fetchOne(
      Player.self, where: "score > \(40)", orderBy: "score DESC")
    #expect(leader == bob)
    #expect(try await database.fetchOne(Player.self, where: "score > ?", [60]) == nil)
    #expect(try await database.exists(Player.self, where: "name = ?", ["ada"]))
    #expect(try await database.exists(Player.self, key: 2))
    #expect(try await !database.exists(Player.self, key: 3))
    #expect(try await database.updateOne(Player.self, key: 1, set: ["score": 42]))
    #expect(try await !database.updateOne(Player.self, key: 9, set: ["score": 42]))
    #expect(
      try await database.updateAll(Player.self, set: ["team": "red"], where: "id = \(1)") == 1)
    let scores = try await database.fetchAll(Player.self).map(\.score)
    #expect(scores == [42, 51])
    #expect(try await database.deleteOne(Player.self, key: 1))
    #expect(try await !database.deleteOne(Player.self, key: 1))
    #expect(try await database.deleteAll(Player.self, where: "team = ?", ["blue"]) == 1)
    #expect(try await database.count(Player.self) == 0)
    await #expect(throws: DatabaseError.self) {
      try await database.updateOne(Player.self, key: 1, 2, set: ["score": 1])
    }
    try await database.drop(Player.self)
    try await database.drop(Player.self, ifExists: true)
    await #expect(throws: DatabaseError.self) { try await database.insert(ada) }
  }
}
