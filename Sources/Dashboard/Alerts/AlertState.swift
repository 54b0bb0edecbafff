package import ObservationEngine

/// The state of one panel's alert.
package struct AlertState: Sendable, Equatable {
  /// Whether the panel alerts now.
  package internal(set) var isRaised = false
  /// When it was last raised.
  package internal(set) var raisedAt: Timestamp?
  /// When that ended, if it did.
  package internal(set) var clearedAt: Timestamp?
  /// Whether the user has seen it; true while there is nothing to see.
  package internal(set) var isAcknowledged = true
  /// Why the condition can't be evaluated, such as a missing column; the alert stays as it was.
  package internal(set) var problem: String?
  /// The outcome of the last hook that ran for it.
  package internal(set) var hook: HookStatus?

  package init() {}

  /// Updates the state for a new result.
  ///
  /// - Returns: Whether the result raised (true) or ended (false) the alert; nil when nothing
  ///   changed.
  mutating func receive(_ result: RowSet, rule: AlertRule, at time: Timestamp) -> Bool? {
    guard let isAlerting = rule.isAlerting(isRaised, on: result) else {
      let missing = rule.columns.first {
        RowKey.index(ofColumn: $0.name, in: result.columns) == nil
      }
      problem = "no column \(missing?.name ?? "")"
      return nil
    }
    problem = nil
    guard isAlerting != isRaised else { return nil }
    isRaised = isAlerting
    if isAlerting {
      raisedAt = time
      clearedAt = nil
      isAcknowledged = false
      hook = nil
    } else {
      clearedAt = time
    }
    return isAlerting
  }
}

/// The status of a hook's command.
package enum HookStatus: Sendable, Hashable {
  /// Other commands run first, or it is not confirmed yet.
  case waiting
  case running
  /// It ended; if it failed, with the first line that it wrote to standard error.
  case exited(Int32, complaint: String)
  case killed(signal: Int32)
  /// It was killed after this time.
  case timedOut(Duration)
  /// It could not be started.
  case failed(String)
  /// It did not run.
  case skipped(String)

  /// Whether all is well.
  package var isFine: Bool {
    switch self {
    case .waiting, .running, .exited(0, _): true
    default: false
    }
  }

  /// The outcome in a few words, without details: `failed (3)`.
  package var shortText: String {
    switch self {
    case .exited(let status, _) where status != 0: "failed (\(status))"
    case .killed(let signal): "killed by signal \(signal)"
    case .timedOut(let limit): "killed after \(QuantityText.duration(limit))"
    case .failed: "did not start"
    case .skipped: "not run"
    case .waiting, .running, .exited: text
    }
  }

  /// `ok (0)`, `failed (3): no network`, `killed after 10 s`.
  package var text: String {
    switch self {
    case .waiting: "waits"
    case .running: "runs"
    case .exited(0, _): "ok (0)"
    case .exited(let status, let complaint):
      "failed (\(status))" + (complaint.isEmpty ? "" : ": \(complaint)")
    case .killed(let signal): "was killed by signal \(signal)"
    case .timedOut(let limit): "was killed after \(QuantityText.duration(limit))"
    case .failed(let reason): "did not start: \(reason)"
    case .skipped(let reason): "not run: \(reason)"
    }
  }

  /// The same with the command: `hook ./notify.sh failed (3): no network`.
  package func text(of command: String) -> String { "hook \(command) \(text)" }
}
