/// Information about the database other than its tables.
package struct DatabaseInfo: Sendable, Equatable {
  /// The journal mode, as `PRAGMA journal_mode` reports it: `wal`, `delete`, …
  package var journalMode: String
  package var fileBytes: Int64?
  package var walBytes: Int64?
  /// How foreign commits are detected, in a word or two.
  package var watch: String?
  /// What a server is; nil for a file.
  package var server: Server?

  /// A server, as the screen describes it.
  package struct Server: Sendable, Equatable {
    /// `PG 15.18`
    package var version: String
    /// How commits are noticed, in a few words: `LIVE via WAL`, `every 10 ms`.
    package var headline: String
    /// Whether the server reports commits by itself.
    package var isPushed: Bool
    /// Whether it is a standby, which can't be written to as long as it is one.
    package var isReplica: Bool
    /// What that means, and why nothing better is used.
    package var notes: [String]

    package init(
      version: String, headline: String, isPushed: Bool, isReplica: Bool = false, notes: [String]
    ) {
      self.version = version
      self.headline = headline
      self.isPushed = isPushed
      self.isReplica = isReplica
      self.notes = notes
    }
  }

  package init(
    journalMode: String = "", fileBytes: Int64? = nil, walBytes: Int64? = nil, watch: String? = nil,
    server: Server? = nil
  ) {
    self.journalMode = journalMode
    self.fileBytes = fileBytes
    self.walBytes = walBytes
    self.watch = watch
    self.server = server
  }
}
