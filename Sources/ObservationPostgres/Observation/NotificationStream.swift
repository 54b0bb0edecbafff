internal import Glibc
internal import ObservationEngine

/// What the triggers of ``ReportingTriggers`` notify of: the tables that a transaction wrote to.
///
///     listening ──a notification──▶ asking: is that all? ──the answer: what came is whole──▶ listening
///
/// Each question is an empty statement. The server is asked each second at least: it ends the session of a program that
/// has stopped, so that what it would have to be sent doesn't pile up.
final class NotificationStream: LogStream {
  private enum Phase {
    /// When to ask the server next, as long as nothing arrives.
    case listening(askAt: UInt64)
    case asking(since: UInt64)
  }

  private let connection: ServerConnection
  private var phase: Phase
  private var transactions = NotifiedTransactions()
  private var arrived: [ReportedTransactions.Ended] = []
  private(set) var failure: String?

  // Transactions are reported as a whole, and are visible then. What isn't reported is found by polling besides.
  let firstNext: UInt32? = nil
  let lag: Int64 = 0
  let lateAt: UInt64 = 0
  let takenUpTo: UInt64 = 0

  private static let askInterval: UInt64 = 1_000_000_000
  private(set) var heardAt = SystemClock.monotonic()

  /// A server that doesn't answer for so long has stopped.
  private static let silence: UInt64 = 5_000_000_000

  /// Listens from now on.
  ///
  /// - Throws: ``ServerFault`` when that isn't possible, or another server answers.
  init(
    _ address: ServerAddress, beside panels: ServerConnection, deadline: UInt64
  ) throws(ServerFault) {
    connection = try ServerConnection(address, .notifications, at: panels.peer, deadline: deadline)
    let reached = try panels.run(
      "SELECT count(*) FROM pg_stat_activity WHERE pid = $1::int", ["\(connection.backendPID)"],
      deadline: deadline)
    guard reached.text(0) == "1" else {
      throw ServerFault(message: "a load balancer leads to another server than that of the panels")
    }
    _ = try connection.run(simple: "LISTEN \(ReportingTriggers.channel)", deadline: deadline)
    phase = .listening(askAt: SystemClock.monotonic() + Self.askInterval)
  }

  var reporter: CommitReporter { .triggers }

  var descriptor: Int32 { failure == nil ? connection.descriptor : -1 }

  var unansweredSince: UInt64? {
    guard failure == nil, case .asking(let since) = phase else { return nil }
    return since
  }

  var servedBy: UInt64 {
    guard failure == nil else { return .max }
    return switch phase {
    case .listening(let time): time
    case .asking(let since): since + Self.silence
    }
  }

  func serve() {
    guard failure == nil else { return }
    do throws(ServerFault) {
      try receive()
      if case .listening(let time) = phase,
        transactions.isIncomplete || SystemClock.monotonic() >= time
      {
        try connection.begin(simple: "")
        phase = .asking(since: SystemClock.monotonic())
      }
    } catch {
      failure = error.message
    }
  }

  private func receive() throws(ServerFault) {
    var isAnswered = false
    if case .done = try connection.progress(), case .asking = phase { isAnswered = true }
    arrived += transactions.take(
      connection.notifications(of: ReportingTriggers.channel), isAnswered: isAnswered)
    guard case .asking(let since) = phase else { return }
    let now = SystemClock.monotonic()
    if isAnswered {
      heardAt = now
      phase = .listening(askAt: now + Self.askInterval)
    } else if now >= since + Self.silence {
      throw ServerFault(message: "the server is silent")
    }
  }

  var isArriving: Bool { transactions.isIncomplete }

  var hasNews: Bool { !arrived.isEmpty || failure != nil }

  func take() -> [ReportedTransactions.Ended] {
    defer { arrived.removeAll(keepingCapacity: true) }
    return arrived
  }
}
