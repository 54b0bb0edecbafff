import DatabaseConsole
import ObservationEngine

/// The meaning of names at one position of a statement: the tables whose columns can be named
/// there, and the common table expressions that FROM can name.
///
///     WITH top(p) AS (…) SELECT t.| FROM top AS t WHERE EXISTS (SELECT 1 FROM scores WHERE pts > |)
///                               └ p                                        scores' columns, then p ┘
struct StatementScope {
  /// Tables of the innermost query first, then those of the queries around it.
  var levels: [[NamedTables.Table]]
  /// Common table expressions in scope, the last ones first.
  var expressions: [SQLVocabulary.Table] = []
  /// The names that the innermost SELECT gives to its results.
  var results: [String] = []
  /// The columns of a list that only accepts column names: `INSERT INTO t (|`.
  var listed: [SQLVocabulary.Column]?
  /// Whether a table is named here.
  var isTablePlace = false
  /// NEW and OLD of a trigger: their columns are always qualified.
  var rows: [NamedTables.Table] = []

  /// - Parameters:
  ///   - tokens: A whole statement, without the word being typed.
  ///   - cursor: How many tokens stand before that word.
  ///   - trigger: The head of the trigger whose body contains the statement.
  /// - Complexity: O(tokens · depth).
  init(
    _ tokens: [SQLToken], at cursor: Int, trigger: [SQLToken] = [], _ vocabulary: SQLVocabulary
  ) {
    self = ScopeReader(tokens, cursor: cursor, vocabulary).statement()
    guard !trigger.isEmpty else { return }
    rows = TriggerHead(ScopeReader(trigger, cursor: -1, vocabulary))?.rows ?? []
  }

  init(levels: [[NamedTables.Table]]) { self.levels = levels }

  /// Every table whose columns can be named, the nearest first.
  var tables: [NamedTables.Table] { levels.flatMap(\.self) }

  /// The table that `qualifier` means: an alias takes precedence over a name, and inner queries
  /// over outer ones.
  func table(called qualifier: String) -> SQLVocabulary.Table? {
    let folded = qualifier.asciiLowercased
    for level in levels + [rows] {
      let found =
        level.first { $0.alias?.asciiLowercased == folded }
        ?? level.first { $0.table.name.asciiLowercased == folded }
      if let found { return found.table }
    }
    return nil
  }
}
