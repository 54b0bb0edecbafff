import ObservationEngine
import TestSupport
import Testing

/// The examples of observations.
@Suite(.fewAtOnce)
struct ObservationExamples {
  @Test func `two queries are observed together`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<[Int]>()
    func render(_ count: Int, _ top: [Int]) { screen.show([count] + top) }

    let countQuery = Query.count(of: "player")
    let topQuery = Query.rows("SELECT score FROM player ORDER BY score DESC") { row in
      try row[0] as Int
    }
    let task = Task {
      for try await (count, top) in database.observe(countQuery, topQuery) {
        render(count, top)
      }
    }
    defer { task.cancel() }
    #expect(await screen.journal.entry(at: 0) == [2, 3, 1])
    try await db.write(script: "INSERT INTO player(name, score) VALUES ('eve', 2)")
    #expect(await screen.journal.entry(at: 1) == [3, 3, 2, 1])
  }

  @Test func `a list of queries is observed, each with a result of its own`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let tables = ["player", "map"]
    let screen = Screen<String>()
    let log = Log()
    func show(_ table: String, _ count: Result<Int, any Error>) {
      screen.show("\(table): \((try? count.get()).map { "\($0) rows" } ?? "no table")")
    }

    let task = Task {
      let queries = tables.map { Query.count(of: $0) }
      for await update in database.observe(all: queries) {
        for (index, count) in update.results { show(tables[index], count) }
        for commit in update.commits { log.info("\(commit.origin) commit \(commit.ordinal)") }
      }
    }
    defer { task.cancel() }
    _ = await screen.journal.entry(at: 1)
    #expect(screen.journal.entries.sorted() == ["map: no table", "player: 2 rows"])
    try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
    #expect(await screen.journal.entry(at: 2) == "player: 3 rows")
    #expect(await log.screen.journal.entry(at: 0)?.hasPrefix("own commit ") == true)
  }

  struct HallOfFame: Equatable {
    let count: Int
    let best: Int

    init(from connection: Connection) throws {
      count = try connection.count(of: "player")
      best = try connection.fetchOne("SELECT max(score) FROM player") ?? 0
    }
  }

  @Test func `whatever a closure reads is observed`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<Int>()
    func render(_ hall: HallOfFame) { screen.show(hall.best) }

    let task = Task {
      for try await hall in database.observe({ try HallOfFame(from: $0) }) { render(hall) }
    }
    defer { task.cancel() }
    #expect(await screen.journal.entry(at: 0) == 3)
    try await db.write(script: "UPDATE player SET score = 5 WHERE name = 'bob'")
    #expect(await screen.journal.entry(at: 1) == 5)
  }

  @Test func `updates say when what is shown is out of date`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let count = Query.count(of: "player")
    let screen = Screen<String>()
    let show: @Sendable (Int) -> Void = { screen.show("\($0) players") }
    let showOutOfDate: @Sendable (any Error) -> Void = { screen.show("out of date: \($0)") }

    let task = Task {
      for await update in database.observe(count).updates {
        switch update.result {
        case .success(let value): show(value)
        case .failure(let error): showOutOfDate(error)
        }
      }
    }
    defer { task.cancel() }
    #expect(await screen.journal.entry(at: 0) == "2 players")
    try await db.write(script: "ALTER TABLE player RENAME TO gamer")
    #expect(await screen.journal.entry(at: 1)?.hasPrefix("out of date: no such table") == true)
    try await db.write(script: "ALTER TABLE gamer RENAME TO player")
    #expect(await screen.journal.entry(at: 2) == "2 players")
  }

  @Test func `every commit is logged`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let log = Log()

    let subscription = database.onCommit { commit in
      log.info("\(commit.origin) committed \(commit.count) times")
    }
    try await db.write(script: "UPDATE player SET score = 5 WHERE name = 'bob'")
    #expect(await log.screen.journal.entry(at: 0) == "own committed 1 times")
    withExtendedLifetime(subscription) {}
  }

  @Test func `an update tells who committed`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let count = Query.count(of: "player")
    let log = Log()

    let task = Task {
      for await update in database.observe(count).updates where update.origin == .external {
        log.info("commit \(update.ordinal) by another process: \(try update.result.get()) players")
      }
    }
    defer { task.cancel() }
    let other = try await ExternalProcess.serve(db.path)
    try await wait(for: "a commit of another process") {
      // The observation may begin after the first.
      try await other.send("INSERT INTO player(name) VALUES ('eve')")
      return !log.screen.journal.entries.isEmpty
    }
    let text = try #require(await log.screen.journal.entry(at: 0))
    #expect(text.hasPrefix("commit ") && text.contains(" by another process: "))
  }

  struct Log {
    let screen = Screen<String>()

    func info(_ text: String) { screen.show(text) }
  }
}
