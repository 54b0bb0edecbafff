import Glibc
import TestSupport

/// A pipe with a name, which programs hold open for as long as they live: its end proves that none is left.
final class LifeLine: Sendable {
  let path: String
  private let reader: Int32

  init(in folder: TemporaryFolder) throws {
    path = folder.path("alive")
    guard mkfifo(path, 0o600) == 0 else { throw Unexpected("mkfifo: \(errno)") }
    reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard reader >= 0 else { throw Unexpected("open: \(errno)") }
  }

  deinit { close(reader) }

  /// Waits until somebody has written something.
  func waitForWord() async throws {
    try await wait(for: "a word in \(path)") {
      var byte: UInt8 = 0
      return read(reader, &byte, 1) == 1
    }
  }

  /// Waits until nobody holds it any more.
  ///
  /// - Precondition: Somebody has written to it.
  func waitForEnd() async throws {
    try await wait(for: "the end of whoever holds \(path)") {
      var buffer = [UInt8](repeating: 0, count: 64)
      return read(reader, &buffer, buffer.count) == 0
    }
  }

  /// A script that holds it, with two more processes, and that SIGTERM does not end.
  var stubbornScript: String {
    "trap '' TERM; exec >'\(path)'; sleep 1000 & echo up; sleep 1000"
  }
}
