internal import CSQLite

/// The progress of a backup.
public struct BackupProgress: Sendable, Equatable {
  /// Pages that remain to be copied. The number can grow again when the database is written to
  /// meanwhile.
  public let remainingPages: Int
  /// Pages of the database.
  public let totalPages: Int

  /// From 0 to 1.
  public var fractionCompleted: Double {
    totalPages == 0 ? 1 : Double(totalPages - remainingPages) / Double(totalPages)
  }
}

/// One copy of a database, page by page, through SQLite's backup interface.
///
/// Confined to the thread that uses both connections.
final class BackupRun {
  private let backup: OpaquePointer
  private let destination: Connection
  private var isFinished = false

  /// Starts a copy of `main` of `source` over `main` of `destination`.
  ///
  /// - Throws: `DatabaseError` when a statement is using the destination.
  init(from source: Connection, to destination: Connection) throws(DatabaseError) {
    guard let backup = sqlite3_backup_init(destination.handle, "main", source.handle, "main") else {
      throw destination.error(sqlite3_errcode(destination.handle), sql: nil)
    }
    self.backup = backup
    self.destination = destination
  }

  deinit { if !isFinished { sqlite3_backup_finish(backup) } }

  /// Copies some pages; 0 only takes the locks.
  ///
  /// It waits for locks as long as the busy timeouts of both connections allow.
  ///
  /// - Returns: Whether all pages are copied.
  func step(_ pages: Int32) throws(DatabaseError) -> Bool {
    let result = sqlite3_backup_step(backup, pages)
    if result == SQLITE_OK { return false }
    if result == SQLITE_DONE { return true }
    // The destination reports the failure only once the copy is finished.
    isFinished = true
    let code = sqlite3_backup_finish(backup)
    throw destination.error(code == SQLITE_OK ? result : code, sql: nil)
  }

  /// Ends the copy: complete if the last step said so, otherwise undone.
  func finish() throws(DatabaseError) {
    isFinished = true
    let result = sqlite3_backup_finish(backup)
    guard result == SQLITE_OK else { throw destination.error(result, sql: nil) }
  }

  var progress: BackupProgress {
    BackupProgress(
      remainingPages: Int(sqlite3_backup_remaining(backup)),
      totalPages: Int(sqlite3_backup_pagecount(backup)))
  }
}

extension Connection {
  /// Copies all of `source` over this database.
  ///
  /// - Parameters:
  ///   - pages: How many pages to copy in one step; cancellation and progress are handled between
  ///     steps.
  ///   - didLock: Called once this connection holds the write lock, before anything is copied.
  /// - Throws: `DatabaseError`, or `CancellationError` when the running job of this connection, or
  ///   of the source, was interrupted; then nothing has changed here.
  func copyAll(
    from source: Connection, pagesPerStep pages: Int, didLock: () -> Void = {},
    progress: (BackupProgress) -> Void
  ) throws {
    let run = try BackupRun(from: source, to: self)
    var isDone = try run.step(0)
    didLock()
    while !isDone {
      if interruptHandle.isInterrupted || source.interruptHandle.isInterrupted {
        throw CancellationError()
      }
      isDone = try run.step(Int32(clamping: max(1, pages)))
      if !isDone { progress(run.progress) }
    }
    let last = run.progress
    try run.finish()
    progress(last)
  }

  /// Writes a compact copy of `main` to a new file.
  func vacuum(into path: String) throws {
    _ = try fetch(engine: "VACUUM main INTO ?1", [.text(path)])
  }
}
