internal import Glibc
internal import ObservationEngine

/// The log of a server as its plugin `test_decoding` writes it, through a temporary slot.
///
///     creating ──slot is there──▶ starting ──the server streams──▶ streaming
///
/// The slot is the connection's and goes with it. While the stream runs, the server keeps the log from what was taken
/// last; it drops a client that stalls within five seconds. To create a slot, a server waits for all transactions that
/// write: nothing here waits for it.
final class SlotStream: CommitStream {
  private enum Phase { case creating, starting, streaming }

  private var phase = Phase.creating
  private let connection: ServerConnection
  private let name: String
  private var arrived: [ReportedTransactions.Ended] = []
  private var transactions = DecodedTransactions()
  /// Up to where the server need not keep its log for this stream: what came before was taken.
  private var flushed: UInt64 = 0
  private var position: UInt64 = 0
  private var heardAt: UInt64
  private(set) var takenUpTo: UInt64 = 0
  private(set) var failure: String?
  private(set) var servedBy: UInt64

  // The slot's transactions are whole. Their time isn't read: the snapshot is polled besides.
  let firstNext: UInt32? = nil
  let lag: Int64 = 0
  let lateAt: UInt64 = 0

  private static let statusInterval: UInt64 = 1_000_000_000
  private static let silence: UInt64 = 10_000_000_000
  /// How long to wait for writers before the slot is given up.
  private static let patience: UInt64 = 60_000_000_000

  /// Asks for the slot; ``isStreaming`` says when it is there.
  ///
  /// - Throws: ``ServerFault`` with why it can't be had.
  init(
    _ address: ServerAddress, beside panels: ServerConnection, deadline: UInt64
  ) throws(ServerFault) {
    connection = try ServerConnection(address, .slotStream, at: panels.peer, deadline: deadline)
    let reached = try panels.run(
      "SELECT count(*) FROM pg_stat_replication WHERE pid = $1::int", ["\(connection.backendPID)"],
      deadline: deadline)
    guard reached.text(0) == "1" else {
      throw ServerFault(message: "a load balancer leads to another server than that of the panels")
    }
    name = "livequery_\(getpid())_\(UInt32.random(in: 0...UInt32.max))"
    heardAt = SystemClock.monotonic()
    servedBy = heardAt + Self.patience
    try connection.begin(
      simple: "CREATE_REPLICATION_SLOT \(name) TEMPORARY LOGICAL test_decoding NOEXPORT_SNAPSHOT")
  }

  /// Whether commits are reported from now on.
  var isStreaming: Bool { phase == .streaming }

  var descriptor: Int32 { failure == nil ? connection.descriptor : -1 }

  func serve() {
    guard failure == nil else { return }
    do throws(ServerFault) {
      if phase == .streaming { return try serveStream() }
      guard SystemClock.monotonic() < servedBy else {
        throw ServerFault(message: "transactions that write keep the slot from being made")
      }
      switch try connection.progress() {
      case .waiting: break
      case .copying:
        phase = .streaming
        servedBy = SystemClock.monotonic()
        heardAt = servedBy
        try serveStream()
      case .done:
        guard phase == .creating else { throw ServerFault(message: "the server ended it") }
        phase = .starting
        try connection.begin(
          simple: """
            START_REPLICATION SLOT \(name) LOGICAL 0/0 \
            ("include-xids" '1', "include-timestamp" '0', "skip-empty-xacts" '0')
            """)
      }
    } catch {
      failure = error.message
      servedBy = .max
    }
  }

  private func serveStream() throws(ServerFault) {
    var mustReply = SystemClock.monotonic() >= servedBy
    var goesOn = true
    while goesOn {
      try connection.consume()
      goesOn = false
      while let bytes = try connection.copyMessage() {
        goesOn = connection.isEncrypted
        heardAt = SystemClock.monotonic()
        switch StreamMessage(bytes) {
        case .data(let start, _, let data):
          if let ended = transactions.take(data, at: start) { arrived.append(ended) }
          position = max(position, start)
        case .keepalive(let end, let asksForReply):
          position = max(position, end)
          mustReply = mustReply || asksForReply
        case nil: throw ServerFault(message: "the stream has a message of an unknown kind")
        }
      }
    }
    guard SystemClock.monotonic() < heardAt + Self.silence else {
      throw ServerFault(message: "the server is silent")
    }
    guard mustReply else { return }
    if arrived.isEmpty, !transactions.isWithin { flushed = position }
    try connection.sendCopy(
      StreamMessage.status(read: position, flushed: flushed, at: StreamMessage.now()))
    servedBy = SystemClock.monotonic() + Self.statusInterval
  }

  var hasNews: Bool { !arrived.isEmpty || failure != nil }

  func take() -> [ReportedTransactions.Ended] {
    defer { arrived.removeAll(keepingCapacity: true) }
    takenUpTo = position
    if let last = arrived.last { flushed = max(flushed, last.end) }
    return arrived
  }
}
