import ObservationEngine
import TestSupport
import Testing

/// Debounced and throttled observations, on a clock that stands still.
@Suite(.fewAtOnce)
struct PaceTests {
  private static let count = Query.count(of: "player")

  /// A database, a paced observation of its count, and a witness that gets each value after it.
  private struct Bench {
    let db: TemporaryDatabase
    let clock = ManualClock()
    let values = Journal<Int>()
    let task: Task<Void, any Error>
    let witness: Recorder<Int>
    private let kind: StorageKind

    init(
      _ kind: StorageKind,
      _ pace: (ValueObservation<Int>, ManualClock) -> any AsyncSequence<Int, any Error> & Sendable
    ) async throws {
      self.kind = kind
      db = try await TemporaryDatabase(kind)
      task = Self.record(pace(db.database.observe(PaceTests.count), clock), in: values)
      witness = db.database.record(PaceTests.count)
      try await witness.expect(0)
    }

    /// The sequence begins before this returns.
    private static func record(
      _ sequence: some AsyncSequence<Int, any Error> & Sendable, in values: Journal<Int>
    ) -> Task<Void, any Error> {
      let begun = sequence.makeAsyncIterator()
      return Task {
        var iterator = begun
        while let value = try await iterator.next(isolation: nil) { values.append(value) }
        values.finish()
      }
    }

    /// Makes the count another one, and returns when it was delivered.
    func set(_ count: Int) async throws {
      try await db.database.write { connection in
        try connection.execute("DELETE FROM player")
        for _ in 0..<count { try connection.execute("INSERT INTO player DEFAULT VALUES") }
      }
      try await witness.expect(count)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `debounce delivers a value once nothing newer came for the interval`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind) { $0.debounce(for: .seconds(4), clock: $1) }
    try await bench.clock.expectSleeper(until: .seconds(4))
    bench.clock.advance(by: .seconds(3))
    try await bench.set(1)
    try await bench.clock.expectSleeper(until: .seconds(7))
    bench.clock.advance(by: .seconds(3))
    try await bench.set(2)
    try await bench.clock.expectSleeper(until: .seconds(10))
    #expect(bench.values.entries.isEmpty)
    bench.clock.advance(by: .seconds(4))
    #expect(await bench.values.entry(at: 0) == 2)
    try await bench.set(3)
    try await bench.clock.expectSleeper(until: .seconds(14))
    bench.clock.advance(by: .seconds(4))
    #expect(await bench.values.entry(at: 1) == 3)
    #expect(bench.values.entries == [2, 3])
    bench.task.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `debounce does not repeat a value that came back`(_ kind: StorageKind) async throws {
    let bench = try await Bench(kind) { $0.debounce(for: .seconds(4), clock: $1) }
    try await bench.clock.expectSleeper(until: .seconds(4))
    bench.clock.advance(by: .seconds(4))
    #expect(await bench.values.entry(at: 0) == 0)
    try await bench.set(1)
    try await bench.clock.expectSleeper(until: .seconds(8))
    bench.clock.advance(by: .seconds(1))
    try await bench.set(0)
    try await bench.clock.expectSleeper(until: .seconds(9))
    bench.clock.advance(by: .seconds(4))
    try await bench.set(2)
    try await bench.clock.expectSleeper(until: .seconds(13))
    bench.clock.advance(by: .seconds(4))
    #expect(await bench.values.entry(at: 1) == 2)
    bench.task.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `debounce counts from the arrival, not from the asking`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let clock = ManualClock()
    var iterator = db.database.observe(Self.count).debounce(for: .seconds(4), clock: clock)
      .makeAsyncIterator()
    let witness = db.database.record(Self.count)
    try await witness.expect(0)
    clock.advance(by: .seconds(4))
    #expect(try await iterator.next() == 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `throttle delivers the first at once, then the newest of each interval`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind) { $0.throttle(for: .seconds(4), clock: $1) }
    #expect(await bench.values.entry(at: 0) == 0)
    try await bench.clock.expectSleeper(until: .seconds(4))
    try await bench.set(1)
    bench.clock.advance(by: .seconds(3))
    try await bench.set(2)
    #expect(bench.values.entries == [0])
    bench.clock.advance(by: .seconds(1))
    #expect(await bench.values.entry(at: 1) == 2)
    // After a rest a value comes at once.
    try await bench.clock.expectSleeper(until: .seconds(8))
    bench.clock.advance(by: .seconds(10))
    try await bench.set(3)
    #expect(await bench.values.entry(at: 2) == 3)
    #expect(bench.values.entries == [0, 2, 3])
    bench.task.cancel()
  }

  @Test(arguments: StorageKind.allCases, [true, false])
  func `cancelling the task ends a paced sequence`(
    _ kind: StorageKind, debounces: Bool
  ) async throws {
    let bench = try await Bench(kind) { observation, clock in
      guard debounces else { return observation.throttle(for: .seconds(4), clock: clock) }
      return observation.debounce(for: .seconds(4), clock: clock)
    }
    try await bench.clock.expectSleeper(until: .seconds(4))
    bench.task.cancel()
    try await bench.task.value
    #expect(bench.clock.deadlines.isEmpty)
  }

  @Test(arguments: StorageKind.files)
  func `closing the database delivers what waits, and ends a debounced sequence`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind) { $0.debounce(for: .seconds(4), clock: $1) }
    try await bench.clock.expectSleeper(until: .seconds(4))
    await bench.db.database.close()
    try await bench.task.value
    #expect(bench.values.entries == [0])
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero])
  func `no interval stops the program`(_ interval: Duration) async throws {
    let db = try await TemporaryDatabase()
    let (throttled, debounced) = (Journal<Int>(), Journal<Int>())
    let observation = db.database.observe(Self.count)
    let tasks = [
      Task {
        for try await count in observation.throttle(for: interval) { throttled.append(count) }
      },
      Task {
        for try await count in observation.debounce(for: interval) { debounced.append(count) }
      },
    ]
    #expect(await throttled.entry(at: 0) == 0)
    if interval <= .zero { #expect(await debounced.entry(at: 0) == 0) }
    let witness = db.database.record(Self.count)
    try await witness.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await witness.expect(1)
    if interval <= .zero {
      #expect(await throttled.entry(at: 1) == 1)
      #expect(await debounced.entry(at: 1) == 1)
    }
    for task in tasks { task.cancel() }
    for task in tasks { _ = await task.result }
    if interval > .zero { #expect(throttled.entries == [0] && debounced.entries == []) }
  }

  @Test(arguments: StorageKind.allCases)
  func `an error is paced as a value is, and ends the sequence`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: "")
    let clock = ManualClock()
    let observation = db.database.observe(Self.count).debounce(for: .seconds(4), clock: clock)
    let failures = Journal<any Error>()
    let task = Task {
      var iterator = observation.makeAsyncIterator()
      do { _ = try await iterator.next() } catch { failures.append(error) }
      return try await iterator.next()
    }
    try await clock.expectSleeper(until: .seconds(4))
    #expect(failures.entries.isEmpty)
    clock.advance(by: .seconds(4))
    #expect(await failures.entry(at: 0) is DatabaseError)
    #expect(try await task.value == nil)
  }
}
