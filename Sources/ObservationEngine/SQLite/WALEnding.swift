/// What closing a connection does with its WAL, if it is the last that has it open.
enum WALEnding {
  /// What every program does by default: SQLite checkpoints the WAL and deletes the files.
  case usual
  /// Checkpoints the WAL and deletes nothing: the files at the paths may belong to another program.
  case keepingFiles
  /// Copies nothing and deletes nothing.
  case leavingAll
}
