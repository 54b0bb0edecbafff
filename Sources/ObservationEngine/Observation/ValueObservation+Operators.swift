internal import Synchronization

extension ValueObservation {
  /// Delivers what `transform` makes of each value.
  ///
  ///     let title = database.observe(names).map { "\($0.count) players" }.removeDuplicates()
  ///
  /// ## Guarantees
  /// - `transform` runs in the consumer: in the task that iterates, or right before the handler of a
  ///   subscription. No connection and no other observation waits for it.
  /// - It runs for delivered values alone, once for each.
  ///
  /// ## Limits
  /// - Different values may become equal ones; ``removeDuplicates()`` behind it drops them.
  ///
  /// - Parameter transform: Its error is delivered as the fetch's would be, and ends a sequence.
  public func map<Other: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> Other
  ) -> ValueObservation<Other> {
    ValueObservation<Other>(self) { [makeStage] in
      let upstream = makeStage()
      return { fetched in
        upstream(fetched)?.flatMap { value in Result { try transform(value) } }
      }
    }
  }

  /// Drops each value that `areEqual` to the one delivered before it.
  ///
  /// For values that are not `Equatable`, or whose equality is too strict.
  ///
  ///     let reports = database.observe { try Report($0) }.removeDuplicates { $0.version == $1.version }
  ///
  /// A value that follows an error is always delivered.
  public func removeDuplicates(
    by areEqual: @escaping @Sendable (Value, Value) -> Bool
  ) -> ValueObservation<Value> {
    ValueObservation(self) { [makeStage] in
      let upstream = makeStage()
      let last = Mutex<Value?>(nil)
      return { fetched in
        guard let result = upstream(fetched) else { return nil }
        // One subscriber calls this, in order: no other thread changes it meanwhile.
        if case .success(let new) = result, let old = last.withLock({ $0 }), areEqual(old, new) {
          return nil
        }
        last.withLock { $0 = try? result.get() }
        return result
      }
    }
  }

  /// Drops each value that equals the one delivered before it.
  public func removeDuplicates() -> ValueObservation<Value> where Value: Equatable {
    removeDuplicates { $0 == $1 }
  }

  /// Delivers changes only: drops the value that is current when the observation begins.
  ///
  ///     for try await count in database.observe(count).skippingInitial() { show(count) }
  ///
  /// ## Guarantees
  /// - The first element differs from the initial value.
  ///
  /// ## Limits
  /// - The initial value is that of the first fetch, which takes place soon after the
  ///   observation begins; a commit between the two belongs to it. With ``ObservationStart/immediate`` the
  ///   fetch takes place before `start` returns.
  /// - If the first fetch fails and the error is delivered, so is the value that follows it.
  public func skippingInitial() -> ValueObservation<Value> {
    var observation = self
    observation.skipsInitial = true
    return observation
  }
}
