import ObservationEngine
import ObservationRecords
import Synchronization
import TestSupport

/// One database, and all who use it.
final class Round: Sendable {
  enum Storage: CaseIterable {
    case wal, rollbackJournal, single, memory
  }

  private struct Player: Record, Equatable {
    var id: Int64?
    var name: String
    var score = 0
  }

  private static let repetitions = 30

  private let storage: Storage
  private let seed: UInt64
  private let folder: TemporaryFolder
  private let database: Database
  private let commits = Atomic(0)

  private var path: String { folder.path("test.db") }

  init(_ storage: Storage, seed: UInt64) async throws {
    self.storage = storage
    self.seed = seed
    folder = try TemporaryFolder()
    database = try Self.open(storage, folder.path("test.db"))
    try await database.write { try $0.create(Player.self) }
  }

  private static func open(_ storage: Storage, _ path: String) throws -> Database {
    var configuration = Configuration()
    configuration.usesSingleConnection = storage == .single
    if storage != .rollbackJournal, storage != .memory { configuration.journalMode = .wal }
    configuration.prepareConnection = { try $0.execute(script: "PRAGMA synchronous = OFF") }
    return try storage == .memory
      ? Database(inMemory: configuration) : Database(path: path, configuration: configuration)
  }

  /// - Returns: How many commits were acknowledged.
  func run() async throws -> Int {
    let handled = Atomic(0)
    let audit = database.onChange(of: .table("player")) { connection, _ in
      _ = try? connection.fetchOne("SELECT count(*) FROM player", as: Int.self)
      handled.add(1, ordering: .relaxed)
    }
    let observers = (0..<3).map { number in Task { await self.observe(number) } }
    try await withThrowingTaskGroup { group in
      for number in 0..<2 { group.addTask { try await self.write(number) } }
      group.addTask { try await self.read() }
      group.addTask { try await self.cancel() }
      group.addTask { await self.comeAndGo() }
      group.addTask { try await self.trackChanges() }
      if storage != .memory {
        group.addTask { try await self.writeElsewhere() }
        group.addTask { try await self.openAgain() }
      }
      try await group.waitForAll()
    }
    let expected = commits.load(ordering: .relaxed)
    let found = try await database.count(Player.self)
    guard found == expected else {
      throw Unexpected("\(storage), seed \(seed): \(found) rows of \(expected) that were committed")
    }
    // Each of them has something to deliver just then.
    async let last: Void = writeUntilClosed()
    await database.close()
    await last
    for observer in observers { await observer.value }
    audit.cancel()
    return expected
  }

  private func random(_ task: UInt64) -> SeededRandom { SeededRandom(seed: seed << 8 + task) }

  // MARK: - Who uses it

  private func write(_ number: Int) async throws {
    for round in 0..<Self.repetitions {
      var player = try await database.insert(Player(name: "\(number)"))
      commits.add(1, ordering: .relaxed)
      player.score = round
      try await database.update(player)
    }
  }

  private func writeUntilClosed() async {
    while (try? await database.insert(Player(name: "last"))) != nil {}
  }

  private func writeElsewhere() async throws {
    let process = try await ExternalProcess.serve(path, "--sync", "OFF")
    for _ in 0..<Self.repetitions {
      do {
        try await process.send("INSERT INTO player(name, score) VALUES ('elsewhere', 0)")
        commits.add(1, ordering: .relaxed)
      } catch let error as ExternalProcess.Failure where error.code & 0xff == 5 {
        // The file is in use.
      }
    }
    await process.finish()
  }

  private func read() async throws {
    for _ in 0..<Self.repetitions {
      let players = try await database.fetchAll(Player.self, where: "score > 3")
      let count = try await database.read { try $0.count(Player.self) }
      if count < players.count { throw Unexpected("seed \(seed): a later read sees fewer rows") }
    }
  }

  /// Reads and writes that are cancelled somewhere on their way.
  private func cancel() async throws {
    var random = random(1)
    let work: SQL =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) "
    for _ in 0..<Self.repetitions {
      let writes = random.onceIn(2)
      let database = database
      let task = Task {
        if writes {
          try await database.write { connection in
            try connection.execute("DELETE FROM player")
            throw CancellationError()
          }
        } else {
          _ = try await database.read { try $0.fetchAll("\(work) SELECT max(i) FROM n").count }
        }
      }
      for _ in 0..<Int.random(in: 0..<50, using: &random) { await Task.yield() }
      task.cancel()
      _ = await task.result
    }
  }

  private func observe(_ number: Int) async {
    let count = database.observe(
      Query.count(Player.self, where: "score >= \(number)"))
    var last = -1
    do {
      for try await value in count {
        if value < last { print("seed \(seed): \(value) rows after \(last)") }
        last = value
      }
    } catch {}
  }

  /// Observers that end while they are served.
  private func comeAndGo() async {
    var random = random(2)
    for number in 0..<Self.repetitions {
      let seen = Atomic(0)
      let best = database.observe(
        Query.scalar("SELECT max(score) FROM player WHERE id > \(number % 3)", as: Int.self))
      let subscription = best.start(
        onError: { _ in }, onValue: { _ in seen.add(1, ordering: .relaxed) })
      let task = Task { for try await _ in best { if Task.isCancelled { break } } }
      for _ in 0..<Int.random(in: 0..<200, using: &random) { await Task.yield() }
      subscription.cancel()
      task.cancel()
      _ = await task.result
    }
  }

  /// Another database object on the same file.
  private func openAgain() async throws {
    for _ in 0..<4 {
      let other = try Self.open(storage, path)
      let observed = other.observe(Query.count(Player.self))
      for try await _ in observed { break }
      await other.close()
    }
  }

  private func trackChanges() async throws {
    let all = try await Player.changes(in: database)
    var changes = all.makeAsyncIterator()
    for _ in 0..<5 { _ = try await changes.next() }
  }
}
