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
  /// - Transient errors are passed over; any other error is delayed as a value is, and replaced by a value that
  ///   follows it.
  ///
  /// ## Limits
  /// - The first value is delayed too. ``throttle(for:clock:)`` delivers it immediately.
  /// - Under a writer that never pauses for `interval` nothing is delivered.
  ///
  /// - Parameters:
  ///   - interval: How long nothing must have come.
  ///   - clock: The clock that measures it.
  public func debounce<C: Clock>(
    for interval: Duration, clock: C = .continuous
  ) -> some AsyncSequence<Value, any Error> & Sendable where C.Duration == Duration {
    SourceSequence { ValueSource(updates: DebounceStorage(self, interval, clock)) }
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
  /// - The first value, and one that comes after a quiet time, is delivered immediately.
  /// - The last value of a burst is always delivered; consecutive elements differ.
  /// - Transient errors are passed over; any other error counts as a value.
  ///
  /// - Parameters:
  ///   - interval: The least time from one delivery to the next.
  ///   - clock: The clock that measures it.
  public func throttle<C: Clock>(
    for interval: Duration, clock: C = .continuous
  ) -> some AsyncSequence<Value, any Error> & Sendable where C.Duration == Duration {
    SourceSequence { ValueSource(updates: ThrottleStorage(self, interval, clock)) }
  }
}
