import FoundationEssentials
import ObservationEngine
import ObservationRecords
import Testing

/// Finding the columns of a type.
struct DiscoveryTests {
  private func columns<Element: Record>(_ type: Element.Type) throws -> [String] {
    let database = try memory(type)
    return try database.readWaiting { db throws in
      try db.fetchAll(
        "SELECT name || ' ' || type || iif(\"notnull\", '', '?') FROM pragma_table_info(?)",
        [type.tableName]
      ) { row in try row[0] as String }
    }
  }

  @Test
  func `an enumeration with integers is found by trying, one with text needs its cases`() throws {
    enum Level: Int, Codable { case low = -1, high = 250 }
    enum Mood: String, Codable { case calm, merry }
    struct Numbered: Record {
      var id: Int
      var level: Level
    }
    struct Moody: Record {
      var id: Int
      var mood: Mood
    }
    struct Example: Record {
      var id: Int
      var mood: Mood
      var other: Mood?
      var note: String?
      static var example: Example? { Example(id: 0, mood: .calm, other: .merry, note: nil) }
    }
    struct Incomplete: Record {
      var id: Int
      var mood: Mood?
      static var example: Incomplete? { Incomplete(id: 0, mood: nil) }
    }
    #expect(try columns(Numbered.self) == ["id INTEGER?", "level INTEGER"])
    let error = #expect(throws: DatabaseError.self) { try columns(Moody.self) }
    #expect(
      error?.message == """
        cannot work out the columns of Moody: property mood of type Mood: it could not be decoded from a \
        placeholder; make enumerations CaseIterable, or declare `static var example: Moody` with any \
        value that has no nil in such places
        """)
    #expect(try columns(Example.self) == ["id INTEGER?", "mood TEXT", "other TEXT?", "note TEXT?"])
    let incomplete = #expect(throws: DatabaseError.self) { try columns(Incomplete.self) }
    #expect(incomplete?.message.contains("property mood") == true)
  }

  @Test
  func `an initializer that checks its values needs an example`() throws {
    struct Checked: Record, Equatable {
      var id: Int
      var percent: Int
      init(id: Int, percent: Int) {
        self.id = id
        self.percent = percent
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        percent = try container.decode(Int.self, forKey: .percent)
        guard percent > 10 else {
          throw DecodingError.dataCorruptedError(
            forKey: .percent, in: container, debugDescription: "too small")
        }
      }
    }
    struct Helped: Record, Equatable {
      var checked: Checked
      var id: Int
      static var example: Helped? { Helped(checked: Checked(id: 1, percent: 50), id: 1) }
    }
    #expect(throws: DatabaseError.self) { try columns(Checked.self) }
    #expect(try columns(Helped.self) == ["checked TEXT", "id INTEGER?"])
  }

  @Test
  func `optionals decoded by hand, nested types, and types within themselves`() throws {
    struct Tree: Record, Equatable {
      struct Node: Codable, Equatable {
        var name: String
        var children: [Node]
        var parent: [Node]?
      }
      var id: Int
      var node: Node
      var note: String?
      init(id: Int, node: Node, note: String?) {
        self.id = id
        self.node = node
        self.note = note
      }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(Int.self, forKey: .id)
        node = try container.decode(Node.self, forKey: .node)
        note =
          try container.decodeNil(forKey: .note)
          ? nil : try container.decode(String.self, forKey: .note)
      }
    }
    #expect(try columns(Tree.self) == ["id INTEGER?", "node TEXT", "note TEXT?"])
    let database = try memory(Tree.self)
    let tree = Tree(
      id: 1, node: .init(name: "a", children: [.init(name: "b", children: [])]), note: nil)
    try database.writeWaiting { db throws in
      try db.insert(tree)
      #expect(try db.fetchAll(Tree.self) == [tree])
    }
  }

  @Test
  func `columns are named as the type says`() throws {
    struct Custom: Record, Equatable {
      var id: Int
      var highScore: Int
      static var columnNaming: ColumnNaming { .custom { "x_\($0)" } }
      static var primaryKey: [String] { ["x_id"] }
    }
    struct Snake: Record {
      var id: Int
      var imageURL: String
      var a1B: Int
      var HTTPCode: Int
      static var columnNaming: ColumnNaming { .snakeCase }
    }
    #expect(try columns(Custom.self) == ["x_id INTEGER?", "x_highScore INTEGER"])
    #expect(
      try columns(Snake.self) == [
        "id INTEGER?", "image_url TEXT", "a1_b INTEGER", "http_code INTEGER",
      ])
    let database = try memory(Custom.self)
    try database.writeWaiting { db throws in
      try db.insert(Custom(id: 1, highScore: 2))
      #expect(try db.fetchAll(Custom.self) == [Custom(id: 1, highScore: 2)])
    }
  }
}
