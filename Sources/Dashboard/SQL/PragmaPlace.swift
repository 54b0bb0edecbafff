import ObservationEngine

/// What can come at a position of a PRAGMA.
///
///     PRAGMA main.journal_mode = |     // delete, truncate, persist, memory, wal, off
///     PRAGMA table_info(|              // a table
enum PragmaPlace: Equatable {
  /// The name of a pragma.
  case name
  /// One of some words.
  case values([String])
  /// The name of a table.
  case table
  /// Anything: it can't be predicted.
  case other

  /// - Parameter tokens: The tokens of a statement before the position; nil when it isn't a PRAGMA.
  init?(_ tokens: ArraySlice<SQLToken>) {
    var rest = tokens
    if rest.first?.isWord("explain") == true {
      rest = rest.dropFirst()
      if rest.first?.isWord("query") == true { rest = rest.dropFirst(2) }
    }
    guard rest.first?.isWord("pragma") == true else { return nil }
    rest = rest.dropFirst()
    // main.
    if rest.count > 1, rest[rest.startIndex + 1].isSymbol(".") { rest = rest.dropFirst(2) }
    guard let name = rest.first else {
      self = .name
      return
    }
    guard rest.count == 2, let last = rest.last, last.isSymbol("=") || last.isSymbol("(") else {
      self = .other
      return
    }
    let pragma = name.text.asciiLowercased
    if Self.ofTables.contains(pragma) {
      self = .table
    } else if let values = Self.values[pragma] {
      self = .values(values)
    } else {
      self = Self.switches.contains(pragma) ? .values(["on", "off"]) : .other
    }
  }

  /// Whether the words are few enough to offer before one is started.
  var hasValues: Bool { if case .values = self { true } else { false } }

  /// Source: <https://www.sqlite.org/pragma.html>
  private static let values: [String: [String]] = [
    "auto_vacuum": ["none", "full", "incremental"],
    "encoding": ["UTF-8", "UTF-16", "UTF-16le", "UTF-16be"],
    "journal_mode": ["delete", "truncate", "persist", "memory", "wal", "off"],
    "locking_mode": ["normal", "exclusive"],
    "secure_delete": ["on", "off", "fast"],
    "synchronous": ["off", "normal", "full", "extra"],
    "temp_store": ["default", "file", "memory"],
    "wal_checkpoint": ["passive", "full", "restart", "truncate"],
  ]

  private static let switches: Set<String> = [
    "automatic_index", "cache_spill", "case_sensitive_like", "cell_size_check",
    "checkpoint_fullfsync", "defer_foreign_keys", "foreign_keys", "fullfsync",
    "ignore_check_constraints", "legacy_alter_table", "query_only", "read_uncommitted",
    "recursive_triggers", "reverse_unordered_selects", "trusted_schema", "writable_schema",
  ]

  private static let ofTables: Set<String> = [
    "foreign_key_check", "foreign_key_list", "index_list", "table_info", "table_xinfo",
  ]
}
