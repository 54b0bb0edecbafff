/// Information about the database other than its tables.
package struct DatabaseInfo: Sendable, Equatable {
  /// The journal mode, as `PRAGMA journal_mode` reports it: `wal`, `delete`, …
  package var journalMode: String
  package var fileBytes: Int64?
  package var walBytes: Int64?
  /// How foreign commits are detected, in a word or two.
  package var watch: String?

  package init(
    journalMode: String = "", fileBytes: Int64? = nil, walBytes: Int64? = nil, watch: String? = nil
  ) {
    self.journalMode = journalMode
    self.fileBytes = fileBytes
    self.walBytes = walBytes
    self.watch = watch
  }
}
