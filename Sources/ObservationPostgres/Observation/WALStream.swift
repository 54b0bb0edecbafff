internal import ObservationEngine

/// The write-ahead log of a server, as it is written, or as a standby receives it: a physical stream without a slot.
///
/// The server retains nothing for it, and drops it within five seconds when this program stalls.
final class WALStream: LogStream {
  /// The transactions that ended since the last ``take()``, in the order of the log.
  private var arrived: [ReportedTransactions.Ended] = []
  private(set) var firstNext: UInt32?
  private(set) var failure: String?
  private let socket: StreamSocket
  private var parser: WALParser
  private var transactions = ReportedTransactions()
  /// Where the log ended when the stream began, as far as a standby had replayed it: what comes before is old.
  private let begin: UInt64
  private(set) var takenUpTo: UInt64
  private(set) var lag: Int64 = 0
  private(set) var lateAt: UInt64 = 0

  /// A longer delay is that of a commit which didn't wait for the disk; in microseconds.
  private static let usualLag: Int64 = 50_000
  /// A standby that is so far behind has much to send that is old by the time it is replayed.
  private static let farthest: UInt64 = 64 << 20

  /// Starts the stream.
  ///
  /// - Parameter panels: The connection whose server's log it is.
  /// - Throws: ``ServerFault`` with why it can't be had.
  init(
    _ address: ServerAddress, beside panels: ServerConnection, deadline: UInt64
  ) throws(ServerFault) {
    socket = try StreamSocket(address, .walStream, beside: panels, deadline: deadline)
    let connection = socket.connection
    let system = try connection.run(simple: "IDENTIFY_SYSTEM", deadline: deadline)
    guard let timeline = system.text(1), let position = system.text(2).flatMap(LogPosition.number)
    else { throw ServerFault(message: "the server does not say where its log is") }
    // A standby has received commits that it replays later: they are news.
    let replayed = try panels.run(ServerProbe.replicaMark, deadline: deadline).text(0)
      .flatMap(LogPosition.number)
    begin = min(position, replayed ?? position)
    guard position - begin <= Self.farthest else {
      throw ServerFault(message: "the standby has much of its log still to replay")
    }
    let start = begin / WALParser.pageBytes * WALParser.pageBytes
    takenUpTo = start
    let size = try connection.run(simple: "SHOW wal_segment_size", deadline: deadline)
    parser = WALParser(at: start, segmentBytes: size.text(0).flatMap(Self.bytes) ?? 16 << 20)
    _ = try connection.run(
      simple: "START_REPLICATION PHYSICAL \(LogPosition.text(start)) TIMELINE \(timeline)",
      deadline: deadline)
    socket.begin()
  }

  var descriptor: Int32 { failure == nil ? socket.connection.descriptor : -1 }

  var servedBy: UInt64 { failure == nil ? socket.servedBy : .max }

  var heardAt: UInt64 { socket.heardAt }

  var unansweredSince: UInt64? { failure == nil ? socket.unansweredSince : nil }

  var reporter: CommitReporter { .log }

  /// Reads what has arrived, without waiting, and answers the server when that is due.
  func serve() {
    guard failure == nil else { return }
    do throws(ServerFault) {
      try socket.serve { message throws(ServerFault) in
        if case .data(let start, let sent, let data) = message {
          try take(data, at: start, sent: sent)
        }
      } status: {
        (parser.position, 0)
      }
    } catch {
      failure = error.message
    }
  }

  private func take(
    _ data: ArraySlice<UInt8>, at start: UInt64, sent: Int64
  ) throws(ServerFault) {
    let records: [(record: WALRecord, end: UInt64)]
    do { records = try parser.take(data, at: start) } catch {
      throw ServerFault(message: Self.words(error))
    }
    for (record, end) in records {
      if case .running(let next) = record, end > begin { firstNext = firstNext ?? next }
      guard var ended = transactions.take(record) else { continue }
      ended.end = end
      // The first snapshot usually contains what ended before. A later one that contains it for the first time has a
      // transaction that was not reported.
      guard end > begin else { continue }
      if ended.isCommit, ended.time > 0 {
        lag = sent - ended.time
        if lag > Self.usualLag { lateAt = SystemClock.monotonic() }
      }
      arrived.append(ended)
    }
  }

  var hasNews: Bool { !arrived.isEmpty || failure != nil }

  func take() -> [ReportedTransactions.Ended] {
    defer { arrived.removeAll(keepingCapacity: true) }
    takenUpTo = parser.position
    return arrived
  }

  private static func words(_ failure: WALParser.Failure) -> String {
    switch failure {
    case .unknownVersion(let magic):
      "the log has the version \(String(magic, radix: 16)), which is not known here"
    case .damaged(let position): "the log can't be read at \(LogPosition.text(position))"
    case .unknownManager: "an extension writes records of its own to the log"
    case .gap(let position): "the log has a gap before \(LogPosition.text(position))"
    }
  }

  /// `16MB`, as SHOW writes a size.
  private static func bytes(_ text: String) -> UInt64? {
    let digits = text.prefix { $0.isNumber }
    guard let number = UInt64(digits) else { return nil }
    switch text.dropFirst(digits.count) {
    case "MB": return number << 20
    case "GB": return number << 30
    default: return nil
    }
  }
}
