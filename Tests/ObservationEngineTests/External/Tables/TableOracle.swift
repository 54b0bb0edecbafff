import TestSupport

@testable import ObservationEngine

/// Random work on one random database, seen by a witness now and then.
///
/// Single-threaded: the same seed does the same things, and finds the same.
final class TableOracle {
  private let seed: UInt64
  private let folder: TemporaryFolder
  private let work: RandomWork
  private let witness: TableWitness
  /// When to look is drawn apart from what is done.
  private var random: SeededRandom

  /// Makes a database.
  ///
  /// - Parameters:
  ///   - parts: What to replace in the tracker.
  ///   - audits: Whether to look into its map as well.
  init(seed: UInt64, parts: TableTracker.Parts = .init(), audits: Bool = true) throws {
    self.seed = seed
    folder = try TemporaryFolder()
    work = try RandomWork(path: folder.path("random.db"), seed: seed)
    witness = try TableWitness(path: work.path, seed: seed, parts: parts, audits: audits)
    random = SeededRandom(seed: seed &* 0x9e37)
  }

  /// Looks `count` times, or fewer when one finds a failure: from there on everything may be wrong.
  ///
  /// - Parameter isOver: Whether the time for it is over, after the first few looks.
  func run(looks count: Int, until isOver: () -> Bool = { false }) -> OracleReport {
    let count = work.traits.padsLog ? count / 4 : count
    while witness.report.looks < count, witness.report.failures.isEmpty,
      witness.report.looks < 10 || !isOver()
    {
      do {
        if random.onceIn(150) {
          witness.detach()
          try work.switchJournal()
          try witness.attach()
        } else {
          for _ in 0..<Int.random(in: 1...3, using: &random) { try work.step() }
        }
        if random.onceIn(5) {
          // The log may begin anew in the middle of the look.
          try witness.look {
            for _ in 0..<Int.random(in: 1...2, using: &self.random) { try self.work.step() }
          }
        } else {
          try witness.look()
        }
      } catch {
        // The generator does what SQLite refuses: without this one would not know what.
        witness.complain("\(error)")
      }
    }
    work.close()
    witness.detach()
    var report = witness.report
    report.work = work.counts
    report.failures = report.failures.map {
      """
      seed \(seed), \($0)
        \(work.traits)
        \(work.history.suffix(30).joined(separator: "\n  "))
      """
    }
    return report
  }
}
