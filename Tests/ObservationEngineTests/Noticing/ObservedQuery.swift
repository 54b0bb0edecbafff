import DatabaseConsole
import ObservationEngine
import TestSupport
import Testing

/// A query that is observed in a database of its own, and a fence beside it.
///
///     let query = try await ObservedQuery(.wal, "CREATE TABLE t (x)", "SELECT count(*) FROM t")
///     try await query.notices("INSERT INTO t VALUES (1)")
///     try await query.ignores("UPDATE t SET x = 2")
final class ObservedQuery: Sendable {
  let db: TemporaryDatabase
  let recorder: Recorder<RowSet>
  private let sql: String
  private let arguments: QueryArguments
  private let runs: Counter
  private let fence: Recorder<Int>

  /// - Parameters:
  ///   - setUp: Statements that are run one by one, outside of a transaction, after the schema.
  init(
    _ kind: StorageKind = .wal, _ schema: String, setUp: [String] = [], _ sql: String,
    _ arguments: QueryArguments = [], configuration: Configuration = TemporaryDatabase.alwaysOpen
  ) async throws {
    db = try await TemporaryDatabase(
      kind, configuration: configuration, schema: "CREATE TABLE fence (x); \(schema)")
    for statement in setUp { try await db.run(statement) }
    self.sql = sql
    self.arguments = arguments
    let runs = Counter()
    self.runs = runs
    recorder = Recorder(
      db.database.observe { connection in
        runs.increment()
        return try connection.fetchAll(SQL(raw: sql), arguments)
      })
    // The fence begins second: it is told after the query of the same commit.
    _ = try await recorder.next()
    fence = db.database.record(integer: "SELECT count(*) FROM fence")
    _ = try await fence.next()
  }

  /// Commits, and waits until the observation brings what the query returns since.
  func notices(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await notices(sourceLocation: sourceLocation) { try await $0.write(script: script) }
  }

  /// Makes a change, and waits until the observation brings what the query returns since.
  func notices(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (TemporaryDatabase) async throws -> Void
  ) async throws {
    let before = try recorder.updates.last?.value
    try await change(db)
    let now = try await current()
    #expect(now != before, "what does not matter proves nothing", sourceLocation: sourceLocation)
    try await recorder.expect(now)
  }

  /// Commits, and then the fence: until that is noticed the query must not have run again.
  func ignores(_ script: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await ignores(sourceLocation: sourceLocation) { try await $0.write(script: script) }
  }

  /// Makes a change, and commits the fence: until that is noticed the query must not have run again.
  func ignores(
    sourceLocation: SourceLocation = #_sourceLocation,
    _ change: (TemporaryDatabase) async throws -> Void
  ) async throws {
    let (before, runsBefore) = (try recorder.updates.last?.value, runs.value)
    try await passes(change)
    #expect(runs.value == runsBefore, "it ran again", sourceLocation: sourceLocation)
    let now = try await current()
    #expect(now == before, "what is ignored must not matter", sourceLocation: sourceLocation)
  }

  /// Makes a change, whether it matters or not, and waits until a later commit is noticed.
  func passes(_ change: (TemporaryDatabase) async throws -> Void) async throws {
    try await change(db)
    try await db.write(script: "INSERT INTO fence VALUES (1)")
    try await fence.expect(try await db.integer("SELECT count(*) FROM fence"))
  }

  private func current() async throws -> RowSet {
    try await db.database.read { [sql, arguments] in try $0.fetchAll(SQL(raw: sql), arguments) }
  }
}
