import FoundationEssentials
import ObservationEngine
import ObservationRecords
import Testing

/// A record with a numbered key.
struct Player: Record, Equatable {
  var id: Int64?
  var name: String
  var team: Team?
  var score: Int

  enum Team: String, Codable, CaseIterable { case red, blue }

  init(_ name: String, score: Int = 0, team: Team? = nil, id: Int64? = nil) {
    self.id = id
    self.name = name
    self.team = team
    self.score = score
  }
}

/// A record with a property of every kind.
struct Everything: Record, Equatable {
  struct Place: Codable, Equatable {
    var city: String
    var coordinates: [Double]
    var since: Date?
  }
  enum Level: Int, Codable { case low = 3, high = 7 }
  enum Mood: String, Codable, CaseIterable { case calm, merry }
  struct Wrapped: Codable, Equatable {
    var value: String
    init(_ value: String) { self.value = value }
    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }

  var id: UUID
  var flag: Bool
  var i8: Int8
  var i16: Int16
  var i32: Int32
  var i64: Int64
  var u8: UInt8
  var u16: UInt16
  var u32: UInt32
  var u64: UInt64
  var int: Int
  var uint: UInt
  var float: Float
  var double: Double
  var text: String
  var date: Date
  var data: Data
  var bytes: [UInt8]
  var url: URL
  var level: Level
  var mood: Mood
  var wrapped: Wrapped
  var place: Place
  var tags: [String]
  var table: [String: Int]
  var maybeInt: Int?
  var maybeText: String?
  var maybeDate: Date?
  var maybeData: Data?
  var maybeUUID: UUID?
  var maybeURL: URL?
  var maybeMood: Mood?
  var maybePlace: Place?
  var maybeFloat: Float?
  var maybeFlag: Bool?

  static func sample(optionals: Bool) throws -> Everything {
    let url = try #require(URL(string: "https://example.org/a?b=c%20d"))
    let date = Date(timeIntervalSince1970: 1_714_979_289.123)
    let place = Place(city: "Köln \"am\" 'Rhein'", coordinates: [50.94, 6.96], since: date)
    return Everything(
      id: UUID(), flag: true, i8: .min, i16: .max, i32: .min, i64: .min, u8: .max, u16: .max,
      u32: .max, u64: UInt64(Int64.max), int: .max, uint: 7, float: 0.1, double: -1.0e-300,
      text: "a\u{0}b é", date: date, data: Data([0, 255]), bytes: [1, 2, 3], url: url, level: .high,
      mood: .merry, wrapped: Wrapped("w"), place: place, tags: ["x", "ÿ"], table: ["a": 1],
      maybeInt: optionals ? -1 : nil, maybeText: optionals ? "" : nil,
      maybeDate: optionals ? date : nil, maybeData: optionals ? Data() : nil,
      maybeUUID: optionals ? UUID() : nil, maybeURL: optionals ? url : nil,
      maybeMood: optionals ? .calm : nil, maybePlace: optionals ? place : nil,
      maybeFloat: optionals ? 1 : nil, maybeFlag: optionals ? false : nil)
  }
}

/// A key of two columns, named otherwise than its properties.
struct Stay: Record, Equatable {
  var countryCode: String
  var yearOfStay: Int
  var order: String?

  static var primaryKey: [String] { ["country_code", "year_of_stay"] }
  static var columnNaming: ColumnNaming { .snakeCase }
}

/// A database in memory with the table of some record types.
func memory<each Element: Record>(
  _ type: repeat (each Element).Type, configuration: Configuration = Configuration()
) throws -> Database {
  let database = try Database(inMemory: configuration)
  try database.writeWaiting { db throws in
    for element in repeat each type { try db.create(element) }
  }
  return database
}
