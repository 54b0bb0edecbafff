import Dashboard
import DatabaseConsole
import ObservationEngine

/// Runs what the console submits, one statement after the other, on the writing connection.
///
///     submit ─▶ complete? ─▶ next statement ─▶ hazard? ─▶ question ─▶ parameters? ─▶ values ─▶ run ─▶ next …
///                  no: incomplete                            no: the rest is dropped
@ScreenActor
final class ConsoleRunner {
  /// Rows of a result that are kept, as many as a person looks through; the rest are counted.
  nonisolated static let rowLimit = 10_000
  /// Nor more than about so many bytes of them.
  nonisolated static let byteLimit = 32 * 1024 * 1024

  private let database: Database
  private let tell: @ScreenActor (ConsoleEvent) -> Void
  private var waiting: [String] = []
  private var task: Task<Void, Never>?
  /// Counts what has run: who ends late must not end what runs by then.
  private var turn = 0
  /// Counts the rows that a statement would change, before somebody is asked.
  private var counting: Task<Void, Never>?
  private var progress: StatementProgress?
  /// A file that waits for an answer.
  var askedScript: (path: String, statements: [ScriptStatement])?
  /// How far the file has come that is run.
  var script: ConsoleState.ScriptProgress?
  private var transactionSince: Moment?
  private var statementsInTransaction = 0
  private var holdsWriteLock = false

  /// - Parameter tell: Takes what the console is told.
  init(_ database: Database, tell: @escaping @ScreenActor (ConsoleEvent) -> Void) {
    self.database = database
    self.tell = tell
  }

  /// Whether a statement runs, or waits to.
  var isBusy: Bool { task != nil || counting != nil }

  /// Takes the text of the console.
  func submit(_ text: String) {
    guard SQLText.isComplete(text) else { return tell(.incomplete) }
    waiting = StatementSplitter.statements(of: text)
    // Where there is nothing to run, something is missing.
    guard !waiting.isEmpty else { return tell(.incomplete) }
    runNext()
  }

  /// Runs a statement that was confirmed.
  func run(_ sql: String) {
    let parameters = SQLParameters(sql)
    guard parameters.names.isEmpty else {
      return tell(.needsParameters(names: parameters.names, sql: sql))
    }
    start(sql, SQLParameters(sql), values: [])
  }

  /// Runs a statement with values for its parameters.
  func bind(_ sql: String, values: [Value]) { start(sql, SQLParameters(sql), values: values) }

  /// Drops what was submitted and has not begun: nobody is asked about it any more.
  func discard() {
    waiting = []
    counting?.cancel()
    counting = nil
    askedScript = nil
  }

  /// Interrupts the running statement.
  func cancel() { task?.cancel() }

  /// Tells how far the running statement has come, as often as somebody looks.
  func tellProgress() {
    if let script { tell(.script(script)) }
    guard let progress, progress.rows > 0 else { return }
    tell(.progressed(rows: progress.rows))
  }

  private func runNext() {
    guard !waiting.isEmpty else { return }
    let sql = waiting.removeFirst()
    guard let hazard = StatementHazard(sql) else { return run(sql) }
    tell(.counting(sql: sql))
    counting = Task {
      let rows = await rowCount(hazard)
      // Discarded meanwhile, perhaps for another text.
      guard !Task.isCancelled else { return }
      counting = nil
      tell(.needsConfirmation(question: hazard.question(rows: rows), sql: sql))
    }
  }

  /// How many rows there are, up to a limit, as the open transaction sees them; nil when that cannot be
  /// said.
  private func rowCount(_ hazard: StatementHazard) async -> Int64? {
    guard let query = hazard.countQuery,
      // What is wrong with the table's name, the statement itself will say.
      let outcome = try? await database.run(statement: query, rowLimit: 1),
      case .integer(let count)? = outcome.rows?.rows.first?.first
    else { return nil }
    return count
  }

