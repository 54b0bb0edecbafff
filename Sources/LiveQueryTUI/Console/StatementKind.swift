import DatabaseConsole
import ObservationEngine
import Synchronization

/// Whether a statement of the console changes rows or the schema, and nothing besides.
enum StatementKind {
  /// INSERT, UPDATE, DELETE, CREATE, …: what can be a transaction.
  case change
  /// A query, and what SQLite refuses within a transaction, or what opens and ends one: SELECT, PRAGMA,
  /// VACUUM, ATTACH, BEGIN, …
  case other

  /// Only words are looked at: whether the statement is correct is SQLite's to say.
  init(_ sql: String) {
    let changes: Set = ["insert", "replace", "update", "delete", "create", "drop", "alter"]
    // WITH x AS (…) DELETE …: the verb comes after the parentheses.
    let verbs = changes.union([
      "select", "values", "explain", "pragma", "vacuum", "attach", "detach", "begin", "commit",
      "end",
      "rollback", "savepoint", "release", "analyze", "reindex",
    ])
    let verb = SQLWords(sql).topLevel.lazy.map { $0.lowercased() }.first { verbs.contains($0) }
    self = verb.map(changes.contains) == true ? .change : .other
  }
}

/// What a statement did, kept by the transaction that runs it.
final class KeptOutcome: Sendable {
  private let kept = Mutex<StatementOutcome?>(nil)

  var outcome: StatementOutcome? { kept.withLock { $0 } }

  func keep(_ outcome: StatementOutcome) { kept.withLock { $0 = outcome } }
}
