import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// One observation for several subscribers.
@Suite(.fewAtOnce)
struct SharedObservationTests {
  /// A shared count of players that counts its fetches.
  private struct Bench {
    let db: TemporaryDatabase
    let fetches = Counter()
    let shared: SharedObservation<Int>

    init(
      _ kind: StorageKind, _ extent: SharedObservationExtent = .whileObserved,
      schema: String = TemporaryDatabase.players
    ) async throws {
      db = try await TemporaryDatabase(kind, schema: schema)
      shared = db.database.observe { [fetches] connection -> Int in
        fetches.increment()
        return try connection.count(of: "player")
      }.shared(extent: extent)
    }

    func insert() async throws { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }

    /// Subscribes with handlers that write down values, and errors as -1.
    func subscribe(
      _ start: ObservationStart = .whenFetched
    ) -> (values: Journal<Int>, subscription: ObservationSubscription) {
      let values = Journal<Int>()
      let subscription = shared.start(start) { _ in
        values.append(-1)
      } onValue: {
        values.append($0)
      }
      return (values, subscription)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `nothing is fetched before somebody subscribes`(_ kind: StorageKind) async throws {
    let bench = try await Bench(kind)
    let fence = bench.db.database.record(integer: "SELECT count(*) FROM player")
    try await fence.expect(0)
    try await bench.insert()
    try await fence.expect(1)
    #expect(bench.fetches.value == 0)
  }

  @Test(arguments: StorageKind.allCases, [SharedObservationExtent.whileObserved, .untilReleased])
  func `one fetch serves all subscribers`(
    _ kind: StorageKind, extent: SharedObservationExtent
  ) async throws {
    let bench = try await Bench(kind, extent)
    let all = (1...10).map { _ in bench.subscribe() }
    for one in all { #expect(await one.values.entry(at: 0) == 0) }
    #expect(bench.fetches.value == 1)
    try await bench.insert()
    for one in all { #expect(await one.values.entry(at: 1) == 1) }
    #expect(bench.fetches.value == 2)
    for one in all { one.subscription.cancel() }
  }

  @Test(arguments: StorageKind.allCases)
  func `operators run once for all subscribers`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let runs = Counter()
    let shared = db.database.observe(
      Query.count(of: "player")
    ).map { count in
      runs.increment()
      return count * 2
    }.shared()
    let values = (1...5).map { _ in Journal<Int>() }
    let subscriptions = values.map { journal in
      shared.start { _ in
      } onValue: {
        journal.append($0)
      }
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    for journal in values { try await wait(for: "2") { journal.entries.last == 2 } }
    #expect(runs.value <= 2)
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test(arguments: StorageKind.allCases)
  func `a late subscriber gets the latest value before start returns`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind)
    let first = bench.subscribe()
    #expect(await first.values.entry(at: 0) == 0)
    try await bench.insert()
    #expect(await first.values.entry(at: 1) == 1)
    let late = bench.subscribe()
    #expect(late.values.entries == [1])
    var iterator = bench.shared.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(bench.fetches.value == 2)
    first.subscription.cancel()
    late.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `immediate: the first value is there before start returns`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind)
    let first = bench.subscribe(.immediate)
    #expect(first.values.entries == [0])
    let second = bench.subscribe(.immediate)
    #expect(second.values.entries == [0])
    #expect(bench.fetches.value == 1)
    try await bench.insert()
    #expect(await first.values.entry(at: 1) == 1)
    #expect(await second.values.entry(at: 1) == 1)
    first.subscription.cancel()
    second.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `while observed: it ends with the last subscriber, and begins anew with the next`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind, .whileObserved)
    let first = bench.subscribe()
    let second = bench.subscribe()
    #expect(await first.values.entry(at: 0) == 0)
    #expect(await second.values.entry(at: 0) == 0)
    first.subscription.cancel()
    try await bench.insert()
    #expect(await second.values.entry(at: 1) == 1)
    second.subscription.cancel()
    let before = bench.fetches.value
    let fence = bench.db.database.record(integer: "SELECT count(*) FROM player")
    try await fence.expect(1)
    try await bench.insert()
    try await fence.expect(2)
    #expect(bench.fetches.value == before, "nobody observes")
    let third = bench.subscribe()
    #expect(await third.values.entry(at: 0) == 2, "not the value of before")
    #expect(first.values.entries == [0])
    #expect(second.values.entries == [0, 1])
    third.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `until released: it goes on without subscribers`(_ kind: StorageKind) async throws {
    let bench = try await Bench(kind, .untilReleased)
    let first = bench.subscribe()
    #expect(await first.values.entry(at: 0) == 0)
    first.subscription.cancel()
    try await bench.insert()
    try await wait(for: "a fetch for nobody") { bench.fetches.value == 2 }
    let fence = bench.db.database.record(integer: "SELECT count(*) FROM player")
    try await fence.expect(1)
    let second = bench.subscribe()
    #expect(second.values.entries == [1])
    #expect(bench.fetches.value == 2)
    second.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases, [SharedObservationExtent.whileObserved, .untilReleased])
  func `released: it goes on for those who are subscribed, and ends with them`(
    _ kind: StorageKind, extent: SharedObservationExtent
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let cancels = Counter()
    let values = Journal<Int>()
    var shared: SharedObservation<Int>? = db.database.observe(
      Query.count(of: "player")
    ).handleEvents(didCancel: { cancels.increment() }).shared(extent: extent)
    let subscription = shared?.start { _ in
    } onValue: {
      values.append($0)
    }
    shared = nil
    #expect(await values.entry(at: 0) == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await values.entry(at: 1) == 1)
    #expect(cancels.value == 0)
    subscription?.cancel()
    #expect(cancels.value == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `until released: releasing it without subscribers ends the observation`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let cancels = Counter()
    var shared: SharedObservation<Int>? = db.database.observe(
      Query.count(of: "player")
    ).handleEvents(didCancel: { cancels.increment() }).shared(extent: .untilReleased)
    let subscription = shared?.start(.immediate) { _ in
    } onValue: { _ in
    }
    subscription?.cancel()
    #expect(cancels.value == 0)
    shared = nil
    #expect(cancels.value == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `an error that can't heal reaches all, also later subscribers, and ends them alone`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind, schema: "")
    var updates = bench.shared.updates.makeAsyncIterator()
    #expect((try? #require(await updates.take()).value) == nil)
    let first = bench.subscribe()
    #expect(first.values.entries == [-1])
    var iterator = bench.shared.makeAsyncIterator()
    #expect(try await iterator.nextError() is DatabaseError)
    try await bench.db.write(script: TemporaryDatabase.players)
    #expect(try #require(await updates.take()).value == 0, "one subscriber goes on")
    #expect(first.values.entries == [-1])
    #expect(try await iterator.next(isolation: #isolation) == nil)
    let latest = bench.subscribe()
    #expect(latest.values.entries == [0])
    for one in [first, latest] { one.subscription.cancel() }
  }

  @Test(arguments: StorageKind.allCases)
  func `an observation that begins anew has forgotten the error of before`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind, .whileObserved, schema: "")
    let first = bench.subscribe()
    #expect(await first.values.entry(at: 0) == -1)
    first.subscription.cancel()
    try await bench.db.write(script: TemporaryDatabase.players)
    let second = bench.subscribe()
    #expect(await second.values.entry(at: 0) == 0)
    second.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `iterating a shared observation delivers values up to an error`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind)
    var iterator = bench.shared.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    try await bench.db.write(script: "ALTER TABLE player RENAME TO gamer")
    #expect(try await iterator.nextError() is DatabaseError)
    try await bench.db.write(script: "ALTER TABLE gamer RENAME TO player")
    #expect(try await iterator.next(isolation: #isolation) == nil)
    var next = bench.shared.makeAsyncIterator()
    #expect(try await next.next() == 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a slow subscriber gets the newest value, none twice, and holds up nobody`(
    _ kind: StorageKind
  ) async throws {
    let bench = try await Bench(kind)
    var slow = bench.shared.makeAsyncIterator()
    #expect(try await slow.next() == 0)
    let quick = bench.subscribe()
    for number in 1...5 {
      try await bench.insert()
      try await wait(for: "\(number)") { quick.values.entries.last == number }
    }
    // Subscribers are told one after the other: the slow one may be told of the last a moment later.
    let newest = try #require(try await slow.next())
    #expect(newest >= 4)
    if newest == 4 { #expect(try await slow.next() == 5) }
    // The value changes and comes back: no news for who did not look.
    try await bench.db.write(script: "DELETE FROM player WHERE id = 5")
    try await wait(for: "4") { quick.values.entries.last == 4 }
    try await bench.db.write(script: "INSERT INTO player(id) VALUES (5)")
    try await wait(for: "5") { quick.values.entries.last == 5 }
    let fence = bench.subscribe()
    #expect(fence.values.entries == [5])
    quick.subscription.cancel()
    fence.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `cancelling a task ends its sequence alone`(_ kind: StorageKind) async throws {
    let bench = try await Bench(kind)
    let witness = bench.subscribe()
    #expect(await witness.values.entry(at: 0) == 0)
    let shared = bench.shared
    let task = Task {
      var last: Int?
      for try await value in shared { last = value }
      return last
    }
    task.cancel()
    _ = try await task.value
    try await bench.insert()
    #expect(await witness.values.entry(at: 1) == 1)
    witness.subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `closing the database ends all sequences`(_ kind: StorageKind) async throws {
    let bench = try await Bench(kind)
    let shared = bench.shared
    let begun = Journal<Int>()
    let task = Task {
      var updates = shared.updates.makeAsyncIterator()
      while let update = await updates.take() { begun.append((try? update.value) ?? -1) }
      begun.finish()
    }
    #expect(await begun.entry(at: 0) == 0)
    await bench.db.database.close()
    await task.value
    #expect(begun.entries == [0])
  }

  @Test(arguments: StorageKind.allCases)
  func `subscribers come and go on many tasks`(_ kind: StorageKind) async throws {
    let bench = try await Bench(kind)
    let shared = bench.shared
    let writer = Task {
      for _ in 1...50 { try await bench.insert() }
    }
    try await withThrowingTaskGroup { group in
      for number in 0..<20 {
        group.addTask {
          var last = -1
          for try await value in shared {
            #expect(value > last, "in order, none twice")
            last = value
            if value == 50 || (number % 2 == 0 && value > number) { break }
          }
        }
      }
      try await group.waitForAll()
    }
    try await writer.value
  }
}
