import FoundationEssentials
import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

/// What stands for dates and decimals in a database, wherever a statement gets them from.
struct StoredFormTests {
  struct Day: Record, Equatable {
    var at: Date
    var name: String
    static var primaryKey: [String] { ["at"] }
  }

  static let formats: [(name: String, format: DateFormat)] = [
    ("iso8601", .iso8601), ("unixSeconds", .unixSeconds), ("unixMilliseconds", .unixMilliseconds),
    ("julianDay", .julianDay),
    (
      "custom",
      .custom(
        encode: { .integer($0.microseconds / 1_000_000 - 50) },
        decode: { value in
          guard case .integer(let number) = value else { return nil }
          return Timestamp(microseconds: (number + 50) * 1_000_000)
        })
    ),
  ]

  private func day(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  /// Three days, at 100, 200 and 300 seconds.
  private func days(_ format: Int) throws -> Database {
    var configuration = Configuration()
    configuration.dateFormat = Self.formats[format].format
    let database = try memory(Day.self, configuration: configuration)
    try database.writeWaiting { db throws in
      for (seconds, name) in [(100.0, "a"), (200, "b"), (300, "c")] {
        try db.insert(Day(at: day(seconds), name: name))
      }
    }
    return database
  }

  @Test(arguments: formats.indices)
  func `dates in arguments are in the format of the database`(_ format: Int) throws {
    let database = try days(format)
    let middle = try day(200).toValue()
    try database.readWaiting { db throws in
      #expect(try db.count(Day.self, where: "at > ?", [middle]) == 1)
      #expect(try db.count(Day.self, where: "at >= :at", ["at": middle]) == 2)
      #expect(try db.count(of: "day", where: "at < ?", [middle]) == 1)
      let name: String? = try db.fetchOne("SELECT name FROM day WHERE at = ?", [middle])
      #expect(name == "b")
      // What is returned has a storage class.
      let stored: Value? = try db.fetchOne("SELECT ?", [middle])
      if case .date = stored { Issue.record("a date was read as a date") }
      let fits: Value? = try db.fetchOne("SELECT at FROM day WHERE name = 'b'")
      #expect(stored == fits)
    }
  }

  @Test(arguments: formats.indices)
  func `dates in keys are in the format of the database`(_ format: Int) throws {
    let database = try days(format)
    try database.writeWaiting { db throws in
      #expect(try db.fetchOne(Day.self, key: day(200))?.name == "b")
      #expect(try db.exists(Day.self, key: day(300)))
      #expect(try db.fetchOne(from: "day", key: day(100))?["name"] == "a")
      #expect(try db.updateOne(Day.self, key: day(200), set: ["name": "B"]))
      #expect(try db.updateOne(in: "day", key: day(300), set: ["name": "C"]))
      #expect(try db.deleteOne(Day.self, key: day(100)))
      #expect(try db.deleteOne(from: "day", key: day(300)))
      // A Julian day is not exact.
      #expect(try db.fetchAll(Day.self).map(\.name) == ["B"])
      #expect(try db.fetchAll(Day.self).map { ($0.at.timeIntervalSince1970).rounded() } == [200])
    }
  }

  @Test(arguments: formats.indices)
  func `dates in dictionaries are in the format of the database`(_ format: Int) throws {
    let database = try days(format)
    try database.writeWaiting { db throws in
      try db.insert(into: "day", ["at": day(400), "name": "d"])
      try db.insertOrUpdate(in: "day", ["at": day(400), "name": "D"])
      try db.update(in: "day", ["at": day(100), "name": "A"])
      #expect(try db.delete(from: "day", ["at": day(200)]))
      try db.updateAll(
        Day.self, set: ["at": day(500)], where: "at = ?", [day(300)])
      try db.updateOne(Day.self, key: day(100), set: ["at": day(600)])
      let days = try db.fetchAll(Day.self, orderBy: "at")
      #expect(days.map(\.name) == ["D", "c", "A"])
      #expect(days.map { ($0.at.timeIntervalSince1970).rounded() } == [400, 500, 600])
    }
  }

  @Test(arguments: formats.indices)
  func `a row found by its date is observed as one row`(_ format: Int) async throws {
    let database = try days(format)
    let changes = try await database.changes(
      of: "day", where: "at > ?", [day(150)])
    try await database.write { db in
      try db.updateAll(Day.self, set: ["name": "A"], where: "name = 'a'")
      try db.updateAll(Day.self, set: ["name": "B"], where: "name = 'b'")
    }
    var iterator = changes.makeAsyncIterator()
    #expect(try await iterator.next()?.new?["name"] == "B")
  }

  /// A type whose raw value is a date.
  struct Deadline: RawRepresentable, ColumnConvertible, Equatable {
    var rawValue: Date
  }

  @Test(arguments: formats.indices)
  func `a single date is read in the format of the database`(_ format: Int) throws {
    let database = try days(format)
    let sql: SQL = "SELECT max(at) AS at FROM day WHERE at > \(day(150)) AND at < \(day(250))"
    try database.readWaiting { db throws in
      let plain: [Date?] = [
        try db.fetchOne(sql), try db.fetchOne(sql, as: Date.self),
        try db.fetchOne(sql, as: Date?.self) ?? nil, try db.fetch(.scalar(sql, as: Date.self)),
        try db.fetchOne(sql, as: Deadline.self)?.rawValue,
        try db.fetchAll(sql).first?["at"], try db.fetchAll(sql).first?["at"] as Date?,
        try (db.fetchAll(sql).first?[0] as Deadline?)?.rawValue,
        try db.fetchOne(sql) { try $0.copy() }?["at"],
        try (db.fetchOne(sql) { try $0["at"] as Deadline? } ?? nil)?.rawValue,
        try db.fetchOne(sql) { try $0[0] as Date? } ?? nil,
        try db.fetchAll(sql, as: Date.self).first,
        try db.fetchAll(from: "day", where: "name = 'b'").first?["at"].flatMap {
          Date.fromValue($0, in: database.configuration.dateFormat)
        },
      ]
      for (place, date) in plain.enumerated() {
        #expect(date?.timeIntervalSince1970.rounded() == 200, "\(place)")
      }
      #expect(try db.fetchOne("SELECT NULL", as: Date?.self) == .some(nil))
      #expect(try db.fetchOne("SELECT NULL", as: Date.self) == nil)
      #expect(throws: DatabaseError.self) { try db.fetchOne("SELECT x'00'", as: Date.self) }
      #expect(throws: DatabaseError.self) { try db.fetchOne("SELECT x'00'", as: Deadline?.self) }
      #expect(throws: DatabaseError.self) {
        try db.fetchAll("SELECT x'00'").first?[0] as Deadline?
      }
    }
  }

