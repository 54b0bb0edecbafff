import FoundationEssentials
import ObservationEngine
import ObservationRecords
import Testing

/// What a person gets wrong is an error that says what to do.
struct BadRecordTests {
  private func message(_ body: (Connection) throws -> Void) throws -> String {
    let database = try memory(Player.self)
    let error = try #require(
      throws: DatabaseError.self, "there is no error",
      performing: { try database.writeWaiting(body) })
    return error.message
  }

  @Test
  func `a type without a key can be stored, but no row of it named`() throws {
    struct Note: Record, Equatable {
      var text: String
      static var primaryKey: [String] { [] }
    }
    struct Keyless: Record { var name: String }
    let database = try memory(Note.self)
    try database.writeWaiting { db throws in
      try db.insert(Note(text: "a"))
      #expect(try db.fetchAll(Note.self) == [Note(text: "a")])
      let error = #expect(throws: DatabaseError.self) { try db.update(Note(text: "b")) }
      #expect(error?.message.contains("declare `static var primaryKey`") == true)
      #expect(throws: DatabaseError.self) { try db.fetchOne(Note.self, key: 1) }
      #expect(throws: DatabaseError.self) { try db.insertOrUpdate(Note(text: "b")) }
      #expect(throws: DatabaseError.self) { try db.delete(Note(text: "b")) }
    }
    #expect(
      try message { try $0.create(Keyless.self) } == """
        Keyless has no column id, its primary key; it has name: declare `static var primaryKey` \
        with the names of columns; it may be []
        """)
  }

  @Test
  func `a key of another length`() throws {
    #expect(
      try message { _ = try $0.fetchOne(Player.self, key: 1, 2) }
        == "the key of player is (id): 1 value expected, 2 given")
  }

  @Test
  func `NULL where the property cannot be nil`() throws {
    #expect(
      try message { db in
        try db.execute("CREATE TABLE t (id, name, score)")
        try db.execute("INSERT INTO t VALUES (1, NULL, 1)")
        _ = try db.fetchAll("SELECT * FROM t", as: Player.self)
      }
        == "column 1 (name) is NULL, which String cannot hold: read String?, or declare the column NOT NULL"
    )
    #expect(
      try message { try $0.execute("INSERT INTO player(name) VALUES ('a')") }.contains("NOT NULL"))
  }

  @Test
  func `a number that does not fit`() throws {
    struct Small: Decodable { var n: Int8 }
    struct Unsigned: Record {
      var id: Int
      var n: UInt64
    }
    #expect(
      try message { _ = try $0.fetchAll("SELECT 300 AS n", as: Small.self) }
        == "column 0 (n) holds an integer out of the range of Int8: read a wider type")
    #expect(try message { _ = try $0.fetchAll("SELECT -1", as: UInt8.self) }.contains("UInt8"))
    #expect(
      try message { db in
        try db.create(Unsigned.self)
        try db.insert(Unsigned(id: 1, n: .max))
      }.contains("greater than SQLite's largest integer"))
    #expect(try message { _ = try $0.fetchAll("SELECT 1.5 AS n", as: Small.self) }.contains("real"))
    #expect(try message { _ = try $0.fetchAll("SELECT 1e300", as: Float.self) }.contains("Float"))
  }

  @Test
  func `a column that the query does not return`() throws {
    let database = try memory(Player.self)
    try database.writeWaiting { try $0.insert(Player("ada")) }
    let error = #expect(throws: DatabaseError.self) {
      try database.readWaiting { try $0.fetchAll("SELECT id, name FROM player", as: Player.self) }
    }
    #expect(
      error?.message == """
        the result has no column score, which Player needs; it has id, name: select it, or make the \
        property optional
        """)
    #expect(error?.sql == "SELECT id, name FROM player")
  }

  @Test
  func `an unknown column in a condition names those that there are`() throws {
    for body: (Connection) throws -> Void in [
      { _ = try $0.fetchAll(Player.self, where: "scoer > 40") },
      { _ = try $0.count(Player.self, where: "scoer > 40") },
      { _ = try $0.exists(Player.self, where: "scoer > 40") },
      { try $0.updateAll(Player.self, set: ["scoer": 1]) },
      { try $0.updateAll(Player.self, set: ["score": 1], where: "scoer = 1") },
      { try $0.deleteAll(Player.self, where: "scoer = 1") },
    ] {
      let told = try message(body)
      #expect(told == "no such column: scoer; player has id, name, team, score")
    }
  }

  @Test
  func `nothing to set, a column twice, a row that is not there, one that is`() throws {
    #expect(
      try message { try $0.updateAll(Player.self, set: [:]) }
        == "there is nothing to set in player: name at least one column")
    #expect(
      try message { try $0.updateAll(Player.self, set: ["score": 1, "SCORE": 2]) }
        .contains("twice"))
    let database = try memory(Player.self)
    let missing = #expect(throws: DatabaseError.self) {
      try database.writeWaiting { try $0.update(Player("ada", id: 1)) }
    }
    #expect(missing?.code == .notFound)
    #expect(missing?.message.contains("insertOrUpdate") == true)
    #expect(missing?.sql?.hasPrefix("UPDATE \"player\"") == true)
    let twice = try message { db in
      try db.insert(Player("ada", id: 1))
      try db.insert(Player("bob", id: 1))
    }
    #expect(twice.contains("UNIQUE constraint failed") && twice.contains("insertOrUpdate"))
    #expect(
      try message { try $0.updateAll(Player.self, set: ["score": 1], where: "id = ?") }
        == "parameter ?1 has no value")
    #expect(
      try message { try $0.updateAll(Player.self, set: ["score": 1], where: "id = ?", [1, 2]) }
        == "2 values were given for 1 parameter")
  }

  @Test
  func `a row with nothing but a key that isn't there is an error without SQL`() async throws {
    struct Tag: Record { var id: Int }
    let database = try memory(Tag.self)
    let errors = [
      #expect(throws: DatabaseError.self) {
        try database.writeWaiting { try $0.update(Tag(id: 1)) }
      },
      await #expect(throws: DatabaseError.self) {
        try await database.commit(.update(Tag(id: 1)) { _ in })
      },
    ]
    for error in errors {
      #expect(error?.code == .notFound)
      #expect(error?.description.hasSuffix("insertOrUpdate inserts it") == true)
    }
  }

  @Test
  func `a reserved word is a column like any other`() throws {
    struct Order: Record, Equatable {
      var id: Int
      var group: String
      var select: Int
      var quoted: Int
      enum CodingKeys: String, CodingKey {
        case id, group, select
        case quoted = "a \"b\" c"
      }
    }
    let database = try memory(Order.self)
    try database.writeWaiting { db throws in
      var order = Order(id: 1, group: "g", select: 2, quoted: 3)
      try db.insert(order)
      order.select = 4
      try db.update(order)
      order.quoted = 5
      try db.insertOrUpdate(order)
      #expect(try db.updateAll(Order.self, set: ["group": "h"]) == 1)
      order.group = "h"
      #expect(try db.fetchAll(Order.self, where: "\"select\" = 4") == [order])
    }
  }

  @Test
  func `types that are no records say why`() throws {
    struct Score: Record {
      var value: Int
      init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
      }
    }
    struct Twice: Record {
      var id: Int
      var name: String
      var Name: String
    }
    #expect(try message { try $0.create(Score.self) }.contains("is coded as a single value"))
    #expect(try message { try $0.create([Int].Wrapped.self) }.contains("is coded as a list"))
    #expect(try message { try $0.create(Twice.self) }.contains("two properties for one column"))
  }

  @Test
  func `broken JSON in a column tells the place and not the text`() throws {
    struct Holder: Record, Equatable {
      struct Inner: Codable, Equatable { var number: Int }
      var id: Int
      var inner: Inner
    }
    func read(_ text: Value) throws -> String {
      try message { db in
        try db.create(Holder.self)
        try db.execute("INSERT INTO holder VALUES (1, ?)", [text])
        _ = try db.fetchAll(Holder.self)
      }
    }
    #expect(try read("{nonsense") == "column 1 (inner) holds no JSON of Inner")
    #expect(
      try read("{\"number\":\"secret\"}") == "column 1 (inner) holds no JSON of Inner, at number")
    #expect(try read("{}") == "column 1 (inner) holds no JSON of Inner, at number")
    #expect(try read(.blob([1, 2])) == "column 1 (inner) holds no JSON of Inner")
  }

  @Test
  func `a raw value that is no case, text that is no date, no UUID, no number`() throws {
    struct Wrong<Inner: Decodable>: Decodable { var x: Inner }
    func told<Inner: Decodable>(_ type: Inner.Type, _ value: Value) throws -> String {
      try message { _ = try $0.fetchAll("SELECT ? AS x", [value], as: Wrong<Inner>.self) }
    }
    #expect(try told(Player.Team.self, "green") == "column 0 (x) holds text that does not fit Team")
    #expect(try told(Date.self, "yesterday") == "column 0 (x) holds text that does not fit Date")
    #expect(try told(UUID.self, "abc") == "column 0 (x) holds text that does not fit UUID")
    #expect(try told(Data.self, "abc") == "column 0 (x) holds text that does not fit Data")
    #expect(try told(Int.self, "12") == "column 0 (x) holds text that does not fit Int")
    #expect(try told(String.self, 12) == "column 0 (x) holds an integer that does not fit String")
  }
}

extension Array where Element == Int {
  /// A record that is coded as a list.
  struct Wrapped: Record {
    init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
    func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }
  }
}
