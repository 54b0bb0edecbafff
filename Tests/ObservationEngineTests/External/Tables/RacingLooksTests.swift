import Synchronization
import TestSupport
import Testing

@testable import ObservationEngine

/// Looks without a pause while two processes commit: a commit, a checkpoint or a new log can fall
/// into any moment of a look, or of making the map.
@Suite(.fewAtOnce)
struct RacingLooksTests {
  @Test(arguments: [0, 1, 2])
  func `what is told while two processes commit covers what differs in the end`(
    _ autoVacuum: Int
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("race.db")
    let plain = try PlainConnection(path)
    try plain.run(
      """
      PRAGMA page_size = 512; PRAGMA auto_vacuum = \(autoVacuum); PRAGMA journal_mode = WAL;
      PRAGMA synchronous = OFF;
      """)
    for table in 0..<12 {
      try plain.run(
        """
        CREATE TABLE t\(table) (id INTEGER PRIMARY KEY, n INT, body BLOB);
        CREATE INDEX i\(table) ON t\(table) (n);
        INSERT INTO t\(table) (n, body) VALUES (1, zeroblob(700)), (2, NULL);
        """)
    }
    let writers = [
      try await ExternalProcess.serve(path, "--sync", "OFF"),
      try await ExternalProcess.serve(path, "--sync", "OFF"),
    ]
    var random = SeededRandom(seed: Soak.seed &+ UInt64(autoVacuum))
    var (precise, looks) = (0, 0)
    for round in 0..<max(10, Soak.seconds / 2) {
      // Mostly a log that grows, now and then one that begins anew after each commit or two.
      for writer in writers {
        try await writer.send("PRAGMA wal_autocheckpoint = \([1000, 1000, 1, 1000][round % 4])")
      }
      let before = try TableContents(plain)
      let race = Race()
      async let seen = onOwnThread { try race.look(path) }
      try await wait(for: "the first map") { race.isReady.load(ordering: .acquiring) }
      // Half of the tables at most, so that there are some which must not be told by chance.
      let tables = (0..<12).shuffled(using: &random).prefix(Int.random(in: 1...6, using: &random))
      var told = [0, 0]
      for _ in 0..<Int.random(in: 2...40, using: &random) {
        let writer = Int.random(in: 0...1, using: &random)
        let table = tables.randomElement(using: &random) ?? 0
        try writers[writer].tell(Self.transaction(on: table, using: &random))
        told[writer] += 1
      }
      for (writer, count) in zip(writers, told) {
        for _ in 0..<count {
          // One in the other's way is refused: it is only the work that counts, not its success.
          do { _ = try await writer.answer() } catch is ExternalProcess.Failure {}
        }
      }
      race.isOver.store(true, ordering: .releasing)
      let result = try await seen
      looks += result.looks
      #expect(result.mistakes == [], "seed \(Soak.seed), round \(round)")
      guard let names = result.names else { continue }
      precise += 1
      let differing = try TableContents(plain).differences(from: before)
      #expect(differing.subtracting(names) == [], "seed \(Soak.seed), round \(round)")
    }
    print("racing looks: \(looks) looks; \(precise) rounds told tables only")
    for writer in writers { await writer.finish() }
  }

  private static func transaction(on table: Int, using random: inout SeededRandom) -> String {
    let number = Int.random(in: 0...5000, using: &random)
    let size = random.onceIn(3) ? Int.random(in: 0...5000, using: &random) : 20
    return switch Int.random(in: 0..<24, using: &random) {
    case 0..<8: "INSERT INTO t\(table) (n, body) VALUES (\(number), zeroblob(\(size)))"
    case 8..<14: "UPDATE t\(table) SET n = \(number) WHERE id % 5 = \(number % 5)"
    case 14..<18:
      "UPDATE t\(table) SET body = zeroblob(\(size)) WHERE id = \(number % 30)"
    case 18..<21: "DELETE FROM t\(table) WHERE id % 4 = \(number % 4)"
    case 21: "PRAGMA wal_checkpoint(\(["PASSIVE", "RESTART", "TRUNCATE"][number % 3]))"
    case 22: "PRAGMA incremental_vacuum(\(number % 9))"
    default:
      """
      BEGIN IMMEDIATE; DELETE FROM t\(table); INSERT INTO t\(table) (n, body) \
      VALUES (\(number), zeroblob(\(size))), (7, zeroblob(\(size / 2))); ROLLBACK
      """
    }
  }
}

/// One who looks until it is told to stop.
private final class Race: Sendable {
  let isReady = Atomic(false)
  let isOver = Atomic(false)

  struct Result: Sendable {
    /// What was told; `nil` once that was everything.
    var names: Set<String>? = []
    var looks = 0
    /// Pages that the map gives to another b-tree in the end than dbstat does.
    var mistakes: [String] = []
  }

  func look(_ path: String) throws -> Result {
    var options = Connection.Options()
    options.isReader = true
    let connection = try Connection(path: path, options: options)
    defer { connection.close() }
    connection.wal.isOn = try connection.journalMode == "wal"
    let tracker = TableTracker(connection: connection)
    try tracker.build()
    while tracker.scanSlice() {}
    isReady.store(true, ordering: .releasing)
    var result = Result()
    var isLast = false
    repeat {
      isLast = isOver.load(ordering: .acquiring)
      guard case .header(let header) = connection.wal.indexState() else { continue }
      result.looks += 1
      switch tracker.advance(to: header, rows: { _ in .all(wantsRows: true) }) {
      case .tables(let tables): result.names?.formUnion(tables.map(\.name))
      case .commits(let changesets):
        for changeset in changesets { result.names?.formUnion(changeset.tables.keys.map(\.name)) }
      case .schema, .rewritten, .all: result.names = nil
      case .overwritten: throw Unexpected("no program writes past the WAL")
      }
      if !tracker.isReady { try? tracker.build() }  // Busy, and so later.
      _ = tracker.scanSlice()
    } while !isLast
    let truth = try PlainConnection(path)
    defer { truth.close() }
    result.mistakes = try MapAudit(tracker, truth)?.mistakes ?? []
    return result
  }
}
