internal import Glibc

/// When a file was last written to, according to stat(2).
///
/// Linux before 6.13 reports the time of its last tick, some milliseconds ago: two writes within
/// one tick that don't change the size have the same stamp.
struct FileStamp: Equatable, Sendable {
  private var inode: UInt64 = 0
  /// Bytes in the file; -1 when there is none.
  private(set) var size: Int64 = -1
  /// In nanoseconds.
  private var modified: Int64 = 0

  /// The stamp of no file.
  init() {}

  init(inode: UInt64, size: Int64, modified: Int64) {
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  init(path: String) { self = FileStatus(path: path).stamp }

  fileprivate init(_ info: stat) {
    inode = UInt64(info.st_ino)
    size = Int64(info.st_size)
    modified = Int64(info.st_mtim.tv_sec) * 1_000_000_000 + Int64(info.st_mtim.tv_nsec)
  }
}

/// Which file is at a path, and its stamp: all that one stat(2) says.
struct FileStatus {
  /// `nil` when there is no file.
  let identity: FileIdentity?
  let stamp: FileStamp

  init(path: String) {
    var info = stat()
    let isThere = stat(path, &info) == 0
    identity = isThere ? FileIdentity(info) : nil
    stamp = isThere ? FileStamp(info) : FileStamp()
  }
}
