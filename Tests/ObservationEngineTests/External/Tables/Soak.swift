import Glibc
import TestSupport

/// How long the random tests run, and where they begin.
enum Soak {
  /// Whether the work is to go on for ``seconds``.
  static var isOn: Bool { variable("LIVEQUERY_SOAK_SECONDS") != nil }

  /// Seconds of random work; `make soak SECONDS=…`.
  static var seconds: Int { variable("LIVEQUERY_SOAK_SECONDS").flatMap { Int($0) } ?? 15 }

  /// The seed of the first database; the others follow from it, one by one. `make soak SEED=…`
  static var seed: UInt64 { variable("LIVEQUERY_SOAK_SEED").flatMap { UInt64($0) } ?? 1 }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
