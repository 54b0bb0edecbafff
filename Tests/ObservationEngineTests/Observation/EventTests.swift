import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// What `handleEvents` and `print` tell.
@Suite(.fewAtOnce)
struct EventTests {
  private static let count = Query.count(of: "player")

  private static func traced(
    _ observation: ValueObservation<Int>, _ journal: Journal<String>
  ) -> ValueObservation<Int> {
    observation.handleEvents(
      willStart: { journal.append("start") },
      willFetch: { journal.append("fetch") },
      willTrackRegion: { journal.append("region \($0)") },
      databaseDidChange: { journal.append("change") },
      didReceiveValue: { journal.append("value \($0)") },
      didFail: { _ in journal.append("failure") },
      didCancel: { journal.append("cancel") })
  }

  @Test(arguments: StorageKind.allCases, [ObservationStart.whenFetched, .immediate])
  func `events come in the order of an observation's life`(
    _ kind: StorageKind, start: ObservationStart
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    let subscription = Self.traced(db.database.observe(Self.count), journal).start(start) { _ in
    } onValue: { _ in
    }
    #expect(await journal.entry(at: 3) == "value 0")
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await journal.entry(at: 6) == "value 1")
    subscription.cancel()
    subscription.cancel()
    #expect(
      journal.entries == [
        "start", "fetch", "region player(*)", "value 0", "change", "fetch", "value 1", "cancel",
      ])
  }

  @Test(arguments: StorageKind.allCases)
  func `a value that is equal is fetched, and not received`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 5), (2, 'bob', 1)")
    let journal = Journal<String>()
    let highest = Query.scalar("SELECT max(score) FROM player", as: Int.self).map { $0 ?? 0 }
    let subscription = Self.traced(db.database.observe(highest), journal).start(.immediate) { _ in
    } onValue: { _ in
    }
    try await db.write(script: "UPDATE player SET score = 2 WHERE id = 2")
    #expect(await journal.entry(at: 5) == "fetch")
    let fence = db.database.record(highest)
    try await fence.expect(5)
    try await db.write(script: "UPDATE player SET score = 9 WHERE id = 2")
    #expect(await journal.entry(at: 8) == "value 9")
    subscription.cancel()
    #expect(
      journal.entries == [
        "start", "fetch", "region player(score)", "value 5", "change", "fetch", "change", "fetch",
        "value 9", "cancel",
      ])
  }

  @Test(arguments: StorageKind.allCases)
  func `a region is told when it is another one than before`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        CREATE TABLE choice (t); INSERT INTO choice VALUES ('a');
        CREATE TABLE a (x); CREATE TABLE b (x)
        """)
    let journal = Journal<String>()
    let observation = db.database.observe { connection -> Int in
      let table: String = try connection.fetchOne("SELECT t FROM choice") ?? ""
      return try connection.count(of: table)
    }
    let subscription = observation.handleEvents(
      willTrackRegion: { journal.append("\($0)") },
      databaseDidChange: { journal.append("change") }
    ).start(.immediate) { _ in
    } onValue: { _ in
    }
    try await db.write(script: "INSERT INTO a VALUES (1)")
    #expect(await journal.entry(at: 1) == "change")
    try await db.write(script: "UPDATE choice SET t = 'b'")
    #expect(await journal.entry(at: 3) == "b(*),choice(t)")
    #expect(journal.entries == ["a(*),choice(t)", "change", "change", "b(*),choice(t)"])
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `errors are told`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: "")
    let journal = Journal<String>()
    let recorder = Recorder(Self.traced(db.database.observe(Self.count), journal))
    _ = try await recorder.expectError()
    try await db.write(script: TemporaryDatabase.players)
    #expect(await journal.entry(at: 6) == "value 0")
    #expect(
      journal.entries == [
        "start", "fetch", "failure", "change", "fetch", "region player(*)", "value 0",
      ])
    withExtendedLifetime(recorder) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `each place in the chain sees what passes there`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    let subscription = db.database.observe(Self.count)
      .handleEvents(didReceiveValue: { journal.append("first \($0)") })
      .map { $0 / 2 }
      .removeDuplicates()
      .handleEvents(didReceiveValue: { journal.append("last \($0)") })
      .start(.immediate) { _ in
      } onValue: {
        journal.append("value \($0)")
      }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await journal.entry(at: 3) == "first 1")
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await journal.entry(at: 6) == "value 1")
    #expect(
      journal.entries == [
        "first 0", "last 0", "value 0", "first 1", "first 2", "last 1", "value 1",
      ])
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `each subscription tells its own events`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let starts = Counter()
    let cancels = Counter()
    let observation = db.database.observe(Self.count).handleEvents(
      willStart: { starts.increment() }, didCancel: { cancels.increment() })
    #expect(starts.value == 0)
    for number in 1...3 {
      var iterator: ValueObservation<Int>.AsyncIterator? = observation.makeAsyncIterator()
      #expect(try await iterator?.next() == 0)
      iterator = nil
      #expect(starts.value == number)
      #expect(cancels.value == number)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `the value that skippingInitial drops is not received`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let journal = Journal<String>()
    let subscription = Self.traced(db.database.observe(Self.count), journal).skippingInitial()
      .start(.immediate) { _ in
      } onValue: { _ in
      }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await journal.entry(at: 5) == "value 1")
    #expect(
      journal.entries == [
        "start", "fetch", "region player(*)", "change", "fetch", "value 1",
      ])
    subscription.cancel()
  }

  /// Keeps what is written.
  private final class Log: TextOutputStream, Sendable {
    let lines = Journal<String>()
    func write(_ string: String) { lines.append(string) }
  }

  @Test(arguments: StorageKind.allCases)
  func `print writes a line for each event`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = Log()
    let subscription = db.database.observe(Self.count).print("count", to: log)
      .start(.immediate) { _ in
      } onValue: { _ in
      }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await log.lines.entry(at: 6) == "count: value: 1\n")
    subscription.cancel()
    #expect(
      log.lines.entries == [
        "count: start\n", "count: fetch\n", "count: tracked region: player(*)\n",
        "count: value: 0\n", "count: database did change\n", "count: fetch\n",
        "count: value: 1\n", "count: cancel\n",
      ])
  }

  @Test(arguments: StorageKind.allCases)
  func `print without a prefix writes errors too`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: "")
    let log = Log()
    let subscription = db.database.observe(Self.count).print(to: log).start(.immediate) { _ in
    } onValue: { _ in
    }
    subscription.cancel()
    let lines = log.lines.entries
    #expect(lines.count == 4)
    #expect(lines.first == "start\n" && lines.last == "cancel\n")
    #expect(lines.dropFirst(2).first?.hasPrefix("failure: no such table: player") == true)
  }
}
