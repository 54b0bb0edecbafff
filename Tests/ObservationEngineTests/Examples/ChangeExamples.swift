import ObservationEngine
import TestSupport
import Testing

/// The examples of following commits; those that never end are only compiled.
@Suite(.fewAtOnce, .timeLimit(.minutes(1)))
struct ChangeExamples {
  private let count = Query.scalar("SELECT count(*) FROM player", as: Int.self)
  private let best = Query.scalar("SELECT max(score) FROM player", as: Int.self)

  @Test func `a handler reads what was committed`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<String>()
    let log: @Sendable (String) -> Void = { screen.show($0) }

    let subscription = database.onChange(of: .table("player")) { connection, commit in
      let count = try? connection.fetchOne("SELECT count(*) FROM player", as: Int.self)
      log("commit \(commit.ordinal): \(count ?? 0) players")
    }
    try await db.write(script: "DELETE FROM player WHERE name = 'bob'")
    #expect(screen.journal.entries.map { $0.hasSuffix(": 1 players") } == [true])
    subscription.cancel()
  }

  @Test func `regions are stated`() async throws {
    let database = try await exampleDatabase().database
    let results: ObservationSubscription = {
      database.onChange(ofResults: best, count) { connection, commit in }
    }()
    results.cancel()
    let tables: ObservationSubscription = {
      database.onChange(of: .table("player") + .table("score")) { connection, commit in }
    }()
    tables.cancel()
    database.notifyChanges(in: .table("player"))
  }

  private struct Report: Equatable, Sendable {
    let count: Int

    init(_ connection: Connection) throws {
      count = try connection.fetchOne("SELECT count(*) FROM player")
    }
  }

  @Test func `a fetch has a region of its own`() async throws {
    let db = try await exampleDatabase()
    let database = db.database

    let report = database.observe(tracking: .table("player")) { connection in
      try Report(connection)  // reads other tables too, which do not matter
    }

    for try await value in report {
      #expect(value.count == 2)
      break
    }
  }

  @Test func `an effect waits for the commit`() async throws {
    let db = try await TemporaryDatabase(schema: "CREATE TABLE photo (id INTEGER PRIMARY KEY)")
    let database = db.database
    let deleted = Screen<Int>()
    let deleteFile: @Sendable (Value) -> Void = { _ in deleted.show(1) }
    let id: Value = 1

    try await database.write { connection in
      try connection.execute("DELETE FROM photo WHERE id = ?", [id])
      try connection.afterNextTransaction { _ in deleteFile(id) }
    }

    #expect(deleted.journal.entries == [1])
  }

  private struct Audit: Sendable {
    func record(_ ordinal: Int?, _ balance: Int) {}
  }

  func `these are compiled`(_ database: Database) async throws {
    for await commit in database.changes(in: .table("player")) {
      print("\(commit.origin.rawValue) changed players, commit \(commit.ordinal)")
    }

    let balance = best
    let audit = Audit()
    for try await entry in database.observe(balance).everyCommit(buffering: .failing(1_000)) {
      audit.record(entry.commit?.ordinal, try entry.value)
    }

    let changes = try await database.changes(of: "player", where: "score > ?", [40])
    for try await change in changes {
      print(change.kind, change.old?["score"] ?? .null, change.new?["score"] ?? .null)
    }
  }
}
