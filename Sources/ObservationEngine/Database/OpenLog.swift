internal import Glibc

/// Whether the -wal and -shm files at their paths are those that a connection has open.
///
/// Somebody may delete them by hand while they are open, and others then make new ones. The last
/// connection of a process to be closed copies its log into the database and deletes what stands at
/// the paths, as every program does that ends last; with another log there, that would undo what is
/// in that.
struct OpenLog {
  let database: String
  let identity: DatabaseFile.Identity

  /// How `connection` is to be closed.
  func ending(of connection: Connection) -> LogEnding {
    if connection.canOnlyRead { return .leavingAll }
    guard let log = connection.wal.logHeader() else { return .usual }
    guard let other = bytes(of: database + "-wal", count: 32) else {
      return mayBeCopied(log, connection) ? .keepingFiles : .leavingAll
    }
    let isOtherFile = DatabaseFile.identity(of: database) != identity
    // An empty log beside another file is that file's: somebody has it open, to commit to it.
    if other.isEmpty, isOtherFile { return log.isEmpty ? .keepingFiles : .leavingAll }
    // A log without a header has no commit: beside it, ours is the newest.
    if !other.isEmpty || log.isEmpty {
      if other != log { return .leavingAll }
      // An empty log does not tell whether there is an index. It has nothing to lose, either.
      guard !log.isEmpty else { return .usual }
      if let index = connection.wal.indexHeader(), let other = otherIndex(), other != index {
        return .leavingAll
      }
    }
    return mayBeCopied(log, connection) ? .usual : .leavingAll
  }

  /// Frames that were not copied yet belong to what the file was before it was overwritten.
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

  /// The first bytes of a file on which nobody has locks; `nil` when there is none.
  private func bytes(of path: String, count: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return Self.read(descriptor, count)
  }

  /// The header of the wal-index at the path. Closing a descriptor of our own on that file would drop
  /// the locks of the process, so `ProcessFile` has it.
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
