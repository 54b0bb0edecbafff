internal import Synchronization

/// What a ``NewestValue`` carries.
protocol NewestMessage: Sendable {
  /// What the consumer was given so far, as far as later messages are compared with it.
  associatedtype Known: Sendable

  /// Adds a newer message to this one, which the consumer has not taken. Runs under a lock.
  mutating func merge(_ newer: Self)

  /// What of this message is new to a consumer that knows `known`, which knows the message then. Runs
  /// under no lock, on one thread at a time.
  ///
  /// - Returns: `nil` when nothing is new: the consumer is not given the message.
  func news(to known: inout Known) -> Self?
}

extension NewestMessage where Known == Void {
  func news(to known: inout Void) -> Self? { self }
}

/// A slot for one message, between producers and one consumer: newer messages merge into the one that
/// waits, so that a slow consumer never makes a queue grow.
///
///     post ──▶ waiting ──take: compared with what the consumer knows──▶ the consumer
///                ▲ │                        │
///                └─┘ newer: merged          └─ nothing new: dropped, the consumer goes on waiting
///
/// A message is taken once it meets a waiting consumer. Only then is it compared: a value that
/// changed and changed back while the consumer was slow is dropped. The thread that completes the
/// pair takes the message, and does not wake the consumer for a dropped one.
///
/// The consumer either asks, with ``next(isolation:)``, or is called, with ``deliver(to:onEnd:)``.
final class NewestValue<Message: NewestMessage>: Sendable {
  typealias Handler = @Sendable (Message) -> Void

  private enum Consumer {
    case absent
    case waiting(CheckedContinuation<Message?, Never>)
    case called(Handler, onEnd: (@Sendable () -> Void)?)

    var isAbsent: Bool { if case .absent = self { true } else { false } }

    mutating func take() -> Consumer {
      defer { self = .absent }
      return self
    }
  }

  /// What a task that asks for a message does.
  private enum Turn {
    case end(with: Message?)
    case wait(taking: Message.Known?)
  }

  /// What a thread does that takes messages.
  private enum Taking {
    case compare(Message)
    case stop(Consumer)
  }

  private struct State {
    var waiting: Message?
    /// News for a task that was cancelled while they were compared.
    var ready: Message?
    /// `nil` while a thread takes messages for the consumer.
    var known: Message.Known?
    var consumer = Consumer.absent
    var isFinished = false
    var isCancelled = false

    /// Lets the calling thread take, unless there is nothing to take, no consumer, or a thread that does.
    mutating func beginTaking() -> Message.Known? {
      consumer.isAbsent || waiting == nil ? nil : known.take()
    }
  }

  // Guarded by the lock. Values of the application are compared and released outside of it.
  private let state: Mutex<State>

  /// - Parameters:
  ///   - waiting: An initial message.
  ///   - known: What the consumer knows initially.
  init(_ waiting: Message? = nil, known: Message.Known) {
    state = Mutex(State(waiting: waiting, known: known))
  }

  func post(_ message: Message) {
    // What is merged away is released with the former message, after the lock.
    let (known, former) = state.withLock { state -> (Message.Known?, Message?) in
      guard !state.isFinished else { return (nil, nil) }
      let former = state.waiting
      if former == nil { state.waiting = message } else { state.waiting!.merge(message) }
      return (state.beginTaking(), former)
    }
    withExtendedLifetime(former) {}
    if let known { take(known) }
  }

  /// Ends the messages; one that waits is still delivered.
  func finish() {
    let consumer = state.withLock { state -> Consumer in
      state.isFinished = true
      // A thread that takes ends the consumer itself, after the last message.
      return state.known == nil ? .absent : state.consumer.take()
    }
    Self.end(consumer)
  }

  /// Ends the messages immediately: no call begins after this, though one may still be running.
  func cancel() {
    let dropped = state.withLock { state in
      state.isFinished = true
      state.isCancelled = true
      return (
        consumer: state.consumer.take(), state.waiting.take(), state.ready.take(),
        state.known.take()
      )
    }
    if case .waiting(let continuation) = dropped.consumer { continuation.resume(returning: nil) }
  }

