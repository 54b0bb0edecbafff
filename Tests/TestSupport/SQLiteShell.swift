/// The `sqlite3` program: what other people would use, and what our results are compared with.
///
/// It waits for locks, as any program does that shares a database with a rollback journal: readers
/// and writers exclude each other there.
package struct SQLiteShell: Sendable {
  package let database: String

  package init(_ database: String) { self.database = database }

  /// Runs SQL.
  ///
  /// - Returns: What it printed.
  /// - Throws: With its complaint, when there is one.
  @discardableResult
  package func run(_ sql: String, options: [String] = []) async throws -> String {
    let words = ["sqlite3", "-batch", "-cmd", ".timeout 30000"] + options + [database, sql]
    let result = try await RunningProgram.run(words)
    guard result.status == 0, result.errors.isEmpty else {
      throw Unexpected("sqlite3 \(database): \(result.errors) in: \(sql)")
    }
    return result.output
  }

  /// The rows of a query as `sqlite3 -json` prints them, which is nothing at all for none; but real numbers
  /// have no more digits than it takes to tell them from others.
  package func json(_ sql: String) async throws -> String {
    try await run(sql, options: ["-json"]).replacing(/-?[0-9]+\.[0-9]{15,}/) { match in
      Double(match.output).map { "\($0)" } ?? String(match.output)
    }
  }
}
