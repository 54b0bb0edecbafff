import Dispatch
import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// A process that commits without waiting for anybody, while every core is wanted by others: in a soak by busy loops,
/// else by the other tests.
@Suite(.fewAtOnce)
struct FreeWriterTests {
  private static let tables = 40

  @Test(arguments: [0, 1])
  func `each commit of a free-running writer is told with its tables`(
    _ autoVacuum: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("free.db")
    let writer = try await ExternalProcess.serve(path, "--journal", "wal", "--sync", "OFF")
    try await writer.send("PRAGMA auto_vacuum = \(autoVacuum); PRAGMA wal_autocheckpoint = 400")
    // Rows that do not fit reach the log before their commit.
    try await writer.send("VACUUM; PRAGMA cache_size = 5")
    for table in 0..<Self.tables {
      try await writer.send("CREATE TABLE t\(table) (id INTEGER PRIMARY KEY, n INT, body BLOB)")
      try await writer.send("CREATE INDEX i\(table) ON t\(table) (n)")
      try await writer.send("INSERT INTO t\(table) VALUES (1, 0, zeroblob(10))")
    }
    let database = try Database(path: path, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let log = CommitLog(database)
    let recorders = (0..<8).map { table in
      database.record(integer: "SELECT n FROM t\(table) WHERE id = 1")
    }
    let load = BusyLoops(Soak.isOn ? 4 : 0)
    defer { load.stop() }

    var random = SeededRandom(seed: Soak.seed &+ UInt64(autoVacuum))
    /// The last commit that wrote the first row of each table.
    var last = [Int](repeating: 0, count: Self.tables)
    /// The tables of each commit, in order.
    var written: [Set<String>] = []
    for round in 1...(Soak.isOn ? max(5, Soak.seconds) : 20) {
      var told = 0
      for _ in 0..<Int.random(in: 1...25, using: &random) {
        let first = Int.random(in: 0..<Self.tables, using: &random)
        let second = Int.random(in: 0..<Self.tables, using: &random)
        let size = random.onceIn(4) ? Int.random(in: 0...20_000, using: &random) : 10
        // A number of its own: what stays the same is not written.
        let number = written.count + 1
        try writer.tell(
          """
          BEGIN; UPDATE t\(first) SET n = \(number), body = zeroblob(\(size)) WHERE id = 1; \
          INSERT INTO t\(second) (n, body) VALUES (\(number), zeroblob(\(size / 3))); COMMIT
          """)
        written.append(["t\(first)", "t\(second)"])
        last[first] = number
        told += 1
      }
      if random.onceIn(6) {
        try writer.tell("PRAGMA wal_checkpoint(\(["RESTART", "TRUNCATE"][round % 2]))")
        told += 1
      }
      for _ in 0..<told { _ = try await writer.answer() }
      // The next round begins when this one has been noticed, so that not all of it is one commit.
      try await log.expect(.external, count: written.count)
      // Until tables are told at all: it takes a moment until it is known again whose the pages
      // are.
      if round % 5 == 0 {
        try await wait(for: "a commit of which the tables are told") {
          written.append(["t0"])
          last[0] = written.count
          try await writer.send("UPDATE t0 SET n = \(written.count) WHERE id = 1")
          try await log.expect(.external, count: written.count)
          if case .named = log.commits.last?.tables { return true }
          return false
        }
      }
    }
    for (table, recorder) in recorders.enumerated() where last[table] > 0 {
      try await recorder.expect(last[table], via: Array(0..<last[table]))
      #expect(recorder.values == recorder.values.sorted(), "t\(table)")
    }
    check(log.commits.filter { $0.origin == .external }, written)
    await writer.finish()
  }

  /// Each observed commit stands for some of those that were written, in order.
  private func check(_ commits: [Commit], _ written: [Set<String>]) {
    var next = 0
    var precise = 0
    for commit in commits {
      let range = next..<min(written.count, next + commit.count)
      next += commit.count
      guard case .named(let names) = commit.tables else { continue }
      precise += 1
      let expected = range.reduce(into: Set<String>()) { $0.formUnion(written[$1]) }
      #expect(expected.subtracting(names) == [], "commits \(range)")
    }
    #expect(next == written.count, "each commit is counted once")
    print("free writer: \(commits.count) observed for \(written.count), \(precise) with tables")
  }
}

/// Threads that want the processor all the time.
private final class BusyLoops: Sendable {
  private let isOver = Atomic(false)

  init(_ count: Int) {
    for number in 0..<count {
      DispatchQueue(label: "livequery.test.busy.\(number)").async { [self] in
        while !isOver.load(ordering: .relaxed) {}
      }
    }
  }

  func stop() { isOver.store(true, ordering: .relaxed) }
}