  /// The next message; `nil` at the end, or when the task is cancelled.
  ///
  /// - Precondition: One consumer at a time.
  func next(isolation: isolated (any Actor)? = #isolation) async -> Message? {
    await withTaskCancellationHandler {
      // A closure runs on the caller's actor only if it captures it (SE-0420). Otherwise the task would leave the actor
      // for a thread of the pool, only to wait there.
      _ = isolation
      return await withCheckedContinuation { continuation in
        let turn: Turn = state.withLock { state in
          if let ready = state.ready.take() { return .end(with: ready) }
          let isTaking = state.known == nil && !state.isCancelled
          if state.waiting == nil, Task.isCancelled || state.isFinished && !isTaking {
            return .end(with: nil)
          }
          precondition(state.consumer.isAbsent, "a channel has one consumer at a time")
          state.consumer = .waiting(continuation)
          return .wait(taking: state.beginTaking())
        }
        switch turn {
        case .end(let message): continuation.resume(returning: message)
        case .wait(let known):
          if let known { take(known) }
          // The cancellation may have come before there was anything to cancel.
          if Task.isCancelled { stopWaiting() }
        }
      }
    } onCancel: {
      stopWaiting()
    }
  }

  /// Calls `handler` with the message that waits and with all to come, on whatever thread posts.
  ///
  /// In order and never at the same time; what is posted while the handler runs merges, and is the
  /// next call. No lock is held meanwhile.
  ///
  /// - Parameter onEnd: Called after the last message, once; not after ``cancel()``.
  func deliver(to handler: @escaping Handler, onEnd: (@Sendable () -> Void)? = nil) {
    let (known, hasEnded) = state.withLock { state -> (Message.Known?, Bool) in
      precondition(state.consumer.isAbsent, "a channel has one consumer at a time")
      if state.isFinished, state.waiting == nil { return (nil, true) }
      state.consumer = .called(handler, onEnd: onEnd)
      return (state.beginTaking(), false)
    }
    if let known { take(known) }
    if hasEnded { onEnd?() }
  }

  private func stopWaiting() {
    let consumer = state.withLock { state -> Consumer in
      guard case .waiting = state.consumer else { return .absent }
      return state.consumer.take()
    }
    Self.end(consumer)
  }

  /// Delivers the news in the waiting messages, until the consumer requests no further one or none
  /// is left.
  ///
  /// - Parameter known: From ``State/beginTaking()``: no other thread takes meanwhile.
  private func take(_ known: Message.Known) {
    var known = known
    while true {
      let taking: Taking = state.withLock { state in
        if let message = state.waiting, !state.consumer.isAbsent {
          state.waiting = nil
          return .compare(message)
        }
        if !state.isCancelled { state.known = known }
        return .stop(state.isFinished && state.waiting == nil ? state.consumer.take() : .absent)
      }
      switch taking {
      case .compare(let message):
        if let news = message.news(to: &known) { give(news) }
      case .stop(let consumer): return Self.end(consumer)
      }
    }
  }

  private func give(_ news: Message) {
    let consumer = state.withLock { state -> Consumer in
      switch state.consumer {
      case .called: return state.consumer
      case .waiting: return state.consumer.take()
      case .absent:
        if !state.isCancelled { state.ready = news }
        return .absent
      }
    }
    switch consumer {
    case .absent: break
    case .waiting(let continuation): continuation.resume(returning: news)
    case .called(let handler, _): handler(news)
    }
  }

  private static func end(_ consumer: Consumer) {
    switch consumer {
    case .absent: break
    case .waiting(let continuation): continuation.resume(returning: nil)
    case .called(_, let onEnd): onEnd?()
    }
  }
}

extension NewestValue where Message.Known == Void {
  convenience init(_ waiting: Message? = nil) { self.init(waiting, known: ()) }
}
