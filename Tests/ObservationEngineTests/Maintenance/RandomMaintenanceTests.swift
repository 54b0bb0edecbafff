import RandomProof
import TestSupport
import Testing

/// Random queries under random transactions, of this process and of another one: what is delivered is what SQLite
/// returns. In a debug build each maintained result is compared in the engine as well, in the same snapshot.
///
/// `Scripts/soak --comparisons` goes on for ten million of them.
@Suite(.fewAtOnce)
struct RandomMaintenanceTests {
  @Test(arguments: ResultProof.Writers.allCases)
  func `a maintained result is what the query returns`(
    _ writers: ResultProof.Writers
  ) async throws {
    let end = ContinuousClock.now.advanced(by: .seconds(Soak.seconds))
    var seed = Soak.seed
    var proof = ResultProof()
    repeat {
      seed &+= 1
      try await proof.run(seed: seed, writers)
    } while Soak.isOn ? ContinuousClock.now < end : proof.tally.databases < 2
    for failure in proof.failures { Issue.record("\(failure)") }
    print("maintained results, writers: \(writers), seeds to \(seed): \(proof.tally)")
    #expect(proof.tally.maintained > 100)
  }
}
