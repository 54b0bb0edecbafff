/// What the message line has to say by itself, and the clock by which that becomes outdated.
struct News: Sendable, Equatable {
  /// The time of the last action.
  private(set) var now: Moment
  var message: Message? {
    didSet {
      messageEndsAt = message?.lifetime.map { now.monotonic + $0 }
      isMessageOld = false
    }
  }
  /// When the message becomes outdated.
  private(set) var messageEndsAt: UInt64?
  /// Whether anything else takes precedence over the message.
  private(set) var isMessageOld = false
  /// Why the saved dashboard file is not the one shown.
  var dashboardError: String?

  init(now: Moment) { self.now = now }

  /// Sets the time if it is later; what is outdated stays until the next action.
  mutating func advance(to moment: Moment) {
    if moment.monotonic > now.monotonic { now = moment }
  }

  /// Sets the time of the messages that follow. An outdated notice is dropped; an outdated warning
  /// yields to any other message.
  mutating func pass(to moment: Moment) {
    now = moment
    guard let end = messageEndsAt, now.monotonic >= end else { return }
    if message?.severity == .notice { message = nil }
    messageEndsAt = nil
    isMessageOld = message != nil
  }
}

/// A line for the user, shown until the next key, until it is outdated, or until something worse
/// happens: on a wall display no keys are pressed.
package struct Message: Sendable, Equatable {
  package enum Severity: Sendable { case notice, warning, error }
  package var text: String
  package var severity: Severity

  package init(_ text: String, _ severity: Severity = .notice) {
    self.text = text
    self.severity = severity
  }

  /// How long it is news, in nanoseconds; nil when it needs an answer.
  var lifetime: UInt64? { severity == .error ? nil : 10_000_000_000 }
}