  @Test(arguments: formats.indices)
  func `a single date is observed in the format of the database`(_ format: Int) async throws {
    let database = try days(format)
    let newest = Query.scalar("SELECT max(at) FROM day", as: Date.self)
    let rows = Query.rows("SELECT max(at) AS at FROM day")
    // Three observers share one result, and one decodes it otherwise.
    let recorders = [
      database.record(newest.map { $0?.timeIntervalSince1970.rounded() }),
      database.record(rows.map { try ($0.first?["at"] as Date?)?.timeIntervalSince1970.rounded() }),
      Recorder(
        database.observe {
          try $0.fetch(rows).first?["at"] as Date?
        }.map { $0?.timeIntervalSince1970.rounded() }),
    ]
    for recorder in recorders { try await recorder.expect(300) }
    var changes = try await database.changes(of: "day").makeAsyncIterator()
    try await database.insert(Day(at: day(400), name: "d"))
    for recorder in recorders { try await recorder.expect(400) }
    let inserted = try #require(try await changes.next())
    #expect(try (inserted.new?["at"] as Date?)?.timeIntervalSince1970.rounded() == 400)
    try await database.write { try $0.updateAll(Day.self, set: ["name": "x"], where: "name = 'd'") }
    let updated = try #require(try await changes.next())
    #expect(try (updated.old?["at"] as Date?)?.timeIntervalSince1970.rounded() == 400)
    // What differs is the rows, not how dates are read.
    #expect(updated.old == inserted.new)
  }

  @Test
  func `an SQL function may return a date`() throws {
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    configuration.functions = [
      CustomFunction("someday", argumentCount: 0) { _ in
        try Date(timeIntervalSince1970: 7).toValue()
      }
    ]
    let database = try Database(inMemory: configuration)
    let value: Value? = try database.readWaiting { try $0.fetchOne("SELECT someday()") }
    #expect(value == 7)
  }

