internal import Synchronization

/// Identifies the snapshot of a read transaction: two snapshots with the same mark have the same
/// rows of `main`.
///
/// It is what SQLite itself compares to decide whether its cached pages are still valid: the header
/// of the wal-index, or that of the file. Unlike `PRAGMA data_version`, it also changes with the
/// connection's own commits, and is comparable across connections.
package struct SnapshotMark: Sendable {
  private enum Content: Equatable, Sendable {
    case log(WALIndexHeader)
    case file([UInt8])
  }

  private let content: Content
  private let life: ConnectionLife

  /// Whether both marks have the same rows.
  ///
  /// - Parameter other: The mark of an open transaction.
  package func isSame(as other: SnapshotMark) -> Bool {
    // The headers count commits from when the file was first opened. One connection that stays open
    // preserves the count: no other process can remove the WAL or leave WAL mode.
    content == other.content && isCounted(with: other)
  }

  /// The number of the newest commit in a snapshot of a WAL database, as its wal-index counts; `nil` for another
  /// database.
  package var position: UInt32? {
    if case .log(let header) = content { header.change } else { nil }
  }

  /// Whether the commits between this snapshot and that of a later mark are those that the difference of their
  /// ``position`` counts: the connection that read it is still open, so that the count has not begun again.
  package func isCounted(with later: SnapshotMark) -> Bool {
    life.isOpen && (life === later.life || (life.file != nil && life.file == later.life.file))
  }

  /// The mark of a read transaction that has just begun; `nil` when it can't be determined.
  ///
  /// - Parameter before: The state of the wal-index before it began.
  fileprivate init?(of connection: Connection, before: WALView.IndexState) {
    guard connection.hasSnapshotOfMainAlone else { return nil }
    life = connection.life
    if connection.wal.isOn {
      // A header that has not changed since before the transaction is the one that it reads.
      guard case .header(let header) = before, connection.wal.indexState() == before else {
        return nil
      }
      content = .log(header)
    } else {
      // While this transaction holds its lock, no connection can commit. A connection that writes
      // may have kept the lock from before, and the count with it (PRAGMA locking_mode).
      guard connection.options.isReader, let header = connection.wal.fileHeaderBytes() else {
        return nil
      }
      // Its mark would need the wal-index from before it began.
      if FileHeader(bytes: header).isWAL {
        connection.wal.isOn = true
        return nil
      }
      content = .file(header)
    }
  }
}

/// Whether a connection is open, and to which file; outlives the connection.
final class ConnectionLife: Sendable {
  private let state = Mutex<(isOpen: Bool, file: FileIdentity?)>((true, nil))

  var isOpen: Bool { state.withLock { $0.isOpen } }
  var file: FileIdentity? { state.withLock { $0.file } }

  func didOpen(_ file: FileIdentity) { state.withLock { $0.file = file } }
  func didClose() { state.withLock { $0.isOpen = false } }
}

extension Connection {
  /// How often a snapshot is opened that can't be identified.
  private static let attempts = 5

  /// Runs `body` in a read transaction that has a ``snapshotMark``, if it can have one, or as part of the open
  /// transaction, without a mark.
  ///
  /// In WAL mode the snapshot of a transaction during whose beginning another connection commits is unknown. Then it
  /// begins again, before `body` runs.
  ///
  /// - Throws: As ``snapshot(_:)``.
  package func markedSnapshot<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    // The snapshot of an open transaction is older than the header that could be read now.
    guard !hasOpenTransaction else { return try snapshot(body) }
    defer { wal.snapshot = nil }
    for _ in 1..<Self.attempts {
      let output: Output? = try markingSnapshot { connection in
        let isMissed = wal.snapshot == nil && wal.isOn && hasSnapshotOfMainAlone
        return isMissed ? nil : try body(connection)
      }
      if let output { return output }
    }
    return try markingSnapshot(body)
  }

  private func markingSnapshot<Output>(_ body: (Connection) throws -> Output) throws -> Output {
    // If the file is in WAL mode, the next read opens the WAL unless it is open already.
    if !wal.isOn, wal.fileHeader()?.isWAL == true { wal.isOn = true }
    let before = wal.indexState()
    return try snapshot { connection in
      wal.snapshot = SnapshotMark(of: self, before: before)
      return try body(connection)
    }
  }

  /// Identifies the snapshot that ``markedSnapshot(_:)`` opened; `nil` when it is unknown.
  package var snapshotMark: SnapshotMark? { hasSnapshotOfMainAlone ? wal.snapshot : nil }

  /// Whether the open transaction reads a committed state of one database.
  fileprivate var hasSnapshotOfMainAlone: Bool {
    !hasAttachedDatabases && hasOpenTransaction && !isWriting
  }
}
