import Dispatch
import Glibc
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Backups, and what else is done to whole files.
@Suite(.fewAtOnce)
struct BackupTests {
  private static let fill = """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO player(name, score) SELECT 'a name that takes some room ' || i, i FROM n
    """

  private func count(_ path: String) async throws -> Int {
    let copy = try Database(path: path)
    defer { copy.close() }
    let isWhole: String? = try copy.readWaiting { try $0.fetchOne("PRAGMA integrity_check") }
    #expect(isWhole == "ok")
    return try copy.readWaiting { try $0.count(of: "player") }
  }

  @Test(arguments: StorageKind.allCases)
  func `a backup is a copy of the committed state, and tells its progress`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: Self.fill)
    let told = Mutex<[BackupProgress]>([])
    let path = db.folder.path("copy.db")
    try await db.database.backup(to: path, pagesPerStep: 5) { step in
      told.withLock { $0.append(step) }
    }
    #expect(try await count(path) == 2_000)
    let steps = told.withLock { $0 }
    #expect(steps.count > 3)
    #expect(steps.map(\.remainingPages) == steps.map(\.remainingPages).sorted(by: >))
    #expect(steps.last?.remainingPages == 0 && steps.last?.fractionCompleted == 1)
    // Over the first copy, which is another database by now.
    try await db.write(script: "DELETE FROM player WHERE id > 10")
    try await db.database.backup(to: path)
    #expect(try await count(path) == 10)
  }

  @Test
  func `in WAL mode writes go on during a backup, and it does not see them`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(script: Self.fill)
    let path = db.folder.path("copy.db")
    let database = db.database
    let starts = Counter()
    try await database.backup(to: path, pagesPerStep: 5) { _ in
      starts.increment()
      try? database.writeWaiting { _ = try $0.execute("INSERT INTO player DEFAULT VALUES") }
    }
    #expect(try await count(path) == 2_000)
    #expect(try await db.integer("SELECT count(*) FROM player") == 2_000 + starts.value)
  }

  /// Cancels a copy after its first step.
  private func cancelled(
    _ copy: @escaping @Sendable (@escaping @Sendable (BackupProgress) -> Void) async throws -> Void
  ) async {
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let steps = Counter()
    let task = Task {
      try await copy { _ in
        steps.increment()
        guard steps.value == 1 else { return }
        continuation.yield()
        gate.wait()
      }
    }
    var iterator = started.makeAsyncIterator()
    await iterator.next()
    task.cancel()
    gate.signal()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(steps.value == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `a cancelled backup, or restoration, leaves the target as it was`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: Self.fill)
    let other = try await TemporaryDatabase(.rollbackJournal)
    try await other.write(script: "INSERT INTO player(name) VALUES ('kept')")
    let new = db.folder.path("copy.db")
    for target in [new, other.path] {
      await cancelled { progress in
        try await db.database.backup(to: target, pagesPerStep: 1, progress: progress)
      }
    }
    #expect(!db.folder.names.contains("copy.db"))
    #expect(try await other.integer("SELECT count(*) FROM player") == 1)
    await cancelled { progress in
      try await other.database.restore(from: db.database, pagesPerStep: 1, progress: progress)
    }
    #expect(try await other.integer("SELECT count(*) FROM player") == 1)
    try await other.write(script: "INSERT INTO player(name) VALUES ('more')")
  }

  @Test func `a cancelled backup leaves a file that came in place of its own`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(script: Self.fill)
    let target = db.folder.path("copy.db")
    let folder = db.folder
    await cancelled { progress in
      try await db.database.backup(to: target, pagesPerStep: 1) {
        unlink(target)
        _ = try? folder.write("of another program", to: "copy.db")
        progress($0)
      }
    }
    #expect(try folder.text("copy.db") == "of another program")
  }

  @Test(arguments: StorageKind.allCases)
  func `restoring is one own commit, which refreshes every observation`(
    _ kind: StorageKind
  ) async throws {
    let source = try await TemporaryDatabase(kind)
    try await source.write(script: Self.fill)
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.expect(1)
    try await db.database.restore(from: source.database, pagesPerStep: 7)
    try await recorder.expect(2_000)
    let commit = log.commits.last
    #expect(commit?.origin == .own && commit?.kind == .schema)
    #expect(commit?.tables == .all(reason: "all content was replaced by a copy"))
    // Own commits, and others', are told once after it.
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
    try await recorder.expect(2_001)
    #expect(log.count(.own) == 3)
    if kind != .memory {
      let other = try await ExternalProcess.serve(db.path)
      try await other.send("DELETE FROM player")
      try await recorder.expect(0)
      #expect(log.count(.external) == 1)
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a file is restored with its tables, also over other ones`(
    _ kind: StorageKind
  ) async throws {
    let source = try await TemporaryDatabase(
      .rollbackJournal, schema: "CREATE TABLE other (x); INSERT INTO other VALUES (7)")
    await source.database.close()
    let db = try await TemporaryDatabase(kind)
    try await db.database.restore(from: source.path)
    #expect(try await db.integer("SELECT x FROM other") == 7)
    await #expect(throws: DatabaseError.self) { try await db.integer("SELECT 1 FROM player") }
    try await db.write(script: "INSERT INTO other VALUES (8)")
    #expect(try await db.integer("SELECT sum(x) FROM other") == 15)
  }

  @Test
  func `a database cannot be copied onto itself, and bad files are errors`() async throws {
    let db = try await TemporaryDatabase(.wal)
    let same = try Database(path: db.path)
    defer { same.close() }
    var errors: [DatabaseError?] = []
    errors.append(
      await #expect(throws: DatabaseError.self) { try await db.database.backup(to: db.path) })
    errors.append(
      await #expect(throws: DatabaseError.self) { try await db.database.backup(to: same) })
    errors.append(
      await #expect(throws: DatabaseError.self) { try await db.database.restore(from: db.path) })
    errors.append(
      await #expect(throws: DatabaseError.self) { try await db.database.restore(from: db.database) }
    )
    for error in errors { #expect(error?.message.contains("onto itself") == true) }
    try db.folder.write(String(repeating: "no database at all ", count: 100), to: "junk.db")
    let junk = db.folder.path("junk.db")
    await #expect(throws: DatabaseError.self) { try await db.database.backup(to: junk) }
    await #expect(throws: DatabaseError.self) { try await db.database.restore(from: junk) }
    #expect(try db.folder.text("junk.db").hasPrefix("no database"))
    let missing = await #expect(throws: DatabaseError.self) {
      try await db.database.restore(from: db.folder.path("none.db"))
    }
    #expect(missing?.message.contains("there is no such file") == true)
    try await db.run("BEGIN")
    let open = await #expect(throws: DatabaseError.self) {
      try await db.database.restore(from: junk)
    }
    #expect(open != nil)
    try await db.run("ROLLBACK")
  }

  @Test(arguments: StorageKind.allCases)
  func `vacuum into a file makes a copy there, and only where there is none`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: Self.fill)
    let path = db.folder.path("it's a copy.db")
    try await db.database.vacuum(into: path)
    #expect(try await count(path) == 2_000)
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.vacuum(into: path)
    }
    #expect(error?.message == "\(path) exists already; remove it, or choose another name")
    try await db.database.vacuum()
    #expect(try await db.integer("SELECT count(*) FROM player") == 2_000)
  }

  @Test
  func `a checkpoint of a database that can only be read is refused, with a reason`() async throws {
    for kind in StorageKind.files {
      let db = try await TemporaryDatabase(kind)
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      var configuration = Configuration()
      configuration.isReadOnly = true
      let reader = try Database(path: db.path, configuration: configuration)
      for mode in [CheckpointMode.passive, .truncate] {
        let error = await #expect(throws: DatabaseError.self) { try await reader.checkpoint(mode) }
        #expect(error?.code == .readOnly)
        #expect(error?.message.contains("this database is read-only: run it where") == true)
        #expect(error?.isTransient == false)
      }
      #expect(try await reader.read { try $0.count(of: "player") } == 1)
    }
  }

  @Test
  func `a checkpoint tells what there was to do, and who is in the way`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(20)
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    try await db.write(script: Self.fill)
    let passive = try await db.database.checkpoint()
    #expect(passive.isComplete)
    #expect(try #require(passive.logPages) > 0)
    #expect(try await db.database.checkpoint(.truncate).logPages == 0)
    #expect(try db.folder.bytes("test.db-wal").isEmpty)
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("BEGIN IMMEDIATE")
    let error = await #expect(throws: DatabaseError.self) {
      try await db.database.checkpoint(.full)
    }
    #expect(error?.code.primary == .busy)
    try await other.send("ROLLBACK")
    let journal = try await TemporaryDatabase(.rollbackJournal)
    #expect(try await journal.database.checkpoint().logPages == nil)
    try await db.run("BEGIN")
    let open = await #expect(throws: DatabaseError.self) { try await db.database.checkpoint() }
    #expect(open?.code == .misuse)
  }
}