  @Test
  func `a date without a stored form is an error where it is used`() throws {
    let database = try days(0)
    let late = try Date(timeIntervalSince1970: 300_000_000_000).toValue()
    let error = #expect(throws: DatabaseError.self) {
      try database.readWaiting { try $0.count(Day.self, where: "at < ?", [late]) }
    }
    #expect(error?.code == .mismatch)
    var configuration = Configuration()
    configuration.dateFormat = .custom(encode: { .date($0) }, decode: { _ in nil })
    let circular = try Database(inMemory: configuration)
    #expect(throws: DatabaseError.self) {
      try circular.readWaiting {
        try $0.fetchAll("SELECT ?", [Value.date(Timestamp(microseconds: 0))])
      }
    }
  }

  // MARK: - Decimal

  struct Price: Record, Equatable {
    var id: Decimal
    var amount: Decimal
    var tax: Decimal?
    var parts: [Decimal]
  }

  static let decimals = [
    "0", "1", "-1", "12.5", "0.1", "-0.000000000000000000000000000000000001",
    "99999999999999999999999999999999999999", "3.1415926535897932384626433832795028841",
    "170141183460469231731687303715884105727", "100", "-120.07", "1e100", "1e-100",
  ]

  @Test(arguments: decimals)
  func `decimals are read as they were written`(_ text: String) throws {
    let number = try #require(Decimal(string: text))
    let database = try memory(Price.self)
    for tax in [nil, number] {
      let price = Price(id: number, amount: number, tax: tax, parts: [])
      try database.writeWaiting { db throws in
        try db.insertOrUpdate(price)
        #expect(try db.fetchOne(Price.self, key: number) == price)
        #expect(try db.fetchAll(Price.self, where: "amount = ?", [number]) == [price])
        #expect(try db.fetchAll("SELECT amount FROM price", as: Decimal.self) == [number])
        #expect(try db.fetchAll("SELECT tax FROM price", as: Decimal?.self) == [tax])
        let read: Decimal? = try db.fetchOne("SELECT amount FROM price")
        #expect(read == number)
        let typed: [Decimal] = try db.fetchAll("SELECT amount FROM price") { try $0[0] }
        #expect(typed == [number])
      }
    }
  }

  @Test
  func `equal decimals are the same text`() throws {
    let long = try #require(Decimal(string: "12.500"))
    #expect(try long.toValue() == "12.5")
    #expect(try #require(Decimal(string: "-0.0")).toValue() == "0")
    #expect(try (long * 2).toValue() == "25")
    #expect(throws: DatabaseError.self) { try Decimal.nan.toValue() }
  }

  @Test
  func `decimals are read from numbers too`() throws {
    let database = try Database(inMemory: Configuration())
    try database.readWaiting { db throws in
      let read = try db.fetchAll(
        "SELECT 12.5 UNION ALL SELECT 0.1 UNION ALL SELECT 9223372036854775807 UNION ALL SELECT '1e3'",
        as: Decimal.self)
      #expect(
        read == ["12.5", "0.1", "9223372036854775807", "1000"].compactMap { Decimal(string: $0) })
      for wrong in [
        "'12,5'", "'12.5 EUR'", "''", "'-'", "'1.2.3'", "x'31'", "NULL", "9e999",
        "'0.12345678901234567890123456789012345678901234567890'", "'NaN'", "'1e999'",
      ] {
        #expect(throws: DatabaseError.self, "\(wrong)") {
          try db.fetchAll("SELECT \(raw: wrong)", as: Decimal.self)
        }
      }
    }
  }

  @Test(arguments: [[Decimal.nan], [1, -Decimal.nan, 2]])
  func `a decimal that is no number is refused within JSON, too`(_ parts: [Decimal]) throws {
    struct Order: Record {
      var id: Int
      var note: Note
    }
    struct Note: Codable {
      var text: String
      var parts: [Decimal]
    }
    let database = try memory(Price.self, Order.self)
    try database.writeWaiting { db throws in
      let errors = [
        #expect(throws: DatabaseError.self) {
          try db.insert(Price(id: 1, amount: 1, tax: nil, parts: parts))
        },
        #expect(throws: DatabaseError.self) {
          try db.insert(Order(id: 1, note: Note(text: "N", parts: parts)))
        },
      ]
      for error in errors {
        #expect(error?.code == .mismatch)
        #expect(error?.message.contains("Decimal.nan can't be stored") == true)
      }
      // A text may say so.
      for text in ["NaN", "\\\"NaN", "\"N\\", "N"] {
        try db.insertOrUpdate(
          Order(id: 1, note: Note(text: text, parts: [.greatestFiniteMagnitude])))
        let read = try db.fetchOne(Order.self, key: 1)
        #expect(read?.note.text == text && read?.note.parts == [.greatestFiniteMagnitude])
      }
      let infinite = #expect(throws: DatabaseError.self) {
        try db.insert(Scale(id: 1, ticks: [.infinity]))
      }
      #expect(infinite?.message.contains("property ticks of Scale has no JSON") == true)
    }
  }

  struct Scale: Record {
    var id: Int
    var ticks: [Double]
  }

  @Test
  func `decimals are set by key path and within JSON`() async throws {
    let database = try memory(Price.self)
    let half = try #require(Decimal(string: "0.5"))
    let price = Price(id: 1, amount: 2, tax: nil, parts: [half])
    try await database.commit(
      [.add(price), .set(\.tax, half, on: price), .set(\Price.amount, half, where: "id = '1'")])
    let read = try await database.fetchOne(Price.self, key: Decimal(1))
    #expect(read == Price(id: 1, amount: half, tax: half, parts: [half]))
  }

  // MARK: - Values and examples

  @Test
  func `the values of a record are told by column`() throws {
    var configuration = Configuration()
    configuration.dateFormat = .unixSeconds
    let database = try memory(Day.self, configuration: configuration)
    let record = Day(at: day(7), name: "x")
    #expect(try database.values(of: record) == ["at": 7, "name": "x"])
    #expect(try database.readWaiting { try $0.values(of: record) } == ["at": 7, "name": "x"])
    try database.writeWaiting { db throws in
      try db.insert(into: "day", db.values(of: record))
      #expect(try db.fetchAll(Day.self) == [record])
    }
  }

  /// Its initializer stops the program when it is given what makes no sense.
  struct Series: Codable, Equatable {
    var numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = numbers }

    init(from decoder: any Decoder) throws {
      numbers = try decoder.singleValueContainer().decode([Int].self)
      precondition(!numbers.isEmpty, "a series has numbers")
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(numbers)
    }
  }

  struct Measured: Record, Equatable {
    var id: Int
    var series: Series
    static var example: Measured { Measured(id: 0, series: Series([0])) }
  }

  struct Optional: Record, Equatable {
    var id: Int
    var series: Series
    static var example: Optional? { Optional(id: 0, series: Series([0])) }
  }

  @Test
  func `an example is asked before values are made up, however it is declared`() async throws {
    let database = try memory(Measured.self, Optional.self)
    let (one, two) = (Series([1]), Series([2]))
    try await database.commit(
      [.add(Measured(id: 1, series: one)), .add(Optional(id: 1, series: one))])
    try await database.commit([
      .set(\.series, two, on: Measured(id: 1, series: one)),
      .set(\.series, two, on: Optional(id: 1, series: one)),
    ])
    #expect(try await database.fetchAll(Measured.self) == [Measured(id: 1, series: two)])
    #expect(try await database.fetchAll(Optional.self) == [Optional(id: 1, series: two)])
    try await database.commit(.set(\Measured.series, one, where: nil))
    #expect(try await database.fetchOne(Measured.self, key: 1)?.series == one)
  }

  @Test
  func `a table without the key's column is an error`() throws {
    struct Tag: Record {
      var id: Int
      var name: String?
    }
    let database = try Database(inMemory: Configuration())
    try database.writeWaiting { db throws in
      try db.execute("CREATE TABLE tag (name TEXT)")
      try db.insert(into: "tag", ["name": "a"])
      let calls: [(String, () throws -> Void)] = [
        ("fetchOne", { _ = try db.fetchOne(Tag.self, key: 1) }),
        ("exists", { _ = try db.exists(Tag.self, key: 1) }),
        ("updateOne", { try db.updateOne(Tag.self, key: 1, set: ["name": "b"]) }),
        ("deleteOne", { try db.deleteOne(Tag.self, key: 1) }),
        ("delete", { try db.delete(Tag(id: 1, name: nil)) }),
        ("fetchAll", { _ = try db.fetchAll(Tag.self) }),
      ]
      for (name, call) in calls {
        let error = #expect(throws: DatabaseError.self, "\(name)") { try call() }
        #expect(error?.message.contains("no such column") == true, "\(name)")
      }
      try db.execute("CREATE TABLE other (id INTEGER PRIMARY KEY)")
      struct Other: Record {
        var id: Int
        var name: String?
      }
      #expect(throws: DatabaseError.self) { try db.fetchAll(Other.self) }
    }
  }
}
