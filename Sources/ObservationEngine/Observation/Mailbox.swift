internal import Synchronization

/// A slot for one message, between one producer and one consumer: newer messages merge into the one
/// that waits, so that a slow consumer never makes a queue grow.
final class Mailbox<Message: Sendable>: Sendable {
  private struct State {
    var message: Message?
    var waiter: CheckedContinuation<Message?, Never>?
    var isFinished = false
  }

  private let state = Mutex(State())
  private let merge: @Sendable (inout Message, Message) -> Void

  /// - Parameter merge: Adds a newer message to an older one that nobody has taken.
  init(merge: @escaping @Sendable (inout Message, Message) -> Void) { self.merge = merge }

  func post(_ message: Message) {
    let (waiter, ready): (CheckedContinuation<Message?, Never>?, Message?) = state.withLock {
      state in
      guard !state.isFinished else { return (nil, nil) }
      if let waiter = state.waiter.take() { return (waiter, message) }
      if state.message == nil {
        state.message = message
      } else {
        merge(&state.message!, message)
      }
      return (nil, nil)
    }
    waiter?.resume(returning: ready)
  }

  /// Ends the sequence of messages; one that waits is still delivered.
  func finish() {
    state.withLock { state in
      state.isFinished = true
      return state.waiter.take()
    }?.resume(returning: nil)
  }

  /// The next message; `nil` at the end, or when the task is cancelled.
  ///
  /// - Precondition: One consumer at a time.
  func next(isolation: isolated (any Actor)? = #isolation) async -> Message? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let immediate: Message?? = state.withLock { state in
          if let message = state.message.take() { return .some(message) }
          if state.isFinished || Task.isCancelled { return .some(nil) }
          precondition(state.waiter == nil, "a mailbox has one consumer at a time")
          state.waiter = continuation
          return nil
        }
        if let immediate { continuation.resume(returning: immediate) }
      }
    } onCancel: {
      state.withLock { $0.waiter.take() }?.resume(returning: nil)
    }
  }
}
