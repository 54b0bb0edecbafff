import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// One value for each commit.
@Suite(.fewAtOnce)
struct EveryCommitTests {
  private static let count = Query.count(of: "player")

  @Test(arguments: StorageKind.allCases)
  func `each own commit has a value, as of that very commit`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var iterator = db.database.observe(Self.count).everyCommit(buffering: .failing(1_000))
      .makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(first.commit == nil)
    #expect(try first.value == 0)
    // Nobody takes values meanwhile.
    try await withThrowingTaskGroup { group in
      for _ in 1...4 {
        group.addTask {
          for _ in 1...50 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
        }
      }
      try await group.waitForAll()
    }
    var last = 0
    for number in 1...200 {
      let entry = try #require(try await iterator.next())
      #expect(try entry.value == number)
      #expect(entry.droppedBefore == 0)
      let commit = try #require(entry.commit)
      #expect(commit.ordinal > last && commit.origin == .own)
      last = commit.ordinal
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `commits elsewhere have none, equal values have one each`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let highest = Query.scalar("SELECT ifnull(max(score), 0) FROM player", as: Int.self)
    var iterator = db.database.observe(highest).everyCommit(buffering: .failing(100))
      .makeAsyncIterator()
    _ = try await iterator.next()
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await db.write(script: "INSERT INTO player(score) VALUES (5)")
    try await db.write(script: "UPDATE player SET name = 'x'")
    try await db.write(script: "INSERT INTO player(score) VALUES (4)")
    try await db.write(script: "INSERT INTO player(score) VALUES (6)")
    var values: [Int?] = []
    for _ in 1...3 { values.append(try #require(try await iterator.next()).value) }
    #expect(values == [5, 5, 6])
  }

  @Test(arguments: StorageKind.allCases)
  func `operators apply`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let fetched = Journal<Void>()
    var iterator = db.database.observe { connection -> Int in
      defer { fetched.append(()) }
      return try connection.count(of: "player")
    }.skippingInitial().map { $0 / 2 }.removeDuplicates()
      .everyCommit(buffering: .failing(100)).makeAsyncIterator()
    _ = await fetched.entry(at: 0)
    for _ in 1...5 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    var values: [Int?] = []
    for _ in 1...3 { values.append(try #require(try await iterator.next()).value) }
    #expect(values == [0, 1, 2])
  }

  @Test(arguments: StorageKind.allCases)
  func `an error of a commit is its result, and the next has a value`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    var iterator = db.database.observe(Self.count).everyCommit(buffering: .failing(100))
      .makeAsyncIterator()
    _ = try await iterator.next()
    try await db.write(script: "ALTER TABLE player RENAME TO gamer")
    try await db.write(script: "ALTER TABLE gamer RENAME TO player")
    let failed = try #require(try await iterator.next())
    #expect(throws: DatabaseError.self) { try failed.value }
    #expect(try #require(try await iterator.next()).value == 0)
  }

  private func overflown(
    _ kind: StorageKind, _ policy: CommitBufferingPolicy
  ) async throws -> (
    TemporaryDatabase, some AsyncIteratorProtocol<CommittedValue<Int>, any Error>
  ) {
    let db = try await TemporaryDatabase(kind)
    var iterator = db.database.observe(Self.count).everyCommit(buffering: policy)
      .makeAsyncIterator()
    _ = try await iterator.next()
    for _ in 1...10 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    return (db, iterator)
  }

  @Test(arguments: StorageKind.allCases)
  func `the oldest are kept, and what was dropped is counted`(_ kind: StorageKind) async throws {
    var (db, iterator) = try await overflown(kind, .oldest(3))
    for number in 1...3 {
      let entry = try #require(try await iterator.next())
      #expect(try entry.value == number)
      #expect(entry.droppedBefore == 0)
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let entry = try #require(try await iterator.next())
    #expect(try entry.value == 11)
    #expect(entry.droppedBefore == 7)
  }

  @Test(arguments: StorageKind.allCases)
  func `the newest are kept, and what was dropped is counted`(_ kind: StorageKind) async throws {
    var (_, iterator) = try await overflown(kind, .newest(3))
    for number in 8...10 {
      let entry = try #require(try await iterator.next())
      #expect(try entry.value == number)
      #expect(entry.droppedBefore == (number == 8 ? 7 : 0))
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a bound that must not be exceeded ends the sequence with an error`(
    _ kind: StorageKind
  ) async throws {
    var (db, iterator) = try await overflown(kind, .failing(3))
    for number in 1...3 { #expect(try #require(try await iterator.next()).value == number) }
    do {
      _ = try await iterator.next()
      Issue.record("expected an overflow")
    } catch {
      #expect(error as? EveryCommitOverflow == EveryCommitOverflow(bound: 3))
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: [
    CommitBufferingPolicy.oldest(0), .newest(0), .failing(-1),
  ])
  func `a bound below one counts as one`(_ policy: CommitBufferingPolicy) async throws {
    let buffer = CommitBuffer<Int>(policy)
    buffer.append(1)
    #expect(try await buffer.next(isolation: nil)?.element == 1)
  }

  @Test
  func `who waits already is told what was dropped before`() async throws {
    for _ in 0..<100 {
      let buffer = CommitBuffer<Int>(.oldest(1))
      buffer.append(1)
      buffer.append(2)
      #expect(try await buffer.next(isolation: nil)?.droppedBefore == 0)
      let waiting = Task { try await buffer.next(isolation: nil) }
      await Task.yield()
      buffer.append(3)
      let entry = try await waiting.value
      #expect(entry?.element == 3 && entry?.droppedBefore == 1)
    }
  }

  @Test
  func `what begins after the database was closed ends at once`() async throws {
    let db = try await TemporaryDatabase(.wal)
    await db.database.close()
    let values = db.database.observe(Query.scalar("SELECT 1", as: Int.self)).everyCommit(
      buffering: .oldest(1))
    for try await value in values { Issue.record("\(value)") }
    for await commit in db.database.changes(in: .table("player")) { Issue.record("\(commit)") }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a buffer keeps what a list with a bound would, and counts the gaps`(
    _ seed: UInt64
  ) async throws {
    var random = SeededRandom(seed: seed)
    let keepsOldest = seed.isMultiple(of: 2)
    let bound = Int.random(in: 1...6, using: &random)
    let buffer = CommitBuffer<Int>(keepsOldest ? .oldest(bound) : .newest(bound))
    var list: [Int] = []
    var posted = 0
    var taken = 0
    for _ in 1...500 {
      if list.isEmpty || Bool.random(using: &random) {
        posted += 1
        buffer.append(posted)
        if list.count < bound {
          list.append(posted)
        } else if !keepsOldest {
          list = list.dropFirst() + [posted]
        }
      } else {
        let entry = try #require(try await buffer.next(isolation: nil))
        let expected = list.removeFirst()
        #expect(entry.element == expected, "seed \(seed)")
        #expect(entry.droppedBefore == expected - taken - 1, "seed \(seed)")
        taken = expected
      }
    }
  }

  @Test(arguments: StorageKind.files)
  func `commits of other processes have values once they are noticed`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    var iterator = db.database.observe(Self.count).everyCommit(buffering: .failing(100))
      .makeAsyncIterator()
    _ = try await iterator.next()
    for _ in 1...5 { try await other.send("INSERT INTO player DEFAULT VALUES") }
    var last = 0
    var commits = 0
    while last < 5 {
      let entry = try #require(try await iterator.next())
      #expect(entry.commit?.origin == .external)
      commits += entry.commit?.count ?? 0
      last = try entry.value
    }
    #expect(commits <= 5)
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `cancelling the task, and closing the database, end the sequence`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let cancels = Counter()
    let sequence = db.database.observe(Self.count)
      .handleEvents(didCancel: { cancels.increment() }).everyCommit(buffering: .newest(5))
    let begun = Journal<Void>()
    let tasks = (1...2).map { _ in
      Task {
        for try await _ in sequence { begun.append(()) }
      }
    }
    _ = await begun.entry(at: 1)
    tasks[0].cancel()
    try await tasks[0].value
    #expect(cancels.value == 1)
    await db.database.close()
    try await tasks[1].value
    #expect(cancels.value == 2)
  }

  @Test(arguments: StorageKind.allCases)
  func `in memory as in files, what the console has not committed has no value`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    var iterator = db.database.observe(Self.count).everyCommit(buffering: .failing(10))
      .makeAsyncIterator()
    try await db.run("ROLLBACK")
    #expect(try #require(try await iterator.next()).value == 0)
  }
}
