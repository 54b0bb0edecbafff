import ObservationEngine
import ObservationRecords
import TestSupport
import Testing

/// Transactions of records.
struct TransactionRecordTests {
  private func players() throws -> Database {
    let database = try memory(Player.self)
    try database.writeWaiting { db in
      for (index, name) in ["ada", "bob", "eve"].enumerated() {
        try db.insert(Player(name, score: index, team: index == 1 ? .blue : .red))
      }
    }
    return database
  }

  private func scores(_ database: Database) throws -> [Int] {
    try database.readWaiting { try $0.fetchAll(Player.self, orderBy: "id").map(\.score) }
  }

  @Test
  func `records are added, updated, saved and deleted, together`() async throws {
    let database = try players()
    let ordinal = try await database.commit([
      .add(Player("zoe", score: 9)), .update(Player("ada", score: 5, id: 1)),
      .save(Player("bob", score: 6, id: 2)), .delete(Player("eve", id: 3)),
    ])
    #expect(ordinal != nil)
    #expect(try scores(database) == [5, 6, 9])
    await #expect(throws: DatabaseError.self) {
      try await database.commit([.delete(Player("zoe", id: 4)), .add(Player("ada", id: 1))])
    }
    #expect(try scores(database) == [5, 6, 9])
  }

  @Test
  func `a change writes the columns that it changed, and no others`() async throws {
    let database = try players()
    let stale = Player("ada", score: 0, team: .red, id: 1)
    try await database.write { try $0.execute("UPDATE player SET name = 'Ada L.', score = 7") }
    try await database.commit(.update(stale) { $0.score += 1 })
    #expect(
      try await database.fetchOne(Player.self, key: 1)
        == Player("Ada L.", score: 1, team: .red, id: 1))
    try await database.commit(Transaction.update(stale) { $0.score += 1 }.refreshing())
    #expect(try await database.fetchOne(Player.self, key: 1)?.score == 2)
    try await database.commit(.update(stale) { _ in })
    #expect(try await database.fetchOne(Player.self, key: 1)?.score == 2)
  }

  @Test
  func `refreshing reads what steps before it wrote`() async throws {
    let database = try players()
    let ada = Player("ada", score: 0, id: 1)
    let cheer = Transaction.update(ada) { $0.score += 1 }
    try await database.commit(Transaction([cheer, cheer, cheer]).refreshing())
    #expect(try scores(database)[0] == 3)
    try await database.commit([cheer, cheer])
    #expect(try scores(database)[0] == 1)
  }

  @Test
  func `a property is set in one record, or in all that fulfil a condition`() async throws {
    let database = try players()
    let ada = Player("ada", score: 0, team: .red, id: 1)
    try await database.write {
      try $0.execute("UPDATE player SET score = 7, name = 'x' WHERE id = 1")
    }
    // Even though the record has the value already.
    try await database.commit(.set(\.score, 0, on: ada))
    let set = try await database.fetchOne(Player.self, key: 1)
    #expect(set == Player("x", score: 0, team: .red, id: 1))
    try await database.commit([.set(\.team, nil, on: ada), .set(\.name, "", on: ada)])
    #expect(try await database.fetchOne(Player.self, key: 1) == Player("", score: 0, id: 1))
    try await database.commit(.set(\Player.score, 50, where: "team = ?", ["red"]))
    try await database.commit(.set(\Player.team, .blue, where: "team = :t", ["t": "red"]))
    try await database.commit(.set(\Player.name, "all", where: nil))
    #expect(try scores(database) == [0, 1, 50])
    #expect(try await database.count(Player.self, where: "team = 'blue' AND name = 'all'") == 2)
    try await database.commit(.set(\Player.team, nil, where: nil))
    #expect(try await database.count(Player.self, where: "team IS NULL") == 3)
  }

  @Test
  func `every property of every kind is found by its key path`() async throws {
    let database = try memory(Everything.self)
    let old = try Everything.sample(optionals: false)
    let new = try Everything.sample(optionals: true)
    try await database.insert(old)
    func check<Property: Codable & Equatable & Sendable>(
      _ property: any WritableKeyPath<Everything, Property> & Sendable
    ) async throws {
      let value = new[keyPath: property]
      try await database.commit(.set(property, value, where: nil))
      let read = try await database.fetchAll(Everything.self)
      #expect(read.first?[keyPath: property] == value, "\(property)")
      var expected = old
      expected[keyPath: property] = value
      #expect(read == [expected], "and nothing else")
      try await database.commit(.set(property, old[keyPath: property], on: expected))
      #expect(try await database.fetchAll(Everything.self) == [old], "\(property)")
    }
    try await check(\.flag)
    try await check(\.i8)
    try await check(\.u64)
    try await check(\.float)
    try await check(\.double)
    try await check(\.text)
    try await check(\.date)
    try await check(\.data)
    try await check(\.bytes)
    try await check(\.url)
    try await check(\.level)
    try await check(\.mood)
    try await check(\.wrapped)
    try await check(\.place)
    try await check(\.tags)
    try await check(\.table)
    try await check(\.maybeInt)
    try await check(\.maybeDate)
    try await check(\.maybeUUID)
    try await check(\.maybeMood)
    try await check(\.maybePlace)
    try await check(\.maybeFlag)
  }

  @Test
  func `a part of JSON is set in one record, and refused for many`() async throws {
    let database = try memory(Everything.self)
    let stale = try Everything.sample(optionals: true)
    try await database.insert(stale)
    try await database.commit(.update(stale) { $0.place.coordinates = [1] })
    try await database.commit(Transaction.set(\.place.city, "Bonn", on: stale).refreshing())
    let place = try await database.fetchOne(Everything.self, key: stale.id)?.place
    #expect(place?.city == "Bonn" && place?.coordinates == [1])
    let error = await #expect(throws: DatabaseError.self) {
      try await database.commit(.set(\Everything.place.city, "Bonn", where: nil))
    }
    #expect(error?.message.contains("not all that its column holds") == true)
  }

  @Test
  func `what no column holds, and a row that is gone, are errors`() async throws {
    struct Odd: Record {
      var id: Int
      var kept: Int
      var ignored = 0
      enum CodingKeys: CodingKey { case id, kept }
    }
    let database = try memory(Odd.self, Player.self)
    let odd = Odd(id: 1, kept: 2)
    try await database.insert(odd)
    let unknown = await #expect(throws: DatabaseError.self) {
      try await database.commit(.set(\.ignored, 5, on: odd))
    }
    #expect(unknown?.message.hasPrefix("no column of Odd holds") == true)
    for gone in [
      Transaction.set(\.score, 1, on: Player("x", id: 9)),
      .update(Player("x", id: 9)) { $0.score = 5 }, .update(Player("x", id: 9)) { _ in },
      Transaction.update(Player("x", id: 9)) { $0.score = 5 }.refreshing(),
      .update(Player("x", id: 9)),
    ] {
      let error = await #expect(throws: DatabaseError.self) { try await database.commit(gone) }
      #expect(error?.code == .notFound)
    }
  }
}
