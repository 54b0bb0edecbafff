import Glibc
import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// Reading and writing.
@Suite(.fewAtOnce)
struct DatabaseTests {
  @Test(arguments: StorageKind.allCases)
  func `a write is committed whole, or not at all`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let changed = try await db.database.write { connection in
      try connection.execute("INSERT INTO player(name) VALUES (?), (?)", ["ada", "bob"])
    }
    #expect(changed == 2)
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("DELETE FROM player")
        throw Unexpected("changed my mind")
      }
    }
    await #expect(throws: DatabaseError.self) {
      try await db.database.write { connection in
        try connection.execute("DELETE FROM player")
        try connection.execute("nonsense")
      }
    }
    #expect(try await db.integer("SELECT count(*) FROM player") == 2)
  }

  @Test(arguments: StorageKind.allCases)
  func `writes of one task happen in their order`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    for number in 1...50 {
      try await db.write(script: "INSERT INTO map VALUES (\(number), 'x')")
    }
    #expect(try await db.integer("SELECT group_concat(id) = '1,2,3' FROM map WHERE id < 4") == 1)
    #expect(try await db.integer("SELECT count(*) FROM map") == 50)
  }

  @Test(arguments: StorageKind.allCases)
  func `a read sees one state, whatever is written meanwhile`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let path = kind == .memory ? nil : db.path
    let counts = try await db.database.read { connection -> [Int] in
      let first = try connection.count(of: "player")
      if let path, kind == .wal {
        // Another connection of this process commits in the middle of this read.
        let second = try Database(path: path)
        try second.writeWaiting { _ = try $0.execute("INSERT INTO player DEFAULT VALUES") }
        second.close()
      }
      return [first, try connection.count(of: "player")]
    }
    #expect(counts == [0, 0])
    if kind == .wal { #expect(try await db.integer("SELECT count(*) FROM player") == 1) }
  }

  @Test(arguments: StorageKind.allCases)
  func `cancelling a task cancels its statement, and no other`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    // Before it begins, before its statement begins, and while that runs.
    for delay in 0..<40 {
      let (started, continuation) = AsyncStream.makeStream(of: Void.self)
      let endless = Task {
        try await db.database.read { connection in
          continuation.yield()
          for _ in 0..<delay { _ = try connection.fetchAll("SELECT 1") }
          return try connection.fetchAll(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
            """)
        }
      }
      if delay > 0 {
        var iterator = started.makeAsyncIterator()
        await iterator.next()
      }
      endless.cancel()
      await #expect(throws: (any Error).self) { try await endless.value }
    }
    for number in 1...20 {
      let cancelled = Task { try await db.integer("SELECT 1") }
      cancelled.cancel()
      _ = await cancelled.result
      #expect(try await db.integer("SELECT \(number)") == number)
    }
  }

  @Test
  func `opening tells what is wrong with the file`() async throws {
    let folder = try TemporaryFolder()
    var configuration = Configuration()
    configuration.createsFile = false
    func message(_ path: String) -> String {
      do {
        _ = try Database(path: path, configuration: configuration)
        return ""
      } catch {
        return (error as? DatabaseError)?.message ?? "\(error)"
      }
    }
    #expect(message(folder.path("none.db")) == "\(folder.path)/none.db: there is no such file")
    #expect(message(folder.path).contains("is a directory"))
    #expect(message("/dev/null").contains("is not a regular file"))
    let junk = fopen(folder.path("junk.db"), "w")
    fputs(String(repeating: "no database at all ", count: 100), junk)
    fclose(junk)
    #expect(message(folder.path("junk.db")).contains("is not an SQLite database"))
    configuration.createsFile = true
    configuration.isReadOnly = true
    #expect(
      message(folder.path("none.db"))
        == "\(folder.path)/none.db: there is no such file; a read-only database isn't created")
    #expect(message(folder.path("nowhere/none.db")).contains("there is no folder"))
    #expect(folder.names == ["junk.db"])
    configuration.isReadOnly = false
    #expect(message(folder.path("none.db")) == "")
    #expect(folder.names == ["junk.db", "none.db"])
  }

  @Test(arguments: StorageKind.files)
  func `reading while the file is away names it, and says that it is gone`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind, configuration: Configuration())
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    #expect(rename(db.path, db.folder.path("away")) == 0)
    // Connections that are open read on until the engine finds out.
    try await wait(for: "the error") {
      do {
        _ = try await db.integer("SELECT 1")
        return false
      } catch let error as DatabaseError {
        return error.isTransient && error.message == "\(db.path): there is no such file"
      }
    }
    #expect(rename(db.folder.path("away"), db.path) == 0)
    #expect(try await db.integer("SELECT 1") == 1)
  }

  @Test
  func `a lack of descriptors is named`() async throws {
    // In a process of its own, which may lack them.
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let database = try Database(path: folder.path("a.db"))
      try database.writeWaiting { try $0.execute("CREATE TABLE t (x)") }
      database.close()
      var limit = rlimit(rlim_cur: 1, rlim_max: 1)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      do {
        _ = try Database(path: folder.path("a.db"))
        exit(1)
      } catch {
        let message = (error as? DatabaseError)?.message ?? ""
        guard message.contains("Too many open files"), message.contains("ulimit -n") else {
          exit(2)
        }
      }
    }
  }

  @Test
  func `a name that is no path is refused, and makes no file`() throws {
    for (name, words) in [
      (":memory:", "use Database(inMemory:)"), ("", "the path of the database is empty"),
      ("file:app.db?mode=ro", "is a URI; give the path alone, or ./file:app.db?mode=ro"),
    ] {
      for creates in [true, false] {
        var configuration = Configuration()
        configuration.createsFile = creates
        let error = #expect(throws: DatabaseError.self) {
          try Database(path: name, configuration: configuration)
        }
        #expect(error?.code == .cannotOpen)
        #expect(error?.description.contains(words) == true)
        if !name.isEmpty { #expect(access(name, F_OK) != 0) }
      }
    }
    let folder = try TemporaryFolder()
    for name in [":memory:", "file:x"] {
      _ = try Database(path: folder.path(name))
      #expect(folder.names.contains(name))
    }
  }

  @Test
  func `a lock that is held longer than the busy timeout is an error that says so`() async throws {
    var configuration = Configuration()
    configuration.busyTimeout = .milliseconds(20)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("BEGIN IMMEDIATE")
    let error = await #expect(throws: DatabaseError.self) {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    }
    #expect(error?.code.primary == .busy)
    #expect(error?.message.contains("locked by another connection") == true)
    try await other.send("ROLLBACK")
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
  }

  @Test(arguments: StorageKind.allCases)
  func `the tables that a person would look at are listed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        CREATE TABLE b (x, y, PRIMARY KEY (y, x)) WITHOUT ROWID;
        CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE c (rowid TEXT);
        CREATE VIEW v AS SELECT 1; CREATE VIRTUAL TABLE note USING fts5(body)
        """)
    let tables = try db.database.tables()
    #expect(tables.map(\.name) == ["a", "b", "c", "note", "v"])
    #expect(tables.map(\.rowid).prefix(3) == ["rowid", nil, "_rowid_"])
    #expect(tables.map(\.key).prefix(2) == [["id"], ["y", "x"]])
  }

  @Test(arguments: StorageKind.files)
  func `an own checkpoint and an own VACUUM leave observations right`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind, schema: "CREATE TABLE t (x)")
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT ifnull(sum(rowid * x), 0) FROM t")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO t(rowid, x) VALUES (5, 1), (7, 2)")
    try await recorder.expect(19)
    if kind == .wal { try await db.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    // VACUUM may number the rows anew.
    try await db.run("VACUUM")
    let after = try await db.integer("SELECT sum(rowid * x) FROM t")
    if after != 19 { try await recorder.expect(after) }
    try await db.write(script: "INSERT INTO t(rowid, x) VALUES (100, 1)")
    try await recorder.expect(after + 100, via: [after])
    #expect(log.count(.own) == 3)
    #expect(log.count(.external) == 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `what the console has not committed is not observed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let first = db.database.record(integer: "SELECT count(*) FROM player")
    try await first.expect(0)
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player DEFAULT VALUES")
    let second = db.database.record(integer: "SELECT count(*) FROM player")
    if kind != .memory { try await second.expect(0) }
    try await db.run("ROLLBACK")
    // In memory the transaction's connection is the only one: its end is waited for.
    if kind == .memory { try await second.expect(0) }
    try await db.run("INSERT INTO player DEFAULT VALUES")
    try await first.expect(1)
    try await second.expect(1)
  }

  @Test
  func `own changes of the journal mode are no commits of others for long`() async throws {
    let db = try await TemporaryDatabase(.rollbackJournal)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    #expect(try await db.run("PRAGMA journal_mode = WAL").rows?.rows == [["wal"]])
    for number in 1...3 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await recorder.expect(number)
    }
    let log = CommitLog(db.database)
    let other = try await ExternalProcess.serve(db.path)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await other.send("INSERT INTO player DEFAULT VALUES")
    try await log.expect(.external, count: 1)
    try await recorder.expect(5, via: [4])
    #expect(log.count(.own) == 1)
  }
}
