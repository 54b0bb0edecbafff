internal import ObservationEngine
internal import TestSupport

/// Observed queries under random commits: what was delivered of each is, after each commit, what SQLite alone returns.
///
///     random commits ──▶ database ──▶ engine ──▶ last value delivered ─┐
///                           └──▶ another connection, the same SQL ─────┴▶ equal bits, rows in the same order?
///
/// Queries are those of ``RandomQuery``; a further kind there is proved here without a change.
package struct ResultProof {
  /// Who commits.
  package enum Writers: String, CaseIterable, Sendable {
    /// The engine.
    case own
    /// Another connection of this process, which the engine can't tell from another process.
    case connection
    case process
    /// All of these.
    case all
  }

  /// What was seen.
  package struct Tally: CustomStringConvertible {
    package var databases = 0
    package var commits = 0
    /// Values that were compared, by how they came to be what they are.
    package var maintained = 0
    package var recomputed: [String: Int] = [:]
    /// No commit since the comparison before concerned them.
    package var unconcerned = 0
    /// Of them: the query failed, as it should.
    package var errors = 0
    /// Maintained and recomputed, by the kind of the query.
    package var kinds: [String: (maintained: Int, recomputed: Int)] = [:]

    package var comparisons: Int {
      maintained + unconcerned + recomputed.values.reduce(0, +)
    }

    package var description: String {
      let reasons = recomputed.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\n  \($0.value) × \($0.key)" }.joined()
      let kinds = kinds.sorted { $0.key < $1.key }
        .map { "\($0.key) \($0.value.maintained) of \($0.value.maintained + $0.value.recomputed)" }
      return """
        \(commits) commits in \(databases) databases; \(comparisons) values compared, \(errors) errors among them: \
        \(maintained) maintained (\(kinds.joined(separator: ", "))), \(unconcerned) not concerned, \
        recomputed:\(reasons)
        """
    }
  }

  /// A query, and what was delivered of it.
  private struct Observed {
    let kind: String
    let sql: String
    let arguments: [Value]
    let truth: TruthQuery
    /// The last value; `nil` when the last result is an error.
    var value: RowSet?
    /// How it was refreshed since the last comparison; `nil` when it was not.
    var method: RefreshMethod?
    /// How often it was refreshed, and how often its result was maintained then.
    var refreshed = 0
    var maintained = 0
  }

  /// After so many steps queries are replaced.
  private static let trial = 60

  package private(set) var tally = Tally()
  /// What was wrong, with its seed.
  package private(set) var failures: [String] = []
  private let pulse: Pulse?

  package init(pulse: Pulse? = nil) { self.pulse = pulse }

  /// Works on one database.
  ///
  /// Of most random queries the results are never maintained. So those that mostly aren't are replaced by others now and
  /// then.
  ///
  /// - Parameters:
  ///   - queries: How many are observed.
  ///   - steps: How often something is committed, and all values are compared.
  package mutating func run(
    seed: UInt64, _ writers: Writers, queries: Int = 40, steps: Int = 60
  ) async throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryFolder()
    let path = folder.path("results.db")
    // A connection that runs ANALYZE, or changes the schema, can choose other plans than those that read both from the
    // file. So others do that, which are closed then.
    let maker = try PlainConnection(path)
    try maker.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    for statement in RandomQuery.schema(&random) { try maker.run(statement) }
    // Whatever a commit does, its number is news.
    try maker.run("CREATE TABLE fence (n INTEGER); INSERT INTO fence VALUES (0)")
    for _ in 0..<20 { try? maker.run(RandomQuery.mutation(&random)) }
    // Not later: a connection that is open keeps the statistics that it has.
    if random.onceIn(3) { try maker.run("ANALYZE") }
    maker.close()
    let plain = try PlainConnection(path)
    try plain.run("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF")

    var configuration = TemporaryDatabase.alwaysOpen
    configuration.maintainsEagerly = true
    // The engine compares within its own snapshot, which can be one that lasts a moment.
    if seed % 4 == 0 { configuration.auditsMaintenance = true }
    configuration.prepareConnection = { try $0.execute(script: "PRAGMA synchronous = OFF") }
    let database = try Database(path: path, configuration: configuration)
    defer { database.close() }
    let process = [.process, .all].contains(writers) ? try await ExternalProcess.serve(path) : nil
    var author = RandomAuthor(
      path: path, database: database, plain: plain, process: process, writers: writers)

    var observed = (0..<queries).map { _ in Self.observed(plain, &random) }
    for first in stride(from: 0, to: steps, by: Self.trial) {
      let count = min(Self.trial, steps - first)
      try await work(&observed, steps: count, database, plain, &author, &random, seed)
      observed.removeAll { $0.maintained * 2 < $0.refreshed }
      while observed.count < queries { observed.append(Self.observed(plain, &random)) }
    }
    tally.databases += 1
    tally.commits += Int(author.number)
    if let process { await process.finish() }
  }

  /// Observes queries as a group, commits, and compares.
  private mutating func work(
    _ observed: inout [Observed], steps: Int, _ database: Database, _ plain: PlainConnection,
    _ author: inout RandomAuthor, _ random: inout SeededRandom, _ seed: UInt64
  ) async throws {
    let queries = observed.map {
      Query<RowSet>.rows(SQL(raw: $0.sql), QueryArguments(values: $0.arguments))
    }
    // The last of the group, which is refreshed in this order.
    let fence: Query<RowSet> = .rows("SELECT n FROM fence")
    var updates = database.observe(all: queries + [fence]).makeAsyncIterator()
    // A snapshot can be newer than the last commit that was noticed: both must have come this far.
    var (seen, noticed) = (Int64(-1), UInt32(0))
    guard let commits = CommitCount(plain) else { throw Unexpected("there is no wal-index") }
    for step in 0...steps {
      if step > 0 {
        // Commits that come in one refresh are a case of their own, and so are those that meet.
        if random.onceIn(8) { try author.tellProcess(&random) }
        for _ in 0..<(random.onceIn(4) ? Int.random(in: 2...5, using: &random) : 1) {
          try await author.commit(&random)
        }
        try await author.awaitProcess()
      }
      var isSettled = seen == author.number && noticed == commits.number
      while !isSettled {
        guard let update = await updates.take() else { throw Unexpected("seed \(seed): no update") }
        for (index, result) in update.results {
          if index == queries.count {
            seen = try result.get().rows[0][0].integer ?? -1
          } else {
            observed[index].value = try? result.get()
          }
        }
        for (index, refresh) in update.refreshed where index < queries.count {
          observed[index].method = refresh.method
        }
        for commit in update.commits { noticed += UInt32(commit.count) }
        for case .notice(let text, _) in update.events where text.contains("was wrong") {
          let schema =
            (try? plain.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")) ?? []
          failures.append(
            "seed \(seed), commit \(author.number): \(text); \(schema.joined(separator: "; "))")
        }
        isSettled =
          seen == author.number && noticed >= commits.number && update.stale.isEmpty
      }
      for index in observed.indices {
        // What no commit concerned is compared now and then, and in the end.
        let isDue = step == steps || random.onceIn(4)
        guard observed[index].method != nil || isDue else { continue }
        compare(&observed[index], "seed \(seed), commit \(author.number)")
      }
      pulse?.beat()
    }
  }

  private static func observed(_ plain: PlainConnection, _ random: inout SeededRandom) -> Observed {
    let (kind, sql) = RandomQuery.query(&random)
    let count = sql.contains("?2") ? 2 : sql.contains("?1") ? 1 : 0
    let values: [Value] = [1, "a", nil, 0.5, 0]
    let arguments = (0..<count).map { _ in values.randomElement(using: &random)! }
    return Observed(
      kind: kind, sql: sql, arguments: arguments, truth: TruthQuery(plain, sql, arguments))
  }

  private mutating func compare(_ observed: inout Observed, _ place: String) {
    if observed.value == nil { tally.errors += 1 }
    switch observed.method {
    case .maintained:
      tally.maintained += 1
      observed.maintained += 1
      tally.kinds[observed.kind, default: (0, 0)].maintained += 1
    case .recomputed(let reason):
      let words = (reason ?? "without a reason").split(separator: " ").map {
        Int($0) == nil ? $0 : "…"
      }
      tally.recomputed[words.joined(separator: " "), default: 0] += 1
      tally.kinds[observed.kind, default: (0, 0)].recomputed += 1
    case nil: tally.unconcerned += 1
    }
    if !observed.truth.isNow(observed.value) {
      let truth = observed.truth.result()
      failures.append(
        """
        \(place), \(observed.method.map { "\($0)" } ?? "not concerned"): \(observed.sql) \(observed.arguments)
          delivered: \(observed.value.map { "\($0.columns) \($0.rows)" } ?? "an error")
          SQLite:    \(truth.map { "\($0.columns) \($0.rows)" } ?? "an error")
        """)
    }
    if observed.method != nil { observed.refreshed += 1 }
    observed.method = nil
  }
}

