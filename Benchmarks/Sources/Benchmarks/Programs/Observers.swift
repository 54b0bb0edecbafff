import ObservationEngine
import Synchronization

/// Observations of one database, each with a consumer that keeps its newest value.
final class Observers: Sendable {
  private let newest: Newest
  private let consumers: [Task<Void, Never>]

  /// What each was told last, as the number that its value stands for.
  private final class Newest: Sendable {
    let values: Mutex<[Int64?]>

    init(count: Int) { values = Mutex(Array(repeating: nil, count: count)) }
  }

  /// - Parameter number: What a value stands for; see ``wait(for:)``.
  init<Value: Sendable>(
    _ observations: [ValueObservation<Value>], number: @escaping @Sendable (Value) -> Int64
  ) {
    let newest = Newest(count: observations.count)
    self.newest = newest
    consumers = observations.enumerated().map { index, observation in
      Task.detached {
        for await update in observation.updates {
          // Without a value no number comes, and whoever waits for it says so.
          guard case .success(let value) = update.result else { return }
          newest.values.withLock { $0[index] = number(value) }
        }
      }
    }
  }

  /// Waits until the newest value of every observer stands for `number`.
  ///
  /// - Returns: When that was so.
  @discardableResult
  func wait(for number: Int64) throws(Failure) -> UInt64 {
    let end = Clock.now + 30_000_000_000
    while true {
      let missing = newest.values.withLock { $0.count { $0 != number } }
      let now = Clock.now
      if missing == 0 { return now }
      guard now < end else { throw Failure("\(missing) observers never got \(number)") }
      Clock.sleep(200_000)
    }
  }

  func end() {
    for consumer in consumers { consumer.cancel() }
  }
}