  private func start(_ sql: String, _ parameters: SQLParameters, values: [Value]) {
    // What was run is told as it can be run again: with the values in place.
    let shown = values.isEmpty ? sql : parameters.filled(values)
    tell(.started(sql: shown, at: .now))
    turn += 1
    task = Task {
      let begun = MonotonicClock.now
      do {
        let outcome = try await perform(sql, parameters.arguments(values))
        task = nil
        noteTransaction(outcome)
        let duration = Duration.nanoseconds(Int64(MonotonicClock.now - begun))
        tell(
          .finished(
            outcome.rows, total: outcome.rowCount, changes: outcome.changes, duration: duration,
            sql: shown))
        runNext()
      } catch {
        waiting = []
        let isOpen = await isInTransaction()
        task = nil
        noteTransaction(isOpen: isOpen)
        let failure = Self.reported(error, sql: sql)
        tell(
          .failed(
            DatabaseError(
              code: failure.code, message: failure.message, sql: shown,
              offset: failure.offset.map { parameters.filledOffset($0, values) }),
            sql: shown))
      }
    }
  }

  /// Runs a statement: a change by itself is a transaction of its own; all else runs as it is, in the
  /// transaction that is open.
  func perform(_ sql: String, _ arguments: QueryArguments) async throws -> StatementOutcome {
    let progress = StatementProgress()
    self.progress = progress
    defer {
      // Of what is cancelled, how far it came is told to the last.
      if Task.isCancelled { tellProgress() }
      self.progress = nil
    }
    guard transactionSince == nil, StatementKind(sql) == .change else {
      return try await database.run(
        statement: sql, arguments: arguments, rowLimit: Self.rowLimit, byteLimit: Self.byteLimit,
        progress: progress)
    }
    let kept = KeptOutcome()
    let change = Transaction {
      kept.keep(
        try $0.run(
          statement: sql, arguments: arguments, rowLimit: Self.rowLimit,
          byteLimit: Self.byteLimit, progress: progress))
    }
    try await database.commit(change)
    guard var outcome = kept.outcome else { throw CancellationError() }
    outcome.isInTransaction = false
    return outcome
  }

  /// Whether a transaction is open, asked by a task of its own: one that is cancelled would be told
  /// nothing.
  func isInTransaction() async -> Bool {
    await Task { [database] in await database.isInTransaction() }.value
  }

  nonisolated static func reported(_ error: any Error, sql: String) -> DatabaseError {
    error as? DatabaseError
      ?? DatabaseError(code: .interrupted, message: "the statement was cancelled", sql: sql)
  }

  private func noteTransaction(_ outcome: StatementOutcome) {
    noteTransaction(isOpen: outcome.isInTransaction, holdsWriteLock: outcome.holdsWriteLock)
  }

  /// Tells whether a transaction is open.
  ///
  /// - Parameter holdsWriteLock: nil where that was not found out: it is as before.
  func noteTransaction(isOpen: Bool, holdsWriteLock: Bool? = nil) {
    let holdsWriteLock = isOpen && (holdsWriteLock ?? self.holdsWriteLock)
    self.holdsWriteLock = holdsWriteLock
    guard isOpen || transactionSince != nil else { return }
    statementsInTransaction = transactionSince == nil ? 0 : statementsInTransaction + 1
    transactionSince = isOpen ? transactionSince ?? .now : nil
    tell(
      .transaction(
        open: isOpen, statements: statementsInTransaction, since: transactionSince,
        holdsWriteLock: holdsWriteLock))
  }

  /// Has a task of its own count as the running statement.
  func occupy(_ body: @escaping @ScreenActor () async -> Void) {
    turn += 1
    let own = turn
    task = Task {
      await body()
      if own == turn { task = nil }
    }
  }

  /// Tells the console something.
  func report(_ event: ConsoleEvent) { tell(event) }
}

extension Moment {
  /// Now, as the system's clocks show it.
  static var now: Moment {
    Moment(monotonic: MonotonicClock.now, civil: SystemClock.now())
  }
}
