import ObservationEngine
import TestSupport
import Testing

/// The examples of what is called at each commit.
@Suite(.fewAtOnce)
struct CommitExamples {
  private let count = Query.count(of: "player")
  private let best = Query.scalar("SELECT max(score) FROM player", as: Int.self)

  @Test func `handlers of a region are called on the writer`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<String>()
    let log: @Sendable (String) -> Void = { screen.show($0) }
    do {
      let subscription = database.onChange(of: .table("player")) { connection, commit in
        let count = try? connection.count(of: "player")
        log("commit \(commit.ordinal): \(count ?? 0) players")
      }
      try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
      #expect(screen.journal.entries[0].hasSuffix(": 3 players"))
      subscription.cancel()
    }
    let subscription = database.onChange(of: .read(by: best, count)) { _, commit in
      log("commit \(commit.ordinal) may have changed them")
    }
    try await db.write(script: "INSERT INTO player(name) VALUES ('mel')")
    #expect(screen.journal.entries[1].hasSuffix("may have changed them"))
    database.notifyChanges(in: .table("player"))
    #expect(await screen.journal.entry(at: 2) != nil)
    subscription.cancel()
  }

  @Test func `the commits of a region are a sequence`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<String>()
    let log: @Sendable (String) -> Void = { screen.show($0) }
    let task = Task {
      for await commit in database.changes(in: .table("player")) {
        log("\(commit.origin) changed players")
      }
    }
    try await wait(for: "a change") {
      try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
      return screen.journal.entries.first == "own changed players"
    }
    task.cancel()
  }

  @Test func `every commit has a value`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    let screen = Screen<String>()
    let log: @Sendable (String) -> Void = { screen.show($0) }
    let task = Task {
      for try await entry in database.observe(count).everyCommit(buffering: .failing(1_000)) {
        log("commit \(entry.commit?.ordinal ?? 0) left \(try entry.result.get()) players")
      }
    }
    #expect(await screen.journal.entry(at: 0) == "commit 0 left 2 players")
    try await db.write(script: "INSERT INTO player(name) VALUES ('eve')")
    #expect(await screen.journal.entry(at: 1)?.hasSuffix("left 3 players") == true)
    task.cancel()
  }

  struct Refused: Error {}

  @Test func `a transaction is refused`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    try await db.write(script: "CREATE TABLE audit (entry TEXT)")

    final class Guard: TransactionObserver {
      func willCommit(_ transaction: PendingTransaction) throws {
        if transaction.tables.contains("audit") { throw Refused() }
      }
    }
    database.add(transactionObserver: Guard())
    await #expect(throws: Refused.self) {
      try await db.write(script: "INSERT INTO audit VALUES ('forged')")
    }
  }

  @Test func `a file goes with its row`() async throws {
    let db = try await exampleDatabase()
    let database = db.database
    try await db.write(script: "CREATE TABLE photo (id INTEGER PRIMARY KEY)")
    let screen = Screen<Value>()
    let deleteFile: @Sendable (Value) -> Void = { screen.show($0) }
    let id = Value.integer(1)

    try await database.write { connection in
      try connection.execute("DELETE FROM photo WHERE id = ?", [id])
      try connection.afterNextTransaction { _ in deleteFile(id) }
    }
    #expect(screen.journal.entries == [id])
  }
}
