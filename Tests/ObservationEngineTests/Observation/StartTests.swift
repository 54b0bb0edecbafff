import Dispatch
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Observations that call handlers.
@Suite(.fewAtOnce)
struct StartTests {
  private static let count = Query.count(of: "player")

  /// Records what handlers are called with.
  private final class Calls: Sendable {
    let journal = Journal<Result<Int, DatabaseError>>()
    private let position = Mutex(0)

    func start(
      _ observation: ValueObservation<Int>, _ start: ObservationStart = .whenFetched
    ) -> ObservationSubscription {
      observation.start(start) { [journal] error in
        journal.append(
          .failure(error as? DatabaseError ?? DatabaseError(code: .error, message: "")))
      } onValue: { [journal] value in
        journal.append(.success(value))
      }
    }

    var values: [Int] { journal.entries.compactMap { try? $0.get() } }

    func next() async throws -> Result<Int, DatabaseError> {
      let index = position.withLock { position in
        defer { position += 1 }
        return position
      }
      guard let entry = await journal.entry(at: index) else { throw Unexpected("no call") }
      return entry
    }

    func expect(_ value: Int) async throws {
      #expect(try await next().get() == value)
    }
  }

  private static func insert(_ database: Database) throws {
    try database.writeWaiting { connection in
      _ = try connection.execute("INSERT INTO player DEFAULT VALUES")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `immediate: the first value is there before start returns`(_ kind: StorageKind) async throws
  {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let calls = Calls()
    let subscription = calls.start(db.database.observe(Self.count), .immediate)
    #expect(calls.values == [1])
    try await calls.expect(1)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await calls.expect(2)
    subscription.cancel()
    #expect(calls.values == [1, 2])
  }

  @Test
  func `a handler that writes on the thread of a refresh is told why it cannot`() async throws {
    // Nothing runs on the writer's thread: a refresh is known to be quick only after some.
    let db = try await TemporaryDatabase()
    let other = try await TemporaryDatabase()
    let outcomes = Journal<DatabaseError?>()
    let database = db.database
    let subscription = database.observe(Self.count).start { _ in
    } onValue: { count in
      guard count > 0 else { return }
      var outcome: DatabaseError?
      do {
        try database.writeWaiting { try $0.execute("INSERT INTO map(name) VALUES ('x')") }
      } catch {
        outcome = error as? DatabaseError
      }
      // Another database is another matter.
      try? Self.insert(other.database)
      outcomes.append(outcome)
    }
    let witness = database.record(Self.count)
    try await witness.expect(0)
    let process = try await ExternalProcess.serve(db.path)
    try await process.send("INSERT INTO player DEFAULT VALUES")
    let error = try #require(await outcomes.entry(at: 0) ?? nil)
    #expect(error.code == .misuse)
    #expect(
      error.message.contains(
        "a handler of an observation cannot write on the thread of the refresh"))
    #expect(try await other.integer("SELECT count(*) FROM player") == 1)
    #expect(try await db.integer("SELECT count(*) FROM map") == 0)
    // Within a read there is another reason.
    let reading = #expect(throws: DatabaseError.self) {
      try database.readWaiting { _ in try database.writeWaiting { _ in } }
    }
    #expect(reading?.message.contains("a write cannot be part of a read") == true)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `immediate: one fetch serves the beginning`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let fetches = Counter()
    let calls = Calls()
    let subscription = calls.start(
      db.database.observe { connection -> Int in
        fetches.increment()
        return try connection.count(of: "player")
      }, .immediate)
    try await calls.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await calls.expect(1)
    #expect(fetches.value == 2)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `immediate: no commit between the first fetch and the start is missed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let writer = Task {
      for _ in 1...200 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    }
    var subscriptions: [ObservationSubscription] = []
    var all: [Calls] = []
    for _ in 1...40 {
      let calls = Calls()
      subscriptions.append(calls.start(db.database.observe(Self.count), .immediate))
      #expect(calls.values.count >= 1)
      all.append(calls)
      await Task.yield()
    }
    try await writer.value
    for calls in all {
      while try await calls.next().get() != 200 {}
      #expect(calls.values == calls.values.sorted(), "in the order of the commits")
      #expect(Set(calls.values).count == calls.values.count, "none twice")
    }
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test
  func `immediate: a commit after the snapshot of the first fetch is told`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let isFirst = Mutex(true)
    let calls = Calls()
    let subscription = calls.start(
      db.database.observe { connection -> Int in
        let count = try connection.count(of: "player")
        let mustWrite = isFirst.withLock { isFirst in
          defer { isFirst = false }
          return isFirst
        }
        if mustWrite {
          // The snapshot is read, and the observation has not begun.
          let written = DispatchSemaphore(value: 0)
          DispatchQueue(label: "livequery.test.writer").async {
            try? Self.insert(db.database)
            written.signal()
          }
          written.wait()
        }
        return count
      }, .immediate)
    try await calls.expect(0)
    try await calls.expect(1)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `immediate: what depends on the time is refreshed when the timer rings`(
    _ kind: StorageKind
  ) async throws {
    let timer = ManualTimer()
    let db = try await TemporaryDatabase(kind, configuration: timer.configuration)
    let calls = Calls()
    let subscription = calls.start(
      db.database.observe(Query.scalar("SELECT random()", as: Int.self).map { $0 ?? 0 }), .immediate
    )
    let first = try await calls.next().get()
    try await timer.ring()
    #expect(try await calls.next().get() != first)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.files)
  func `immediate: a commit of another process after the start is noticed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    let calls = Calls()
    let subscription = calls.start(db.database.observe(Self.count), .immediate)
    #expect(calls.values == [0])
    try await other.send("INSERT INTO player DEFAULT VALUES")
    try await calls.expect(0)
    try await calls.expect(1)
    subscription.cancel()
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `immediate: an error that can't heal is delivered before start returns, and ends it`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind, schema: "")
    let calls = Calls()
    let subscription = calls.start(db.database.observe(Self.count), .immediate)
    #expect(calls.journal.entries.count == 1)
    guard case .failure = try await calls.next() else {
      Issue.record("there is no table yet")
      return
    }
    try await db.write(script: TemporaryDatabase.players)
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    #expect(calls.journal.entries.count == 1)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `an error that can't heal is the last call`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let calls = Calls()
    let ends = Counter()
    let subscription = calls.start(
      db.database.observe(Self.count).handleEvents(didCancel: { ends.increment() }))
    try await calls.expect(0)
    try await db.write(script: "ALTER TABLE player RENAME TO gamer")
    guard case .failure = try await calls.next() else {
      Issue.record("the table is gone")
      return
    }
    try await db.write(script: "ALTER TABLE gamer RENAME TO player")
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    #expect(calls.journal.entries.count == 2)
    #expect(ends.value == 1)
    subscription.cancel()
  }

