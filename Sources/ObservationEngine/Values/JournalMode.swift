/// How SQLite makes commits atomic; see https://www.sqlite.org/pragma.html#pragma_journal_mode.
public enum JournalMode: String, Sendable {
  /// A write-ahead log next to the file: one writer and any number of readers never wait for each
  /// other.
  case wal
  /// A rollback journal that is deleted by each commit: SQLite's default.
  case delete
  /// A rollback journal that each commit truncates to zero bytes.
  case truncate
  /// A rollback journal that stays and is overwritten.
  case persist
}
