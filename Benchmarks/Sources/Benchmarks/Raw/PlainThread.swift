import Glibc
import Synchronization

/// A thread that does something again and again until it is stopped.
final class PlainThread: Sendable {
  private let body: @Sendable () -> Void
  private let mustStop = Atomic(false)
  private let thread = Mutex(pthread_t())

  /// - Parameter body: One round; it must return soon.
  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
    thread.withLock { thread in
      _ = pthread_create(
        &thread, nil,
        { context in
          Unmanaged<PlainThread>.fromOpaque(context!).takeUnretainedValue().loop()
          return nil
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// Ends the thread; it must be called once, and before the object goes.
  func stop() {
    mustStop.store(true, ordering: .relaxed)
    pthread_join(thread.withLock { $0 }, nil)
  }

  private func loop() {
    while !mustStop.load(ordering: .relaxed) { body() }
  }
}
