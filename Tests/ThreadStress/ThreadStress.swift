import Glibc
import ObservationEngine
import ObservationRecords
import TestSupport

/// Does at the same time all that the engine and the records can do at the same time, for the thread sanitizer.
///
///     ThreadStress [--seconds N] [--seed N]
///
/// Each round has a database of its own. It is closed while everything runs, and must then hold every commit that
/// was acknowledged. The exit status is 1 when one is missing; the sanitizer has its own.
@main
struct ThreadStress {
  static func main() async throws {
    var seconds = 20
    var seed: UInt64 = 1
    var words = CommandLine.arguments.dropFirst()
    while let word = words.popFirst() {
      switch (word, words.popFirst()) {
      case ("--seconds", let value?): seconds = Int(value) ?? seconds
      case ("--seed", let value?): seed = UInt64(value) ?? seed
      default:
        print("usage: ThreadStress [--seconds N] [--seed N]")
        exit(2)
      }
    }
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    var rounds = 0
    var commits = 0
    repeat {
      for storage in Round.Storage.allCases {
        let round = try await Round(storage, seed: seed)
        commits += try await round.run()
        rounds += 1
        seed += 1
      }
    } while ContinuousClock.now < end
    print("\(rounds) rounds, \(commits) commits")
  }
}
