internal import Glibc

/// Compares the -wal and -shm files at their paths with those that a connection has open.
///
/// A user may delete them by hand while they are open, and other programs then make new ones. When
/// a process closes its last connection, SQLite checkpoints the WAL and deletes the files at the
/// paths, as it does in every program. With another WAL there, that would undo the commits in it.
struct OpenWAL {
  let database: String
  let identity: DatabaseFile.Identity

  /// How to close `connection`.
  func ending(of connection: Connection) -> WALEnding {
    if connection.canOnlyRead { return .leavingAll }
    guard let log = connection.wal.logHeader() else { return .usual }
    guard let other = bytes(of: database + "-wal", count: 32) else {
      return mayBeCopied(log, connection) ? .keepingFiles : .leavingAll
    }
    let isOtherFile = DatabaseFile.identity(of: database) != identity
    // An empty WAL next to another database belongs to that one: a program has it open, to commit
    // to it.
    if other.isEmpty, isOtherFile { return log.isEmpty ? .keepingFiles : .leavingAll }
    // A WAL without a header contains no commits, so the WAL that we have open is the newest.
    if !other.isEmpty || log.isEmpty {
      if other != log { return .leavingAll }
      // An empty WAL doesn't reveal whether there is an index. It also has nothing to lose.
      guard !log.isEmpty else { return .usual }
      if let index = connection.wal.indexHeader(), let other = otherIndex(), other != index {
        return .leavingAll
      }
    }
    return mayBeCopied(log, connection) ? .usual : .leavingAll
  }

  /// Frames that are not checkpointed yet belong to the file's content before it was overwritten.
  private func mayBeCopied(_ log: [UInt8], _ connection: Connection) -> Bool {
    log.isEmpty || !ProcessFile(identity).isOverwritten
      || !hasFramesToCopy(connection)
  }

  private func hasFramesToCopy(_ connection: Connection) -> Bool {
    guard let index = connection.wal.indexHeader(),
      let copied = connection.wal.checkpointProgress(),
      let header = WALIndexHeader(copies: index)
    else { return true }
    return copied.frames < header.lastFrame
  }

  /// The first bytes of a file on which no process holds locks; `nil` when there is none.
  private func bytes(of path: String, count: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Self.read(descriptor, count)
  }

  /// The header of the wal-index at the path. It uses `ProcessFile`'s descriptor: closing a new one
  /// on that file would drop the process's locks.
  private func otherIndex() -> [UInt8]? {
    ProcessFile(identity).descriptor(for: database + "-shm")
      .map { Self.read($0, WALIndexHeader.byteCount) }
  }

  private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(descriptor, buffer.baseAddress!, count, 0))
    }
  }
}
