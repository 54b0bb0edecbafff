import TestSupport
import Testing

@testable import ObservationEngine

/// Processes that commit as fast as they can, and a copy of their rows that only what is said of each
/// commit keeps up to date.
@Suite(.fewAtOnce)
struct FreeRowsTests {
  private static let writers = 2
  private static let tables = [
    "CREATE TABLE t0_row (id INTEGER PRIMARY KEY, a INT, b TEXT, c BLOB)",
    "CREATE TABLE t1_key (a INT, b TEXT, c BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID",
    "CREATE TABLE t2_bag (a, b, c); CREATE INDEX bag ON t2_bag (a, b)",
    "CREATE TABLE t3_mix (r REAL DEFAULT 2, a INT, b TEXT, c BLOB, s AS (a * 2) STORED)",
    "CREATE TABLE commits (w INTEGER PRIMARY KEY, n INT)",
  ]

  @Test(arguments: [0, 1, 2])
  func `the rows of each commit of free-running writers keep a copy equal`(
    _ autoVacuum: Int
  ) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(max(1, Soak.seconds / 12)))
    var seed = Soak.seed &+ UInt64(autoVacuum) &* 1_000_003
    var total = Tally()
    repeat {
      try await run(seed: seed, autoVacuum: autoVacuum, &total)
      seed &+= 1
    } while ContinuousClock.now < end
    print("free rows, auto_vacuum \(autoVacuum), seeds to \(seed): \(total)")
  }

  /// What a run saw.
  private struct Tally: CustomStringConvertible {
    var commits = 0
    /// Commits of which all rows were known.
    var known = 0
    var rows = 0
    var reasons: [String: Int] = [:]

    mutating func note(_ changeset: Changeset) {
      var found = Set([changeset.everythingReason].compactMap(\.self))
      for case .bulk(let reason) in changeset.tables.values { found.insert(reason) }
      for reason in found {
        let words = reason.split(separator: " ").map { Int($0) == nil ? $0 : "…" }
        reasons[words.joined(separator: " "), default: 0] += 1
      }
    }

    var description: String {
      "\(commits) commits, \(known) with all rows, \(rows) rows, unknown: \(reasons)"
    }
  }

  private func run(seed: UInt64, autoVacuum: Int, _ tally: inout Tally) async throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryFolder()
    let path = folder.path("free.db")
    let pageSize = 512 << Int.random(in: 0...4, using: &random)
    let longest = pageSize * Int.random(in: 1...4, using: &random)
    var writers: [ExternalProcess] = []
    for number in 0..<Self.writers {
      let writer = try await ExternalProcess.serve(path, "--busy", "10000")
      if number == 0 {
        try await writer.send("PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum)")
        try await writer.send("PRAGMA journal_mode = WAL")
        for sql in Self.tables { try await writer.send(sql) }
        try await writer.send("INSERT INTO commits VALUES (0, 0), (1, 0)")
      }
      let cache = [5, 2000].randomElement(using: &random)!
      // Where the log begins again after each few commits, little is known.
      let frames = [1000, 20_000, 0].randomElement(using: &random)!
      try await writer.send(
        "PRAGMA synchronous = OFF; PRAGMA cache_size = \(cache); PRAGMA wal_autocheckpoint = \(frames)"
      )
      writers.append(writer)
    }
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
    // In the end one by one, until all rows of one are known: on a busy machine the log begins again too often.
    while round < 12 || tally.known == knownBefore {
      round += 1
      let count = round > 12 ? 1 : [1, 5, 20, 60, 60, 400].randomElement(using: &random)!
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
        let isKnown = changeset.tables.values.allSatisfy {
          if case .rows = $0 { true } else { false }
        }
        if isKnown, changeset.everythingReason == nil { tally.known += commit.count }
        tally.note(changeset)
        // Each commit raises the number of its writer by one.
        let own = changeset.rowChanges(of: TableID(name: "commits")) ?? []
        for row in own {
          let (old, new) = (row.old?.values[1].integer, row.new?.values[1].integer)
          #expect(new == (old ?? 0) + 1, "seed \(seed), commit \(commit.ordinal)")
        }
      }
      #expect(seen == acknowledged, "seed \(seed)")
      let now = try RowReplica(truth)
      for complaint in replica.complaints + replica.differences(from: now) {
        Issue.record("seed \(seed): \(complaint)")
      }
      tally.rows += replica.rowCount
      replica = now
    }
    tally.commits += acknowledged
    for writer in writers { await writer.finish() }
  }
}
