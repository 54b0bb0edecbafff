internal import Synchronization

/// A list that only grows, and whose next entries can be waited for.
package final class Journal<Entry: Sendable>: Sendable {
  private struct Waiter {
    let index: Int
    let continuation: CheckedContinuation<Entry?, Never>
  }

  private struct State {
    var entries: [Entry] = []
    var isFinished = false
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
  }

  private let state = Mutex(State())

  package init() {}

  package var entries: [Entry] { state.withLock { $0.entries } }

  package func append(_ entry: Entry) {
    let ready = state.withLock { state in
      state.entries.append(entry)
      let last = state.entries.count - 1
      let ready = state.waiters.filter { $0.value.index <= last }
      for id in ready.keys { state.waiters[id] = nil }
      return ready.values.map { ($0.continuation, state.entries[$0.index]) }
    }
    for (continuation, entry) in ready { continuation.resume(returning: entry) }
  }

  /// Ends the list: nobody waits any more.
  package func finish() {
    let waiters = state.withLock { state in
      state.isFinished = true
      defer { state.waiters = [:] }
      return state.waiters.values.map(\.continuation)
    }
    for waiter in waiters { waiter.resume(returning: nil) }
  }

  /// Waits for the entry at `index`.
  ///
  /// - Returns: `nil` when the list has ended before, or the task is cancelled (by the time limit of
  ///   its test).
  package func entry(at index: Int) async -> Entry? {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let immediate: Entry?? = state.withLock { state in
          if state.entries.indices.contains(index) { return .some(state.entries[index]) }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          state.waiters[id] = Waiter(index: index, continuation: continuation)
          return nil
        }
        if let immediate { continuation.resume(returning: immediate) }
      }
    } onCancel: {
      state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: nil)
    }
  }
}

/// Something else happened than the test expects.
package struct Unexpected: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
