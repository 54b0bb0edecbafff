internal import Synchronization

/// A slot for one message, between one producer and one consumer: newer messages merge into the one
/// that waits, so that a slow consumer never makes a queue grow.
///
/// The consumer either asks, with ``next(isolation:)``, or is called, with ``deliver(to:)``.
final class Mailbox<Message: Sendable>: Sendable {
  typealias Handler = @Sendable (Message) -> Void

  /// Who is called.
  private struct Callee {
    let handler: Handler
    let onEnd: (@Sendable () -> Void)?
  }

  private struct State {
    var message: Message?
    var waiter: CheckedContinuation<Message?, Never>?
    var callee: Callee?
    /// A thread is calling it, and goes on for as long as there are messages.
    var isDelivering = false
    var isFinished = false
  }

  /// What whoever posted has to do once the lock is released.
  private enum Action {
    case nothing
    case resume(CheckedContinuation<Message?, Never>, Message)
    case deliver
  }

  // Guarded by the lock; no code that is not ours runs under it but `admit` and `merge`.
  private let state: Mutex<State>
  private let merge: @Sendable (inout Message, Message) -> Void
  private let admit: (@Sendable (Message) -> Message?)?

  /// - Parameters:
  ///   - message: A message that waits from the beginning.
  ///   - admit: What of a message is posted at all, asked in order under the mailbox's lock.
  ///   - merge: Adds a newer message to an older one that nobody has taken.
  init(
    message: Message? = nil, admit: (@Sendable (Message) -> Message?)? = nil,
    merge: @escaping @Sendable (inout Message, Message) -> Void
  ) {
    state = Mutex(State(message: message))
    self.admit = admit
    self.merge = merge
  }

  func post(_ message: Message) {
    let action: Action = state.withLock { state in
      guard !state.isFinished, let message = admit.map({ $0(message) }) ?? message else {
        return .nothing
      }
      if let waiter = state.waiter.take() { return .resume(waiter, message) }
      if state.message == nil {
        state.message = message
      } else {
        merge(&state.message!, message)
      }
      return Self.beginDelivering(&state) ? .deliver : .nothing
    }
    switch action {
    case .nothing: break
    case .resume(let waiter, let message): waiter.resume(returning: message)
    case .deliver: deliverWaiting()
    }
  }

  /// Ends the sequence of messages; one that waits is still delivered.
  func finish() {
    let (waiter, callee) = state.withLock { state in
      state.isFinished = true
      // The thread that delivers at this moment tells of the end itself.
      return (state.waiter.take(), state.isDelivering ? nil : state.callee.take())
    }
    waiter?.resume(returning: nil)
    callee?.onEnd?()
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

// MARK: - Delivering

extension Mailbox {
  /// Calls `handler` with the message that waits and with all to come, on whatever thread posts.
  ///
  /// In order and never at the same time; what is posted while the handler runs merges, and is the
  /// next call. No lock is held meanwhile.
  ///
  /// - Parameter onEnd: Called after the last message, once; not after ``cancel()``.
  func deliver(to handler: @escaping Handler, onEnd: (@Sendable () -> Void)? = nil) {
    let callee = Callee(handler: handler, onEnd: onEnd)
    let (mustDeliver, hasEnded) = state.withLock { state in
      precondition(
        state.callee == nil && state.waiter == nil, "a mailbox has one consumer at a time")
      if state.isFinished, state.message == nil { return (false, true) }
      state.callee = callee
      return (Self.beginDelivering(&state), false)
    }
    if mustDeliver { deliverWaiting() }
    if hasEnded { onEnd?() }
  }

  /// Ends the messages at once: no call begins any more, though one may still be running.
  func cancel() {
    let dropped = state.withLock { state in
      state.isFinished = true
      return (state.message.take(), state.callee.take(), state.waiter.take())
    }
    // What the handler refers to may end with it, which must not happen under the lock.
    dropped.2?.resume(returning: nil)
  }

  private static func beginDelivering(_ state: inout State) -> Bool {
    guard state.callee != nil, state.message != nil, !state.isDelivering else { return false }
    state.isDelivering = true
    return true
  }

  private func deliverWaiting() {
    while true {
      let (callee, message): (Callee?, Message?) = state.withLock { state in
        if let message = state.message.take() { return (state.callee, message) }
        state.isDelivering = false
        return (state.isFinished ? state.callee.take() : nil, nil)
      }
      guard let message else {
        callee?.onEnd?()
        return
      }
      callee?.handler(message)
    }
  }
}
