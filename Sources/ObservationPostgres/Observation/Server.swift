internal import Dispatch
package import ObservationEngine
internal import Synchronization

/// A PostgreSQL server whose queries are observed.
///
///     let server = try Server(address, ServerSettings())
///     for await update in server.observe(queries) { … }
///
/// At most three connections: for panels, for the stream of the log, and for what else is read or, once it is used, the
/// console. Only the console's can write. Nothing is created on the server, no slot, no publication, no trigger.
///
/// Safe to use from any thread.
package final class Server: Sendable {
  private let thread: ServerThread
  private let known: KnownServer
  private let console: ServerConsole
  private let reads: ServerReads
  private let numbers = Atomic(0)

  /// A query of a panel: named parameters take their values from `parameters`.
  package struct PanelQuery: Sendable {
    package let statement: ServerStatement
    package let parameters: [String: Value]

    package init(sql: String, parameters: [String: Value]) {
      statement = ServerStatement(sql)
      self.parameters = parameters
    }

    var key: TrackedQuery.Key {
      TrackedQuery.Key(
        statement: statement, values: statement.names.map { parameters[$0]?.parameterText })
    }
  }

  /// Loads libpq, connects, and finds out how commits can be noticed. Blocks meanwhile.
  ///
  /// - Throws: `DatabaseError` when there is no libpq, no server, or no access to it.
  package init(_ address: ServerAddress, _ settings: ServerSettings) throws(DatabaseError) {
    try PostgresLibrary.load()
    let known = KnownServer()
    self.known = known
    do throws(ServerFault) {
      thread = try ServerThread(address, settings, known)
    } catch {
      throw DatabaseError(code: .cannotOpen, message: error.message)
    }
    let reads = ServerReads(address, settings, known)
    self.reads = reads
    console = ServerConsole(
      address, isReadOnly: settings.isReadOnly, known, beforeOpening: reads.yield)
  }

  /// What it is, and how commits are noticed at present.
  package var facts: ServerFacts {
    guard let facts = known.facts else { preconditionFailure("a server is known once it is open") }
    return facts
  }

  /// The number of the newest commit that was observed; one more while a commit of the console is still to be.
  package var newestOrdinal: Int { known.newestOrdinal }

  // MARK: - Panels

  /// Observes queries together: their results come from one snapshot. Begins now.
  package func observe(_ queries: [PanelQuery]) -> ServerObservation {
    let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
    let published = PublishedGroup(count: queries.count)
    let keys = queries.map(\.key)
    thread.perform { $0.start(number, keys, published) }
    return ServerObservation(published, thread: thread, number: number)
  }

  /// Runs queries once, in one snapshot.
  ///
  /// - Parameter limit: How long each may take.
  /// - Throws: `DatabaseError` when the connection is lost.
  package func results(
    of queries: [PanelQuery], limit: Duration?
  ) async throws(DatabaseError) -> [Result<RowSet, DatabaseError>] {
    let results = try await read(queries.map { ($0.key.statement, $0.key.values) }, limit: limit)
    return zip(queries, results).map { query, result in
      result.map { $0.rowSet ?? .empty }.mapError { fault in
        let error = fault.error(in: query.statement)
        guard limit != nil, fault.isForeignCancellation(within: limit) else { return error }
        return DatabaseError(
          code: .error, message: error.message, sql: error.sql, offset: error.offset)
      }
    }
  }

  /// The rows of a statement of the program's own, whose parameters are `$1`, ….
  package func rows(_ sql: String, _ values: [String?] = []) async throws(DatabaseError)
    -> [[Value]]
  {
    let results = try await read([(ServerStatement(verbatim: sql), values)], limit: .seconds(5))
    do throws(ServerFault) { return try results[0].get().rows } catch { throw error.error(in: nil) }
  }

  /// The same, for a thread that may block.
  package func rowsWaiting(
    _ sql: String, _ values: [String?] = []
  ) throws(DatabaseError) -> [[Value]] {
    do throws(ServerFault) {
      return try readWaiting([(ServerStatement(verbatim: sql), values)], limit: .seconds(5))[0]
        .get().rows
    } catch {
      throw error.error(in: nil)
    }
  }

  private func read(
    _ statements: [PanelReader.Statement], limit: Duration?
  ) async throws(DatabaseError) -> [Result<ServerResult, ServerFault>] {
    do throws(ServerFault) {
      return try await onOwnThread { [self] () throws(ServerFault) in
        try readWaiting(statements, limit: limit)
      }
    } catch {
      throw error.error(in: nil)
    }
  }

  /// Runs statements in one snapshot, on the panels' connection if there is no other for it.
  private func readWaiting(
    _ statements: [PanelReader.Statement], limit: Duration?
  ) throws(ServerFault) -> [Result<ServerResult, ServerFault>] {
    if let results = reads.read(statements, limit: limit) { return results }
    return try thread.waiting { work throws(ServerFault) in
      try work.read(statements, limit: limit)
    }
  }

  /// The columns of a query, which does not run; blocks meanwhile.
  ///
  /// - Throws: `DatabaseError` with the offset of the error.
  package func columns(of statement: ServerStatement) throws(DatabaseError) -> [ServerColumn] {
    do throws(ServerFault) {
      return try thread.waiting { work throws(ServerFault) in try work.describe(statement) }
    } catch {
      throw error.error(in: statement)
    }
  }

  // MARK: - Console

  /// Runs one statement on the console's connection, in the transaction that is open there.
  ///
  /// - Parameter arguments: The texts of its parameters, in order.
  /// - Throws: `DatabaseError`; with code `interrupted` when the task is cancelled.
  package func run(
    _ statement: ServerStatement, _ arguments: [String?], rowLimit: Int, byteLimit: Int,
    progress: @escaping @Sendable (Int) -> Void
  ) async throws(DatabaseError) -> ConsoleOutcome {
    let outcome = try await console.run(
      statement, arguments, rowLimit: rowLimit, byteLimit: byteLimit, progress: progress)
    if !outcome.isInTransaction { thread.perform { $0.noteOwnStatement() } }
    return outcome
  }

  /// What the server said besides, while the console's last statement ran: `WARNING: ...`.
  package func consoleNotices() async -> [String] { await console.takeNotices() }

  /// Whether a transaction is open on the console's connection.
  package func isInTransaction() async -> Bool { await console.isInTransaction() }

  // MARK: - Ending

  /// Ends all observations and closes the connections.
  package func shutDown() {
    thread.stop()
    console.close()
    cancelQueries()
  }

  /// Cancels what is being read for panels and besides; blocks until the server has received that.
  package func cancelQueries() {
    known.cancel()
    reads.cancel()
  }
}

