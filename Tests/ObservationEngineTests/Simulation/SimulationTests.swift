import TestSupport
import Testing

/// Histories of commits, looks and fetches, thousands of them, by the real rules; `make simulate` runs
/// more.
@Suite struct SimulationTests {
  /// Seconds of histories from a seed on; else a number of them, always the same.
  private static var seconds: Int? { EnvironmentVariable.number("LIVEQUERY_SIMULATE_SECONDS") }
  private static var seed: UInt64 {
    UInt64(EnvironmentVariable.number("LIVEQUERY_SIMULATE_SEED") ?? 1)
  }

  /// What looks are known not to find is simulated as well; see ``SimulatedFile/Gap``.
  private static var gaps: Set<SimulatedFile.Gap> {
    Set(
      (EnvironmentVariable.text("LIVEQUERY_SIMULATE_GAPS") ?? "").split(separator: ",").map {
        SimulatedFile.Gap(rawValue: String($0))!
      })
  }

  @Test func `in every history all commits are reported, and every result is the newest`() {
    let start = ContinuousClock.now
    var seed = Self.seed
    var histories = 0
    while Self.seconds.map({ ContinuousClock.now - start < .seconds($0) }) ?? (histories < 2_000) {
      let script = Simulation.Script(seed: seed, gaps: Self.gaps)
      if let failure = Simulation.run(script) {
        let shrunk = Simulation.shrink(script)
        Issue.record(
          """
          seed \(seed): \(failure)
          shrunk to \(shrunk.steps.count) steps, \(shrunk.isWAL ? "WAL" : "rollback journal"): \
          \(Simulation.run(shrunk) ?? "")
          \(shrunk.steps.map { "  \($0)" }.joined(separator: "\n"))
          """)
        break
      }
      seed += 1
      histories += 1
    }
    if Self.seconds != nil {
      print("simulated \(histories) histories, seeds \(Self.seed)..<\(seed)")
    }
  }

  @Test(arguments: Simulation.Mutant.allCases)
  func `a broken rule is found`(_ mutant: Simulation.Mutant) {
    for seed in UInt64(1)...20_000 {
      if Simulation.run(Simulation.Script(seed: seed), mutant: mutant) != nil { return }
    }
    Issue.record("20,000 histories did not show \(mutant)")
  }
}
