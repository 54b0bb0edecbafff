import ObservationEngine
import Testing

/// Rows as dictionaries.
struct DictionaryTests {
  private func withTables(_ body: (Connection) throws -> Void) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db in
      try db.create(
        table: "player",
        columns: ["id": "INTEGER PRIMARY KEY", "name": "TEXT NOT NULL", "order": "INT DEFAULT 7"])
      try db.execute("CREATE TABLE stay (y INT, c TEXT, note, PRIMARY KEY (c, y)) WITHOUT ROWID")
      try db.execute("CREATE TABLE keyless (x)")
      try body(db)
    }
  }

  private func message(_ body: (Connection) throws -> Void) throws -> String {
    let error = try #require(throws: DatabaseError.self, performing: { try withTables(body) })
    return error.message
  }

  @Test
  func `rows are inserted, with defaults for what is left out`() throws {
    try withTables { db throws in
      #expect(try db.insert(into: "player", ["name": "ada"]) == 1)
      #expect(try db.insert(into: "player", ["name": "bob", "order": 1, "id": 9]) == 9)
      #expect(try db.fetchOne(from: "player", key: 1) == ["id": 1, "name": "ada", "order": 7])
      #expect(try db.fetchOne(from: "player", key: 2) == nil)
      try db.insert(into: "keyless", [:])
      #expect(try db.fetchAll(from: "keyless") == [["x": nil]])
    }
  }

  @Test
  func `a row that isn't inserted, or has no rowid, has no number`() throws {
    try withTables { db throws in
      try db.execute("CREATE TABLE tag (name TEXT UNIQUE ON CONFLICT IGNORE)")
      #expect(try db.insert(into: "tag", ["name": "a"]) == 1)
      #expect(try db.insert(into: "tag", ["name": "b"]) == 2)
      #expect(try db.insert(into: "tag", ["name": "a"]) == nil)
      #expect(db.lastInsertedRowid == 2, "as SQLite has it")
      #expect(try db.insert(into: "stay", ["c": "FR", "y": 1]) == nil)
      try db.execute("CREATE TABLE odd (rowid TEXT PRIMARY KEY, oid) WITHOUT ROWID")
      #expect(try db.insert(into: "odd", ["rowid": "a", "oid": 1]) == nil)
      try db.execute("CREATE TABLE hidden (rowid TEXT, oid, _rowid_)")
      #expect(try db.insert(into: "hidden", ["rowid": "a"]) == 1)
      try db.execute("CREATE TABLE child (parent DEFAULT (last_insert_rowid()))")
      #expect(try db.insert(into: "tag", ["name": "x"]) == 3)
      #expect(try db.insert(into: "child", [:]) == 1)
      #expect(try db.fetchAll(from: "child") == [["parent": 3]])
      try db.deleteAll(from: "tag", where: "name = 'x'")
      try db.execute("CREATE VIEW v AS SELECT * FROM tag")
      try db.execute(
        "CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO tag VALUES (new.name); END")
      #expect(try db.insert(into: "v", ["name": "c"]) == nil)
      #expect(try db.count(of: "tag") == 3)
    }
  }

  @Test
  func `rows are updated by their key, or inserted`() throws {
    try withTables { db throws in
      try db.insert(into: "player", ["id": 1, "name": "ada"])
      try db.update(in: "player", ["ID": 1, "order": 2])
      #expect(try db.fetchOne(from: "player", key: 1) == ["id": 1, "name": "ada", "order": 2])
      try db.insertOrUpdate(in: "player", ["id": 1, "name": "eve"])
      #expect(try db.fetchOne(from: "player", key: 1) == ["id": 1, "name": "eve", "order": 2])
      try db.insertOrUpdate(in: "player", ["id": 2, "name": "bob"])
      try db.update(in: "player", ["id": 2, "order": 5])
      try db.insertOrUpdate(in: "player", ["id": 3, "name": "zoe"])
      #expect(try db.fetchAll(from: "player", orderBy: "id").map { $0["order"] } == [2, 5, 7])
      #expect(try db.updateOne(in: "player", key: 3, set: ["name": "zoé"]))
      #expect(try !db.updateOne(in: "player", key: 4, set: ["name": "x"]))
      #expect(try db.updateAll(in: "player", set: ["order": 0], where: "id < ?", [3]) == 2)
    }
  }

  @Test
  func `a key of two columns is taken in its declared order`() throws {
    try withTables { db throws in
      try db.insert(into: "stay", ["c": "FR", "y": 1, "note": "a"])
      try db.insert(into: "stay", ["c": "FR", "y": 2, "note": "b"])
      #expect(try db.fetchOne(from: "stay", key: "FR", 2)?["note"] == "b")
      try db.insertOrUpdate(in: "stay", ["c": "FR", "y": 2, "note": "c"])
      #expect(try db.delete(from: "stay", ["c": "FR", "y": 1]))
      #expect(try db.fetchAll(from: "stay").map { $0["note"] } == ["c"])
      #expect(try db.deleteOne(from: "stay", key: "FR", 2))
      #expect(try !db.deleteOne(from: "stay", key: "FR", 2))
    }
  }

  @Test
  func `conditions, order, counting, erasing and dropping`() throws {
    try withTables { db throws in
      for name in ["a", "b", "c"] { try db.insert(into: "player", ["name": name]) }
      let found = try db.fetchAll(
        from: "player", where: "name > :n", ["n": "a"], orderBy: "name DESC", limit: 1, offset: 1)
      #expect(found.map { $0["name"] } == ["b"])
      #expect(try db.count(of: "player", where: "name = ?", ["a"]) == 1)
      #expect(try db.exists(in: "player", where: "name = 'c'"))
      #expect(try !db.exists(in: "player", where: "name = 'd'"))
      #expect(try db.deleteAll(from: "player", where: "name = ?", ["a"]) == 1)
      #expect(try db.deleteAll(from: "player") == 2)
      try db.drop(table: "player")
      try db.drop(table: "player", ifExists: true)
      #expect(throws: DatabaseError.self) { try db.drop(table: "player") }
    }
  }

  @Test
  func `names are quoted, whatever they hold`() throws {
    try withTables { db throws in
      try db.create(table: "a \"b\"; DROP", columns: ["select": "PRIMARY KEY", "x\"y": ""])
      try db.insert(into: "a \"b\"; DROP", ["select": 1, "x\"y": 2])
      try db.updateOne(in: "a \"b\"; DROP", key: 1, set: ["x\"y": 3])
      #expect(try db.fetchAll(from: "a \"b\"; DROP") == [["select": 1, "x\"y": 3]])
    }
  }

  @Test
  func `what is wrong says what to do`() throws {
    #expect(
      try message { try $0.insert(into: "nix", ["a": 1]) } == "no such table: nix; create it first")
    #expect(
      try message { try $0.update(in: "nix", ["a": 1]) } == "no such table: nix; create it first")
    #expect(
      try message { try $0.insert(into: "player", ["nam": "x"]) }
        == "table player has no column named nam; player has id, name, order")
    #expect(
      try message { try $0.insert(into: "player", ["name": "x", "NAME": "y"]) }.contains("twice"))
    #expect(try message { try $0.update(in: "player", ["name": "x"]) }.contains("key column id"))
    #expect(try message { try $0.update(in: "player", ["id": 1]) }.contains("nothing to set"))
    #expect(
      try message { try $0.update(in: "player", ["id": 1, "name": "x"]) }.contains("has no row"))
    #expect(
      try message { try $0.updateAll(in: "player", set: [:]) }
        == "there is nothing to set in player: name at least one column")
    #expect(try message { _ = try $0.fetchOne(from: "keyless", key: 1) }.contains("no primary key"))
    #expect(
      try message { _ = try $0.fetchOne(from: "stay", key: 1) }.contains(
        "(c, y): 2 values expected"))
    #expect(try message { try $0.insert(into: "player", [:]) }.contains("give the column a value"))
  }

  @Test
  func `parameters of a condition keep their meaning beside the values that are set`() throws {
    try withTables { db throws in
      for index in 1...4 {
        try db.insert(into: "player", ["id": index, "name": "x"])
      }
      func set(_ condition: SQL, _ arguments: QueryArguments) throws -> [Int] {
        try db.updateAll(in: "player", set: ["order": 0])
        try db.updateAll(in: "player", set: ["name": "x", "order": 1], where: condition, arguments)
        return try db.fetchAll("SELECT id FROM player WHERE \"order\" = 1 ORDER BY 1") { row in
          try row[0]
        }
      }
      #expect(try set("id = ?", [2]) == [2])
      #expect(try set("id = ?1 OR id = ?1", [2]) == [2])
      #expect(try set("id = ?2 OR id = ?1", [3, 4]) == [3, 4])
      #expect(try set("id = ?3 OR id = ?1", [3, 1, 4]) == [3, 4])
      #expect(try set("id = :a OR id = @b OR id = $c", ["a": 1, "b": 2, "c": 3]) == [1, 2, 3])
      #expect(try set("id = :a OR id = ?", .init([4], named: ["a": 1])) == [1, 4])
      #expect(
        try set("id = :a OR id = ? OR id = :a", [4, 2]) == [2, 4], "by position without a name")
      #expect(try set("id = ?2 OR id = ?", [1, 2, 3]) == [2, 3])
      #expect(try set("name <> '?' AND \"id\" = ? -- ? :x", [1]) == [1])
      #expect(throws: DatabaseError.self) { try set("id = ?0", [1]) }
      #expect(throws: DatabaseError.self) { try set("id = ?99999", [1]) }
      #expect(throws: DatabaseError.self) { try set("id = :who", []) }
    }
  }
}
