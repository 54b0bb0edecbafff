import ObservationEngine
import TestSupport
import Testing

/// Databases in memory that several `Database` objects share.
@Suite(.fewAtOnce)
struct SharedMemoryTests {
  /// A name that no other test uses.
  private func name(_ function: String = #function) -> String { "test \(function)?#%" }

  @Test
  func `databases of one name share their content, and others do not`() async throws {
    let first = try Database(sharedMemoryNamed: name())
    let second = try Database(sharedMemoryNamed: name())
    let other = try Database(sharedMemoryNamed: name() + "2")
    try await first.write { try $0.execute(script: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
    #expect(try await second.read { try $0.fetchOne("SELECT x FROM t") } == 1)
    try await second.write { _ = try $0.execute("UPDATE t SET x = 2") }
    #expect(try await first.read { try $0.fetchOne("SELECT x FROM t") } == 2)
    await #expect(throws: DatabaseError.self) {
      try await other.read { try $0.fetchAll("SELECT x FROM t") }
    }
    for database in [first, second, other] { await database.close() }
    // The last one took the content with it.
    let again = try Database(sharedMemoryNamed: name())
    #expect(try await again.read { try $0.count(of: "sqlite_schema") } == 0)
    await again.close()
  }

  @Test
  func `a commit of one refreshes the observations of all, with its tables`() async throws {
    let first = try Database(sharedMemoryNamed: name())
    let second = try Database(sharedMemoryNamed: name())
    try await first.write { try $0.execute(script: "CREATE TABLE t (x); CREATE TABLE u (x)") }
    let recorder = second.record(integer: "SELECT count(*) FROM t")
    try await recorder.expect(0)
    let log = CommitLog(second, noticesOthers: false)
    try await first.write { _ = try $0.execute("INSERT INTO t VALUES (1)") }
    try await recorder.expect(1)
    let commit = try await log.nextCommit()
    #expect(commit.origin == .external)
    #expect(commit.tables == .named(["t"]))
    try await second.write { _ = try $0.execute("INSERT INTO t VALUES (1)") }
    try await recorder.expect(2)
    #expect(log.count(.external) == 1 && log.count(.own) == 1)
    for database in [first, second] { await database.close() }
  }

  @Test
  func `a database that is opened for reading refuses to write`() async throws {
    let first = try Database(sharedMemoryNamed: name())
    try await first.write { try $0.execute(script: "CREATE TABLE t (x); INSERT INTO t VALUES (1)") }
    var configuration = Configuration()
    configuration.isReadOnly = true
    let second = try Database(sharedMemoryNamed: name(), configuration: configuration)
    #expect(try await second.read { try $0.fetchOne("SELECT x FROM t") } == 1)
    let error = await #expect(throws: DatabaseError.self) {
      try await second.write { _ = try $0.execute("DELETE FROM t") }
    }
    #expect(error?.code.primary == .readOnly)
    #expect(try await first.read { try $0.fetchOne("SELECT x FROM t") } == 1)
    for database in [first, second] { await database.close() }
  }

  @Test
  func `readers and writers wait for each other, and nothing is lost`() async throws {
    let databases = try (1...3).map { _ in try Database(sharedMemoryNamed: name()) }
    try await databases[0].write {
      try $0.execute(script: "CREATE TABLE t (x INTEGER PRIMARY KEY)")
    }
    try await withThrowingTaskGroup { group in
      for database in databases {
        group.addTask {
          for _ in 1...30 {
            try await database.write { _ = try $0.execute("INSERT INTO t DEFAULT VALUES") }
            // The rows of one state: as many as the greatest key.
            let isWhole: Bool = try await database.read {
              try $0.fetchOne("SELECT count(*) = max(x) FROM t") ?? false
            }
            #expect(isWhole)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await databases[1].read { try $0.count(of: "t") } == 90)
    for database in databases { await database.close() }
  }
}
