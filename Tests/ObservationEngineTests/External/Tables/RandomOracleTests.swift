import TestSupport
import Testing

@testable import ObservationEngine

/// Random work on random databases: whatever is done, no table that differs is missed.
@Suite
struct RandomOracleTests {
  @Test
  func `no table that differs is missed, and no page is taken for another tree's`() async throws {
    let (first, seconds) = (Soak.seed, Soak.seconds)
    let report = try await onOwnThread {
      let end = ContinuousClock.now.advanced(by: .seconds(seconds))
      var report = OracleReport()
      var seed = first
      // At least one, however slow the machine.
      repeat {
        let oracle = try TableOracle(seed: seed)
        report.add(oracle.run(looks: 100) { ContinuousClock.now > end })
        seed &+= 1
      } while report.failures.isEmpty && ContinuousClock.now < end
      return report
    }
    print("random oracle, seeds from \(first) on, \(seconds) s\n\(report)")
    for failure in report.failures.prefix(3) { Issue.record("\(failure)") }
  }

  @Test
  func `the same seed does the same and finds the same`() async throws {
    let seed = Soak.seed
    let reports = try await onOwnThread {
      try (0..<2).map { _ in
        let oracle = try TableOracle(seed: seed)
        return oracle.run(looks: 60).description
      }
    }
    #expect(reports[0] == reports[1])
  }
}
