import ObservationEngine
import TestSupport
import Testing

/// What `Configuration` makes of every connection.
@Suite(.fewAtOnce)
struct ConnectionOptionTests {
  @Test(arguments: StorageKind.allCases)
  func `an attached database is read, written and joined on every connection`(
    _ kind: StorageKind
  ) async throws {
    let archive = try await TemporaryDatabase(.wal)
    try await archive.write(script: "INSERT INTO player(name) VALUES ('old')")
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.attachments = ["archive": archive.path]
    let db = try await TemporaryDatabase(kind, configuration: configuration)
    try await db.write(
      script: """
        INSERT INTO player(name) VALUES ('new');
        INSERT INTO archive.player(name) VALUES ('moved')
        """)
    let sql = "SELECT name FROM archive.player UNION ALL SELECT name FROM main.player"
    #expect(
      try await db.database.read { try $0.fetchAll(SQL(raw: sql)).rows } == [
        ["old"], ["moved"], ["new"],
      ])
    #expect(try await archive.integer("SELECT count(*) FROM player") == 2)
    for sql in ["INSERT INTO archive.player(name) VALUES ('eve')", "DETACH archive"] {
      await #expect(throws: DatabaseError.self) {
        try await db.database.read { _ = try $0.fetchAll(SQL(raw: sql)) }
      }
    }
    // Also what is read by an observation.
    let recorder = db.database.record(integer: "SELECT count(*) FROM archive.player")
    try await recorder.expect(2)
    try await db.write(script: "DELETE FROM archive.player")
    try await recorder.expect(0)
  }

  @Test
  func `an attached database cannot be detached, and bad attachments are errors`() async throws {
    let archive = try await TemporaryDatabase(.wal)
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.attachments = ["archive": archive.path]
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let error = await #expect(throws: DatabaseError.self) { try await db.run("DETACH Archive") }
    #expect(error?.message.contains("Configuration.attachments") == true)
    #expect(error?.sql == "DETACH Archive")
    configuration.createsFile = false
    for (attachments, words) in [
      (["main": archive.path], "choose another name"),
      (["a": archive.folder.path("none.db")], "there is no such file"),
      (["a": archive.folder.path], "is a directory"),
      (["a": archive.path, "A": archive.path], "cannot tell apart"),
      (["a": ":memory:"], "say usesSingleConnection"),
      (
        Dictionary(uniqueKeysWithValues: (1...11).map { ("a\($0)", archive.path) }),
        "too many attached"
      ),
    ] {
      configuration.attachments = attachments
      let error = #expect(throws: DatabaseError.self) {
        _ = try Database(path: db.path, configuration: configuration)
      }
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
  }

  @Test
  func `with a single connection reads see temporary tables, and others are still noticed`()
    async throws
  {
    var configuration = Configuration()
    configuration.usesSingleConnection = true
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    try await db.write(script: "CREATE TEMP TABLE scratch (x); INSERT INTO scratch VALUES (7)")
    #expect(try await db.integer("SELECT x FROM scratch") == 7)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(2)
    #expect(try await db.integer("SELECT x FROM scratch") == 7)
    await #expect(throws: DatabaseError.self) {
      try await db.database.read { _ = try $0.execute("DELETE FROM player") }
    }
  }

  @Test
  func `the journal mode, foreign keys and the preparation reach all connections`() async throws {
    let folder = try TemporaryFolder()
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.journalMode = .wal
    configuration.enforcesForeignKeys = true
    configuration.prepareConnection = { try $0.execute(script: "PRAGMA cache_size = 77") }
    let database = try Database(path: folder.path("new.db"), configuration: configuration)
    let settings: @Sendable (Connection) throws -> [Value] = { connection in
      try ["journal_mode", "foreign_keys", "cache_size"].map {
        try connection.fetchAll("PRAGMA \(raw: $0)").rows[0][0]
      }
    }
    #expect(try await database.withoutTransaction(settings) == ["wal", 1, 77])
    let reader = try await database.read { connection in
      try ["journal_mode", "foreign_keys", "cache_size"].map {
        try connection.fetchAll("SELECT * FROM pragma_\(raw: $0)").rows[0][0]
      }
    }
    #expect(reader == ["wal", 1, 77])
    await database.close()
    configuration.prepareConnection = { _ in throw Unexpected("no") }
    let error = #expect(throws: DatabaseError.self) {
      _ = try Database(path: folder.path("new.db"), configuration: configuration)
    }
    #expect(error?.message.contains("prepareConnection failed") == true)
    configuration.prepareConnection = nil
    let memory = #expect(throws: DatabaseError.self) {
      _ = try Database(inMemory: configuration)
    }
    #expect(memory?.message.contains("the journal mode cannot be wal") == true)
  }
}