/// How many commits there were by anyone, as SQLite counts them in the wal-index.
private struct CommitCount {
  private let index: UnsafeMutableRawPointer
  private let first: UInt32

  /// Begins to count.
  init?(_ connection: PlainConnection) {
    guard let index = connection.walIndex else { return nil }
    self.index = index
    first = index.load(fromByteOffset: 8, as: UInt32.self)
  }

  var number: UInt32 { index.load(fromByteOffset: 8, as: UInt32.self) &- first }
}

/// Commits at random, as one writer or another.
private struct RandomAuthor {
  let path: String
  let database: Database
  let plain: PlainConnection
  let process: ExternalProcess?
  let writers: ResultProof.Writers
  /// How many commits there were: what stands in `fence`.
  private(set) var number: Int64 = 0
  /// What has the tables as they were.
  private var repair: String?
  /// Whether the process was given a commit that it has not answered.
  private var isAwaited = false
  private static let fence = "UPDATE fence SET n = n + 1"

  init(
    path: String, database: Database, plain: PlainConnection, process: ExternalProcess?,
    writers: ResultProof.Writers
  ) {
    self.path = path
    self.database = database
    self.plain = plain
    self.process = process
    self.writers = writers
  }

  /// Has the other process commit while others do.
  mutating func tellProcess(_ random: inout SeededRandom) throws {
    // One line, which must not stop within its transaction, as it would at a column that has another name for now.
    guard let process, writers == .all, !isAwaited, repair == nil else { return }
    let statement = (0..<20).map { _ in RandomQuery.mutation(&random) }.first {
      $0.hasPrefix("UPDATE OR IGNORE t") || $0.hasPrefix("DELETE FROM t")
    }
    try process.tell(
      "BEGIN IMMEDIATE; \(statement ?? "DELETE FROM t WHERE id = 1"); \(Self.fence); COMMIT")
    isAwaited = true
  }

