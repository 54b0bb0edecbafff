import ObservationEngine
import TestSupport
import Testing

/// Which tables a commit of another process changed, as the feed tells it.
@Suite(.fewAtOnce)
struct ForeignTablesTests {
  /// A database with some tables, another process, and a log of what is noticed.
  private struct Scene {
    let db: TemporaryDatabase
    let other: ExternalProcess
    let log: CommitLog

    init(_ preparation: String..., autoVacuum: Int = 0) async throws {
      db = try await TemporaryDatabase(.wal)
      other = try await ExternalProcess.serve(db.path)
      let first = ["CREATE TABLE prize(name TEXT)", "CREATE TABLE other(name TEXT)"]
      for sql in first + preparation { try await other.send(sql) }
      log = CommitLog(db.database)
      try await becomePrecise()
    }

    /// Commits until the tables are told.
    func becomePrecise() async throws {
      try await wait(for: "a commit of which the table is told") {
        try await other.send("INSERT INTO other VALUES ('again')")
        return try await log.nextCommit().tables == .named(["other"])
      }
    }

    func commit(_ sql: String) async throws -> Commit {
      try await other.send(sql)
      return try await log.nextCommit()
    }

    /// The names that are told; `nil` for all tables.
    func tables(_ sql: String) async throws -> [String]? {
      guard case .named(let names) = try await commit(sql).tables else { return nil }
      return names
    }
  }

  @Test func `the table is named that another process changed`() async throws {
    let scene = try await Scene()
    let commit = try await scene.commit("INSERT INTO player(name) VALUES ('ada')")
    #expect(commit.tables == .named(["player"]))
    #expect(commit.evidence == .pages)
    #expect(commit.origin == .external)
    #expect(commit.kind == .data)
  }

  @Test func `all tables of a transaction are named, and of its triggers`() async throws {
    let scene = try await Scene(
      "CREATE TRIGGER t AFTER INSERT ON player BEGIN INSERT INTO prize VALUES (new.name); END")
    #expect(
      try await scene.tables("BEGIN; INSERT INTO player(name) VALUES ('ada'); COMMIT")
        == ["player", "prize"])
  }

  @Test func `a virtual table is named by those that hold its content`() async throws {
    let scene = try await Scene("CREATE VIRTUAL TABLE note USING fts5(body)")
    let tables = try #require(try await scene.tables("INSERT INTO note VALUES ('hello')"))
    #expect(tables.contains("note_content"))
    #expect(tables.allSatisfy { $0.hasPrefix("note_") })
  }

  @Test func `a table whose rows stand in its key's index is named`() async throws {
    let scene = try await Scene("CREATE TABLE pair(a, b, PRIMARY KEY (a, b)) WITHOUT ROWID")
    #expect(try await scene.tables("INSERT INTO pair VALUES (1, 2)") == ["pair"])
  }

  @Test func `what writes no row names no table`() async throws {
    let scene = try await Scene("CREATE INDEX i ON player(name)")
    #expect(try await scene.tables("REINDEX i") == [])
    #expect(try await scene.tables("PRAGMA user_version = 7") == [])
  }

  @Test func `the counter of AUTOINCREMENT is not named`() async throws {
    let scene = try await Scene("CREATE TABLE n(id INTEGER PRIMARY KEY AUTOINCREMENT)")
    #expect(try await scene.tables("INSERT INTO n DEFAULT VALUES") == ["n"])
  }

  @Test func `a change of the schema is one, and tables are told again after it`() async throws {
    let scene = try await Scene()
    let commit = try await scene.commit("CREATE TABLE fresh(name TEXT)")
    #expect(commit.kind == .schema)
    #expect(commit.tables == .all(reason: "the schema changed"))
    try await scene.becomePrecise()
    #expect(try await scene.tables("INSERT INTO fresh VALUES ('x')") == ["fresh"])
  }

  @Test func `VACUUM changes no schema, and tables are told again after it`() async throws {
    let scene = try await Scene()
    let commit = try await scene.commit("VACUUM")
    #expect(commit.kind == .data)
    #expect(commit.tables == .all(reason: "the schema was written, as VACUUM does"))
    try await scene.becomePrecise()
  }

  @Test(arguments: ["PASSIVE", "RESTART", "TRUNCATE"])
  func `the tables are told across a checkpoint`(_ mode: String) async throws {
    let scene = try await Scene()
    for _ in 0..<3 {
      try await scene.other.send("PRAGMA wal_checkpoint(\(mode))")
      #expect(try await scene.tables("INSERT INTO prize VALUES ('cup')") == ["prize"])
      #expect(try await scene.tables("INSERT INTO player(name) VALUES ('ada')") == ["player"])
    }
  }

  @Test func `own commits in between keep the tables known`() async throws {
    let scene = try await Scene()
    for number in 1...5 {
      try await scene.db.database.write {
        // Rows that need pages of their own.
        try $0.execute(
          "INSERT INTO player(name) VALUES (hex(zeroblob(?)))", [3000 * number])
      }
      #expect(try await scene.log.nextCommit().evidence == .hooks)
      // What was not looked at before is looked at together with it.
      let tables = try #require(try await scene.tables("INSERT INTO prize VALUES ('cup')"))
      #expect(tables == ["prize"] || tables == ["player", "prize"])
    }
  }

  @Test func `what another process does elsewhere runs no query`() async throws {
    let scene = try await Scene()
    let runs = Journal<Int>()
    let observation = scene.db.database.observe { connection in
      let count = try connection.count(of: "player")
      runs.append(count)
      return count
    }
    var iterator = observation.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    for _ in 0..<5 {
      #expect(try await scene.tables("INSERT INTO prize VALUES ('cup')") == ["prize"])
    }
    _ = try await scene.commit("INSERT INTO player(name) VALUES ('ada')")
    #expect(try await iterator.next() == 1)
    #expect(runs.entries == [0, 1])
  }

  @Test func `a rollback journal tells no tables, and says so`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let other = try await ExternalProcess.serve(db.path)
    let log = CommitLog(db.database)
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    let commit = try await log.nextCommit()
    #expect(commit.tables == .all(reason: "a rollback journal does not show which tables changed"))
    #expect(commit.evidence == .none)
  }
}
