/// How SQLite makes commits atomic; see https://www.sqlite.org/pragma.html#pragma_journal_mode.
public enum JournalMode: String, Sendable {
  /// A log beside the file: one writer and any number of readers do not wait for each other.
  case wal
  /// A rollback journal that is deleted by each commit: SQLite's default.
  case delete
  /// A rollback journal that is cut to nothing by each commit.
  case truncate
  /// A rollback journal that stays, and is overwritten.
  case persist
}
