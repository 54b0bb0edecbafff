internal import Glibc
internal import ObservationEngine

/// The log of a server as its plugin `test_decoding` writes it, through a temporary slot.
///
///     creating ──slot is there──▶ starting ──the server streams──▶ streaming
///
/// The slot is the connection's and goes with it. While the stream runs, the server keeps the log from what was taken
/// last; it drops a client that stalls within five seconds. To create a slot, a server waits for all transactions that
/// write: nothing here waits for it.
final class SlotStream: LogStream {
  private enum Phase {
    /// Until when the slot must be there.
    case creating(by: UInt64)
    case starting
    case streaming
  }

  private var phase: Phase
  private let socket: StreamSocket
  private let name: String
  private var arrived: [ReportedTransactions.Ended] = []
  private var transactions = DecodedTransactions()
  /// Up to where the server need not keep its log for this stream: what came before was taken.
  private var flushed: UInt64 = 0
  private var position: UInt64 = 0
  private(set) var takenUpTo: UInt64 = 0
  private(set) var failure: String?

  // The slot's transactions are whole. Their time isn't read: the snapshot is polled besides.
  let firstNext: UInt32? = nil
  let lag: Int64 = 0
  let lateAt: UInt64 = 0

  /// How long to wait for writers before the slot is given up.
  private static let patience: UInt64 = 60_000_000_000

  /// Asks for the slot; ``isStreaming`` says when it is there.
  ///
  /// - Throws: ``ServerFault`` with why it can't be had.
  init(
    _ address: ServerAddress, beside panels: ServerConnection, deadline: UInt64
  ) throws(ServerFault) {
    socket = try StreamSocket(address, .slotStream, beside: panels, deadline: deadline)
    phase = .creating(by: SystemClock.monotonic() + Self.patience)
    name = "livequery_\(getpid())_\(UInt32.random(in: 0...UInt32.max))"
    // While the server waits for writers, it looks whether its client is still there: from PostgreSQL 14 on, and from
    // the next statement on.
    for sql in ["SET client_connection_check_interval = '2s'", "SELECT 1"] {
      _ = try? socket.connection.run(simple: sql, deadline: deadline)
    }
    try socket.connection.begin(
      simple: "CREATE_REPLICATION_SLOT \(name) TEMPORARY LOGICAL test_decoding NOEXPORT_SNAPSHOT")
  }

  /// Whether commits are reported from now on.
  var isStreaming: Bool { if case .streaming = phase { true } else { false } }

  var reporter: CommitReporter { .decoder }

  var heardAt: UInt64 { socket.heardAt }

  var unansweredSince: UInt64? { isStreaming && failure == nil ? socket.unansweredSince : nil }

  var descriptor: Int32 { failure == nil ? socket.connection.descriptor : -1 }

  var servedBy: UInt64 {
    guard failure == nil else { return .max }
    return switch phase {
    case .creating(let end): end
    case .starting: .max
    case .streaming: socket.servedBy
    }
  }

  func serve() {
    guard failure == nil else { return }
    do throws(ServerFault) {
      switch phase {
      case .creating(let end): try create(by: end)
      case .starting:
        switch try socket.connection.progress() {
        case .waiting: break
        case .done: throw ServerFault(message: "the server ended it")
        case .copying:
          phase = .streaming
          socket.begin()
          try serveStream()
        }
      case .streaming: try serveStream()
      }
    } catch {
      failure = error.message
    }
  }

  /// Begins the stream once the slot is there.
  private func create(by end: UInt64) throws(ServerFault) {
    guard case .done = try socket.connection.progress() else {
      guard SystemClock.monotonic() < end else {
        throw ServerFault(message: "transactions that write keep the slot from being made")
      }
      return
    }
    phase = .starting
    try socket.connection.begin(
      simple: """
        START_REPLICATION SLOT \(name) LOGICAL 0/0 \
        ("include-xids" '1', "include-timestamp" '0', "skip-empty-xacts" '0')
        """)
  }

  private func serveStream() throws(ServerFault) {
    try socket.serve { message throws(ServerFault) in
      switch message {
      case .data(let start, _, let data):
        if let ended = transactions.take(data, at: start) { arrived.append(ended) }
        position = max(position, start)
      case .keepalive(let end, _): position = max(position, end)
      }
    } status: {
      if arrived.isEmpty, !transactions.isWithin { flushed = position }
      return (position, flushed)
    }
  }

  var hasNews: Bool { !arrived.isEmpty || failure != nil }

  func take() -> [ReportedTransactions.Ended] {
    defer { arrived.removeAll(keepingCapacity: true) }
    takenUpTo = position
    if let last = arrived.last { flushed = max(flushed, last.end) }
    return arrived
  }
}
