import TestSupport
import Testing

@testable import ObservationEngine

/// Processes that are killed while they commit, at whatever moment.
@Suite(.fewAtOnce)
struct KilledWriterTests {
  @Test(arguments: [0, 1, 2])
  func `no table is missed when its writer is killed`(_ autoVacuum: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("killed.db")
    let seed = Soak.seed &+ UInt64(autoVacuum)
    var random = SeededRandom(seed: seed)
    let plain = try PlainConnection(path)
    try plain.run(
      """
      PRAGMA page_size = 1024; PRAGMA auto_vacuum = \(autoVacuum); PRAGMA journal_mode = WAL;
      CREATE TABLE a (id INTEGER PRIMARY KEY, body BLOB);
      CREATE TABLE b (id INTEGER PRIMARY KEY, body BLOB);
      CREATE TABLE c (name TEXT PRIMARY KEY, body BLOB) WITHOUT ROWID;
      """)
    let witness = try TableWitness(path: path, seed: seed)
    for round in 0..<12 {
      let victim = try await ExternalProcess.serve(path, "--sync", "OFF")
      try await victim.send("PRAGMA cache_size = 4")
      let count = Int.random(in: 1...30, using: &random)
      for _ in 0..<count { try victim.tell(Self.transaction(using: &random)) }
      for _ in 0..<Int.random(in: 0...count, using: &random) { _ = try await victim.answer() }
      victim.kill()
      #expect(await victim.ended() == 128 + 9)
      try witness.look()
      // Whoever comes next takes over what was left, and commits.
      try plain.run("INSERT INTO a (body) VALUES (x'01'); DELETE FROM c WHERE name < 'n1'")
      try witness.look()
      #expect(witness.report.failures == [], "seed \(seed), round \(round)")
      if round % 5 == 4 { try plain.run("PRAGMA wal_checkpoint(RESTART)") }
    }
    witness.detach()
  }

  /// A line of SQL that commits, spills, or begins and never ends.
  private static func transaction(using random: inout SeededRandom) -> String {
    let number = Int.random(in: 0...50, using: &random)
    let size = Int.random(in: 0...6000, using: &random)
    let table = ["a", "b"][Int.random(in: 0...1, using: &random)]
    return switch Int.random(in: 0..<6, using: &random) {
    case 0: "INSERT INTO \(table) (body) VALUES (zeroblob(\(size)))"
    case 1: "UPDATE \(table) SET body = zeroblob(\(size)) WHERE id = \(number)"
    case 2: "REPLACE INTO c VALUES ('n\(number)', zeroblob(\(size)))"
    case 3: "DELETE FROM \(table) WHERE id % 7 = \(number % 7)"
    case 4: "PRAGMA wal_checkpoint(PASSIVE)"
    default:
      """
      BEGIN; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40) \
      INSERT INTO \(table) (body) SELECT zeroblob(\(size / 8)) FROM n; COMMIT
      """
    }
  }
}
