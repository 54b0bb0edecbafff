import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Operators of value observations.
@Suite(.fewAtOnce)
struct OperatorTests {
  private static let count = Query.count(of: "player")

  @Test(arguments: StorageKind.allCases)
  func `map delivers what it makes of each value, once`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let runs = Counter()
    let recorder = Recorder(
      db.database.observe(Self.count).map { count in
        runs.increment()
        return "\(count) players"
      })
    try await recorder.expect("0 players")
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect("1 players")
    #expect(runs.value == 2)
  }

  @Test
  func `map runs in the consumer, and holds up no connection`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let entered = Journal<Int>()
    let gate = Journal<Int>()
    let slow = Task {
      var iterator = db.database.observe(Self.count).map { $0 }.makeAsyncIterator()
      _ = try await iterator.next()
      entered.append(0)
      return await gate.entry(at: 0)
    }
    _ = await entered.entry(at: 0)
    let recorder = db.database.record(Self.count)
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    gate.append(0)
    _ = try await slow.value
  }

  @Test(arguments: StorageKind.allCases)
  func `an error of map is delivered, and the observation goes on`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = Recorder(
      db.database.observe(Self.count).map { count -> Int in
        if count == 1 { throw DatabaseError(code: .mismatch, message: "one is no number") }
        return count
      })
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(try await recorder.expectError().code == .mismatch)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(2)
  }

  @Test(arguments: StorageKind.allCases)
  func `values that map makes equal repeat, unless duplicates are removed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let halves = Journal<Int>()
    let repeated = db.database.observe(Self.count).map { $0 / 2 }.start { _ in
    } onValue: {
      halves.append($0)
    }
    #expect(await halves.entry(at: 0) == 0)
    let unique = Recorder(db.database.observe(Self.count).map { $0 / 2 }.removeDuplicates())
    try await unique.expect(0)
    for number in 1...4 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      #expect(await halves.entry(at: number) == number / 2)
    }
    try await unique.expect(1)
    try await unique.expect(2)
    #expect(unique.values == [0, 1, 2])
    repeated.cancel()
  }

  /// Not `Equatable`.
  private struct Report: Sendable {
    let version: Int
    let count: Int
  }

  private static func report(_ connection: Connection) throws -> Report {
    let count = try connection.count(of: "player")
    return Report(version: count / 2, count: count)
  }

  @Test(arguments: StorageKind.allCases)
  func `a type that is not Equatable is delivered at each fetch`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let versions = Journal<Int>()
    let subscription = db.database.observe { try Self.report($0) }.start { _ in
    } onValue: {
      versions.append($0.version)
    }
    #expect(await versions.entry(at: 0) == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await versions.entry(at: 1) == 0)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `removeDuplicates takes the comparison that it is given`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let counts = Journal<Int>()
    let subscription = db.database.observe { try Self.report($0) }
      .removeDuplicates { $0.version == $1.version }
      .start { _ in
      } onValue: {
        counts.append($0.count)
      }
    #expect(await counts.entry(at: 0) == 0)
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    for number in 1...3 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await fence.expect(number)
    }
    #expect(await counts.entry(at: 1) == 2)
    #expect(counts.entries == [0, 2])
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `each subscriber removes its own duplicates`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let observation = db.database.observe(Self.count).removeDuplicates()
    let first = Recorder(observation)
    try await first.expect(0)
    let second = Recorder(observation)
    try await second.expect(0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a value after an error is no duplicate`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var updates = db.database.observe(Self.count).removeDuplicates().updates.makeAsyncIterator()
    #expect(try #require(await updates.take()).value == 0)
    try await db.write(script: "ALTER TABLE player RENAME TO gamer")
    #expect((try? #require(await updates.take()).value) == nil)
    try await db.write(script: "ALTER TABLE gamer RENAME TO player")
    #expect(try #require(await updates.take()).value == 0)
  }

  @Test(arguments: StorageKind.allCases, [ObservationStart.whenFetched, .immediate])
  func `skippingInitial tells changes only`(
    _ kind: StorageKind, start: ObservationStart
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let values = Journal<Int>()
    let fetched = Journal<Void>()
    let subscription = db.database.observe { connection -> Int in
      defer { fetched.append(()) }
      return try connection.count(of: "player")
    }.skippingInitial().start(start) { _ in
    } onValue: {
      values.append($0)
    }
    _ = await fetched.entry(at: 0)
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    // An unchanged result is no change either.
    try await db.write(script: "INSERT INTO player(id) VALUES (1)")
    #expect(await values.entry(at: 0) == 1)
    try await db.write(script: "DELETE FROM player")
    #expect(await values.entry(at: 1) == 0)
    #expect(values.entries == [1, 0])
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `skippingInitial skips one value, even for a consumer that is late`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let first = Journal<Void>()
    var iterator = db.database.observe { connection -> Int in
      defer { first.append(()) }
      return try connection.count(of: "player")
    }.skippingInitial().makeAsyncIterator()
    _ = await first.entry(at: 0)
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    // The initial value and this one merge in the channel.
    try await db.write(script: "INSERT INTO player(id) VALUES (1)")
    try await fence.expect(1)
    #expect(try await iterator.next() == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `skippingInitial does not hide an error`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: "")
    let recorder = Recorder(db.database.observe(Self.count).skippingInitial())
    _ = try await recorder.expectError()
    try await db.write(script: TemporaryDatabase.players)
    try await recorder.expect(0)
  }

  @Test(arguments: StorageKind.allCases)
  func `operators combine`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = Recorder(
      db.database.observe(Self.count).skippingInitial().map { $0 / 2 }.removeDuplicates()
        .map { "\($0)" })
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    for number in 1...4 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await fence.expect(number)
    }
    try await recorder.expect("2", via: ["0", "1"])
  }
}
