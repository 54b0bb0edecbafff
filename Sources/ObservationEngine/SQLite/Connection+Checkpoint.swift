internal import CSQLite

/// How far a checkpoint goes; see https://www.sqlite.org/c3ref/wal_checkpoint_v2.html.
public enum CheckpointMode: Sendable {
  /// Copies what it can without waiting for any reader or writer.
  case passive
  /// Waits for writers, then copies everything.
  case full
  /// Like ``full``, then waits for readers, so that the next writer restarts the WAL.
  case restart
  /// Like ``restart``, then truncates the WAL to zero bytes.
  case truncate
}

/// What a checkpoint found and did.
public struct CheckpointResult: Sendable, Equatable {
  /// Pages in the WAL; 0 after ``CheckpointMode/truncate``, and `nil` for a database without a WAL.
  public let logPages: Int?
  /// How many of them are already in the database file.
  public let copiedPages: Int

  /// Whether everything is copied.
  public var isComplete: Bool { copiedPages >= logPages ?? 0 }
}

extension Connection {
  /// Copies the WAL of `main` into the database file.
  func checkpoint(_ mode: CheckpointMode) throws(DatabaseError) -> CheckpointResult {
    guard !hasOpenTransaction else {
      throw DatabaseError(
        code: .misuse, message: "a checkpoint cannot run within a transaction; end it first")
    }
    guard !canOnlyRead else {
      throw DatabaseError(
        code: .readOnly,
        message: options.writeRefusal
          ?? "a checkpoint writes to the file, and this database is read-only: run it where the "
          + "database is open for writing")
    }
    var log: Int32 = 0
    var copied: Int32 = 0
    let number =
      switch mode {
      case .passive: SQLITE_CHECKPOINT_PASSIVE
      case .full: SQLITE_CHECKPOINT_FULL
      case .restart: SQLITE_CHECKPOINT_RESTART
      case .truncate: SQLITE_CHECKPOINT_TRUNCATE
      }
    let result = sqlite3_wal_checkpoint_v2(handle, "main", number, &log, &copied)
    guard result == SQLITE_OK else { throw error(result, sql: nil) }
    return CheckpointResult(logPages: log < 0 ? nil : Int(log), copiedPages: Int(max(0, copied)))
  }

  /// Checkpoints as SQLite does by itself after a COMMIT that makes the WAL long enough.
  func checkpointIfDue() {
    guard !hasOpenTransaction, case .header(let header) = wal.indexState(),
      let limit = try? integer(of: .autocheckpoint), limit > 0, Int64(header.lastFrame) >= limit
    else { return }
    // As in SQLite: pages that can't be copied now are copied after a later commit.
    _ = try? checkpoint(.passive)
  }
}