  @Test
  func `immediate: in memory, what is not committed is not shown`() async throws {
    let db = try await TemporaryDatabase(.memory)
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    let calls = Calls()
    let subscription = calls.start(db.database.observe(Self.count), .immediate)
    guard case .failure(let error) = try await calls.next() else {
      Issue.record("a transaction is open")
      return
    }
    #expect(error.code == .busy)
    try await db.run("COMMIT")
    try await calls.expect(1)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `without immediate, values come on a thread of the engine`(_ kind: StorageKind) async throws
  {
    let db = try await TemporaryDatabase(kind)
    let calls = Calls()
    let subscription = calls.start(db.database.observe(Self.count))
    try await calls.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await calls.expect(1)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases, [true, false])
  func `after cancelling or releasing the subscription, no handler is called`(
    _ kind: StorageKind, cancels: Bool
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let calls = Calls()
    var subscription: ObservationSubscription? = calls.start(
      db.database.observe(Self.count), .immediate)
    if cancels { subscription?.cancel() }
    subscription = cancels ? subscription : nil
    let fence = Calls()
    let other = fence.start(db.database.observe(Self.count), .immediate)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await fence.expect(0)
    try await fence.expect(1)
    #expect(calls.values == [0])
    other.cancel()
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: StorageKind.allCases)
  func `a handler can cancel its own subscription`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let fence = db.database.record(Self.count)
    try await fence.expect(0)
    let slot = Mutex<ObservationSubscription?>(nil)
    let values = Journal<Int>()
    slot.withLock {
      $0 = db.database.observe(Self.count).start { _ in
      } onValue: { value in
        values.append(value)
        if value == 1 { slot.withLock { $0 }?.cancel() }
      }
    }
    #expect(await values.entry(at: 0) == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await values.entry(at: 1) == 1)
    for _ in 1...3 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    try await fence.expect(4, via: [1, 2, 3])
    #expect(values.entries == [0, 1])
  }

  @Test(arguments: StorageKind.allCases)
  func `a handler that is slow gets the newest value, and never two calls at a time`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let running = Mutex(0)
    let values = Journal<Int>()
    let subscription = db.database.observe(Self.count).start { _ in
    } onValue: { value in
      #expect(
        running.withLock {
          $0 += 1; return $0
        } == 1)
      values.append(value)
      running.withLock { $0 -= 1 }
    }
    #expect(await values.entry(at: 0) == 0)
    for _ in 1...100 { try Self.insert(db.database) }
    try await wait(for: "the newest value") { values.entries.last == 100 }
    #expect(values.entries == values.entries.sorted())
    #expect(Set(values.entries).count == values.entries.count)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `what a handler refers to is released with the subscription`(
    _ kind: StorageKind
  ) async throws {
    final class Token: Sendable {}
    let db = try await TemporaryDatabase(kind)
    weak var token: Token?
    var subscription: ObservationSubscription?
    do {
      let kept = Token()
      token = kept
      subscription = db.database.observe(Self.count).start(.immediate) { _ in
      } onValue: { [kept] _ in
        withExtendedLifetime(kept) {}
      }
    }
    #expect(token != nil)
    subscription?.cancel()
    #expect(token == nil)
  }

  @Test(arguments: StorageKind.allCases)
  func `closing the database ends the calls, and releases the handlers`(
    _ kind: StorageKind
  ) async throws {
    final class Token: Sendable {}
    let db = try await TemporaryDatabase(kind)
    weak var token: Token?
    var subscription: ObservationSubscription?
    do {
      let kept = Token()
      token = kept
      subscription = db.database.observe(Self.count).start(.immediate) { _ in
      } onValue: { [kept] _ in
        withExtendedLifetime(kept) {}
      }
    }
    await db.database.close()
    #expect(token == nil)
    subscription?.cancel()
  }

  @MainActor
  @Test(arguments: StorageKind.allCases)
  func `on the main actor: at once, then as they come, and not after cancelling`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let values = Journal<Int>()
    var shown: Int?
    let subscription = db.database.observe(Self.count).startOnMainActor { _ in
    } onValue: { value in
      MainActor.assertIsolated()
      shown = value
      values.append(value)
    }
    #expect(shown == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await values.entry(at: 1) == 1)
    #expect(shown == 1)
    let fence = db.database.record(Self.count)
    try await fence.expect(1)
    try Self.insert(db.database)
    // The value may be on its way to the main actor by now, which this test occupies.
    subscription.cancel()
    try await fence.expect(2)
    #expect(shown == 1)
  }
}
