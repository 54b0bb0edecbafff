internal import CPostgres
internal import Glibc
internal import ObservationEngine

/// A socket that is served while another connection waits for its own.
protocol ServedSocket: AnyObject {
  /// -1 for none.
  var descriptor: Int32 { get }
  /// When it must be served at the latest, in nanoseconds of the monotonic clock.
  var servedBy: UInt64 { get }
  /// When the server was last heard of there.
  var heardAt: UInt64 { get }
  /// Since when the server owes an answer; nil when it doesn't.
  var unansweredSince: UInt64? { get }
  func serve()
}

/// One connection to a server.
///
/// It blocks the calling thread until the server has answered or the time is over. Not safe from several threads: it
/// belongs to one. A ``CancelTicket`` alone may be used from any.
final class ServerConnection {
  private let handle: OpaquePointer
  private let notices: UnsafeMutablePointer<LQNotices>
  /// What must go on while this connection waits.
  weak var served: (any ServedSocket)?

  /// What a connection is for.
  enum Purpose: Equatable {
    /// Panels: it can't write.
    case panels
    case console
    /// The stream of the write-ahead log.
    case walStream
    /// The same, decoded by the server.
    case slotStream
    /// What triggers notify of.
    case notifications

    /// With these the server drops a client that stalls, and with it all that it would keep for it. Panels and console
    /// need none, which poolers refuse: each transaction of panels says by itself that it only reads.
    var options: String? {
      switch self {
      case .panels, .console: nil
      case .walStream: "-c wal_sender_timeout=5s"
      case .notifications: "-c idle_session_timeout=5s"
      // The second limit is for a client that stalls before the stream has begun.
      case .slotStream: "-c wal_sender_timeout=5s -c idle_session_timeout=5s"
      }
    }
  }

  /// Which of several servers that an address names a connection has reached.
  struct Peer: Equatable {
    var host: String
    var hostAddress: String
    var port: String
  }

  /// What is to be done while an answer is late.
  struct Lateness {
    /// On the monotonic clock.
    var at: UInt64
    /// - Returns: When to be called again, as long as the answer isn't there; nil for never.
    let note: () -> UInt64?
  }

  var lateness: Lateness?
  /// When the server was last heard of, on the monotonic clock.
  private(set) var heardAt = SystemClock.monotonic()

  /// Whether what panels run with is set for the session, and no statement can have changed it since.
  var hasSessionSettings = false

  /// What the server keeps statements as, by their text.
  private var keptNames: [ExactText: String] = [:]
  /// A statement that names the panels' relations is another one with others: no more than these are kept.
  private static let mostKept = 50

  /// Connects.
  ///
  /// - Parameters:
  ///   - address: The server that the user named.
  ///   - peer: Which of them, if it names several.
  /// - Throws: ``ServerFault``, whose state is empty when there is no server.
  init(
    _ address: ServerAddress, _ purpose: Purpose, at peer: Peer? = nil, deadline: UInt64
  ) throws(ServerFault) {
    handle = try Self.connect(address, purpose, peer, deadline)
    notices = .allocate(capacity: 1)
    notices.initialize(to: LQNotices())
    lq_pq_keepNotices(handle, notices)
    _ = lq_pq_setNonblocking(handle, 1)
  }

  deinit {
    lq_pq_finish(handle)
    notices.deallocate()
  }

