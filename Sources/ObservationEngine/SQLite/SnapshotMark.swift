internal import Synchronization

/// Identifies the snapshot of a read transaction: two with the same mark read the same rows of `main`.
///
/// It is what SQLite itself compares to know whether the pages that it holds are still good: the header
/// of the wal-index, or that of the file. Unlike `PRAGMA data_version` it tells of the commits that the
/// connection makes itself, and holds across connections.
package struct SnapshotMark: Sendable {
  private enum Content: Equatable, Sendable {
    case log(WALIndexHeader)
    case file([UInt8])
  }

  private let content: Content
  private let life: ConnectionLife

  /// Whether both are of the same rows.
  ///
  /// - Parameter other: The mark of a transaction that is open.
  package func isSame(as other: SnapshotMark) -> Bool {
    // Headers count commits from where the file was opened first. One connection that stays open keeps
    // the count: no other process can take the WAL away, or end the WAL mode.
    life.isOpen && content == other.content
      && (life === other.life || (life.file != nil && life.file == other.life.file))
  }

  /// The mark of the open read transaction; `nil` when none is available.
  fileprivate init?(of connection: Connection) {
    guard !connection.hasAttachedDatabases, connection.hasOpenTransaction, !connection.isWriting
    else {
      return nil
    }
    life = connection.life
    if connection.wal.isOn {
      // A header that stayed from before the transaction until now is the one that it has read.
      guard let before = connection.wal.logBeforeSnapshot,
        connection.wal.indexState() == .header(before)
      else { return nil }
      content = .log(before)
    } else {
      // While this transaction holds its lock no other can commit. A connection that writes may have kept
      // the lock before, and the count with it (PRAGMA locking_mode).
      guard connection.options.isReader, let header = connection.wal.fileHeaderBytes() else {
        return nil
      }
      if FileHeader(bytes: header).isWAL {
        // The next one knows where to look.
        connection.wal.isOn = true
        return nil
      }
      content = .file(header)
    }
  }
}

/// Whether a connection is open, and to which file; outlives it.
final class ConnectionLife: Sendable {
  private let state = Mutex<(isOpen: Bool, file: FileIdentity?)>((true, nil))

  var isOpen: Bool { state.withLock { $0.isOpen } }
  var file: FileIdentity? { state.withLock { $0.file } }

  func didOpen(_ file: FileIdentity) { state.withLock { $0.file = file } }
  func didClose() { state.withLock { $0.isOpen = false } }
}

extension Connection {
  /// Runs `body`, which begins a read transaction, so that ``snapshotMark`` is available in it.
  func markingSnapshots<Output>(_ body: () throws -> Output) rethrows -> Output {
    // The snapshot of a transaction that is open already is older than what is seen now.
    guard !hasOpenTransaction else { return try body() }
    // If the file says so, what is read next opens the log, unless it is open.
    if !wal.isOn, wal.fileHeader()?.isWAL == true { wal.isOn = true }
    if case .header(let log) = wal.indexState() { wal.logBeforeSnapshot = log }
    defer { wal.logBeforeSnapshot = nil }
    return try body()
  }

  /// Identifies the snapshot of the open transaction; `nil` when it is unknown, or no refresh runs.
  package var snapshotMark: SnapshotMark? { SnapshotMark(of: self) }
}
