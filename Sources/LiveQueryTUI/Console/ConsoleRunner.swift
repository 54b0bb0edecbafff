import Dashboard
import ObservationEngine

/// Runs what the console submits, one statement after the other, on the writing connection.
///
///     submit ─▶ complete? ─▶ next statement ─▶ hazard? ─▶ question ─▶ run ─▶ finished ─▶ next …
///                  no: incomplete                            no: the rest is dropped
@ScreenActor
final class ConsoleRunner {
  /// Rows of a result that are kept, as many as a tall screen shows; the rest are counted.
  private static let rowLimit = 200

  private let database: Database
  private let effects: DatabaseEffects
  private let tell: @ScreenActor (ConsoleEvent) -> Void
  private var waiting: [String] = []
  private var task: Task<Void, Never>?
  private var transactionSince: Moment?
  private var statementsInTransaction = 0

  /// - Parameter tell: Takes what the console is told.
  init(_ database: Database, tell: @escaping @ScreenActor (ConsoleEvent) -> Void) {
    self.database = database
    effects = DatabaseEffects(database)
    self.tell = tell
  }

  /// Whether a statement runs, or waits to.
  var isBusy: Bool { task != nil }

  /// Takes the text of the console.
  func submit(_ text: String) {
    let trimmed = text.trimmedOfWhitespace
    if let refusal = Self.refusal(of: trimmed) {
      return tell(.failed(DatabaseError(code: .error, message: refusal), sql: trimmed))
    }
    guard SQLText.isComplete(text) else { return tell(.incomplete) }
    waiting = SQLText.statements(of: text)
    runNext()
  }

  /// Runs a statement that was confirmed.
  func run(_ sql: String) { start(sql) }

  /// Drops what waits behind a statement that was not confirmed.
  func discard() { waiting = [] }

  /// Interrupts the running statement.
  func cancel() { task?.cancel() }

  private func runNext() {
    guard !waiting.isEmpty else { return }
    let sql = waiting.removeFirst()
    guard let hazard = StatementHazard(sql) else { return start(sql) }
    task = Task {
      let rows = await rowCount(hazard)
      task = nil
      tell(.needsConfirmation(question: hazard.question(rows: rows), sql: sql))
    }
  }

  /// How many rows there are, as the open transaction sees them; nil when that cannot be said.
  private func rowCount(_ hazard: StatementHazard) async -> Int64? {
    guard let query = hazard.countQuery,
      // What is wrong with the table's name, the statement itself will say.
      let outcome = try? await database.run(statement: query, rowLimit: 1),
      case .integer(let count)? = outcome.rows?.rows.first?.first
    else { return nil }
    return count
  }

  private func start(_ sql: String) {
    tell(.started(sql: sql, at: .now))
    task = Task {
      let begun = MonotonicClock.now
      do {
        let outcome = try await perform(sql)
        task = nil
        noteTransaction(isOpen: outcome.isInTransaction)
        let duration = Duration.nanoseconds(Int64(MonotonicClock.now - begun))
        tell(
          .finished(
            outcome.rows, total: outcome.rowCount, changes: outcome.changes, duration: duration,
            sql: sql))
        runNext()
      } catch {
        waiting = []
        let failure =
          error as? DatabaseError
          ?? DatabaseError(code: .interrupted, message: "the statement was cancelled", sql: sql)
        // Asked by a task of its own: this one may be cancelled, and would be told nothing.
        let isOpen = await Task { await database.isInTransaction() }.value
        task = nil
        noteTransaction(isOpen: isOpen)
        tell(.failed(failure, sql: sql))
      }
    }
  }

  /// Runs a statement: a change by itself is an action, committed as every reducer's is; all else runs as
  /// it is, in the transaction that is open.
  private func perform(_ sql: String) async throws -> StatementOutcome {
    let rowLimit = Self.rowLimit
    guard transactionSince == nil, StatementKind(sql) == .change else {
      return try await database.run(statement: sql, rowLimit: rowLimit)
    }
    let kept = KeptOutcome()
    let change = Transaction { kept.keep(try $0.run(statement: sql, rowLimit: rowLimit)) }
    switch await effects.perform(.commit(change)) {
    case .failed(let error): throw error
    case .committed:
      guard var outcome = kept.outcome else { throw CancellationError() }
      outcome.isInTransaction = false
      return outcome
    }
  }

  private func noteTransaction(isOpen: Bool) {
    guard isOpen || transactionSince != nil else { return }
    statementsInTransaction = transactionSince == nil ? 0 : statementsInTransaction + 1
    transactionSince = isOpen ? transactionSince ?? .now : nil
    tell(
      .transaction(open: isOpen, statements: statementsInTransaction, since: transactionSince))
  }

  /// Why a text is no SQL that could ever be complete, with the remedy.
  private static func refusal(of text: String) -> String? {
    if text.hasPrefix(".") {
      return "commands with a dot belong to the sqlite3 program; this console runs SQL"
    }
    if ["quit", "exit", "help"].contains(text.asciiLowercased) {
      return "this console runs SQL; Esc leaves it, then q quits and ? helps"
    }
    return nil
  }
}

extension Moment {
  /// Now, as the system's clocks show it.
  static var now: Moment {
    Moment(monotonic: MonotonicClock.now, civil: SystemClock.now())
  }
}
