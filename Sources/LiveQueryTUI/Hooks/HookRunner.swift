import Dashboard
import ObservationEngine

/// Runs hooks, one at a time, in the order in which they were called.
///
///     call ─▶ confirmed? ─▶ queue ─▶ process ─▶ told
///                no: kept until it is; refused: told
///
/// Input for `--exec` gathers while another hook runs, and is then read in one piece.
@ScreenActor
final class HookRunner {
  /// The maximum number of waiting calls of alerts.
  private static let queueLimit = 32
  /// The maximum input gathered for `--exec`, in bytes.
  private static let gatheredLimit = 4_000_000

  let settings: HookSettings
  private let trust: TrustFile?
  private let tell: @ScreenActor (HookEvent) -> Void
  private var consent: HookSettings.Consent
  private var waiting: [HookCall] = []
  private var child: ChildProcess?
  private var isStopped = false
  /// The tasks that wait for the queue to become empty.
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - trust: Where to store a confirmation; nil for nowhere.
  ///   - tell: Receives what happens to the hooks.
  init(
    _ settings: HookSettings, trust: TrustFile?, tell: @escaping @ScreenActor (HookEvent) -> Void
  ) {
    self.settings = settings
    self.trust = trust
    self.tell = tell
    consent = settings.consent
  }

  /// Whether a hook runs, or will run without further action of the user.
  var isBusy: Bool { child != nil || (consent == .given && !waiting.isEmpty) }

  /// Asks for a confirmation, if one is needed.
  func begin() {
    tell(.needConfirmation(consent == .toBeAsked ? settings.requests : []))
  }

  /// Handles the answer.
  ///
  /// - Parameter requests: The hooks that were shown. An answer to other hooks does not count for
  ///   these.
  /// - Throws: ``Failure`` when it can't be stored.
  func confirm(_ isConfirmed: Bool, _ requests: [HookRequest]) throws(Failure) {
    guard requests == settings.requests else { return begin() }
    guard isConfirmed else {
      let reason = "refused in this session"
      consent = .missing(reason)
      refuseWaiting(reason)
      return
    }
    consent = .given
    runNext()
    for subject in settings.subjects where !subject.digest.isEmpty {
      try trust?.add(subject.digest, of: subject.name)
    }
  }

  /// Runs a command when its turn comes.
  func call(_ call: HookCall) {
    guard !isStopped else { return }
    // The user typed a command of the command line, so it needs no confirmation.
    if case .missing(let reason) = consent, call.panel != nil || !settings.execIsTrusted {
      // `--exec` runs at every change, so its refusal is not reported each time.
      guard call.panel != nil else { return }
      return tell(.changed(call.command, panel: call.panel, .skipped(reason)))
    }
    enqueue(call)
    runNext()
  }

  /// Waits until no hook runs or waits.
  func finish() async {
    guard isBusy else { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  /// Ends the running hook, and starts no other.
  func stop() {
    isStopped = true
    waiting = []
    child?.stop()
  }

  private func enqueue(_ call: HookCall) {
    if call.panel == nil, let index = waiting.firstIndex(where: { $0.panel == nil }) {
      guard waiting[index].input.utf8.count < Self.gatheredLimit else {
        return tell(.changed(call.command, panel: nil, .skipped("it is too slow for the changes")))
      }
      waiting[index] = HookCall(
        command: call.command, panel: nil, input: waiting[index].input + call.input)
    } else if waiting.count < Self.queueLimit {
      waiting.append(call)
    } else {
      tell(.changed(call.command, panel: call.panel, .skipped("\(Self.queueLimit) others wait")))
    }
  }

  private func runNext() {
    guard child == nil, !isStopped, consent != .toBeAsked, !waiting.isEmpty else {
      if !isBusy || isStopped { releaseWaiters() }
      return
    }
    let call = waiting.removeFirst()
    let folder = call.panel == nil ? nil : settings.folder
    let child = ChildProcess(
      words: call.command.words, folder: folder, input: Array(call.input.utf8),
      limit: settings.limit)
    self.child = child
    tell(.changed(call.command, panel: call.panel, .running))
    Task {
      let outcome = await onOwnThread { child.run() }
      self.child = nil
      tell(.changed(call.command, panel: call.panel, outcome.status))
      runNext()
    }
  }

  private func refuseWaiting(_ reason: String) {
    let refused = waiting
    waiting = []
    for call in refused { tell(.changed(call.command, panel: call.panel, .skipped(reason))) }
    releaseWaiters()
  }

  private func releaseWaiters() {
    let released = waiters
    waiters = []
    for waiter in released { waiter.resume() }
  }
}
