import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Many observers of one database.
@Suite(.fewAtOnce)
struct ManyObserversTests {
  /// A database whose SQL function `counted(x)` counts its calls.
  private static func database(
    _ kind: StorageKind, _ calls: Counter
  ) async throws -> TemporaryDatabase {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [
      CustomFunction("counted", argumentCount: 1) { arguments in
        calls.increment()
        return arguments[0]
      }
    ]
    return try await TemporaryDatabase(kind, configuration: configuration)
  }

  private static let sql: SQL = "SELECT counted(count(*)) FROM player WHERE id > ?"

  @Test(arguments: StorageKind.allCases)
  func `equal SQL and arguments run once per refresh, whatever they decode to`(
    _ kind: StorageKind
  ) async throws {
    let calls = Counter()
    let db = try await Self.database(kind, calls)
    let numbers = (1...20).map { _ in db.database.record(Query.scalar(Self.sql, [0], as: Int.self))
    }
    let texts = Recorder(
      db.database.observe(Query.rows(Self.sql, [0]) { row in "\(try row[0] as Int)" }))
    let closure = Recorder(
      db.database.observe { try $0.fetchOne(Self.sql, [0], as: Int.self) })
    for recorder in numbers { try await recorder.expect(0) }
    try await texts.expect(["0"])
    try await closure.expect(0)
    let before = calls.value
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    for recorder in numbers { try await recorder.expect(1) }
    try await texts.expect(["1"])
    try await closure.expect(1)
    #expect(calls.value == before + 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `other arguments are another query`(_ kind: StorageKind) async throws {
    let calls = Counter()
    let db = try await Self.database(kind, calls)
    let recorders = (0...2).map {
      db.database.record(Query.scalar(Self.sql, [$0], as: Int.self))
    }
    for recorder in recorders { try await recorder.expect(0) }
    let before = calls.value
    try await db.write(script: "INSERT INTO player(id) VALUES (100)")
    for recorder in recorders { try await recorder.expect(1) }
    #expect(calls.value == before + 3)
  }

  @Test(arguments: StorageKind.allCases)
  func `many iterators of one observation cost one run`(_ kind: StorageKind) async throws {
    let calls = Counter()
    let db = try await Self.database(kind, calls)
    let observation = db.database.observe(Query.scalar(Self.sql, [0], as: Int.self))
    let recorders = (1...20).map { _ in Recorder(observation) }
    for recorder in recorders { try await recorder.expect(0) }
    let before = calls.value
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    for recorder in recorders { try await recorder.expect(1) }
    #expect(calls.value == before + 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `many consumers of every commit cost one run per commit`(_ kind: StorageKind) async throws {
    let calls = Counter()
    let db = try await Self.database(kind, calls)
    let observation = db.database.observe(Query.scalar(Self.sql, [0], as: Int.self))
    var iterators = (1...10).map { _ in
      observation.everyCommit(buffering: .failing(10)).makeAsyncIterator()
    }
    for index in iterators.indices { _ = try await iterators[index].next() }
    let before = calls.value
    for _ in 1...3 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    #expect(calls.value == before + 3)
    for index in iterators.indices {
      for number in 1...3 {
        #expect(try #require(try await iterators[index].next()).value == number)
      }
    }
  }

  @Test
  func `twenty thousand observers of rows: a commit tells the one that it concerns`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(
      script: """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO player(id, score) SELECT i, 0 FROM n
        """)
    let told = Mutex<[Int: Int]>([:])
    var subscriptions: [ObservationSubscription] = []
    for id in 1...20_000 {
      subscriptions.append(
        db.database.observe(
          Query.scalar("SELECT score FROM player WHERE id = \(id)", as: Int.self)
        ).start { _ in
        } onValue: { value in
          told.withLock { $0[id] = value }
        })
    }
    try await wait(for: "all first values") { told.withLock { $0.count } == 20_000 }
    told.withLock { $0 = [:] }
    let handled = Counter()
    for id in 1...1_000 {
      subscriptions.append(
        db.database.onChange(of: .rows([Int64(id)], of: "player")) { _, _ in handled.increment() })
    }
    for id in [5, 10_000, 19_999] {
      try await db.write(script: "UPDATE player SET score = 1 WHERE id = \(id)")
    }
    try await wait(for: "three values") { told.withLock { $0.count } == 3 }
    #expect(told.withLock { $0 } == [5: 1, 10_000: 1, 19_999: 1])
    #expect(handled.value == 1)
    for subscription in subscriptions { subscription.cancel() }
  }
}
