/// The values of an observation, at the pace of a clock; made by
/// ``ValueObservation/debounce(for:clock:)`` and ``ValueObservation/throttle(for:clock:)``.
///
/// Each iterator observes by itself.
public struct PacedObservation<Value: Sendable>: AsyncSequence, Sendable {
  /// The observed value.
  public typealias Element = Value
  /// What the fetch throws.
  public typealias Failure = any Error

  let makeSource: @Sendable () -> any UpdateSource<Value>

  /// Begins to observe.
  public func makeAsyncIterator() -> Iterator { Iterator(source: makeSource()) }

  /// Delivers values one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let source: any UpdateSource<Value>

    /// The next value; `nil` when the task is cancelled.
    ///
    /// - Throws: The error of the fetch. The observation goes on.
    public mutating func next() async throws -> Value? {
      try await source.next(isolation: nil)?.result.get()
    }

    /// Like ``next()``, but runs on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Value? {
      try await source.next(isolation: actor)?.result.get()
    }
  }
}

extension ValueObservation {
  /// Delivers a value once no newer one came for `interval`.
  ///
  ///     for try await count in database.observe(count).debounce(for: .milliseconds(200)) {
  ///       show(count)
  ///     }
  ///
  ///     values   ─A──B─C─────────D──────▶
  ///     debounce ───────────C───────D───▶     (interval of four)
  ///
  /// ## Guarantees
  /// - The interval counts from the arrival of the value, whether or not a consumer waits.
  /// - The last value of a burst is always delivered; consecutive elements differ.
  /// - An error is delayed as a value is, and replaced by a value that follows it.
  ///
  /// ## Limits
  /// - The first value is delayed too. ``throttle(for:clock:)`` delivers it at once.
  /// - Under a writer that never rests for `interval` nothing is delivered.
  ///
  /// - Parameters:
  ///   - interval: How long nothing must have come.
  ///   - clock: The clock that measures it.
  public func debounce<C: Clock>(
    for interval: Duration, clock: C = .continuous
  ) -> PacedObservation<Value> where C.Duration == Duration {
    PacedObservation { DebounceStorage(self, interval, clock) }
  }

  /// Delivers at most one value in each `interval`, the newest.
  ///
  ///     for try await count in database.observe(count).throttle(for: .milliseconds(50)) {
  ///       show(count)
  ///     }
  ///
  ///     values   ─A─B─C──────────D───E──▶
  ///     throttle ─A───C──────────D───E──▶     (interval of four)
  ///
  /// ## Guarantees
  /// - The first value, and one that comes after a rest, is delivered at once.
  /// - The last value of a burst is always delivered; consecutive elements differ.
  /// - An error counts as a value.
  ///
  /// - Parameters:
  ///   - interval: The least time from one delivery to the next.
  ///   - clock: The clock that measures it.
  public func throttle<C: Clock>(
    for interval: Duration, clock: C = .continuous
  ) -> PacedObservation<Value> where C.Duration == Duration {
    PacedObservation { ThrottleStorage(self, interval, clock) }
  }
}
