import Glibc
import TestSupport

/// Has foreign processes write to databases in every way there is, and compares what `livequery --stream` says
/// with what is in the files.
///
///     RandomWriters [--seconds N] [--seed N] [--cases N] [--rounds N] [--only A,B] [--without A,B]
///                   [--program FILE] [--evidence FOLDER] [--patience SECONDS] [--keep-going]
///
/// A case is one database, made from its seed; the next case has the next seed. What a case does
/// follows from the seed, but for what the scheduler and the classes of work chosen decide.
@main
struct RandomWriters {
  static func main() async {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      guard try await run(options) else { exit(1) }
    } catch let error as UsageError {
      say("RandomWriters: \(error.message)\n\(Options.usage)")
      exit(2)
    } catch {
      say("RandomWriters: \(error)")
      exit(1)
    }
  }

  /// At once, also into a file.
  private static func say(_ text: String) {
    let line = text + "\n"
    _ = line.withCString { write(1, $0, strlen($0)) }
  }

  /// - Returns: Whether nothing failed.
  private static func run(_ options: Options) async throws -> Bool {
    var report = Report()
    let end = ContinuousClock.now.advanced(by: .seconds(options.seconds))
    var seed = options.seed
    var lastLine = ContinuousClock.now
    repeat {
      report.cases += 1
      let ground = try Ground(options, seed: seed)
      do {
        try await ground.run(&report)
        ground.discard()
      } catch let failure as Failure {
        report.failures.append("seed \(seed): \(failure.kind)")
        Self.say("FAILED seed \(seed): \(failure.text)\nevidence: \(ground.folder)")
        if !options.keepsGoing { break }
      } catch {
        report.failures.append("seed \(seed): \(error)")
        Self.say("FAILED seed \(seed): \(error)\nevidence: \(ground.folder)")
        if !options.keepsGoing { break }
      }
      seed += 1
      if ContinuousClock.now - lastLine > .seconds(60) {
        lastLine = .now
        Self.say("… seed \(seed): \(report.summary)")
      }
    } while options.cases.map { report.cases < $0 } ?? (ContinuousClock.now < end)
    Self.say(report.description(seeds: options.seed..<seed))
    return report.failures.isEmpty
  }
}

/// What must not be.
struct Failure: Error {
  /// A few words that are the same for failures of the same kind.
  let kind: String
  let text: String
}

/// A mistake in the command line.
struct UsageError: Error {
  let message: String
}
