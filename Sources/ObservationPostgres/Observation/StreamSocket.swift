internal import ObservationEngine

/// The connection of a stream of the log: reads the server's messages, and answers in time.
///
/// Each status asks for an answer, so that a server is noticed which has stopped although its machine still answers.
final class StreamSocket {
  let connection: ServerConnection
  /// When the server must hear of this program again, in nanoseconds of the monotonic clock.
  private(set) var servedBy: UInt64
  /// Since when a status has waited for its answer. A program that was stopped doesn't take that for the
  /// server's silence: what arrived meanwhile is read first.
  private(set) var unansweredSince: UInt64?

  /// So often that a server which has stopped is noticed within a second.
  private static let statusInterval: UInt64 = 500_000_000
  /// When the server was last heard of.
  private(set) var heardAt = SystemClock.monotonic()

  /// A server that doesn't answer for so long has stopped.
  private static let silence: UInt64 = 5_000_000_000

  /// Connects to the server of the panels.
  ///
  /// - Throws: ``ServerFault`` when that isn't possible, or another server answers.
  init(
    _ address: ServerAddress, _ purpose: ServerConnection.Purpose,
    beside panels: ServerConnection, deadline: UInt64
  ) throws(ServerFault) {
    connection = try ServerConnection(address, purpose, at: panels.peer, deadline: deadline)
    let reached = try panels.run(
      "SELECT count(*) FROM pg_stat_replication WHERE pid = $1::int", ["\(connection.backendPID)"],
      deadline: deadline)
    guard reached.text(0) == "1" else {
      throw ServerFault(message: "a load balancer leads to another server than that of the panels")
    }
    servedBy = SystemClock.monotonic()
  }

  /// Notes that the stream begins: the server is to be answered from now on.
  func begin() {
    servedBy = SystemClock.monotonic() + Self.statusInterval
  }

  /// Reads what has arrived, without waiting, and answers the server when that is due.
  ///
  /// - Parameters:
  ///   - take: Receives each message.
  ///   - status: How far the log was read, and up to where the server need not keep it for this stream.
  /// - Throws: ``ServerFault`` when the stream has ended, or what `take` throws.
  func serve(
    _ take: (StreamMessage) throws(ServerFault) -> Void,
    status: () -> (read: UInt64, flushed: UInt64)
  ) throws(ServerFault) {
    var mustReply = SystemClock.monotonic() >= servedBy
    var goesOn = true
    while goesOn {
      try connection.consume()
      goesOn = false
      while let bytes = try connection.copyMessage() {
        // What was decrypted already leaves the socket silent.
        goesOn = connection.isEncrypted
        unansweredSince = nil
        heardAt = SystemClock.monotonic()
        guard let message = StreamMessage(bytes) else {
          throw ServerFault(message: "the stream has a message of an unknown kind")
        }
        if case .keepalive(_, asksForReply: true) = message { mustReply = true }
        try take(message)
      }
    }
    let now = SystemClock.monotonic()
    if let unansweredSince, now >= unansweredSince + Self.silence {
      throw ServerFault(message: "the server is silent")
    }
    guard mustReply else { return }
    let (read, flushed) = status()
    try connection.sendCopy(
      StreamMessage.status(read: read, flushed: flushed, at: StreamMessage.now()))
    unansweredSince = unansweredSince ?? now
    servedBy = now + Self.statusInterval
  }
}
