import Glibc
import Synchronization

@testable import LiveQueryTUI

/// Runs a loop on a thread of its own: the executor of the screen is one for the whole process, so
/// tests that use this belong into a serialized suite.
enum LoopThread {
  /// Returns the status that the loop ends with.
  static func run(_ start: @escaping @Sendable @ScreenActor (MainLoop) -> Void) async -> Int32 {
    await withCheckedContinuation { continuation in
      let work = Work { continuation.resume(returning: MainLoop().run(start)) }
      var thread = pthread_t()
      let status = pthread_create(
        &thread, nil,
        { pointer in
          guard let pointer else { return nil }
          Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
          return nil
        }, Unmanaged.passRetained(work).toOpaque())
      precondition(status == 0, "no thread")
      pthread_detach(thread)
    }
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}

/// What happened, in order, from several threads.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}
