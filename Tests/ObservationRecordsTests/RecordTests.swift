import FoundationEssentials
import ObservationEngine
import ObservationRecords
import Testing

/// Rows as `Codable` values.
struct RecordTests {
  private func schema(_ database: Database, _ table: String) throws -> String? {
    try database.readWaiting { db throws in
      try db.fetchOne("SELECT sql FROM sqlite_schema WHERE name = \(table)")
    }
  }

  @Test
  func `a table is created from the type`() throws {
    let database = try memory(Player.self, Stay.self)
    #expect(
      try schema(database, "player") == """
        CREATE TABLE "player" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "name" TEXT NOT NULL, \
        "team" TEXT, "score" INTEGER NOT NULL)
        """)
    #expect(
      try schema(database, "stay") == """
        CREATE TABLE "stay" ("country_code" TEXT NOT NULL, "year_of_stay" INTEGER NOT NULL, \
        "order" TEXT, PRIMARY KEY ("country_code", "year_of_stay"))
        """)
    let existing = #expect(throws: DatabaseError.self) {
      try database.writeWaiting { try $0.create(Player.self) }
    }
    #expect(existing?.message.contains("already exists") == true)
    try database.writeWaiting { try $0.create(Player.self, ifNotExists: true) }
  }

  @Test
  func `each kind of property has a column of its type`() throws {
    let database = try memory(Everything.self)
    let types = try database.readWaiting { db throws in
      try db.fetchAll("SELECT name, type, \"notnull\" FROM pragma_table_info('everything')") {
        row -> (String, String, Bool) in try (row[0], row[1], row[2])
      }
    }
    let expected = [
      "id": "TEXT", "flag": "BOOLEAN", "float": "REAL", "double": "REAL", "text": "TEXT",
      "date": "TEXT", "data": "BLOB", "bytes": "BLOB", "url": "TEXT", "mood": "TEXT",
      "wrapped": "TEXT", "place": "TEXT", "tags": "TEXT", "table": "TEXT", "maybeText": "TEXT",
      "maybeDate": "TEXT", "maybeData": "BLOB", "maybeUUID": "TEXT", "maybeURL": "TEXT",
      "maybeMood": "TEXT", "maybePlace": "TEXT", "maybeFloat": "REAL", "maybeFlag": "BOOLEAN",
    ]
    for (name, type, isRequired) in types {
      #expect(type == expected[name] ?? "INTEGER", "\(name)")
      #expect(isRequired == !name.hasPrefix("maybe"), "\(name)")
    }
    #expect(types.count == 35)
  }

  @Test(arguments: [true, false])
  func `what is read equals what was written`(_ optionals: Bool) throws {
    let database = try memory(Everything.self)
    let sample = try Everything.sample(optionals: optionals)
    let read = try database.writeWaiting { db throws in
      try db.insert(sample)
      return try db.fetchOne(Everything.self, key: sample.id)
    }
    #expect(read == sample)
    let all = try database.readWaiting { try $0.fetchAll(Everything.self) }
    #expect(all == [sample])
  }

  @Test
  func `values are stored as SQLite would have them`() throws {
    let database = try memory(Everything.self)
    let sample = try Everything.sample(optionals: false)
    try database.writeWaiting { try $0.insert(sample) }
    let row = try database.readWaiting { try $0.fetchAll(from: "everything") }.first
    #expect(row?["id"] == .text(sample.id.uuidString))
    #expect(row?["flag"] == 1)
    #expect(row?["date"] == "2024-05-06 07:08:09.123")
    #expect(row?["level"] == 7)
    #expect(row?["mood"] == "merry")
    #expect(row?["data"] == .blob([0, 255]))
    #expect(
      row?["place"] == """
        {"city":"Köln \\"am\\" 'Rhein'","coordinates":[50.94,6.96],"since":"2024-05-06 07:08:09.123"}
        """)
    #expect(row?["tags"] == "[\"x\",\"ÿ\"]")
    #expect(row?["maybeInt"] == .some(.null))
  }

  @Test
  func `an optional rowid is numbered, and no number is used twice`() throws {
    let database = try memory(Player.self)
    let ids = try database.writeWaiting { db -> [Int64?] in
      let ada = try db.insert(Player("ada"))
      let bob = try db.insertOrUpdate(Player("bob"))
      try db.delete(bob)
      let eve = try db.updateOrInsert(Player("eve"))
      return [ada.id, bob.id, eve.id, try db.insert(Player("zoe", id: 40)).id]
    }
    #expect(ids == [1, 2, 3, 40])
  }

  @Test(arguments: [
    // The table ignores the conflict.
    "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT IGNORE, team, score)",
    // A trigger refuses the row, after it has inserted another one elsewhere.
    """
    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name, team, score); CREATE TABLE log (x);
    CREATE TRIGGER t BEFORE INSERT ON player WHEN new.name = 'eve'
    BEGIN INSERT INTO log VALUES (1); SELECT RAISE(IGNORE); END
    """,
    // A trigger runs in place of it.
    """
    CREATE TABLE base (id INTEGER PRIMARY KEY, name, team, score); CREATE VIEW player AS SELECT * FROM base;
    CREATE TRIGGER t INSTEAD OF INSERT ON player
    BEGIN INSERT INTO base VALUES (new.id, new.name, new.team, new.score); END;
    CREATE TRIGGER u INSTEAD OF UPDATE ON player BEGIN SELECT 1; END
    """,
    // The column isn't the rowid.
    "CREATE TABLE player (id INT PRIMARY KEY, name, team, score)",
    "CREATE TABLE player (id INTEGER PRIMARY KEY DESC, name, team, score)",
    "CREATE TABLE player (id INTEGER, name, team, score, PRIMARY KEY (id, name))",
    "CREATE TABLE player (id INTEGER, name, team, score)",
  ])
  func `a record that isn't numbered has no number`(_ schema: String) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute(script: schema)
      try db.execute("CREATE TABLE other (x)")
      try db.execute("INSERT INTO player(id, name, score) VALUES (1, 'ada', 1), (2, 'eve', 2)")
      // A number that an earlier insertion left.
      try db.insert(into: "other", ["x": 1])
      #expect(db.lastInsertedRowid == 1)
      for insert in [db.insert, db.insertOrUpdate, db.updateOrInsert] as [(Player) throws -> Player]
      {
        #expect(try insert(Player("eve")).id == nil)
      }
    }
  }

  @Test
  func `a number is the one of the row, whatever triggers insert besides`() throws {
    for key in [
      "INTEGER PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT", "integer primary key ASC",
    ] {
      let database = try Database(inMemory: Configuration())
      try database.writeWaiting { db throws in
        try db.execute(
          script: """
            CREATE TABLE player (id \(key), name, team, score); CREATE TABLE log (x);
            CREATE TRIGGER t AFTER INSERT ON player BEGIN INSERT INTO log VALUES (1), (2), (3); END
            """)
        #expect(try db.insert(Player("ada")).id == 1)
        #expect(try db.insert(Player("bob")).id == 2)
        #expect(db.lastInsertedRowid == 2)
        // The key is another one, all of a sudden.
        try db.execute(
          script: "DROP TABLE player; CREATE TABLE player (id INT PRIMARY KEY, name, team, score)")
        #expect(try db.insert(Player("eve")).id == nil)
      }
    }
  }

  private struct Line: Record, Equatable {
    var id: Int64?
    var price: Int
    var total: Int?
    var count: Int
  }

  @Test(arguments: ["STORED", "VIRTUAL"])
  func `generated columns are read, and not written`(_ storage: String) throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute(
        script: """
          CREATE TABLE line (id INTEGER PRIMARY KEY, price, total AS (price * count) \(storage), count)
          """)
      var line = try db.insert(Line(price: 2, total: 99, count: 3))
      #expect(line == Line(id: 1, price: 2, total: 99, count: 3))
      try db.insert(Line(id: 7, price: 1, count: 1))
      line.count = 5
      try db.update(line)
      #expect(try db.fetchOne(Line.self, key: 1) == Line(id: 1, price: 2, total: 10, count: 5))
      line.price = 4
      try db.insertOrUpdate(line)
      try db.insertOrUpdate(Line(id: 8, price: 8, count: 8))
      line.count = 6
      try db.updateOrInsert(line)
      #expect(try db.fetchAll(Line.self).map(\.total) == [24, 1, 64])
      // The table is another one.
      try db.execute(
        script: "DROP TABLE line; CREATE TABLE line (id INTEGER PRIMARY KEY, price, total, count)")
      try db.insert(Line(price: 2, total: 99, count: 3))
      #expect(try db.fetchAll(Line.self).map(\.total) == [99])
    }
  }

  /// With triggers in place of changes, SQLite counts no changed rows of the view.
  @Test
  func `rows of a view that triggers change are found`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute(
        script: """
          CREATE TABLE base (id INTEGER PRIMARY KEY, name, team, score); CREATE VIEW player AS SELECT * FROM base;
          CREATE TRIGGER i INSTEAD OF INSERT ON player
          BEGIN INSERT INTO base VALUES (new.id, new.name, new.team, new.score); END;
          CREATE TRIGGER u INSTEAD OF UPDATE ON player
          BEGIN UPDATE base SET name = new.name, score = new.score WHERE id = old.id; END;
          CREATE TRIGGER d INSTEAD OF DELETE ON player BEGIN DELETE FROM base WHERE id = old.id; END
          """)
      let ada = Player("ada", score: 1, id: 1)
      #expect(throws: DatabaseError.self) { try db.update(ada) }
      try db.insertOrUpdate(ada)
      try db.update(Player("ada", score: 2, id: 1))
      try db.insertOrUpdate(Player("ada", score: 3, id: 1))
      try db.updateOrInsert(Player("ada", score: 4, id: 1))
      #expect(try db.fetchAll(Player.self) == [Player("ada", score: 4, id: 1)])
      #expect(try db.updateOne(Player.self, key: 1, set: ["score": 5]))
      #expect(try !db.updateOne(Player.self, key: 2, set: ["score": 5]))
      #expect(try db.fetchOne(Player.self, key: 1)?.score == 5)
      // A trigger may have nothing to do.
      try db.execute(
        script: """
          DROP TRIGGER u; CREATE TRIGGER u INSTEAD OF UPDATE ON player WHEN new.score <> old.score
          BEGIN UPDATE base SET score = new.score WHERE id = old.id; END
          """)
      try db.update(Player("ada", score: 5, id: 1))
      try db.insertOrUpdate(Player("ada", score: 5, id: 1))
      #expect(try db.count(Player.self) == 1)
      #expect(try db.delete(ada))
      #expect(try !db.delete(ada))
      try db.insert(ada)
      #expect(try db.deleteOne(Player.self, key: 1))
      #expect(try !db.deleteOne(Player.self, key: 1))
    }
  }

  private struct Session: Record, Equatable {
    var id: UUID
    var rank: Int?
    var note: String?

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(id, forKey: .id)
    }
  }

  /// What the article for those who come from GRDB says of stored forms.
  @Test
  func `rows of another library are read as far as their types fit`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute(script: "CREATE TABLE session (id PRIMARY KEY, rank DEFAULT 7)")
      let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
      try db.execute("INSERT INTO session VALUES (x'0102030405060708090a0b0c0d0e0f10', 1)")
      // The table is older than a property.
      #expect(throws: DatabaseError.self) { try db.fetchAll(Session.self) }
      let read = try db.fetchAll("SELECT * FROM session", as: Session.self)
      #expect(read == [Session(id: id, rank: 1, note: nil)])
      try db.execute("ALTER TABLE session ADD COLUMN note")
      #expect(try db.fetchOne(Session.self, key: id) == nil, "it is looked up as a text")
      try db.insert(Session(id: id, rank: 1, note: "not encoded"))
      try db.insert(into: "session", ["id": "x"])
      #expect(try db.fetchAll("SELECT rank FROM session", as: Int?.self) == [1, nil, 7])
      #expect(throws: DatabaseError.self) { try db.fetchOne("SELECT 3.0", as: Int.self) }
      #expect(throws: DatabaseError.self) { try db.fetchOne("SELECT 3", as: String.self) }
    }
  }

  @Test
  func `a transaction sets columns of views, and none that are generated`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute(
        script: """
          CREATE TABLE base (id INTEGER PRIMARY KEY, price, count, total AS (price * count));
          CREATE VIEW line AS SELECT * FROM base;
          CREATE TRIGGER u INSTEAD OF UPDATE ON line
          BEGIN UPDATE base SET price = new.price, count = new.count WHERE id = old.id; END;
          INSERT INTO base VALUES (1, 2, 3)
          """)
    }
    let line = Line(id: 1, price: 2, total: 6, count: 3)
    try database.commitWaiting(.set(\.price, 4, on: line))
    let total = { try database.readWaiting { try $0.fetchOne(Line.self, key: 1)?.total } }
    #expect(try total() == 12)
    #expect(throws: DatabaseError.self) {
      try database.commitWaiting(.set(\.price, 4, on: Line(id: 2, price: 2, count: 3)))
    }
    try database.writeWaiting {
      try $0.execute(script: "DROP VIEW line; ALTER TABLE base RENAME TO line")
    }
    try database.commitWaiting(
      .update(line) {
        $0.count = 5
        $0.total = 99
      })
    #expect(try total() == 20)
  }

  private struct Box: Record {
    var id: Int64?
    var low: Double
    var high: Double
  }

  private struct Named: Record {
    static var primaryKey: [String] { ["rowid"] }
    var rowid: Int64?
    var name: String
  }

  @Test
  func `a virtual table numbers its rows, and so does a rowid that no column has`() throws {
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute(
        script: """
          CREATE VIRTUAL TABLE box USING rtree(id, low, high);
          CREATE TABLE named (name TEXT PRIMARY KEY);
          """)
      #expect(try db.insert(Box(id: nil, low: 1, high: 2)).id == 1)
      #expect(try db.insert(Box(id: nil, low: 1, high: 3)).id == 2)
      #expect(try db.insert(Named(rowid: nil, name: "ada")).rowid == 1)
      #expect(try db.insert(Named(rowid: nil, name: "eve")).rowid == 2)
    }
  }

  @Test
  func `inserting, updating, both, and deleting`() throws {
    let database = try memory(Player.self)
    try database.writeWaiting { db throws in
      var ada = try db.insert(Player("ada", score: 1))
      ada.score = 2
      try db.update(ada)
      #expect(try db.fetchOne(Player.self, key: 1) == ada)
      ada.score = 3
      try db.insertOrUpdate(ada)
      #expect(try db.fetchAll(Player.self) == [ada])
      ada.score = 4
      try db.updateOrInsert(ada)
      #expect(try db.fetchAll(Player.self) == [ada])
      try db.updateOrInsert(Player("bob", id: 9))
      #expect(try db.count(Player.self) == 2)
      #expect(try db.delete(ada))
      #expect(try !db.delete(ada))
      #expect(try db.fetchOne(Player.self, key: 1) == nil)
    }
  }

  @Test
  func `a row with a key of two columns is found by both, in their order`() throws {
    let database = try memory(Stay.self)
    try database.writeWaiting { db throws in
      for year in 2001...2003 { try db.insert(Stay(countryCode: "FR", yearOfStay: year)) }
      #expect(try db.fetchOne(Stay.self, key: "FR", 2002)?.yearOfStay == 2002)
      try db.update(Stay(countryCode: "FR", yearOfStay: 2002, order: "first"))
      #expect(try db.fetchAll(Stay.self).map(\.order) == [nil, "first", nil])
      #expect(try db.deleteOne(Stay.self, key: "FR", 2001))
      #expect(try db.updateOne(Stay.self, key: "FR", 2003, set: ["order": "second"]))
      try db.insertOrUpdate(Stay(countryCode: "FR", yearOfStay: 2003, order: "third"))
      #expect(try db.fetchAll(Stay.self).map(\.order) == ["first", "third"])
    }
  }

  @Test
  func `an upsert is an update to triggers, not a deletion`() throws {
    let database = try memory(Player.self)
    try database.writeWaiting { db throws in
      try db.execute(
        script: """
          CREATE TABLE log (what);
          CREATE TRIGGER i AFTER INSERT ON player BEGIN INSERT INTO log VALUES ('insert'); END;
          CREATE TRIGGER u AFTER UPDATE ON player BEGIN INSERT INTO log VALUES ('update'); END;
          CREATE TRIGGER d AFTER DELETE ON player BEGIN INSERT INTO log VALUES ('delete'); END
          """)
      try db.insertOrUpdate(Player("ada", id: 1))
      try db.insertOrUpdate(Player("bob", id: 1))
      let log = try db.fetchAll("SELECT what FROM log") { row in try row[0] as String }
      #expect(log == ["insert", "update"])
    }
  }

  @Test
  func `dropping and erasing`() throws {
    let database = try memory(Player.self)
    try database.writeWaiting { db throws in
      for name in ["a", "b"] { try db.insert(Player(name)) }
      #expect(try db.deleteAll(Player.self) == 2)
      #expect(try db.count(Player.self) == 0)
      try db.drop(Player.self)
      #expect(throws: DatabaseError.self) { try db.drop(Player.self) }
      try db.drop(Player.self, ifExists: true)
    }
  }

  @Test
  func `types are named as tables are`() {
    struct HTTPRequest: Record { var id: Int }
    struct URL: Record { var id: Int }
    #expect(Player.tableName == "player")
    #expect(HTTPRequest.tableName == "httpRequest")
    #expect(URL.tableName == "url")
  }
}
