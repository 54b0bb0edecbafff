import Dashboard
import Glibc
import DatabaseConsole
import ObservationEngine

/// A statement of a file.
struct ScriptStatement: Sendable, Equatable {
  var sql: String
  /// The line on which it starts, from 1.
  var line: Int

  /// Splits a file into its statements.
  ///
  /// - Throws: ``Failure`` when the file can't be read, or isn't a regular file;
  ///   `CancellationError`.
  /// - Complexity: O(length).
  @concurrent
  static func read(_ path: String) async throws -> [ScriptStatement] {
    let descriptor = try TextFile.openRegular(path, O_RDONLY)
    defer { close(descriptor) }
    let statements = statements(of: try TextFile.read(descriptor, named: path))
    try Task.checkCancellation()
    return statements
  }

  /// If the task is cancelled meanwhile, only the first statements.
  static func statements(of text: String) -> [ScriptStatement] {
    var statements: [ScriptStatement] = []
    var current = ""
    var splitter = StatementSplitter()
    var line = 1
    var start: Int?
    func add(_ sql: String) {
      statements.append(ScriptStatement(sql: sql, line: start ?? line))
    }
    for character in text {
      // A line that starts with a dot between statements is a command of sqlite3.
      if start == nil, character == ".", current.allSatisfy({ $0 == " " }) { start = line }
      if start == nil, !character.isWhitespace { start = line }
      current.append(character)
      var isEnd = false
      for byte in character.utf8 where splitter.take(byte) { isEnd = true }
      if character == "\n" || character == "\r\n" {
        line += 1
        if current.first == "." {
          add(current.trimmedOfWhitespace)
          (current, start, splitter) = ("", nil, StatementSplitter())
        }
      }
      if isEnd {
        let sql = current.trimmedOfWhitespace
        if !isBlank(sql) { add(sql) }
        (current, start) = ("", nil)
        if Task.isCancelled { return statements }
      }
      if start == nil { current = "" }
    }
    let rest = current.trimmedOfWhitespace
    // A comment at the end is not a statement.
    if !isBlank(rest) { add(rest) }
    return statements
  }

  /// Whether there are only comments.
  private static func isBlank(_ sql: String) -> Bool {
    SQLTokenizer.tokens(of: sql).allSatisfy { $0.isSymbol(";") }
  }
}

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
        statements = try await ScriptStatement.read(Self.expanded(path))
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
    if statement.sql.hasPrefix(".") {
      let word = statement.sql.prefix { !$0.isWhitespace }
      throw DatabaseError(
        code: .error, message: "\"\(word)\" is a command of the sqlite3 program, not SQL")
    }
    let parameters = SQLParameters(statement.sql)
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

  /// Expands a path as a shell would: `~/` is the home.
  nonisolated static func expanded(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = HomeFolder.path else { return path }
    return home + path.dropFirst(1)
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
      case .updateAll, .deleteAll: whole += 1
      case .dropTable, .drop: drops += 1
      case nil: break
      }
    }
  }
}