  mutating func awaitProcess() async throws {
    guard let process, isAwaited else { return }
    isAwaited = false
    _ = try await process.answer()
    number += 1
  }

  mutating func commit(_ random: inout SeededRandom) async throws {
    if !isAwaited, repair != nil || random.onceIn(200) {
      let change: (sql: String, repair: String?) =
        repair.map { ($0, nil) } ?? RandomQuery.schemaChange(&random)
      // Alone, since VACUUM takes no transaction; what can't be done now fails.
      let other = try PlainConnection(path)
      try other.run("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF")
      try? other.run(change.sql)
      other.close()
      repair = change.repair
      try plain.run(Self.fence)
      number += 1
      return
    }
    let statements = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      RandomQuery.mutation(&random)
    }
    let isUndone = random.onceIn(10)
    let each: [ResultProof.Writers] =
      isAwaited ? [.own, .connection] : [.own, .connection, .process]
    switch writers == .all ? each.randomElement(using: &random)! : writers {
    case .process:
      guard let process else { return }
      try await process.send("BEGIN IMMEDIATE")
      // A constraint fails one statement, as it would the others' writer.
      for statement in statements { _ = try? await process.send(statement) }
      try await process.send(Self.fence)
      try await process.send(isUndone ? "ROLLBACK" : "COMMIT")
      if !isUndone { number += 1 }
    case .connection:
      try plain.run("BEGIN IMMEDIATE")
      for statement in statements { try? plain.run(statement) }
      try plain.run(Self.fence)
      try plain.run(isUndone ? "ROLLBACK" : "COMMIT")
      if !isUndone { number += 1 }
    case .own, .all:
      let undone = statements.map { _ in random.onceIn(8) }
      try await database.write { connection in
        for (statement, isUndone) in zip(statements, undone) {
          try? connection.savepoint {
            _ = try connection.execute(SQL(raw: statement))
            if isUndone { throw CancellationError() }
          }
        }
        _ = try connection.execute("UPDATE fence SET n = n + 1")
      }
      number += 1
    }
  }
}
