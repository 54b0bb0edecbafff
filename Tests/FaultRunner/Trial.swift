import CFaults
import CSQLite
import Foundation
import DatabaseConsole
import ObservationEngine
import Synchronization
import TestSupport

/// One scenario on a database of its own, with one fault.
final class Trial {
  private let storage: FaultStorage
  private let scenario: Scenario
  private let folder: TemporaryFolder
  private let path: String
  private static let rows = 20

  init(_ storage: FaultStorage, _ scenario: Scenario) async throws {
    self.storage = storage
    self.scenario = scenario
    folder = try TemporaryFolder()
    path = folder.path("test.db")
    let plain = try Plain(path)
    try plain.run(
      """
      PRAGMA journal_mode = \(storage.isWAL ? "wal" : "delete");
      CREATE TABLE t (id INTEGER PRIMARY KEY, payload);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
      INSERT INTO t SELECT i, randomblob(900) FROM n
      """)
  }

  /// Whom a fault interrupts.
  private final class Target: Sendable {
    let task = Mutex<Task<Void, any Error>?>(nil)
    let database = Mutex<Database?>(nil)
  }

  /// - Returns: Whether there was an n-th call.
  func run(_ fault: Fault, at n: Int64) async throws -> Bool {
    let memory = sqlite3_memory_used()
    let target = Target()
    let begins = AsyncStream.makeStream(of: Void.self)
    var database: Database?
    if !scenario.opens {
      database = try Database(path: path, configuration: storage.configuration)
      target.database.withLock { $0 = database }
    }
    let (scenario, path, storage) = (scenario, path, storage)
    let given = database
    let task = Task {
      for await _ in begins.stream { break }
      let used = try given ?? Database(path: path, configuration: storage.configuration)
      target.database.withLock { $0 = used }
      try await scenario.run(used, path)
    }
    target.task.withLock { $0 = task }
    arm(fault, n, target)
    begins.continuation.finish()
    // What observes a locked file waits for as long as it is locked.
    let limit = Task {
      try await Task.sleep(for: .milliseconds(500))
      lq_faults_end()
    }
    let result = await task.result
    limit.cancel()
    var fired: Int32 = 0
    let calls = lq_faults_disarm(&fired)
    if fired == 0, case .failure(let error) = result {
      Violations.note("failed without a fault: \(error)")
    }
    if case .failure(let error) = result,
      !(error is DatabaseError || error is CancellationError)
    {
      Violations.note("an error of another kind: \(error)")
    }
    database = target.database.withLock { $0.take() }
    target.task.withLock { $0 = nil }
    _ = calls
    try await check(database, result)
    await database?.close()
    database = nil
    try await settle("these stay open: \(Self.descriptors())") { Self.descriptors().isEmpty }
    try await settle("memory of SQLite stays in use") { sqlite3_memory_used() <= memory }
    return fired != 0
  }

  /// Runs the scenario without a fault.
  func warmUp() async throws {
    let database = try Database(path: path, configuration: storage.configuration)
    try await scenario.run(database, path)
    await database.close()
  }

  private func arm(_ fault: Fault, _ n: Int64, _ target: Target) {
    let context = Unmanaged.passUnretained(target).toOpaque()
    switch fault.effect {
    case .failure(let result, let lasts):
      lq_faults_arm(Int32(fault.points), n, result, lasts ? 1 : 0, nil, nil)
    case .cancellation:
      lq_faults_arm(
        Int32(fault.points), n, 0, 0,
        { context in
          let target = Unmanaged<Target>.fromOpaque(context!).takeUnretainedValue()
          target.task.withLock { $0 }?.cancel()
        }, context)
    case .interruption:
      lq_faults_arm(
        Int32(fault.points), n, 0, 0,
        { context in
          let target = Unmanaged<Target>.fromOpaque(context!).takeUnretainedValue()
          target.database.withLock { $0 }?.interrupt()
        }, context)
    }
  }

  /// What holds after every fault: the database is whole, nobody holds anything, and the engine goes on.
  private func check(_ database: Database?, _ result: Result<Void, any Error>) async throws {
    let plain = try Plain(path)
    let found = try plain.integer("SELECT count(*) FROM t")
    let committed = Self.rows + scenario.rows
    switch result {
    case .success:
      if found != committed { Violations.note("\(found) rows of \(committed) that were committed") }
    case .failure(let error):
      if found != Self.rows, !(scenario.mayKeepRows && found == committed) {
        Violations.note("\(found) rows after \(error)")
      }
    }
    if let database, !scenario.closes {
      // What a person began is theirs to end, and they try again.
      if await database.isInTransaction() {
        if scenario.name != "console" { Violations.note("a transaction is open") }
        _ = try await database.run(statement: "ROLLBACK", rowLimit: 1)
      }
      try await goOn(database, from: found)
      let after = try plain.integer("SELECT count(*) FROM t")
      if after != found + 1 { Violations.note("\(after) rows after one more than \(found)") }
    }
    // No patience: who holds a lock now holds it for ever. Only what observes may be reading just now.
    try await settle("another connection cannot write") {
      (try? plain.run("BEGIN IMMEDIATE; UPDATE t SET payload = 'checked'; COMMIT")) != nil
        || plain.rollBack()
    }
    if storage.isWAL {
      try await settle("a snapshot keeps the WAL from being reset") {
        (try? plain.integer("PRAGMA wal_checkpoint(TRUNCATE)")) == 0
      }
    }
    if try plain.text("PRAGMA integrity_check") != "ok" { Violations.note("the file is damaged") }
  }

  private func goOn(_ database: Database, from count: Int) async throws {
    do {
      let seen = try await database.read { try $0.count(of: "t") }
      if seen != count { Violations.note("a read sees \(seen) rows, not \(count)") }
    } catch {
      Violations.note("a read fails: \(error)")
    }
    do {
      try await database.write { try $0.execute("INSERT INTO t(payload) VALUES ('after')") }
      let seen = try await database.read { try $0.count(of: "t") }
      if seen != count + 1 { Violations.note("a read after a write sees \(seen) rows") }
    } catch {
      Violations.note("a write fails: \(error)")
    }
  }

  private func settle(_ what: @autoclosure () -> String, _ isSo: () throws -> Bool) async throws {
    for _ in 0..<2_000 {
      if try isSo() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Violations.note(what())
  }

  /// What is open of files and of what tells of them; the runtime has timers and events of its own.
  private static func descriptors() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }.filter { $0.contains("livequery-test") || $0.contains("inotify") }
  }
}

/// SQLite alone.
final class Plain {
  struct Failure: Error { let message: String }

  private var handle: OpaquePointer?

  init(_ path: String) throws {
    guard sqlite3_open(path, &handle) == SQLITE_OK else { throw failure }
  }

  deinit { sqlite3_close(handle) }

  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }

  func run(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure }
  }

  /// - Returns: `false`.
  func rollBack() -> Bool {
    if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
    return false
  }

  func text(_ sql: String) throws -> String {
    // The engine may be opening or closing a connection at this moment.
    sqlite3_busy_timeout(handle, 10_000)
    defer { sqlite3_busy_timeout(handle, 0) }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { throw failure }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? ""
  }

  func integer(_ sql: String) throws -> Int { Int(try text(sql)) ?? -1 }
}
