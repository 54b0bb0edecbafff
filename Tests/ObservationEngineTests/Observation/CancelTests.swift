import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// After `cancel()` no handler is called, on whatever thread and within whatever callback `cancel()` was called.
@Suite(.fewAtOnce)
struct CancelTests {
  private static let count = Query.count(of: "player")

  /// A subscription that code within it ends.
  private final class Held: Sendable {
    let subscription = Mutex<ObservationSubscription?>(nil)
    let log = Mutex<[String]>([])

    func note(_ text: String) { log.withLock { $0.append(text) } }

    func cancel() {
      // Outside of the lock: what ends with it may be anything.
      guard let held = subscription.withLock({ $0 }) else { return }
      held.cancel()
      note("cancelled")
    }
  }

  /// Equality that ends the observation of its values.
  private struct Fickle: Equatable, Sendable {
    let number: Int
    let held: Held

    static func == (left: Fickle, right: Fickle) -> Bool {
      if right.number == 1 { right.held.cancel() }
      return left.number == right.number
    }
  }

  private func insert(_ db: TemporaryDatabase) async throws {
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
  }

  @Test(arguments: StorageKind.allCases)
  func `map may cancel: the handler is not called`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let held = Held()
    let subscription = db.database.observe(Self.count).map { count in
      if count == 1 { held.cancel() }
      return count
    }.start(onError: { held.note("\($0)") }, onValue: { held.note("\($0)") })
    held.subscription.withLock { $0 = subscription }
    try await wait(for: "the first value") { held.log.withLock { $0 == ["0"] } }
    try await insert(db)
    try await wait(for: "the cancellation") { held.log.withLock { $0.contains("cancelled") } }
    try await insert(db)
    #expect(try await db.database.fetchedAgain() == 2)
    #expect(held.log.withLock { $0 } == ["0", "cancelled"])
  }

  @Test(arguments: StorageKind.allCases, [false, true])
  func `equality may cancel: no lock is held, and the handler is not called`(
    _ kind: StorageKind, _ isShared: Bool
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let held = Held()
    let values = db.database.observe { connection in
      Fickle(number: try connection.fetch(Self.count), held: held)
    }
    let shared = values.shared()
    let subscription =
      isShared
      ? shared.start(onError: { held.note("\($0)") }, onValue: { held.note("\($0.number)") })
      : values.start(onError: { held.note("\($0)") }, onValue: { held.note("\($0.number)") })
    held.subscription.withLock { $0 = subscription }
    try await wait(for: "the first value") { held.log.withLock { $0 == ["0"] } }
    try await insert(db)
    try await wait(for: "the cancellation") { held.log.withLock { $0.contains("cancelled") } }
    try await insert(db)
    #expect(try await db.database.fetchedAgain() == 2)
    #expect(held.log.withLock { $0.filter { $0 != "cancelled" } } == ["0"])
  }

  @Test(arguments: StorageKind.allCases)
  func `another thread may cancel while map runs`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let held = Held()
    try await withThrowingTaskGroup(of: Void.self) { group in
      let values = db.database.observe(Self.count).map { count in
        if count == 1 {
          held.note("in map")
          while held.log.withLock({ !$0.contains("cancelled") }) {}
        }
        return count
      }
      let subscription = values.start(
        onError: { held.note("\($0)") }, onValue: { held.note("\($0)") })
      held.subscription.withLock { $0 = subscription }
      try await wait(for: "the first value") { held.log.withLock { $0 == ["0"] } }
      group.addTask { try await self.insert(db) }
      try await wait(for: "map") { held.log.withLock { $0.contains("in map") } }
      held.cancel()
      try await group.waitForAll()
    }
    #expect(try await db.database.fetchedAgain() == 1)
    #expect(held.log.withLock { $0 } == ["0", "in map", "cancelled"])
  }

  @Test
  func `a handler of commits may end another one`() async throws {
    let db = try await TemporaryDatabase(.memory)
    let calls = Mutex(0)
    let held = Mutex<[ObservationSubscription]>([])
    // Their order is not told: each ends all.
    for _ in 1...2 {
      let subscription = db.database.onCommit { _ in
        calls.withLock { $0 += 1 }
        let all = held.withLock { held in
          defer { held = [] }
          return held
        }
        withExtendedLifetime(all) {}
      }
      held.withLock { $0.append(subscription) }
    }
    try await insert(db)
    #expect(calls.withLock { $0 } == 1)
  }

  @Test
  func `an observer of transactions may remove another one`() async throws {
    final class Remover: TransactionObserver {
      let other = Mutex<(any TransactionObserver)?>(nil)
      let database: Database
      let calls = Atomic(0)
      init(_ database: Database) { self.database = database }
      func didCommit(_ connection: Connection, _ commit: Commit?) {
        calls.add(1, ordering: .relaxed)
        if let other = other.withLock({ $0 }) { database.remove(transactionObserver: other) }
      }
    }
    let db = try await TemporaryDatabase(.memory)
    for extent in [TransactionObservationExtent.untilRemoved, .observerLifetime] {
      let (first, second) = (Remover(db.database), Remover(db.database))
      first.other.withLock { $0 = second }
      db.database.add(transactionObserver: first, extent: extent)
      db.database.add(transactionObserver: second, extent: extent)
      try await insert(db)
      #expect(first.calls.load(ordering: .relaxed) == 1)
      #expect(second.calls.load(ordering: .relaxed) == 0)
      db.database.remove(transactionObserver: first)
    }
  }
}

extension Database {
  /// The number of players, once all observers have been told what was committed so far.
  fileprivate func fetchedAgain() async throws -> Int {
    let count = Query.count(of: "player")
    let recorder = Recorder(observe(count))
    let now = try await read { try $0.fetch(count) }
    try await recorder.expect(now)
    return now
  }
}
