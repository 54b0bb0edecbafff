internal import Synchronization

/// Tells a consumer's news from what it was delivered last: a result may change and come back while
/// the consumer is slow. For one consumer, which asks in order.
final class NewsFilter: Sendable {
  private let fetch: ObservedFetch
  private let last = Mutex<Result<any Sendable, any Error>?>(nil)

  init(_ fetch: ObservedFetch) { self.fetch = fetch }

  /// Whether `fetched` is news; then it counts as delivered.
  func admits(_ fetched: Result<any Sendable, any Error>) -> Bool {
    // Values are compared by code that is not ours: not under the lock.
    guard fetch.isNews(fetched, after: last.withLock { $0 }) else { return false }
    last.withLock { $0 = fetched }
    return true
  }
}