/// The server that the panels have reached, of those that an address leads to: all other connections must reach the
/// same one.
struct ServerHome: Equatable, Sendable {
  let peer: ServerConnection.Peer
  /// ``ServerProbe/startedAt``.
  let startedAt: String?

  /// Whether a server that started then may be this one.
  func isSame(startedAt other: String?) -> Bool {
    startedAt == nil || other == nil || startedAt == other
  }
}

/// The facts about a server that other threads than its own may read.
final class KnownServer: Sendable {
  private struct State {
    var facts: ServerFacts?
    var home: ServerHome?
    var ordinal = 0
    var ticket: CancelTicket?
    /// The newest transactions of the console, oldest first.
    var own: [UInt32] = []
    /// Those of them that are open.
    var open: Set<UInt32> = []
    /// Those that ended and were not observed yet, with the time until which that is waited for.
    var awaited: [UInt32: UInt64] = [:]
  }

  private let state = Mutex(State())

  var facts: ServerFacts? { state.withLock { $0.facts } }

  /// Where the panels are; while their connection is lost, where they were.
  var home: ServerHome? {
    get { state.withLock { $0.home } }
    set { state.withLock { $0.home = newValue } }
  }

  /// See ``Server/newestOrdinal``.
  var newestOrdinal: Int {
    state.withLock { state in
      let now = SystemClock.monotonic()
      return state.ordinal + (state.awaited.values.contains { $0 > now } ? 1 : 0)
    }
  }

  func note(_ facts: ServerFacts) { state.withLock { $0.facts = facts } }
  /// Notes what cancels the queries of panels.
  func note(_ ticket: CancelTicket?) { state.withLock { $0.ticket = ticket } }

  /// Cancels the queries of panels that run; blocks until the server has received that.
  func cancel() { state.withLock { $0.ticket }?.cancel() }

  /// Notes a transaction of the console, before it commits.
  func noteOwn(_ xid: UInt32) {
    state.withLock { state in
      guard state.own.last != xid else { return }
      state.own.append(xid)
      state.open.insert(xid)
      // A user types no faster than commits are noticed, but a file of statements does.
      if state.own.count > 10_000 { state.own.removeFirst(5_000) }
    }
  }

  /// Notes that no transaction of the console is open.
  func noteOwnEnd() {
    state.withLock { state in
      // A server that doesn't say which transactions ended is not waited for.
      let limit = SystemClock.monotonic() + 2_000_000_000
      for xid in state.open { state.awaited[xid] = limit }
      state.open = []
    }
  }

  /// Notes transactions that were observed to have ended.
  func noteObserved(_ xids: some Sequence<UInt32>) {
    state.withLock { state in
      for xid in xids {
        state.open.remove(xid)
        state.awaited[xid] = nil
      }
    }
  }

  /// Whether these are transactions of the console, and there is one at all.
  func areOwn(_ xids: [UInt32]) -> Bool {
    !xids.isEmpty && state.withLock { state in xids.allSatisfy(state.own.contains) }
  }

  func note(ordinal: Int) { state.withLock { $0.ordinal = ordinal } }
}

/// Queries that are observed together on a server.
///
/// It ends when this object is released, or the server is closed. One iterator at a time takes the updates.
package final class ServerObservation: AsyncSequence, Sendable {
  package typealias Element = GroupUpdate<RowSet>
  package typealias Failure = Never

  private let published: PublishedGroup
  private let thread: ServerThread
  private let number: Int

  init(_ published: PublishedGroup, thread: ServerThread, number: Int) {
    (self.published, self.thread, self.number) = (published, thread, number)
  }

  deinit {
    let number = number
    thread.perform { $0.stop(number) }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(observation: self, updates: published.makeAsyncIterator())
  }

  /// Asks the server now, and runs all queries again.
  package func refresh() { thread.perform { $0.refreshAll() } }

  /// Takes the updates one after the other.
  package struct Iterator: AsyncIteratorProtocol {
    fileprivate let observation: ServerObservation
    fileprivate var updates: PublishedGroup.Iterator

    /// The next update; `nil` when the server is closed or the task is cancelled.
    package mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> GroupUpdate<RowSet>? {
      await updates.next(isolation: actor)
    }
  }
}
