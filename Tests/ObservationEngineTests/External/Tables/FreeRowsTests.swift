import RandomProof
import TestSupport
import Testing

/// Processes that commit as fast as they can; `Scripts/soak --commits` goes on for a million of them.
@Suite(.fewAtOnce)
struct FreeRowsTests {
  @Test(arguments: [0, 1, 2])
  func `the rows of each commit of free-running writers keep a copy equal`(
    _ autoVacuum: Int
  ) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(max(1, Soak.seconds / 12)))
    var seed = Soak.seed &+ UInt64(autoVacuum) &* 1_000_003
    var proof = RowProof()
    repeat {
      try await proof.run(seed: seed, autoVacuum: autoVacuum)
      seed &+= 1
    } while ContinuousClock.now < end
    for failure in proof.failures { Issue.record("\(failure)") }
    print("free rows, auto_vacuum \(autoVacuum), seeds to \(seed): \(proof.tally)")
  }
}
