import ObservationEngine
import TestSupport
import Testing

/// The examples of rows as dictionaries.
@Suite(.timeLimit(.minutes(1)))
struct DictionaryExamples {
  @Test func `rows are dictionaries`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(
        table: "player", columns: ["id": "INTEGER PRIMARY KEY", "name": "TEXT NOT NULL"])
      try db.execute("ALTER TABLE player ADD COLUMN score INTEGER NOT NULL DEFAULT 0")
      try db.execute("ALTER TABLE player ADD COLUMN team TEXT")

      let id = try db.insert(into: "player", ["name": "ada", "score": 41])
      #expect(id == 1)
      try db.insert(into: "player", ["id": 7, "name": "bob", "score": 5])
      try db.update(in: "player", ["id": 7, "score": 42])
      try db.updateOne(in: "player", key: 7, set: ["score": 42])
      try db.insert(into: "player", ["name": "eve", "score": 5, "team": "red"])
      try db.updateAll(in: "player", set: ["score": 0], where: "team = :team", ["team": "red"])
      try db.deleteAll(from: "player", where: "score < ?", [10])

      let player = try db.fetchOne(from: "player", key: 7)
      let name = player?["name"]
      #expect(name == "bob")
      let best = try db.fetchAll(
        from: "player", where: "score > ?", [40], orderBy: "score DESC", limit: 10)
      #expect(best.count == 2)
    }
  }

  @Test func `a row is inserted or updated`() throws {
    try Database(inMemory: Configuration()).writeWaiting { db in
      try db.create(table: "player", columns: ["id": "INTEGER PRIMARY KEY", "score": "INTEGER"])
      try db.insertOrUpdate(in: "player", ["id": 7, "score": 42])
      #expect(try db.count(of: "player") == 1)
    }
  }
}
