import ObservationEngine
import TestSupport
import Testing

/// The examples of subscriptions and operators.
@Suite(.fewAtOnce)
struct SubscriptionExamples {
  private let count = Query.count(of: "player")
  private let names = Query.rows("SELECT name FROM player ORDER BY id") { row in
    try row[0] as String
  }

  struct Report: Sendable {
    let version: Int

    init(_ connection: Connection) throws {
      version = try connection.fetchOne("SELECT max(score) FROM player") ?? 0
    }
  }

  private func report(_ error: any Error) { Issue.record(error) }

  @Test func `one query is observed`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let task = Task {
      for try await count in database.observe(.count(of: "player")) { print(count) }
    }
    let good = Task {
      let least = 40
      for try await count in database.observe(.count(of: "player", where: "score > \(least)")) {
        print("\(count) good players")
      }
    }
    task.cancel()
    good.cancel()

    let leader = Query.rows("SELECT name FROM player ORDER BY score DESC LIMIT 1").map { rows in
      try rows.first?["name"] as String?
    }
    #expect(try await database.read { try $0.fetch(leader) } == "ada")
  }

  @Test func `a subscription shows values at once`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<Int>()
    let show: @Sendable (Int) -> Void = { screen.show($0) }
    let report: @Sendable (any Error) -> Void = { Issue.record($0) }

    do {
      let subscription = database.observe(count).start(onError: report, onValue: show)
      subscription.cancel()
    }
    let subscription = database.observe(count).start(.immediate) { error in
      report(error)
    } onValue: { count in
      show(count)  // called before `start` returns
    }
    #expect(screen.journal.entries.last == 2)
    subscription.cancel()
  }

  @MainActor final class Label { var text = "" }

  @MainActor @Test func `a label shows values on the main actor`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let label = Label()
    let report: @MainActor (any Error) -> Void = { Issue.record($0) }

    let subscription = database.observe(count).startOnMainActor(onError: report) { count in
      label.text = "\(count)"  // called before this method returns
    }
    #expect(label.text == "2")
    subscription.cancel()
  }

  @Test func `one observation serves several subscribers`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<String>()
    let show: @Sendable (String) -> Void = { screen.show($0) }
    let report: @Sendable (any Error) -> Void = { Issue.record($0) }

    let shared = database.observe(count).shared()
    let title = shared.start(onError: report) { count in show("\(count) players") }
    let badge = shared.start(onError: report) { count in show("\(count)") }  // one fetch
    try await wait(for: "both") { screen.journal.entries.count == 2 }
    #expect(screen.journal.entries.sorted() == ["2", "2 players"])
    title.cancel()
    badge.cancel()
  }

  @Test func `operators change what is delivered`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let lengths = Screen<Int>()
    let titles = Screen<String>()
    let task = Task {
      let show: @Sendable (Int) -> Void = { lengths.show($0) }
      let longest = database.observe(names).map { names in names.map(\.count).max() ?? 0 }
      for try await length in longest.removeDuplicates() { show(length) }
    }
    let title = database.observe(names).map { "\($0.count) players" }.removeDuplicates()
    let subscription = title.start(onError: report) { titles.show($0) }
    #expect(await lengths.journal.entry(at: 0) == 3)
    #expect(await titles.journal.entry(at: 0) == "2 players")
    try await db.write(script: "INSERT INTO player(name) VALUES ('grace')")
    #expect(await lengths.journal.entry(at: 1) == 5)
    #expect(await titles.journal.entry(at: 1) == "3 players")
    task.cancel()
    subscription.cancel()
  }

  @Test func `reports are compared by their version`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let reports = database.observe { try Report($0) }.removeDuplicates { $0.version == $1.version }
    var iterator = reports.makeAsyncIterator()
    #expect(try await iterator.next()?.version == 3)
  }

  @Test func `a region is tracked`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let reports = database.observe(tracking: .table("player")) { connection in
      try Report(connection)  // reads other tables too, which do not matter
    }
    var iterator = reports.makeAsyncIterator()
    #expect(try await iterator.next()?.version == 3)
    let region: Region = .table("player") + .columns("name", of: "map")
    #expect(!region.isEmpty)
  }

  @Test func `values come at a pace`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<Int>()
    let show: @Sendable (Int) -> Void = { screen.show($0) }
    let tasks = [
      Task {
        for try await count in database.observe(count).debounce(for: .milliseconds(200)) {
          show(count)
        }
      },
      Task {
        for try await count in database.observe(count).throttle(for: .milliseconds(50)) {
          show(count)
        }
      },
    ]
    #expect(await screen.journal.entry(at: 1) == 2)
    for task in tasks { task.cancel() }
  }

  @Test func `changes alone are shown`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<Int>()
    let show: @Sendable (Int) -> Void = { screen.show($0) }
    let task = Task {
      for try await count in database.observe(count).skippingInitial() { show(count) }
    }
    try await wait(for: "a change") {
      try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
      return !screen.journal.entries.isEmpty
    }
    task.cancel()
  }

  @Test func `events are traced`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<String>()
    let log: @Sendable (String) -> Void = { screen.show($0) }
    do {
      let traced = database.observe(count)
        .handleEvents(databaseDidChange: { log("changed") }, didFail: { log("failed: \($0)") })
      let subscription = traced.start(.immediate, onError: report) { _ in }
      try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
      #expect(await screen.journal.entry(at: 0) == "changed")
      subscription.cancel()
    }
    let traced = database.observe(count).print("count")
    // count: start
    // count: fetch
    // count: tracked region: player(*)
    // count: value: 0
    withExtendedLifetime(traced) {}
  }
}
