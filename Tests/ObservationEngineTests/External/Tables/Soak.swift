import TestSupport

/// How long the random tests run, and where they begin.
enum Soak {
  /// Whether the work is to go on for ``seconds``.
  static var isOn: Bool { EnvironmentVariable.text("LIVEQUERY_SOAK_SECONDS") != nil }

  /// Seconds of random work; `make soak SECONDS=…`.
  static var seconds: Int { EnvironmentVariable.number("LIVEQUERY_SOAK_SECONDS") ?? 15 }

  /// The seed of the first database; the others follow from it, one by one. `make soak SEED=…`
  static var seed: UInt64 { UInt64(EnvironmentVariable.number("LIVEQUERY_SOAK_SEED") ?? 1) }
}
