import Dashboard
import DatabaseConsole
import ObservationEngine

extension ConsoleRunner {
  /// Reads the statements of a file, and runs them one after another, until one fails.
  ///
  /// Single statements aren't confirmed: the user who confirmed the file meant all of them. If the
  /// file opens a transaction and an error leaves it open, it stays open, as a typed one does.
  ///
  /// - Parameter asks: Whether the file must be confirmed first.
  func readScript(_ path: String, asks: Bool) {
    occupy { [self] in
      let statements: [ScriptStatement]
      do {
        statements = try await ScriptStatement.read(Paths.expanded(path), dialect: database.dialect)
      } catch {
        guard !Task.isCancelled else { return }
        let message = (error as? Failure)?.message ?? "\(error)"
        return report(
          .failed(DatabaseError(code: .cannotOpen, message: message), sql: ":read \(path)"))
      }
      // It was cancelled while being read.
      guard !Task.isCancelled else { return }
      guard asks, !statements.isEmpty else { return await run(statements, of: path) }
      askedScript = (path, statements)
      let summary = await ConsoleState.ScriptSummary(path, statements)
      guard !Task.isCancelled else {
        askedScript = nil
        return
      }
      report(.needsScriptConfirmation(summary))
    }
  }

  /// Runs the confirmed file: the text read then, whatever the file contains now.
  func runScript() {
    guard let (path, statements) = askedScript else { return }
    askedScript = nil
    occupy { [self] in await run(statements, of: path) }
  }

  private func run(_ statements: [ScriptStatement], of path: String) async {
    let begun = MonotonicClock.now
    var progress = ConsoleState.ScriptProgress(file: path, count: statements.count, since: begun)
    report(.script(progress))
    var told = begun
    for statement in statements {
      progress.line = statement.line
      script = progress
      // Ten times a second is enough to show progress.
      if MonotonicClock.now > told + 100_000_000 {
        told = MonotonicClock.now
        report(.script(progress))
      }
      do {
        try await runStep(statement, &progress)
        progress.done += 1
      } catch {
        progress.error = Self.reported(error, sql: statement.sql)
        noteTransaction(isOpen: await isInTransaction())
        break
      }
    }
    script = nil
    progress.duration = .nanoseconds(Int64(MonotonicClock.now - begun))
    report(.script(progress))
  }

  private func runStep(
    _ statement: ScriptStatement, _ progress: inout ConsoleState.ScriptProgress
  ) async throws {
    try Task.checkCancellation()
    if statement.sql.hasPrefix(".") || statement.sql.hasPrefix("\\") {
      let word = statement.sql.prefix { !$0.isWhitespace }
      let program = statement.sql.hasPrefix(".") ? "the sqlite3 program" : "psql"
      throw DatabaseError(
        code: .error, message: "\"\(word)\" is a command of \(program), not SQL")
    }
    let parameters = SQLParameters(statement.sql, dialect: database.dialect)
    if let name = parameters.names.first {
      throw DatabaseError(
        code: .range, message: "parameter \(name) has no value in a file; write the value itself")
    }
    let begun = MonotonicClock.now
    let outcome = try await perform(statement.sql, [])
    noteTransaction(isOpen: outcome.isInTransaction, holdsWriteLock: outcome.holdsWriteLock)
    progress.changes += outcome.changes ?? 0
    guard let rows = outcome.rows, outcome.rowCount > 0 else { return }
    let duration = Duration.nanoseconds(Int64(MonotonicClock.now - begun))
    report(
      .scriptRows(rows, total: outcome.rowCount, duration: duration, sql: statement.sql))
  }
}

extension ConsoleState.ScriptSummary {
  /// - Complexity: O(length).
  @concurrent
  init(_ path: String, _ statements: [ScriptStatement]) async {
    self.init(file: path, bytes: 0, statements: statements.count, changes: 0, drops: 0, whole: 0)
    for statement in statements {
      if Task.isCancelled { return }
      bytes += statement.sql.utf8.count
      if StatementKind(statement.sql) == .change { changes += 1 }
      switch StatementHazard(statement.sql)?.kind {
      case .updateAll, .deleteAll, .truncate: whole += 1
      case .dropTable, .drop: drops += 1
      case nil: break
      }
    }
  }
}