  private static func connect(
    _ address: ServerAddress, _ purpose: Purpose, _ peer: Peer?, _ deadline: UInt64
  ) throws(ServerFault) -> OpaquePointer {
    let now = SystemClock.monotonic()
    // For each of several hosts: the next one is tried then. libpq takes less than two seconds for two.
    let seconds = max(2, min(5, (deadline - min(now, deadline)) / 1_000_000_000))
    // What the user's text says replaces what stands before `dbname`.
    var settings: [(String, String)] = [
      ("connect_timeout", "\(seconds)"), ("keepalives_idle", "5"), ("keepalives_interval", "2"),
      ("keepalives_count", "3"), ("tcp_user_timeout", "5000"),
    ]
    settings.append(("dbname", address.connectionString))
    // Behind it: options in the user's text would replace all of these.
    if let options = purpose.options {
      settings.append(("options", address.options(followedBy: options)))
    }
    if let peer {
      settings += [
        ("host", peer.host), ("hostaddr", peer.hostAddress), ("port", peer.port),
        ("target_session_attrs", "any"),
      ]
    }
    settings.append(("client_encoding", "UTF8"))
    settings.append(("application_name", purpose == .console ? "livequery console" : "livequery"))
    if purpose == .walStream { settings.append(("replication", "true")) }
    if purpose == .slotStream { settings.append(("replication", "database")) }
    let names = settings.map { strdup($0.0) } + [nil]
    let values = settings.map { strdup($0.1) } + [nil]
    defer { for text in names + values { free(text) } }
    let connection = names.map { UnsafePointer($0) }.withUnsafeBufferPointer { names in
      values.map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
        lq_pq_connectParams(names.baseAddress, values.baseAddress, 1)
      }
    }
    guard let connection else { throw ServerFault(message: "memory is exhausted") }
    guard lq_pq_status(connection) == Int32(LQ_CONNECTION_OK) else {
      defer { lq_pq_finish(connection) }
      throw ServerFault(connection: connection)
    }
    return connection
  }

  // MARK: - Facts

  var descriptor: Int32 { lq_pq_socket(handle) }
  /// The server's process, as the connection learned it; a pooler names another one.
  var backendPID: Int { Int(lq_pq_backendPID(handle)) }
  /// `150020` for 15.20.
  var serverVersion: Int { Int(lq_pq_serverVersion(handle)) }
  var peer: Peer {
    Peer(
      host: String(cString: lq_pq_host(handle)),
      hostAddress: String(cString: lq_pq_hostAddress(handle)),
      port: String(cString: lq_pq_port(handle)))
  }
  var databaseName: String { String(cString: lq_pq_databaseName(handle)) }
  var user: String { String(cString: lq_pq_user(handle)) }
  var isInTransaction: Bool {
    [Int32(LQ_TRANS_INTRANS), Int32(LQ_TRANS_INERROR)].contains(lq_pq_transactionStatus(handle))
  }
  /// Whether the open transaction has failed, so that only ROLLBACK is admitted.
  var hasFailedTransaction: Bool { lq_pq_transactionStatus(handle) == Int32(LQ_TRANS_INERROR) }
  var isEncrypted: Bool { lq_pq_isEncrypted(handle) != 0 }
  var isLost: Bool { lq_pq_status(handle) != Int32(LQ_CONNECTION_OK) }

  func cancelTicket() -> CancelTicket? { lq_pq_getCancel(handle).map(CancelTicket.init) }

  // MARK: - What the server says besides

  /// What it has said since the last call, other than results: `WARNING: there is no transaction in progress`. Of
  /// very much, the newest.
  func takeNotices() -> [String] {
    defer { notices.pointee.length = 0 }
    return heard
  }

  private var heard: [String] {
    let text = withUnsafeBytes(of: &notices.pointee.text) {
      String(decoding: $0.prefix(notices.pointee.length), as: UTF8.self)
    }
    return text.split(separator: Self.noticeEnd).map(String.init)
  }

  private static let noticeEnd = Character(Unicode.Scalar(UInt8(LQ_NOTICE_END)))

  static let fatal = "FATAL: "

  /// Why the connection failed: what the server said last says more than that it is gone.
  private func fault() -> ServerFault {
    var fault = ServerFault(connection: handle)
    if isLost, let reason = heard.last(where: { $0.hasPrefix(Self.fatal) }) {
      fault.message = String(reason.dropFirst(Self.fatal.count))
    }
    return fault
  }

  // MARK: - One statement

  /// Runs one statement.
  ///
  /// - Parameter values: The texts of its parameters.
  func run(
    _ sql: String, _ values: [String?] = [], limits: ResultLimits = ResultLimits(),
    deadline: UInt64 = .max
  ) throws(ServerFault) -> ServerResult {
    guard send(sql, values) else { throw fault() }
    _ = lq_pq_setSingleRowMode(handle)
    return try finishStatement(limits, deadline)
  }

  /// The columns and the number of parameters of a statement, which does not run.
  func describe(_ sql: String, deadline: UInt64) throws(ServerFault) -> [ServerColumn] {
    // An unnamed statement: the next one replaces it.
    guard lq_pq_sendPrepare(handle, "", sql, 0, nil) != 0 else {
      throw fault()
    }
    _ = try finishStatement(ResultLimits(), deadline)
    guard lq_pq_sendDescribePrepared(handle, "") != 0 else { throw fault() }
    var columns: [ServerColumn] = []
    while let part = try next(deadline) {
      defer { lq_pq_clear(part) }
      columns += (0..<lq_pq_nfields(part)).map { ServerColumn(part, $0) }
    }
    return columns
  }

  private func finishStatement(
    _ limits: ResultLimits, _ deadline: UInt64
  ) throws(ServerFault) -> ServerResult {
    var reader = ResultReader(limits)
    while let part = try next(deadline) {
      let status = lq_pq_resultStatus(part)
      reader.read(part)
      lq_pq_clear(part)
      // A copy would wait for data, which this program doesn't send.
      if status == Int32(LQ_COPY_IN) { _ = lq_pq_putCopyEnd(handle, "not supported") }
      if status == Int32(LQ_COPY_BOTH) { break }
      if status == Int32(LQ_COPY_OUT) { try discardCopy(deadline) }
    }
    if let fault = reader.fault { throw fault }
    return reader.result
  }

  private func discardCopy(_ deadline: UInt64) throws(ServerFault) {
    var buffer: UnsafeMutablePointer<CChar>?
    while true {
      let count = lq_pq_getCopyData(handle, &buffer, 1)
      lq_pq_freemem(buffer)
      buffer = nil
      if count < 0 { return }
      if count == 0 { try wait(deadline) }
    }
  }

  // MARK: - Pipeline

  /// What is sent in a pipeline.
  enum Step {
    /// - Parameter isTimed: Whether its result comes as soon as it is there, and not together with others: it has its own
    ///   time then.
    case statement(String, values: [String?] = [], isTimed: Bool = false)
    /// A statement that the server plans once and keeps for this connection: not for a connection through a pooler.
    case kept(String, values: [String?] = [])
    /// After a failed statement, those up to the next one of these are skipped.
    case sync
  }

  /// Sends all steps together, and reads what they return: two ways over the network for any number of statements.
  ///
  /// - Parameter limits: For each statement.
  /// - Returns: A result or a fault for each step; an empty result for ``Step/sync``.
  /// - Throws: ``ServerFault`` when the connection is lost, or the time is over.
  func run(
    pipeline steps: [Step], limits: ResultLimits, deadline: UInt64
  ) throws(ServerFault) -> [Result<ServerResult, ServerFault>] {
    for case .kept(let sql, _) in steps where keptNames[ExactText(sql)] == nil {
      if keptNames.count < Self.mostKept { try keep(sql, deadline) }
    }
    guard lq_pq_enterPipelineMode(handle) != 0 else { throw fault() }
    // The server may begin with the first of them before the last is sent.
    let began = SystemClock.monotonic()
    for step in steps {
      let isSent =
        switch step {
        case .statement(let sql, let values, false): send(sql, values)
        case .statement(let sql, let values, true):
          lq_pq_sendFlushRequest(handle) != 0 && send(sql, values)
            && lq_pq_sendFlushRequest(handle) != 0
        case .kept(let sql, let values): send(sql, values, keptAs: keptNames[ExactText(sql)])
        case .sync: lq_pq_pipelineSync(handle) != 0
        }
      guard isSent else { throw fault() }
    }
    var results: [Result<ServerResult, ServerFault>] = []
    results.reserveCapacity(steps.count)
    var since = SystemClock.monotonic()
    for step in steps {
      switch step {
      case .sync:
        let fault = try finishSync(deadline)
        // What a lost connection left out would look like results without rows.
        if let fault, fault.isLoss { throw fault }
        results.append(fault.map { .failure($0) } ?? .success(ServerResult()))
      case .statement, .kept:
        let outcome = try readPipelined(limits, until: deadline)
        // What can't be read after it would say less.
        if case .failure(let fault) = outcome, fault.isLoss { throw fault }
        let now = SystemClock.monotonic()
        results.append(
          outcome.map { result in
            var result = result
            result.duration = .nanoseconds(Int64(now - since))
            return result
          }.mapError { fault in
            var fault = fault
            fault.elapsed = .nanoseconds(Int64(now - began))
            return fault
          })
        since = now
      }
    }
    guard lq_pq_exitPipelineMode(handle) != 0 else { throw fault() }
    return results
  }

  private func keep(_ sql: String, _ deadline: UInt64) throws(ServerFault) {
    let name = "livequery_\(keptNames.count + 1)"
    guard lq_pq_sendPrepare(handle, name, sql, 0, nil) != 0 else {
      throw fault()
    }
    _ = try finishStatement(ResultLimits(), deadline)
    keptNames[ExactText(sql)] = name
  }

  /// Runs one statement, and learns the number of its transaction before the server commits it.
  ///
  /// - Parameter note: Receives the number, if the transaction has one: it has written something.
  func run(
    _ sql: String, _ values: [String?], limits: ResultLimits, noting note: (UInt32) -> Void
  ) throws(ServerFault) -> ServerResult {
    guard lq_pq_enterPipelineMode(handle) != 0, send(sql, values), send(Self.ownNumber, []),
      lq_pq_sendFlushRequest(handle) != 0
    else { throw fault() }
    let outcome = try readPipelined(limits)
    if case .failure(let fault) = outcome, fault.isLoss { throw fault }
    let number = try readPipelined(ResultLimits())
    // Outside of BEGIN, this commits.
    if case .success(let result) = number, let xid = result.text(0).flatMap({ UInt64($0) }) {
      note(UInt32(truncatingIfNeeded: xid))
    }
    guard lq_pq_pipelineSync(handle) != 0 else { throw fault() }
    // A constraint that was put off is checked now.
    let refusal = try finishSync(.max)
    guard lq_pq_exitPipelineMode(handle) != 0 else {
      throw refusal ?? fault()
    }
    let result = try outcome.get()
    if let refusal { throw refusal }
    // The statement went with its transaction.
    if case .failure(let fault) = number { throw fault }
    return result
  }

  /// Runs one statement that can't write, whatever it and those before it set.
  func run(
    readOnly sql: String, _ values: [String?], limits: ResultLimits
  ) throws(ServerFault) -> ServerResult {
    // In the same transaction. A single statement that sets and writes has a snapshot first, and then the server lets
    // nothing begin to write.
    let steps: [Step] = [
      .statement("SET transaction_read_only = on"), .statement(sql, values: values), .sync,
    ]
    // Only ROLLBACK is admitted then, and it alone can't write.
    if hasFailedTransaction { return try run(sql, values, limits: limits) }
    let results = try run(pipeline: steps, limits: limits, deadline: .max)
    _ = try results[0].get()
    let result = try results[1].get()
    _ = try results[2].get()
    return result
  }

  /// Reads up to the end of what was sent before a sync.
  ///
  /// - Returns: Why the transaction that it ends was not committed; nil if it was.
  private func finishSync(_ deadline: UInt64) throws(ServerFault) -> ServerFault? {
    var fault: ServerFault?
    // An error has an end of its own before that of the sync. Older libraries forget the latter.
    for _ in 0..<4 {
      guard let part = try next(deadline) else { continue }
      defer { lq_pq_clear(part) }
      if lq_pq_resultStatus(part) == Int32(LQ_PIPELINE_SYNC) { return fault }
      fault = fault ?? ServerFault(part)
    }
    return fault ?? ServerFault(message: "the server's answer has no end")
  }

  /// The number of the transaction that runs; NULL as long as it has written nothing.
  static let ownNumber = "SELECT pg_catalog.pg_current_xact_id_if_assigned()::text"

  private func readPipelined(
    _ limits: ResultLimits, until deadline: UInt64 = .max
  ) throws(ServerFault) -> Result<ServerResult, ServerFault> {
    var reader = ResultReader(limits)
    _ = lq_pq_setSingleRowMode(handle)
    while let part = try next(deadline) {
      reader.read(part)
      lq_pq_clear(part)
    }
    return reader.fault.map { .failure($0) } ?? .success(reader.result)
  }

  // MARK: - Copying both ways

  /// The next message of a stream that has begun; nil when none has arrived.
  ///
  /// - Throws: ``ServerFault`` when the stream has ended.
  func copyMessage() throws(ServerFault) -> [UInt8]? {
    var buffer: UnsafeMutablePointer<CChar>?
    let count = lq_pq_getCopyData(handle, &buffer, 1)
    defer { lq_pq_freemem(buffer) }
    if count == 0 { return nil }
    guard count > 0, let buffer else {
      let part = lq_pq_getResult(handle)
      defer { lq_pq_clear(part) }
      guard let part else { throw fault() }
      // A server ends the stream without an error when a standby is promoted.
      guard lq_pq_resultStatus(part) == Int32(LQ_FATAL_ERROR) else {
        throw ServerFault(message: "the server ended it")
      }
      throw ServerFault(part)
    }
    return buffer.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
      Array(UnsafeBufferPointer(start: $0, count: Int(count)))
    }
  }

  /// Sends a message on the stream.
  func sendCopy(_ message: [UInt8]) throws(ServerFault) {
    let isSent = message.withUnsafeBytes {
      lq_pq_putCopyData(
        handle, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    guard isSent > 0, lq_pq_flush(handle) >= 0 else { throw fault() }
  }

  /// Reads what has arrived, without waiting.
  func consume() throws(ServerFault) {
    guard lq_pq_consumeInput(handle) != 0 else { throw fault() }
  }

  /// Runs a statement of the replication protocol, which knows no parameters.
  func run(simple sql: String, deadline: UInt64) throws(ServerFault) -> ServerResult {
    guard lq_pq_sendQuery(handle, sql) != 0 else { throw fault() }
    var reader = ResultReader(ResultLimits())
    while let part = try next(deadline) {
      let status = lq_pq_resultStatus(part)
      defer { lq_pq_clear(part) }
      // The stream has begun.
      if status == Int32(LQ_COPY_BOTH) { return reader.result }
      reader.read(part)
    }
    if let fault = reader.fault { throw fault }
    return reader.result
  }

  /// How far a statement of the replication protocol has come.
  enum Progress {
    case waiting, done
    /// The stream has begun.
    case copying
  }

  /// Sends a statement of the replication protocol, and doesn't wait for its result.
  func begin(simple sql: String) throws(ServerFault) {
    guard lq_pq_sendQuery(handle, sql) != 0, lq_pq_flush(handle) >= 0 else {
      throw fault()
    }
  }

  /// Looks how far it has come, without waiting.
  ///
  /// - Throws: ``ServerFault`` when it has failed.
  func progress() throws(ServerFault) -> Progress {
    try consume()
    while lq_pq_isBusy(handle) == 0 {
      guard let part = lq_pq_getResult(handle) else { return .done }
      defer { lq_pq_clear(part) }
      switch lq_pq_resultStatus(part) {
      case Int32(LQ_COPY_BOTH): return .copying
      case Int32(LQ_FATAL_ERROR), Int32(LQ_BAD_RESPONSE): throw ServerFault(part)
      default: break
      }
    }
    return .waiting
  }

  /// The texts that have arrived on a channel since the last call.
  func notifications(of channel: String) -> [String] {
    var texts: [String] = []
    while let notification = lq_pq_notifies(handle) {
      defer { lq_pq_freemem(notification) }
      if String(cString: notification.pointee.channel) == channel {
        texts.append(String(cString: notification.pointee.text))
      }
    }
    return texts
  }

  // MARK: - Sending and waiting

  /// - Parameter name: What the server keeps the statement as; nil to send its text.
  private func send(_ sql: String, _ values: [String?], keptAs name: String? = nil) -> Bool {
    let texts = values.map { $0.map { strdup($0) } ?? nil }
    defer { for text in texts { free(text) } }
    return texts.map { UnsafePointer($0) }.withUnsafeBufferPointer { texts in
      let (count, first) = (Int32(texts.count), texts.isEmpty ? nil : texts.baseAddress)
      return if let name {
        lq_pq_sendQueryPrepared(handle, name, count, first, nil, nil, 0) != 0
      } else {
        lq_pq_sendQueryParams(handle, sql, count, nil, first, nil, nil, 0) != 0
      }
    }
  }

  /// The next part of a result; nil at its end.
  private func next(_ deadline: UInt64) throws(ServerFault) -> OpaquePointer? {
    while true {
      let unsent = lq_pq_flush(handle)
      if unsent < 0 { throw fault() }
      if unsent == 0, lq_pq_isBusy(handle) == 0 { return lq_pq_getResult(handle) }
      try wait(deadline, alsoToSend: unsent > 0)
    }
  }

  private func wait(_ deadline: UInt64, alsoToSend: Bool = false) throws(ServerFault) {
    let events = Int16(POLLIN) | (alsoToSend ? Int16(POLLOUT) : 0)
    // What was decrypted already leaves the socket silent.
    let now = SystemClock.monotonic()
    let pause = isEncrypted ? min(deadline, now + 10_000_000) : deadline
    if let lateness, now >= lateness.at {
      self.lateness = nil
      if let next = lateness.note() { self.lateness = Lateness(at: next, note: lateness.note) }
    }
    let end = min(pause, lateness?.at ?? .max)
    let ready = Self.wait(descriptor, events, until: end, served)
    guard ready != 0 || end < deadline else {
      throw ServerFault(message: "the server did not answer in time")
    }
    if ready & Int16(POLLIN) != 0 { heardAt = SystemClock.monotonic() }
    try consume()
  }

  /// - Returns: What is ready, as `poll` has it; 0 when the time is over.
  private static func wait(
    _ descriptor: Int32, _ events: Int16, until deadline: UInt64, _ served: (any ServedSocket)?
  ) -> Int16 {
    guard descriptor >= 0 else { return Int16(POLLERR) }
    while true {
      let now = SystemClock.monotonic()
      if now >= deadline { return 0 }
      let end = min(deadline, served?.servedBy ?? .max)
      let left = end == .max ? -1 : Int32(clamping: (end - min(now, end) + 999_999) / 1_000_000)
      var ready = [
        pollfd(fd: descriptor, events: events, revents: 0),
        pollfd(fd: served?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&ready, 2, left)
      if ready[1].revents != 0 || served.map({ SystemClock.monotonic() >= $0.servedBy }) == true {
        served?.serve()
      }
      if count > 0, ready[0].revents != 0 { return ready[0].revents }
    }
  }
}

/// Cancels what a connection runs, from any thread.
final class CancelTicket: Sendable {
  // libpq says that this may be used from another thread than the connection; it is immutable.
  private nonisolated(unsafe) let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { lq_pq_freeCancel(handle) }

  /// Asks the server to cancel; blocks until it has received that.
  func cancel() {
    var reason = [CChar](repeating: 0, count: 256)
    // If it can't be reached, the statement ends with its connection.
    _ = lq_pq_cancel(handle, &reason, Int32(reason.count))
  }
}
