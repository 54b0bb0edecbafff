internal import Glibc
internal import ObservationEngine
internal import TestSupport

/// Proves by random work what the engine says of changed rows, and the results that it keeps up to date.
///
///     RandomProof rows    [--count COMMITS] [--seconds N] [--seed N]
///     RandomProof results [--count COMPARISONS] [--seconds N] [--seed N]
///
/// It goes on until so many commits of other processes were compared, or so many maintained results; or for so long.
/// The first database has the seed, the next one the next. Ends with status 1 when something was wrong.
@main
struct RandomProof {
  private static let usage =
    "usage: RandomProof rows|results [--count N] [--seconds N] [--seed N]"

  private let seed: UInt64
  private let count: Int
  private let end: ContinuousClock.Instant?

  static func main() async {
    do {
      var words = CommandLine.arguments.dropFirst()
      let kind = words.popFirst()
      let proof = try RandomProof(words)
      switch kind {
      case "rows": exit(try await proof.proveRows() ? 0 : 1)
      case "results": exit(try await proof.proveResults() ? 0 : 1)
      default: throw Unexpected(usage)
      }
    } catch {
      say("RandomProof: \(error)")
      exit(2)
    }
  }

  private init(_ words: ArraySlice<String>) throws {
    var options: [String: Int] = [:]
    var words = words
    while let word = words.popFirst() {
      guard ["--count", "--seconds", "--seed"].contains(word), let text = words.popFirst(),
        let number = Int(text), number >= 0
      else { throw Unexpected(Self.usage) }
      options[word] = number
    }
    seed = UInt64(options["--seed"] ?? Int(time(nil)))
    end = options["--seconds"].map { .now.advanced(by: .seconds($0)) }
    count = options["--count"] ?? (end == nil ? 100_000 : .max)
  }

  private func isOver(_ done: Int) -> Bool {
    done >= count || end.map { ContinuousClock.now >= $0 } ?? false
  }

  private func proveRows() async throws -> Bool {
    var seed = seed
    var (progress, proof) = (Progress(), RowProof(pulse: pulse()))
    repeat {
      // Mostly few commits at a time, each of which is found alone then.
      try await proof.run(
        seed: seed, autoVacuum: Int(seed % 3), rounds: 200, bursts: [1, 1, 2, 5, 20, 60])
      seed += 1
      progress.note("… \(proof.tally.known) commits compared, \(proof.failures.count) wrong")
    } while !isOver(proof.tally.known) && proof.failures.isEmpty
    return conclude("rows", "\(proof.tally)", proof.failures, seed, progress)
  }

  private func proveResults() async throws -> Bool {
    var seed = seed
    var (progress, proof) = (Progress(), ResultProof(pulse: pulse()))
    let writers: [ResultProof.Writers] = [
      .own, .connection, .own, .all, .own, .connection, .process,
    ]
    repeat {
      try await proof.run(
        seed: seed, writers[Int(seed % UInt64(writers.count))], queries: 60, steps: 600)
      seed += 1
      progress.note(
        "… \(proof.tally.maintained) maintained results compared, \(proof.failures.count) wrong")
    } while !isOver(proof.tally.maintained) && proof.failures.isEmpty
    return conclude("results", "\(proof.tally)", proof.failures, seed, progress)
  }

  private func pulse() -> Pulse {
    let seed = seed
    return Pulse { "it began with seed \(seed)" }
  }

  private func conclude(
    _ kind: String, _ tally: String, _ failures: [String], _ next: UInt64, _ progress: Progress
  ) -> Bool {
    for failure in failures.prefix(20) { Self.say("WRONG: \(failure)") }
    Self.say(
      "\(kind), seeds \(seed)..<\(next), \(progress.times): \(tally)\nwrong: \(failures.count)")
    return failures.isEmpty
  }

  /// At once, also into a file.
  static func say(_ text: String) {
    let line = text + "\n"
    _ = line.withCString { write(1, $0, strlen($0)) }
  }
}

/// Says once a minute how far it is.
private struct Progress {
  private let start = ContinuousClock.now
  private var last = ContinuousClock.now

  mutating func note(_ text: @autoclosure () -> String) {
    guard ContinuousClock.now - last > .seconds(60) else { return }
    last = .now
    RandomProof.say(text())
  }

  /// How long it took, and how much of the processor: its own, and that of the writers.
  var times: String {
    var spent = tms()
    _ = Glibc.times(&spent)
    let tick = sysconf(Int32(_SC_CLK_TCK))
    let own = (spent.tms_utime + spent.tms_stime) / tick
    let others = (spent.tms_cutime + spent.tms_cstime) / tick
    let whole = (ContinuousClock.now - start).components.seconds
    return "\(whole) s (\(own) s of processor, and \(others) s of the writers)"
  }
}
