import Dashboard
import DatabaseConsole
import ObservationEngine

/// Runs what the console submits, one statement after another, on the writing connection.
///
///     submit ─▶ complete? ─▶ next statement ─▶ hazard? ─▶ question ─▶ parameters? ─▶ values ─▶ run ─▶ next …
///                  no: incomplete                            no: the rest is dropped
@ScreenActor
final class ConsoleRunner {
  /// The maximum rows of a result to keep, as many as a user may look through; the rest are
  /// counted.
  nonisolated static let rowLimit = 10_000
  /// The approximate maximum bytes of kept rows.
  nonisolated static let byteLimit = 32 * 1024 * 1024

  let database: any PanelDatabase
  private let tell: @ScreenActor (ConsoleEvent) -> Void
  private var waiting: [String] = []
  private var task: Task<Void, Never>?
  /// Counts runs, so that a run that ends late doesn't end a newer one.
  private var turn = 0
  /// Counts the rows that a statement would change, before the user is asked.
  private var counting: Task<Void, Never>?
  private var progress: StatementProgress?
  /// A file that awaits confirmation.
  var askedScript: (path: String, statements: [ScriptStatement])?
  /// The progress of the running file.
  var script: ConsoleState.ScriptProgress?
  private var transactionSince: Moment?
  private var statementsInTransaction = 0
  private var holdsWriteLock = false

  /// - Parameter tell: Receives the events for the console.
  init(_ database: any PanelDatabase, tell: @escaping @ScreenActor (ConsoleEvent) -> Void) {
    self.database = database
    self.tell = tell
  }

  /// Whether a statement runs, or waits to.
  var isBusy: Bool { task != nil || counting != nil }

  /// Submits the text of the console.
  func submit(_ text: String) {
    guard isComplete(text) else { return tell(.incomplete) }
    waiting = StatementSplitter.statements(of: text, dialect: database.dialect)
    // If there is nothing to run, the text is incomplete.
    guard !waiting.isEmpty else { return tell(.incomplete) }
    runNext()
  }

  /// Runs a confirmed statement.
  func run(_ sql: String) {
    let parameters = SQLParameters(sql, dialect: database.dialect)
    guard parameters.names.isEmpty else {
      return tell(.needsParameters(names: parameters.names, sql: sql))
    }
    start(sql, parameters, values: [])
  }

  /// Whether a text ends with a statement that is whole.
  private func isComplete(_ text: String) -> Bool {
    guard database.dialect != .sqlite else { return SQLText.isComplete(text) }
    return SQLTokenizer.tokens(of: text, dialect: database.dialect).last?.isSymbol(";") == true
  }

  /// Runs a statement with values for its parameters.
  func bind(_ sql: String, values: [Value]) {
    start(sql, SQLParameters(sql, dialect: database.dialect), values: values)
  }

  /// Drops submitted statements that have not started, and their questions.
  func discard() {
    waiting = []
    counting?.cancel()
    counting = nil
    askedScript = nil
  }

  /// Interrupts the running statement.
  func cancel() { task?.cancel() }

  /// Reports the progress of the running statement; called by the display.
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
      // It was discarded meanwhile, perhaps for another text.
      guard !Task.isCancelled else { return }
      counting = nil
      tell(.needsConfirmation(question: hazard.question(rows: rows), sql: sql))
    }
  }

  /// How many rows there are, up to a limit, in the view of the open transaction; nil when that is
  /// unknown.
  private func rowCount(_ hazard: StatementHazard) async -> Int64? {
    guard let query = hazard.countQuery,
      // If the table's name is wrong, the statement itself will report it.
      let outcome = try? await database.run(
        query, [], isWholeTransaction: false, rowLimit: 1, byteLimit: .max, progress: nil),
      case .integer(let count)? = outcome.rows?.rows.first?.first
    else { return nil }
    return count
  }

  private func start(_ sql: String, _ parameters: SQLParameters, values: [Value]) {
    // A statement is reported so that it can be run again: with its values in place.
    let shown = values.isEmpty ? sql : parameters.filled(values)
    tell(.started(sql: shown, at: .now))
    turn += 1
    task = Task {
      let begun = MonotonicClock.now
      do {
        let outcome = try await perform(sql, parameters.arguments(values))
        let notices = await database.consoleNotices()
        task = nil
        noteTransaction(outcome)
        let duration = Duration.nanoseconds(Int64(MonotonicClock.now - begun))
        tell(
          .finished(
            outcome.rows, total: outcome.rowCount, changes: outcome.changes, duration: duration,
            sql: shown))
        if let commit = outcome.commit { tell(.committed(ordinal: commit)) }
        tell(notices)
        runNext()
      } catch {
        waiting = []
        let isOpen = await isInTransaction()
        let notices = await database.consoleNotices()
        task = nil
        noteTransaction(isOpen: isOpen)
        let failure = Self.reported(error, sql: sql)
        tell(
          .failed(
            DatabaseError(
              code: failure.code, message: failure.message, sql: shown,
              offset: failure.offset.map { parameters.filledOffset($0, values) }),
            sql: shown))
        tell(notices)
      }
    }
  }

  /// Runs a statement: a change alone is its own transaction; anything else runs unchanged, in the
  /// open transaction.
  func perform(_ sql: String, _ arguments: QueryArguments) async throws -> StatementOutcome {
    let progress = StatementProgress()
    self.progress = progress
    defer {
      // For a cancelled statement, the final progress is reported.
      if Task.isCancelled { tellProgress() }
      self.progress = nil
    }
    return try await database.run(
      sql, arguments, isWholeTransaction: transactionSince == nil && StatementKind(sql) == .change,
      rowLimit: Self.rowLimit, byteLimit: Self.byteLimit, progress: progress)
  }

  /// Whether a transaction is open. A separate task asks, because a cancelled task would get no
  /// answer.
  func isInTransaction() async -> Bool {
    await Task { [database] in await database.isInTransaction() }.value
  }

  nonisolated static func reported(_ error: any Error, sql: String) -> DatabaseError {
    error as? DatabaseError
      ?? DatabaseError(code: .interrupted, message: "the statement was cancelled", sql: sql)
  }

  /// Shows what the server said of the statement that has ended.
  private func tell(_ notices: [String]) {
    if !notices.isEmpty { tell(.noticed(notices)) }
  }

  private func noteTransaction(_ outcome: StatementOutcome) {
    noteTransaction(isOpen: outcome.isInTransaction, holdsWriteLock: outcome.holdsWriteLock)
  }

  /// Reports whether a transaction is open.
  ///
  /// - Parameter holdsWriteLock: nil when it is unknown: it stays as before.
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

  /// Makes a separate task count as the running statement.
  func occupy(_ body: @escaping @ScreenActor () async -> Void) {
    turn += 1
    let own = turn
    task = Task {
      await body()
      if own == turn { task = nil }
    }
  }

  /// Reports an event to the console.
  func report(_ event: ConsoleEvent) { tell(event) }
}
