/// What can be done to a database, by classes that can be left out.
enum Work: String, CaseIterable {
  /// Small transactions by one process or several at once.
  case write
  /// Checkpoints of every kind, besides the automatic ones.
  case checkpoint
  /// VACUUM, with another page size or auto_vacuum now and then; incremental_vacuum.
  case vacuum
  /// Tables, columns and indexes come and go.
  case schema
  /// Writers die by SIGKILL, in the middle of a transaction or whenever.
  case kill
  /// A writer has the file for itself.
  case exclusive
  /// Nothing happens for so long that every connection is closed.
  case idle
  /// The journal mode is changed.
  case journal
  /// A backup is copied into the database by SQLite's backup API.
  case backup
  /// All tables are dropped and made again in one transaction.
  case dump
  /// A backup is renamed over the file.
  case rename
  /// A backup is written over the file, as `cp` does; in rollback mode.
  case copy
  /// The same in WAL mode, while an emptied -wal is beside the file.
  case copyBesideLog = "copy-wal"
  /// The same while a -wal that is not empty is beside the file.
  case copyBesideFrames = "copy-frames"
  /// The file is moved away and back.
  case away
  /// The file is emptied, and filled again by SQLite; in rollback mode.
  case truncate
  /// A commit is followed at once by another transaction, which stays open.
  case reserved

  /// How often, compared with the others.
  var weight: Int {
    switch self {
    case .write: 30
    case .checkpoint, .kill, .vacuum, .schema, .journal, .exclusive: 5
    case .idle: 1
    default: 3
    }
  }
}
