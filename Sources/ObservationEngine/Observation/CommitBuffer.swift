internal import Synchronization

/// A queue with a bound, between the writer and one consumer.
final class CommitBuffer<Element: Sendable>: Sendable {
  /// An element, and how many before it were dropped.
  struct Entry: Sendable {
    let element: Element
    var droppedBefore: Int
  }

  private struct State {
    var entries: [Entry] = []
    /// Dropped since the last element that was kept.
    var dropped = 0
    var waiter: CheckedContinuation<Result<Entry?, DatabaseError>, Never>?
    var overflow: DatabaseError?
    var isFinished = false
  }

  private let state = Mutex(State())
  private let policy: CommitBufferingPolicy
  private let bound: Int

  init(_ policy: CommitBufferingPolicy) {
    self.policy = policy
    bound =
      switch policy {
      case .oldest(let bound), .newest(let bound), .failing(let bound): max(1, bound)
      }
  }

  private static func overflow(_ bound: Int) -> DatabaseError {
    DatabaseError(
      code: .tooBig,
      message: "more than \(bound) commits came while their values were not taken; "
        + "take them faster, raise the bound, or choose a policy that drops")
  }

  func append(_ element: Element) {
    let (waiter, dropped) = state.withLock {
      state -> (CheckedContinuation<Result<Entry?, DatabaseError>, Never>?, Int) in
      guard !state.isFinished else { return (nil, 0) }
      if let waiter = state.waiter.take() {
        defer { state.dropped = 0 }
        return (waiter, state.dropped)
      }
      if state.entries.count < bound {
        state.entries.append(Entry(element: element, droppedBefore: state.dropped))
        state.dropped = 0
        return (nil, 0)
      }
      switch policy {
      case .oldest: state.dropped += 1
      case .newest:
        let count = state.entries.removeFirst().droppedBefore + 1
        state.entries.append(Entry(element: element, droppedBefore: 0))
        state.entries[0].droppedBefore += count
      case .failing:
        state.overflow = Self.overflow(bound)
        state.isFinished = true
      }
      return (nil, 0)
    }
    waiter?.resume(returning: .success(Entry(element: element, droppedBefore: dropped)))
  }

  /// Ends the elements; those that wait are still delivered.
  func finish() {
    state.withLock { state in
      state.isFinished = true
      return state.waiter.take()
    }?.resume(returning: .success(nil))
  }

  /// The next element; `nil` at the end, or when the task is cancelled.
  ///
  /// - Precondition: One consumer at a time.
  func next(isolation: isolated (any Actor)?) async throws(DatabaseError) -> Entry? {
    let result = await withTaskCancellationHandler {
      // As in ``NewestValue/next(isolation:)``: the task waits where it is.
      _ = isolation
      return await withCheckedContinuation { continuation in
        let immediate: Result<Entry?, DatabaseError>? = state.withLock { state in
          if !state.entries.isEmpty { return .success(state.entries.removeFirst()) }
          if let overflow = state.overflow.take() { return .failure(overflow) }
          if state.isFinished || Task.isCancelled { return .success(nil) }
          precondition(state.waiter == nil, "a sequence of commits has one consumer at a time")
          state.waiter = continuation
          return nil
        }
        if let immediate { continuation.resume(returning: immediate) }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume(returning: .success(nil))
    }
    return try result.get()
  }
}
