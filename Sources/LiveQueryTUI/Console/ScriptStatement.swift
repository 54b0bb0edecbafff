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
  static func read(_ path: String, dialect: SQLDialect = .sqlite) async throws -> [ScriptStatement]
  {
    let statements = statements(of: try TextFile.readRegular(path), dialect: dialect)
    try Task.checkCancellation()
    return statements
  }

  /// Splits a text into its statements, each with the comments above it; a line that starts with a
  /// dot between statements is a command of `sqlite3`.
  ///
  /// If the task is cancelled meanwhile, only the first statements.
  static func statements(
    of text: String, dialect: SQLDialect = .sqlite
  ) -> [ScriptStatement] {
    let bytes = Array(text.utf8)
    var statements: [ScriptStatement] = []
    var (position, line) = (0, 1)
    func advance(to next: Int) {
      line += bytes[position..<next].count { $0 == UInt8(ascii: "\n") }
      position = next
    }
    func add(upTo end: Int) {
      let text = String(decoding: bytes[position..<end], as: UTF8.self)
      advance(to: position + text.prefix { $0.isWhitespace }.utf8.count)
      statements.append(ScriptStatement(sql: text.trimmedOfWhitespace, line: line))
      advance(to: end)
    }
    for piece in StatementSplitter(bytes, dialect: dialect) {
      if Task.isCancelled { return statements }
      switch piece {
      case .comment: break
      case .statement(let tokens, let end, _):
        if tokens.isEmpty { advance(to: end) } else { add(upTo: end) }
      case .shellCommand(let range):
        advance(to: range.lowerBound)
        add(upTo: range.upperBound)
      // SQLite says what is wrong with it; a comment without an end needs none.
      case .unclosed(let quote, _, let tokens):
        if tokens != nil || quote != .comment { add(upTo: bytes.count) }
      }
    }
    return statements
  }
}
