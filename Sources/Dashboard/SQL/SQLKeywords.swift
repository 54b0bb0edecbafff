import ObservationEngine

/// The words that have a meaning in SQLite itself.
enum SQLKeywords {
  /// All keywords, in lower case, from SQLite's own list.
  static let all: Set<String> = [
    "abort", "action", "add", "after", "all", "alter", "always", "analyze", "and", "as", "asc",
    "attach", "autoincrement", "before", "begin", "between", "by", "cascade", "case", "cast",
    "check", "collate", "column", "commit", "conflict", "constraint", "create", "cross", "current",
    "current_date", "current_time", "current_timestamp", "database", "default", "deferrable",
    "deferred", "delete", "desc", "detach", "distinct", "do", "drop", "each", "else", "end",
    "escape", "except", "exclude", "exclusive", "exists", "explain", "fail", "filter", "first",
    "following", "for", "foreign", "from", "full", "generated", "glob", "group", "groups",
    "having", "if", "ignore", "immediate", "in", "index", "indexed", "initially", "inner",
    "insert", "instead", "intersect", "into", "is", "isnull", "join", "key", "last", "left",
    "like", "limit", "match", "materialized", "natural", "no", "not", "nothing", "notnull", "null",
    "nulls", "of", "offset", "on", "or", "order", "others", "outer", "over", "partition", "plan",
    "pragma", "preceding", "primary", "query", "raise", "range", "recursive", "references",
    "regexp", "reindex", "release", "rename", "replace", "restrict", "returning", "right",
    "rollback", "row", "rows", "savepoint", "select", "set", "table", "temp", "temporary", "then",
    "ties", "to", "transaction", "trigger", "unbounded", "union", "unique", "update", "using",
    "vacuum", "values", "view", "virtual", "when", "where", "window", "with", "without",
  ]

  /// The words that can start a statement.
  static let first = [
    "alter", "analyze", "attach", "begin", "commit", "create", "delete", "detach", "drop", "end",
    "explain", "insert", "pragma", "reindex", "release", "replace", "rollback", "savepoint",
    "select", "update", "vacuum", "values", "with",
  ]

  /// The words that are offered elsewhere, wherever they may come next; those that only follow
  /// certain words (`query plan`, `ties`) would be in the way of tables and columns.
  static let offered = [
    "all", "and", "as", "asc", "autoincrement", "between", "by", "cascade", "case", "cast",
    "check", "collate", "column", "conflict", "constraint", "cross", "current_date",
    "current_timestamp", "default", "desc", "distinct", "else", "end", "escape", "except",
    "exists", "filter", "foreign", "from", "full", "generated", "glob", "group", "having",
    "if", "ignore", "in", "index", "inner", "intersect", "into", "is", "join", "key", "left",
    "like", "limit", "match", "natural", "not", "null", "offset", "on", "or", "order", "outer",
    "over", "partition", "primary", "recursive", "references", "rename", "replace", "returning",
    "right", "rowid", "select", "set", "table", "temp", "then", "trigger", "union", "unique",
    "using", "values", "view", "virtual", "when", "where", "window", "with", "without",
  ]

  /// The only words that usually follow a given word.
  static let following: [String: [String]] = [
    "explain": ["query"], "query": ["plan"], "order": ["by"], "group": ["by"],
    "partition": ["by"], "insert": ["into", "or"], "delete": ["from"], "replace": ["into"],
    "create": ["index", "table", "temp", "trigger", "unique", "view", "virtual"],
    "drop": ["index", "table", "trigger", "view"], "alter": ["table"],
    "begin": ["deferred", "exclusive", "immediate", "transaction"],
    "rollback": ["to", "transaction"], "unique": ["index"], "is": ["not", "null"],
    "primary": ["key"], "foreign": ["key"], "left": ["join", "outer"], "inner": ["join"],
    "cross": ["join"], "natural": ["join"], "without": ["rowid"],
  ]

  static func contains(_ word: String) -> Bool { all.contains(word.asciiLowercased) }
}
