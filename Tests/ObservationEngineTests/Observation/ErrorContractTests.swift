import DatabaseConsole
import Glibc
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Which errors end a sequence, and how it goes on after the others.
@Suite(.fewAtOnce)
struct ErrorContractTests {
  private static let count = Query.count(of: "player")
  private static let insertion = "INSERT INTO player DEFAULT VALUES"

  /// A database whose observations find a lock quickly and don't wait for its writer.
  private static var impatient: Configuration {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(10)
    configuration.snapshotBudget = nil
    return configuration
  }

  /// Takes the values of an observation, in a task.
  private final class Taker: Sendable {
    let values = Journal<Int>()
    let errors = Journal<any Error>()
    private let task: Task<Void, Never>

    init(_ observation: ValueObservation<Int>) {
      task = Task { [values, errors] in
        do {
          for try await value in observation { values.append(value) }
        } catch {
          errors.append(error)
        }
        values.finish()
      }
    }

    deinit { task.cancel() }

    /// Waits for the end.
    func end() async { await task.value }
  }

  @Test
  func `a locked file is passed over by the sequence, and reported by its updates`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: Self.impatient)
    let other = try await ExternalProcess.serve(db.path)
    let observation = db.database.observe(Self.count)
    var updates = observation.updates.makeAsyncIterator()
    let taker = Taker(observation)
    #expect(try #require(await updates.take()).value == 0)
    #expect(await taker.values.entry(at: 0) == 0)
    for number in 1...2 {
      try await other.send("BEGIN EXCLUSIVE")
      db.database.notifyChanges(in: .table("player"))
      let locked = try #require(await updates.take())
      let error = try #require(throws: DatabaseError.self) { try locked.value }
      #expect(error.isTransient && error.code.primary == .busy)
      try await other.send("ROLLBACK")
      // The same value again: it is up to date again.
      #expect(try #require(await updates.take()).value == number - 1)
      try await other.send(Self.insertion)
      #expect(try #require(await updates.take()).value == number)
      #expect(await taker.values.entry(at: number) == number)
    }
    #expect(taker.values.entries == [0, 1, 2], "consecutive elements differ")
    await other.finish()
  }

  @Test
  func `a file that is locked at first keeps the sequence waiting`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: Self.impatient)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("BEGIN EXCLUSIVE")
    try await other.send(Self.insertion)
    let observation = db.database.observe(Self.count)
    let taker = Taker(observation)
    let paced = Task {
      var iterator = observation.debounce(for: .zero).makeAsyncIterator()
      return try await iterator.next()
    }
    let shared = observation.shared()
    var sharedUpdates = shared.updates.makeAsyncIterator()
    var sharedValues = shared.makeAsyncIterator()
    #expect((try? #require(await sharedUpdates.take()).value) == nil)
    let calls = Journal<String>()
    let subscription = observation.start(.immediate) {
      calls.append("\($0.isTransient)")
    } onValue: {
      calls.append("\($0)")
    }
    #expect(calls.entries == ["true"])
    try await other.send("COMMIT")
    #expect(await taker.values.entry(at: 0) == 1)
    #expect(try await paced.value == 1)
    #expect(try #require(await sharedUpdates.take()).value == 1)
    #expect(try await sharedValues.next() == 1)
    try await wait(for: "the value") { calls.entries.last == "1" }
    // The lock may be found at another statement, which is another error.
    #expect(calls.entries.dropLast().allSatisfy { $0 == "true" })
    subscription.cancel()
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `a fetch that is interrupted runs again`(_ kind: StorageKind) async throws {
    var configuration = Self.impatient
    configuration.refreshBudget = .seconds(600)
    let db = try await TemporaryDatabase(kind, configuration: configuration)
    let runs = Counter()
    let database = db.database
    let taker = Taker(
      database.observe { connection -> Int in
        runs.increment()
        guard runs.value == 1 else { return try connection.fetch(Self.count) }
        return try connection.fetchOne(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT count(*) FROM n") ?? 0
      })
    try await wait(for: "the second run") {
      if runs.value == 1 { database.interrupt() }
      return runs.value == 2
    }
    #expect(await taker.values.entry(at: 0) == 0)
  }

  @Test(arguments: StorageKind.files)
  func `a file that is away for a moment ends nothing`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, configuration: Self.impatient)
    try await db.write(script: Self.insertion)
    try await db.run("PRAGMA wal_checkpoint(TRUNCATE)")
    let observation = db.database.observe(Self.count)
    var updates = observation.updates.makeAsyncIterator()
    let taker = Taker(observation)
    #expect(try #require(await updates.take()).value == 1)
    #expect(await taker.values.entry(at: 0) == 1)
    let away = db.folder.path("away.db")
    #expect(rename(db.path, away) == 0)
    let gone = try #require(await updates.take())
    let error = try #require(throws: DatabaseError.self) { try gone.value }
    #expect(error.isTransient)
    #expect(rename(away, db.path) == 0)
    while (try? #require(await updates.take()).value) != 1 {}
    try await db.write(script: Self.insertion)
    while (try? #require(await updates.take()).value) != 2 {}
    #expect(await taker.values.entry(at: 1) == 2)
    #expect(taker.values.entries == [1, 2])
  }

  @Test(arguments: StorageKind.allCases)
  func `wrong SQL is thrown once, and ends the observation`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let ends = Counter()
    var iterator = db.database.observe(Query.rows("SELECT x FROM nowhere"))
      .handleEvents(didCancel: { ends.increment() }).makeAsyncIterator()
    let error = try await iterator.nextError() as? DatabaseError
    #expect(error?.message == "no such table: nowhere")
    #expect(ends.value == 1)
    try await db.write(script: "CREATE TABLE nowhere (x)")
    for _ in 1...2 { #expect(try await iterator.next(isolation: #isolation) == nil) }
  }

  @Test(arguments: StorageKind.allCases)
  func `an error of the application is thrown once`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let taker = Taker(
      db.database.observe(Self.count).map { count in
        if count == 1 { throw Unexpected("one is no number") }
        return count
      })
    #expect(await taker.values.entry(at: 0) == 0)
    try await db.write(script: Self.insertion)
    await taker.end()
    #expect(taker.errors.entries.first is Unexpected)
    #expect(taker.values.entries == [0])
  }

  @Test(arguments: StorageKind.allCases)
  func `cancelling the task ends the observation, though the iterator is there`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let ends = Counter()
    let observation = db.database.observe(Self.count).handleEvents(
      didCancel: { ends.increment() })
    let first = Journal<Int?>()
    let task = Task {
      var iterator = observation.makeAsyncIterator()
      first.append(try await iterator.next())
      #expect(try await iterator.next() == nil)
      #expect(ends.value == 1)
      return try await iterator.next()
    }
    #expect(await first.entry(at: 0) == .some(0))
    #expect(ends.value == 0)
    task.cancel()
    #expect(try await task.value == nil)
  }

  @Test
  func `rows that cannot be read for a moment are compared later`() async throws {
    let isBusy = Atomic(false)
    let failures = Journal<Void>()
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [
      CustomFunction("passes", argumentCount: 1) { arguments in
        if isBusy.load(ordering: .acquiring) {
          failures.append(())
          throw DatabaseError(code: .busy, message: "not now")
        }
        return .integer(1)
      }
    ]
    let db = try await TemporaryDatabase(configuration: configuration)
    let changes = try await db.database.changes(of: "player", where: "passes(score)")
    let rows = Task {
      var names: [String?] = []
      for try await change in changes.prefix(2) { names.append(try change.new?["name"] as String?) }
      return names
    }
    isBusy.store(true, ordering: .releasing)
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 1)")
    _ = await failures.entry(at: 0)
    isBusy.store(false, ordering: .releasing)
    try await db.write(script: "INSERT INTO player VALUES (2, 'bob', 2)")
    #expect(try await rows.value == ["ada", "bob"])
  }

  @Test
  func `which of SQLite's codes may heal`() {
    func isTransient(_ code: Int32) -> Bool {
      DatabaseError(code: .init(rawValue: code), message: "").isTransient
    }
    let primary: Set<Int32> = [5, 6, 9, 10, 13, 14, 15, 17]
    #expect(Set((1...28).filter(isTransient)) == primary)
    // Extended codes are as their primary ones, but for a few of READONLY and IOERR.
    for code in [261, 517, 773, 262, 518, 266, 522, 270, 526] as [Int32] {
      #expect(isTransient(code))
    }
    for code in [264, 520, 776, 1032, 1288] as [Int32] { #expect(isTransient(code)) }
    for code in [1544, 3082, 8202, 8458, 267, 523, 531, 787, 257] as [Int32] {
      #expect(!isTransient(code))
    }
    #expect(!Unexpected("of the application").isTransient)
  }
}
