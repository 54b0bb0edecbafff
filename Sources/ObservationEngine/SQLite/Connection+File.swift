internal import CLinux
internal import CSQLite

/// What the files of a database say without any lock being taken.
///
/// Everything is read through SQLite's own file handles: a descriptor of our own on the database or
/// the -shm file would, when closed, drop all POSIX locks that the process holds on it.
/// See https://www.sqlite.org/src/artifact?ci=trunk&filename=src/os_unix.c, "Posix Advisory Locking".
extension Connection {
  /// The state of the wal-index.
  enum WALIndexState: Equatable {
    /// This connection is not in WAL mode.
    case absent
    /// A commit is being published at this moment.
    case torn
    case header(WALIndexHeader)
  }

  /// The state of the wal-index, for a connection which ``usesWAL``.
  func walIndexState() -> WALIndexState {
    // In a rollback-journal mode the VFS would make a -shm file to map, and SQLite not unmap it.
    guard usesWAL, let memory = lq_wal_index(handle, 0) else { return .absent }
    let bytes = [UInt8](unsafeUninitializedCapacity: WALIndexHeader.byteCount) { buffer, count in
      lq_copy_shared(buffer.baseAddress, memory, Int32(WALIndexHeader.byteCount))
      count = WALIndexHeader.byteCount
    }
    return WALIndexHeader(copies: bytes).map { .header($0) } ?? .torn
  }

  /// The first 100 bytes of the database file; `nil` when there is no file, or it cannot be read.
  func fileHeader() -> FileHeader? { fileHeaderBytes().map { FileHeader(bytes: $0) } }

  /// As ``fileHeader()``, as it is.
  func fileHeaderBytes() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 100)
    let result = lq_read_database(handle, &bytes, 100, 0)
    // A new database is empty until its first commit, which raises the counter from 0 to 1: SQLite
    // fills up with zeros what it could not read.
    guard result == SQLITE_OK || Int(result) == LQ_IOERR_SHORT_READ else { return nil }
    return bytes
  }

  /// A number that every commit to `main` raises by one; `nil` when there is none to be had.
  ///
  /// For a connection that writes, and so is in WAL mode exactly when the file is. As long as it is,
  /// it holds a shared lock on the file, so that nobody else can end that mode.
  func changePosition() -> UInt32? {
    // The log may be closed already: a look at its index would make another one beside the file. The
    // change is committed in the file itself, either way.
    if isChangingJournalMode { return fileHeader()?.changeCounter }
    if usesWAL, keepsJournalMode { return walPosition() }
    guard let file = fileHeader() else { return nil }
    usesWAL = file.isWAL
    return usesWAL ? walPosition() : file.changeCounter
  }

  /// The number of commits in the wal-index; `nil` when there is none, or one is being published.
  ///
  /// What ``walIndexState()`` has as its `change`, without an array in between: each commit comes here.
  private func walPosition() -> UInt32? {
    guard let memory = lq_wal_index(handle, 0) else { return nil }
    let size = WALIndexHeader.byteCount
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      lq_copy_shared(buffer.baseAddress, memory, Int32(size))
      let words = buffer.bindMemory(to: UInt64.self)
      let half = words.count / 2
      guard buffer[12] != 0, (0..<half).allSatisfy({ words[$0] == words[half + $0] }) else {
        return nil
      }
      return buffer.load(fromByteOffset: 8, as: UInt32.self)
    }
  }
}

/// The header of a database file.
///
/// Source: https://www.sqlite.org/fileformat2.html#the_database_header
struct FileHeader: Equatable {
  /// Raised by each commit in a rollback-journal mode (offset 24).
  let changeCounter: UInt32
  /// Whether the write version says WAL (offsets 18 and 19).
  let isWAL: Bool
  /// Whether the file begins as every database does, or is still empty.
  let hasMagic: Bool
  /// How long the file says it is (offsets 16 and 28); `nil` when what it says may be outdated (offset
  /// 92).
  let byteCount: Int64?

  init(bytes: [UInt8]) {
    func word(_ offset: Int) -> UInt32 {
      bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
    changeCounter = word(24)
    // Two bytes are too few for 65536, which is stored as 1.
    let pageSize = Int64(bytes[16]) << 8 | Int64(bytes[17])
    byteCount =
      word(24) == word(92) ? Int64(word(28)) * (pageSize == 1 ? 65_536 : pageSize) : nil
    isWAL = bytes[18] == 2 && bytes[19] == 2
    hasMagic =
      bytes.starts(with: Array("SQLite format 3".utf8) + [0])
      || bytes.prefix(16).allSatisfy { $0 == 0 }
  }
}
