extension Mailbox {
  /// What came first.
  enum Arrival {
    case message(Message)
    case deadline
    /// The end of the messages, or of the task.
    case end
  }

  /// The next message, unless `deadline` comes first; a message is never lost between the two.
  func next<C: Clock>(before deadline: C.Instant, on clock: C) async -> Arrival {
    await withTaskGroup(of: Arrival.self) { group in
      group.addTask {
        if let message = await self.next(isolation: nil) { .message(message) } else { .end }
      }
      group.addTask {
        do {
          try await clock.sleep(until: deadline, tolerance: .zero)
          return .deadline
        } catch {
          // The other child came first, or the task was cancelled.
          return .end
        }
      }
      let first = await group.next() ?? .end
      group.cancelAll()
      let second = await group.next() ?? .end
      // The message may have come at the very moment in which the clock called.
      for case .message(let message) in [first, second] { return .message(message) }
      return first
    }
  }
}
