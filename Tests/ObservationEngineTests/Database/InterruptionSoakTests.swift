import Foundation
import ObservationEngine
import TestSupport
import Testing

/// What many interruptions at random moments leave behind: nothing.
///
/// A few of them in each run of the tests; `make interruptions COUNT=100000` does more.
@Suite(.fewAtOnce)
struct InterruptionSoakTests {
  enum Storage: String, CaseIterable {
    case memory, single, rollbackJournal, wal

    func make() async throws -> TemporaryDatabase {
      var configuration = TemporaryDatabase.alwaysOpen
      configuration.usesSingleConnection = self == .single
      let kind: StorageKind =
        switch self {
        case .memory: .memory
        case .rollbackJournal: .rollbackJournal
        case .single, .wal: .wal
        }
      return try await TemporaryDatabase(kind, configuration: configuration)
    }
  }

  private static let count = EnvironmentVariable.number("LIVEQUERY_INTERRUPTIONS") ?? 1_600
  private static let seed = UInt64(EnvironmentVariable.number("LIVEQUERY_SEED") ?? 20_261_122)

  /// Of some 40 to 400,000 steps of SQLite's machine: from less than a look at interruptions to longer
  /// than a cancellation takes to arrive.
  private static func work(_ random: inout SeededRandom) -> String {
    let rows = 1 << Int.random(in: 1...15, using: &random)
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows)) "
      + "SELECT max(i) FROM n"
  }

  /// Lets time go by: other threads run meanwhile, or not.
  private static func idle(_ random: inout SeededRandom) async {
    let count = Int.random(in: 0...3, using: &random)
    for _ in 0..<count { await Task.yield() }
    var sum = 0
    for number in 0..<(1 << Int.random(in: 0...14, using: &random)) { sum &+= number }
    #expect(sum >= 0)
  }

  /// That no transaction is open, no lock held, and that reads see the newest commit.
  private static func check(
    _ db: TemporaryDatabase, _ storage: Storage, rows: Int, _ note: String
  ) async throws {
    #expect(try await db.integer("SELECT count(*) FROM map") == rows, "\(note)")
    guard storage != .memory else { return }
    let other = try PlainConnection(db.path)
    defer { other.close() }
    // A refresh may be reading at this moment, but not for ever.
    try await wait(for: "another connection that writes: \(note)") {
      do {
        try other.run("BEGIN IMMEDIATE; UPDATE player SET score = score + 1; COMMIT")
        return true
      } catch let error as PlainConnection.Failure where error.isExpected {
        if other.isInTransaction { try other.run("ROLLBACK") }
        return false
      }
    }
    guard storage != .rollbackJournal else { return }
    try await wait(for: "the end of a snapshot: \(note)") {
      try other.run("PRAGMA wal_checkpoint(TRUNCATE)")
      return try FileManager.default.attributesOfItem(atPath: db.path + "-wal")[.size] as? Int == 0
    }
  }

  private static func isInterruption(_ error: any Error) -> Bool {
    error is CancellationError || (error as? DatabaseError)?.code.primary == .interrupted
  }

  /// Cancels a task at a random moment, again and again, and checks each time that writes go on and reads see
  /// them.
  private static func cancel(
    on storage: Storage,
    _ begin: (Database, _ round: Int, inout SeededRandom) -> Task<Void, any Error>
  ) async throws {
    let db = try await storage.make()
    var random = SeededRandom(seed: seed)
    for round in 1...count {
      let note = "\(storage), seed \(seed), round \(round)"
      let task = begin(db.database, round, &random)
      await idle(&random)
      task.cancel()
      if case .failure(let error) = await task.result {
        #expect(isInterruption(error), "\(error), \(note)")
      }
      do { try await db.write(script: "INSERT INTO map(name) VALUES (\("\(round)"))") } catch {
        throw Unexpected("\(error), \(note)")
      }
      let seen = try await db.integer("SELECT count(*) FROM map")
      try #require(seen == round, "\(note)")
      if round % 200 == 0 { try await check(db, storage, rows: round, note) }
    }
    try await check(db, storage, rows: count, "at the end")
  }

  @Test(arguments: Storage.allCases)
  func `cancelled reads leave no transaction open`(_ storage: Storage) async throws {
    try await Self.cancel(on: storage) { database, _, random in
      let sql = Self.work(&random)
      return Task { _ = try await database.read { try $0.fetchAll(SQL(raw: sql)).rows.count } }
    }
  }

  @Test(arguments: Storage.allCases)
  func `cancelled writes leave no transaction open`(_ storage: Storage) async throws {
    try await Self.cancel(on: storage) { database, round, random in
      let sql = Self.work(&random)
      let nests = random.onceIn(3)
      return Task {
        try await database.write { connection in
          try connection.execute("INSERT INTO player(name) VALUES (\("\(round)"))")
          _ = try connection.fetchAll(SQL(raw: sql))
          if nests {
            try connection.savepoint {
              try connection.execute("DELETE FROM player WHERE score IS NULL")
              _ = try connection.fetchAll(SQL(raw: sql))
            }
          }
        }
      }
    }
  }

  @Test(arguments: Storage.allCases)
  func `interruptions of all that runs leave no transaction open`(
    _ storage: Storage
  ) async throws {
    let db = try await storage.make()
    let count = max(1, Self.count / 10)
    let observed = db.database.observe(Query.count(of: "map"))
      .start(onError: { _ in }, onValue: { _ in })
    let ends = Counter()
    try await withThrowingTaskGroup { group in
      for worker in 1...3 {
        group.addTask {
          var random = SeededRandom(seed: Self.seed + UInt64(worker))
          while ends.value == 0 {
            let sql = Self.work(&random)
            let writes = random.onceIn(2)
            do {
              if writes {
                try await db.database.write { connection in
                  try connection.execute("INSERT INTO player(name) VALUES ('x')")
                  _ = try connection.fetchAll(SQL(raw: sql))
                  try connection.execute("DELETE FROM player")
                }
              } else {
                _ = try await db.database.read { try $0.fetchAll(SQL(raw: sql)).rows.count }
              }
            } catch {
              guard Self.isInterruption(error) else { throw error }
            }
          }
        }
      }
      group.addTask {
        var random = SeededRandom(seed: Self.seed)
        for _ in 1...count {
          await Self.idle(&random)
          db.database.interrupt()
        }
        ends.increment()
      }
      try await group.waitForAll()
    }
    observed.cancel()
    try await db.write(script: "DELETE FROM map; INSERT INTO map(name) VALUES ('last')")
    try await Self.check(db, storage, rows: 1, "\(storage), seed \(Self.seed)")
  }
}
