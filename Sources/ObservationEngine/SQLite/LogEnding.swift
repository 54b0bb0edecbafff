/// What closing a connection does with its log, if it is the last that has it open.
enum LogEnding {
  /// What every program does that ends last: it copies the log into the database and deletes the files.
  case usual
  /// The log is copied, and nothing is deleted: what comes to the paths now is another's.
  case keepingFiles
  /// Nothing is copied and nothing is deleted.
  case leavingAll
}
