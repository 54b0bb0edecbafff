/// What a record of the write-ahead log says that a reader of tables must know.
///
/// The rows in it are not looked at: the log has those of all databases of the server.
enum WALRecord: Sendable, Equatable {
  /// Rows of these files were written under a transaction's number; it has not committed yet.
  case rows(xid: UInt32, files: [RelationFile])
  /// A sequence moved, which is visible immediately.
  case sequence(RelationFile)
  case commit(Commit)
  /// A transaction was rolled back, with its subtransactions.
  case abort(xids: [UInt32])
  /// Which transactions run: with the number that the next one gets.
  case running(next: UInt32)
  /// Anything else: it changes no row that a query could see.
  case other

  /// The file of a table, a sequence or a materialized view.
  struct RelationFile: Sendable, Hashable {
    /// The number of its database; 0 for a catalog that all share.
    var database: UInt32
    var number: UInt32
  }

  /// A committed transaction.
  struct Commit: Sendable, Equatable {
    var xid: UInt32
    var subtransactions: [UInt32] = []
    /// Files that are gone with it: of a dropped, truncated or rewritten table.
    var dropped: [RelationFile] = []
    /// The server's time of it, in microseconds since 2000-01-01 UTC.
    var time: Int64 = 0
  }
}
