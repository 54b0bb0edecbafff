internal import Synchronization

/// Keeps the handlers of an observation called, for as long as this object lives.
///
///     let subscription = database.observe(count).start(onError: report, onValue: show)
///     subscription.cancel()
///
/// Release it, or call ``cancel()``, from any thread.
public final class ObservationSubscription: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { cancel() }

  /// Ends the observation.
  ///
  /// ## Guarantees
  /// - No handler is called any more, except that one which is running on another thread at this
  ///   moment runs to its end.
  public func cancel() { end.withLock { $0.take() }?() }
}
