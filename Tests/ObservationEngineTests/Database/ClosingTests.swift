import Dispatch
import Glibc
import ObservationEngine
import TestSupport
import Testing

/// The end of a `Database`.
@Suite(.fewAtOnce)
struct ClosingTests {
  @Test(arguments: StorageKind.allCases)
  func `every access after close is an error that says so`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let database = db.database
    #expect(try await db.integer("SELECT 1") == 1)
    await database.close()
    var errors: [DatabaseError?] = []
    errors.append(await #expect(throws: DatabaseError.self) { try await db.integer("SELECT 1") })
    errors.append(await #expect(throws: DatabaseError.self) { try await db.write(script: "DROP") })
    errors.append(await #expect(throws: DatabaseError.self) { try await db.run("SELECT 1") })
    errors.append(await #expect(throws: DatabaseError.self) { try await database.checkpoint() })
    for error in errors {
      #expect(error?.code == .misuse)
      #expect(error?.message.contains("the database is closed") == true)
    }
    // Again, and from a thread that may wait.
    await database.close()
  }

  @Test
  func `a closed database has no descriptor open, even while it is referenced`() async {
    // In a process of its own, where no other test opens any.
    await #expect(processExitsWith: .success) {
      func descriptors() throws -> Int {
        let folder = try #require(opendir("/proc/self/fd"))
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
      }
      func open() async throws -> TemporaryDatabase {
        let db = try await TemporaryDatabase(.wal)
        var counts = db.database.observe(Query.count(of: "player")).makeAsyncIterator()
        #expect(try await counts.next() == 0)
        return db
      }
      // What the process opens once.
      await (try open()).database.close()
      let before = try descriptors()
      var databases: [TemporaryDatabase] = []
      for _ in 1...3 { databases.append(try await open()) }
      #expect(try descriptors() > before)
      for db in databases { await db.database.close() }
      // One that each leaves open would be three. The timer of Dispatch, which the process opens once, may come late.
      guard try descriptors() < before + 3 else { exit(1) }
      withExtendedLifetime(databases) {}
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `an observation of a closed database ends at once`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    await db.database.close()
    var iterator = db.database.observe(
      Query.count(of: "player")
    ).makeAsyncIterator()
    #expect(try await iterator.next() == nil)
  }

  @Test(arguments: StorageKind.allCases)
  func `what was asked before close is done, and an open transaction is undone`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    async let written: Void = db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await written
    try await db.run("BEGIN")
    try await db.run("INSERT INTO player(name) VALUES ('eve')")
    await db.database.close()
    guard kind != .memory else { return }
    #expect(db.folder.names == ["test.db"])
    let again = try Database(path: db.path)
    let count = try await again.read { try $0.count(of: "player") }
    #expect(count == 1)
    await again.close()
  }

  @Test(arguments: StorageKind.allCases)
  func `close within a closure closes after it`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let count = try await db.database.write { connection -> Int in
      db.database.close()
      try connection.execute("INSERT INTO player(name) VALUES ('ada')")
      return try connection.count(of: "player")
    }
    #expect(count == 1)
    try await wait(for: "the end of close") {
      do { _ = try await db.integer("SELECT 1") } catch is DatabaseError { return true }
      return false
    }
  }

  @Test func `connections that close together copy a log that was deleted`() async throws {
    // Each would meet the other's shared lock, and none would be the last.
    for round in 1...20 {
      let folder = try TemporaryFolder()
      let path = folder.path("test.db")
      try await SQLiteShell(path).run("PRAGMA journal_mode = WAL; CREATE TABLE t (v);")
      let databases = try (1...4).map { _ in try Database(path: path) }
      for (number, database) in databases.enumerated() {
        try await database.write { try $0.execute("INSERT INTO t VALUES (\(number))") }
        _ = try await database.read { try $0.fetchOne("SELECT count(*) FROM t", as: Int.self) }
      }
      unlink(path + "-wal")
      DispatchQueue.concurrentPerform(iterations: databases.count) { databases[$0].close() }
      let count = try await SQLiteShell(path).run("SELECT count(*) FROM t")
      #expect(count == "4\n", "round \(round)")
    }
  }

  @Test func `a connection that closes late leaves the log of the file in its file's place`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path("test.db")
    try await SQLiteShell(path).run("PRAGMA journal_mode = WAL; CREATE TABLE t (v);")
    let database = try Database(path: path)
    try await database.write { try $0.execute("INSERT INTO t VALUES (1)") }
    // Another file comes to the path, and a reader of it has made its log, which is empty.
    for suffix in ["", "-wal", "-shm"] { rename(path + suffix, folder.path("old.db") + suffix) }
    try await SQLiteShell(path).run("PRAGMA journal_mode = WAL; CREATE TABLE t (v);")
    let other = try await ExternalProcess.serve(path)
    try await other.send("SELECT count(*) FROM t")
    #expect(access(path + "-wal", F_OK) == 0)
    await database.close()
    #expect(access(path + "-wal", F_OK) == 0)
    try await other.send("INSERT INTO t VALUES (2)")
    #expect(try await SQLiteShell(path).run("SELECT v FROM t") == "2\n")
  }
}
