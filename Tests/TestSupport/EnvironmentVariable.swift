internal import Glibc

/// What a test is told from outside, by `make`.
package enum EnvironmentVariable {
  package static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// `nil` when it isn't set, or is no number.
  package static func number(_ name: String) -> Int? { text(name).flatMap { Int($0) } }
}
