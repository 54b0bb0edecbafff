import ObservationEngine
import ObservationRecords
import Testing

/// Decoding rows of any query as `Codable` types.
struct DecodingTests {
  private func all<Output: Decodable>(
    _ sql: SQL, as type: Output.Type, columns: ColumnNaming = .verbatim
  ) throws -> [Output] {
    try Database(inMemory: Configuration()).readWaiting { db in
      try db.fetchAll(sql, as: type, columns: columns)
    }
  }

  @Test
  func `columns are found in any order, and in another one in each row`() throws {
    struct Fickle: Decodable, Equatable {
      var a: Int
      var b: String
      var c: Int?
      enum CodingKeys: CodingKey { case a, b, c }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        a = try container.decode(Int.self, forKey: .a)
        if a.isMultiple(of: 2) {
          c = try container.decodeIfPresent(Int.self, forKey: .c)
          b = try container.decode(String.self, forKey: .b)
        } else {
          b = try container.decode(String.self, forKey: .b)
          let isNull = try !container.contains(.c) || container.decodeNil(forKey: .c)
          c = isNull ? nil : try container.decode(Int.self, forKey: .c)
        }
      }
      init(_ a: Int, _ b: String, _ c: Int?) { (self.a, self.b, self.c) = (a, b, c) }
    }
    let sql: SQL = """
      SELECT NULL AS c, 'x' AS b, 1 AS a UNION ALL SELECT 5, 'y', 2 UNION ALL SELECT NULL, 'z', 4
      UNION ALL SELECT 7, 'w', 3
      """
    #expect(
      try all(sql, as: Fickle.self) == [
        Fickle(1, "x", nil), Fickle(2, "y", 5), Fickle(4, "z", nil), Fickle(3, "w", 7),
      ])
    #expect(try all("SELECT 3 AS a, 'b' AS b", as: Fickle.self) == [Fickle(3, "b", nil)])
    #expect(try all("SELECT 3 AS A, 1 AS B, 'b' AS b", as: Fickle.self) == [Fickle(3, "b", nil)])
  }

  @Test
  func `names longer than a word are told apart`() throws {
    struct Long: Decodable, Equatable {
      var aRatherLongNameOfAPropertyOne: Int
      var aRatherLongNameOfAPropertyTwo: Int
    }
    let sql: SQL = """
      SELECT 2 AS aRatherLongNameOfAPropertyTwo, 1 AS aRatherLongNameOfAPropertyOne
      UNION ALL SELECT 4, 3
      """
    let rows = try all(sql, as: Long.self)
    #expect(rows.map(\.aRatherLongNameOfAPropertyOne) == [1, 3])
    #expect(rows.map(\.aRatherLongNameOfAPropertyTwo) == [2, 4])
  }

  @Test
  func `single values take the first column`() throws {
    #expect(try all("SELECT 1, 2 UNION ALL SELECT 3, 4", as: Int.self) == [1, 3])
    #expect(try all("SELECT 'a'", as: String?.self) == ["a"])
    #expect(try all("SELECT NULL", as: String?.self) == [nil])
    #expect(try all("SELECT 'red'", as: Player.Team.self) == [.red])
    #expect(try all("SELECT 1 WHERE 0", as: Int.self).isEmpty)
  }

  @Test
  func `columns named otherwise, nested types by hand, and superclasses`() throws {
    struct Nested: Decodable, Equatable {
      var highScore: Int
      var first: Int
      var city: String
      enum CodingKeys: CodingKey { case highScore, list, place }
      enum PlaceKeys: CodingKey { case city }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        highScore = try container.decode(Int.self, forKey: .highScore)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        first = try list.decode(Int.self)
        let place = try container.nestedContainer(keyedBy: PlaceKeys.self, forKey: .place)
        city = try place.decode(String.self, forKey: .city)
      }
    }
    class Base: Decodable { var id = 0 }
    final class Derived: Base {
      var name = ""
      enum CodingKeys: CodingKey { case name }
      required init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        try super.init(from: decoder)
      }
    }
    let nested = try all(
      "SELECT 5 AS high_score, '[7,8]' AS list, '{\"city\":\"Rom\"}' AS place", as: Nested.self,
      columns: .snakeCase)
    #expect(nested.map(\.highScore) == [5] && nested[0].first == 7 && nested[0].city == "Rom")
    let derived = try all("SELECT 1 AS id, 'a' AS name UNION ALL SELECT 2, 'b'", as: Derived.self)
    #expect(derived.map(\.id) == [1, 2] && derived.map(\.name) == ["a", "b"])
  }

  @Test
  func `a type within a type of the same shape does not mix the columns up`() throws {
    struct Inner: Codable, Equatable {
      var id: Int
      var name: String
    }
    struct Outer: Codable, Equatable {
      var id: Int
      var inner: Inner
      var others: [Inner]
      var name: String
    }
    let sql: SQL = """
      SELECT 1 AS id, '{"id":2,"name":"i"}' AS inner, '[{"id":3,"name":"o"}]' AS others, 'n' AS name
      """
    let outer = Outer(
      id: 1, inner: Inner(id: 2, name: "i"), others: [Inner(id: 3, name: "o")], name: "n")
    #expect(try all(sql, as: Outer.self) == [outer])
  }
}
