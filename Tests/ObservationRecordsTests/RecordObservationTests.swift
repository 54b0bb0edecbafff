import FoundationEssentials
import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

/// Observing records, and formats of moments.
@Suite(.fewAtOnce)
struct RecordObservationTests {
  @Test
  func `changes of records are told as records`() async throws {
    let db = try await TemporaryDatabase(schema: "")
    try await db.database.write { try $0.create(Player.self) }
    let ada = try await db.database.insert(Player("ada", score: 50))
    let all = try await Player.changes(where: "score > 40", in: db.database)
    var changes = all.makeAsyncIterator()
    var better = ada
    better.score = 51
    try await db.database.update(better)
    let first = try #require(try await changes.next())
    #expect(first.kind == .update && first.key == .rowid(1))
    #expect(first.old == ada && first.new == better)
    let row = try #require(first.row.new)
    #expect(try row["team"] as Value == .null)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player(name, score, team) VALUES ('bob', 60, 'blue')")
    #expect(try await changes.next()?.new == Player("bob", score: 60, team: .blue, id: 2))
    try await db.database.delete(better)
    #expect(try await changes.next()?.old == better)
  }

  @Test
  func `a row that does not fit the record ends the sequence with an error`() async throws {
    let db = try await TemporaryDatabase(
      schema: "CREATE TABLE player (id INTEGER PRIMARY KEY, name, score, team)")
    var changes = try await Player.changes(in: db.database).makeAsyncIterator()
    try await db.write(script: "INSERT INTO player(name, score) VALUES (NULL, 1)")
    let error = try await changes.nextError() as? DatabaseError
    #expect(error?.message.contains("name") == true)
    try await db.write(script: "INSERT INTO player(name, score) VALUES ('ada', 1)")
    #expect(try await changes.next(isolation: #isolation) == nil)
  }

  @Test
  func `a column that is renamed ends the sequence with an error, one that is added doesn't`()
    async throws
  {
    let db = try await TemporaryDatabase(schema: "")
    try await db.database.write { try $0.create(Player.self) }
    let ada = try await db.database.insert(Player("ada", team: .red))
    var changes = try await Player.changes(in: db.database).makeAsyncIterator()
    try await db.write(script: "ALTER TABLE player ADD COLUMN extra; UPDATE player SET score = 2")
    #expect(try await changes.next()?.new?.score == 2)
    // Its property is optional, as it is in a query of records.
    try await db.write(
      script: "ALTER TABLE player RENAME COLUMN team TO side; UPDATE player SET score = 3")
    let error = try await changes.nextError() as? DatabaseError
    #expect(error?.code == .mismatch)
    #expect(error?.message.contains("player has no column team, which Player needs") == true)
    #expect(try await changes.next(isolation: #isolation) == nil)
    await #expect(throws: DatabaseError.self) { try await db.database.fetchAll(Player.self) }
    #expect(ada.team == .red)
  }

  @Test
  func `queries for records are observed`() async throws {
    let database = try memory(Player.self)
    struct Best: Decodable, Equatable { var name: String }
    let best = database.record(
      Query.rows("SELECT name FROM player ORDER BY score DESC LIMIT 1", as: Best.self))
    let count = database.record(Query.count(Player.self, where: "score > ?", [40]))
    let all = database.record(try Query.all(Player.self, where: "score > 40", orderBy: "name"))
    try await best.expect([])
    try await count.expect(0)
    try await all.expect([])
    try await database.insert(Player("bob", score: 50))
    try await best.expect([Best(name: "bob")])
    try await count.expect(1)
    try await all.expect([Player("bob", score: 50, id: 1)])
  }

  @Test
  func `moments are stored as the configuration says`() async throws {
    struct Event: Record, Equatable {
      var id: Int
      var at: Date
      var maybe: Date?
    }
    let moment = Date(timeIntervalSince1970: 1_714_979_289.123)
    let formats: [(DateFormat, Value, String, Double)] = [
      (.iso8601, "2024-05-06 07:08:09.123", "TEXT", 0.0005),
      (.unixSeconds, 1_714_979_289, "INTEGER", 1),
      (.unixMilliseconds, 1_714_979_289_123, "INTEGER", 0.0005),
      (.julianDay, .real(1_714_979_289_123_000 / 86_400e6 + 2_440_587.5), "REAL", 0.001),
      (
        .custom(
          encode: { .text("\($0.microseconds)") },
          decode: { String.fromValue($0).flatMap { Int64($0) }.map { Timestamp(microseconds: $0) } }
        ),
        "1714979289123000", "BLOB", 0.000_01
      ),
    ]
    for (format, value, type, precision) in formats {
      var configuration = Configuration()
      configuration.dateFormat = format
      let database = try memory(Event.self, configuration: configuration)
      try await database.insert(Event(id: 1, at: moment, maybe: nil))
      let row = try database.readWaiting { try $0.fetchOne(from: "event", key: 1) }
      #expect(row?["at"] == value)
      let read = try #require(try await database.fetchOne(Event.self, key: 1))
      #expect(abs(read.at.timeIntervalSince(moment)) < precision && read.maybe == nil)
      let typed = try database.readWaiting { db in
        try db.fetchAll("SELECT at, maybe FROM event") { row in
          (try row[0] as Date, try row[1] as Date?)
        }
      }
      #expect(typed[0].0 == read.at && typed[0].1 == nil)
      let declared: String? = try database.readWaiting { db in
        try db.fetchOne("SELECT type FROM pragma_table_info('event') WHERE name = 'at'")
      }
      #expect(declared == type)
      let found = try await database.fetchAll(
        Event.self, where: "at <= ?", [try moment.addingTimeInterval(1).value(format)])
      #expect(found.count == 1)
    }
  }

  @Test
  func `SQLite reads the moments that are stored, and the reverse`() throws {
    struct Event: Record {
      var id: Int
      var at: Date
    }
    let database = try memory(Event.self)
    try database.writeWaiting { db throws in
      try db.insert(Event(id: 1, at: Date(timeIntervalSince1970: 1_714_979_289)))
      #expect(try db.fetchOne("SELECT strftime('%Y %s', at) FROM event") == "2024 1714979289")
      try db.execute("INSERT INTO event VALUES (2, datetime(0, 'unixepoch')), (3, '1970-01-01')")
      let epochs = try db.fetchAll(Event.self, where: "id > 1").map(\.at.timeIntervalSince1970)
      #expect(epochs == [0, 0])
    }
  }
}
