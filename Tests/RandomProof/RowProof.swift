internal import ObservationEngine
internal import TestSupport

/// Processes that commit as fast as they can, and a copy of their rows that only what is said of each commit keeps
/// up to date.
///
///     writers ──commits──▶ database ──old and new pages──▶ changed rows ──▶ copy
///                             └──────────────all rows──────────────────────▶ truth = copy?
///
/// An old row that isn't the one in the copy is an error, and so is a new one that isn't in the file once the writers
/// have paused.
package struct RowProof {
  private static let writers = 2
  private static let tables = [
    "CREATE TABLE t0_row (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB)",
    "CREATE TABLE t1_key (a INT, b TEXT, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID",
    "CREATE TABLE t2_bag (a, b, c); CREATE INDEX bag ON t2_bag (a, b)",
    "CREATE TABLE t3_mix (r REAL DEFAULT 2, a INT, b TEXT, c BLOB, s AS (a * 2) STORED)",
    // The first rows are shorter than those that come.
    """
    CREATE TABLE t4_late (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB);
    INSERT INTO t4_late (a, b) SELECT value, 'first' FROM json_each('[1,2,3,4,5,6,7,8]');
    ALTER TABLE t4_late ADD COLUMN d REAL DEFAULT 7
    """,
    """
    CREATE TABLE t5_strict (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB) STRICT;
    INSERT INTO t5_strict (a, b) SELECT value, 'first' FROM json_each('[1,2,3,4,5,6,7,8]');
    ALTER TABLE t5_strict ADD COLUMN d ANY DEFAULT '5'; ALTER TABLE t5_strict ADD COLUMN e TEXT DEFAULT 1.50
    """,
    """
    CREATE TABLE t6_late (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB);
    INSERT INTO t6_late (a, b) SELECT value, 'first' FROM json_each('[1,2,3,4,5,6,7,8]');
    ALTER TABLE t6_late ADD COLUMN d DEFAULT 1.0; ALTER TABLE t6_late ADD COLUMN e TEXT DEFAULT true
    """,
    "CREATE TABLE commits (w INTEGER PRIMARY KEY, n INT)",
  ]

  /// What was seen.
  package struct Tally: CustomStringConvertible {
    package var databases = 0
    package var commits = 0
    /// Commits of which all rows were known, and compared.
    package var known = 0
    /// The rows that they changed.
    package var rows = 0
    /// How often the copy was compared with the file.
    package var fences = 0
    /// Why rows were unknown, and of how many events.
    package var reasons: [String: Int] = [:]

    fileprivate mutating func note(_ changeset: Changeset) {
      var found = Set([changeset.everythingReason].compactMap(\.self))
      for case .bulk(let reason) in changeset.tables.values { found.insert(reason) }
      for reason in found {
        let words = reason.split(separator: " ").map { Int($0) == nil ? $0 : "…" }
        reasons[words.joined(separator: " "), default: 0] += 1
      }
    }

    package var description: String {
      let reasons = reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        .map { "\n  \($0.value) × \($0.key)" }.joined()
      return """
        \(commits) commits in \(databases) databases: of \(known) all rows were known and compared, \
        \(rows) rows, at \(fences) fences; unknown:\(reasons.isEmpty ? " none" : reasons)
        """
    }
  }

  package private(set) var tally = Tally()
  /// What was wrong, with its seed.
  package private(set) var failures: [String] = []
  private let pulse: Pulse?

  package init(pulse: Pulse? = nil) { self.pulse = pulse }

  /// Works on one database.
  ///
  /// - Parameters:
  ///   - rounds: How often the writers are let go, and what they did is compared. It goes on until all rows of some
  ///     commit were known: on a busy machine the log begins again too often.
  ///   - bursts: How many commits a writer makes in a round, one of them at random.
  package mutating func run(
    seed: UInt64, autoVacuum: Int, rounds: Int = 12, bursts: [Int] = [1, 5, 20, 60, 60, 400]
  ) async throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryFolder()
    let path = folder.path("free.db")
    let (writers, longest) = try await Self.start(path, autoVacuum: autoVacuum, &random)
    let database = try Database(path: path, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let journal = Journal<(commit: Commit, changeset: Changeset)>()
    let follower = EventFollower(database, wanting: .all(wantsRows: true)) {
      if case .commit(let commit) = $0 { journal.append((commit, $1)) }
    }
    let watch = CommitLog(database)
    defer { withExtendedLifetime((follower, watch)) {} }

    let truth = try PlainConnection(path)
    var replica = try RowReplica(truth)
    var (acknowledged, seen, place) = (0, 0, 0)
    let knownBefore = tally.known
    var round = 0
    while round < rounds || tally.known == knownBefore {
      round += 1
      let count = round > rounds ? 1 : bursts.randomElement(using: &random)!
      for (number, writer) in writers.enumerated() {
        let checkpoint = random.onceIn(8) ? 40 : 0
        let order = UInt32.random(in: 1...UInt32.max, using: &random)
        try writer.tell(
          """
          .work writer=\(number) count=\(count) ms=400 seed=\(order) checkpoint=\(checkpoint) \
          longest=\(longest)
          """)
      }
      for writer in writers {
        acknowledged += try await writer.answer().first.flatMap { Int($0[0]) } ?? 0
      }
      while seen < acknowledged {
        guard let (commit, changeset) = await journal.entry(at: place) else {
          throw Unexpected("seed \(seed): \(seen) of \(acknowledged) commits were noticed")
        }
        place += 1
        seen += commit.count
        replica.apply(changeset)
        judge(changeset, of: commit, seed)
      }
      pulse?.beat()
      if seen != acknowledged {
        failures.append("seed \(seed): \(seen) commits were noticed, of \(acknowledged)")
      }
      let now = try RowReplica(truth)
      for complaint in replica.complaints + replica.differences(from: now) {
        failures.append("seed \(seed), auto_vacuum \(autoVacuum): \(complaint)")
      }
      tally.rows += replica.rowCount
      tally.fences += 1
      replica = now
    }
    tally.databases += 1
    tally.commits += acknowledged
    for writer in writers { await writer.finish() }
  }

  /// Counts a commit. Each one raises the number of its writer by one, so none can be missing.
  private mutating func judge(_ changeset: Changeset, of commit: Commit, _ seed: UInt64) {
    let isKnown = changeset.tables.values.allSatisfy { if case .rows = $0 { true } else { false } }
    if isKnown, changeset.everythingReason == nil { tally.known += commit.count }
    tally.note(changeset)
    for row in changeset.rowChanges(of: TableID(name: "commits")) ?? [] {
      let (old, new) = (row.old?.values[1].integer, row.new?.values[1].integer)
      if new != (old ?? 0) + 1 {
        failures.append("seed \(seed): commit \(commit.ordinal) raised \(old ?? 0) to \(new ?? 0)")
      }
    }
  }

  /// Makes the database, and starts those who write to it.
  private static func start(
    _ path: String, autoVacuum: Int, _ random: inout SeededRandom
  ) async throws -> (writers: [ExternalProcess], longest: Int) {
    let pageSize = 512 << Int.random(in: 0...7, using: &random)
    let longest = min(20_000, pageSize * Int.random(in: 1...4, using: &random))
    let encoding = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"].randomElement(using: &random)!
    var writers: [ExternalProcess] = []
    for number in 0..<Self.writers {
      let writer = try await ExternalProcess.serve(path, "--busy", "10000")
      if number == 0 {
        try await writer.send(
          """
          PRAGMA encoding = '\(encoding)'; PRAGMA page_size = \(pageSize);
          PRAGMA auto_vacuum = \(autoVacuum)
          """)
        try await writer.send("PRAGMA journal_mode = WAL")
        for sql in Self.tables { try await writer.send(sql) }
        try await writer.send("INSERT INTO commits VALUES (0, 0), (1, 0)")
      }
      let cache = [5, 2000].randomElement(using: &random)!
      // Where the log begins again after each few commits, little is known.
      let frames = [1000, 20_000, 0].randomElement(using: &random)!
      try await writer.send(
        """
        PRAGMA synchronous = OFF; PRAGMA cache_size = \(cache);
        PRAGMA wal_autocheckpoint = \(frames)
        """)
      writers.append(writer)
    }
    return (writers, longest)
  }
}
