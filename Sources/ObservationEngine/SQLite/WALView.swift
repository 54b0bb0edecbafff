internal import CLinux
internal import CSQLite
internal import Glibc

/// How much of a WAL was copied into the database file, at one point in time.
struct CheckpointProgress: Equatable {
  /// Identifies the WAL.
  let salts: UInt64
  let frames: UInt32
}

/// Reads the files that a connection has open: the database, its write-ahead log and the
/// wal-index. It takes no lock, so the content may change meanwhile; the caller must detect that.
///
/// Everything is read through SQLite's own file handles: closing a descriptor of our own on the
/// database or the -shm file would drop all POSIX locks that the process holds on it. The files at
/// their paths may be others by now. See
/// https://www.sqlite.org/src/artifact?ci=trunk&filename=src/os_unix.c, "Posix Advisory Locking".
///
/// Confined to its connection's thread of execution.
final class WALView {
  private let handle: OpaquePointer
  /// Whether the connection was in WAL mode at the last check by code that reads the wal-index.
  var isOn = false
  /// The snapshot of the open transaction; see ``Connection/markedSnapshot(_:)``.
  var snapshot: SnapshotMark?
  /// A statement is running that may leave or enter WAL mode before it commits.
  var isChangingMode = false
  /// No other code could change the journal mode unnoticed: SQLite's own handle was not lent. Other
  /// processes can't either while this connection has a WAL database open, because it holds a
  /// shared lock.
  var keepsMode = true

  init(_ handle: OpaquePointer) { self.handle = handle }

  // MARK: - Headers

  /// The state of the wal-index.
  enum IndexState: Equatable {
    /// This connection is not in WAL mode.
    case absent
    /// A commit is being published right now.
    case torn
    case header(WALIndexHeader)
  }

  /// The state of the wal-index, for a connection for which ``isOn`` is true.
  func indexState() -> IndexState {
    // In a rollback-journal mode the VFS would create a -shm file to map, and SQLite would not
    // unmap it.
    guard isOn, let memory = lq_wal_index(handle, 0) else { return .absent }
    let bytes = [UInt8](unsafeUninitializedCapacity: WALIndexHeader.byteCount) { buffer, count in
      lq_copy_shared(buffer.baseAddress, memory, Int32(WALIndexHeader.byteCount))
      count = WALIndexHeader.byteCount
    }
    return WALIndexHeader(copies: bytes).map { .header($0) } ?? .torn
  }

  /// The first 100 bytes of the database file, decoded; `nil` when there is no file, or it cannot
  /// be read.
  func fileHeader() -> FileHeader? { fileHeaderBytes().map { FileHeader(bytes: $0) } }

  /// The first 100 bytes of the database file, undecoded.
  func fileHeaderBytes() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 100)
    let result = lq_read_database(handle, &bytes, 100, 0)
    // A new database is empty until its first commit, which raises the counter from 0 to 1. SQLite
    // fills what it could not read with zeros.
    guard result == SQLITE_OK || Int(result) == LQ_IOERR_SHORT_READ else { return nil }
    return bytes
  }

  /// A number that every commit to `main` raises by one; `nil` when it cannot be read.
  ///
  /// For a connection that writes: it is in WAL mode exactly when the file is. While it is, it
  /// holds a shared lock on the file, so that no other process can leave WAL mode.
  func changePosition() -> UInt32? {
    // The WAL may be closed already: reading its index would create another one next to the file.
    // The change is committed in the file itself, either way.
    if isChangingMode { return fileHeader()?.changeCounter }
    if isOn, keepsMode { return walPosition() }
    guard let file = fileHeader() else { return nil }
    isOn = file.isWAL
    return isOn ? walPosition() : file.changeCounter
  }

  /// The number of commits in the wal-index; `nil` when there is no index, or a commit is being
  /// published.
  ///
  /// The `change` of ``indexState()`` without an intermediate array: every commit calls this.
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

  /// The header of the open WAL: empty when nothing was written to it; `nil` when the connection
  /// has no WAL.
  ///
  /// Random salts distinguish it from the header of any other WAL.
  func logHeader() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let result = lq_read_log(handle, &bytes, 32, 0)
    if Int(result) == LQ_IOERR_SHORT_READ { return [] }
    // SQLite returns the same file handle for a rollback journal, which starts differently.
    guard result == SQLITE_OK, bytes.starts(with: [0x37, 0x7f, 0x06]) else { return nil }
    return bytes
  }

  /// The header of the mapped wal-index, both copies; for a connection in WAL mode.
  func indexHeader() -> [UInt8]? {
    guard let memory = lq_wal_index(handle, 0) else { return nil }
    return [UInt8](unsafeUninitializedCapacity: WALIndexHeader.byteCount) { buffer, initialized in
      lq_copy_shared(buffer.baseAddress, memory, Int32(WALIndexHeader.byteCount))
      initialized = WALIndexHeader.byteCount
    }
  }

  /// How far the WAL was copied into the database file; for a connection in WAL mode.
  func checkpointProgress() -> CheckpointProgress? {
    guard let memory = lq_wal_index(handle, 0) else { return nil }
    // The salts are in the header, and nBackfill follows its two copies.
    let size = WALIndexHeader.byteCount + 4
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      lq_copy_shared(buffer.baseAddress, memory, Int32(size))
      return CheckpointProgress(
        salts: buffer.load(fromByteOffset: 32, as: UInt64.self),
        frames: buffer.load(fromByteOffset: WALIndexHeader.byteCount, as: UInt32.self))
    }
  }

  /// The last frame that a checkpoint has copied into the database file, or has begun to; for a connection
  /// in WAL mode.
  func lastCopiedFrame() -> UInt32? {
    guard let memory = lq_wal_index(handle, 0) else { return nil }
    let (done, attempted) = WALLayout.backfillOffsets
    let size = attempted + 4
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
      lq_copy_shared(buffer.baseAddress, memory, Int32(size))
      return max(
        buffer.load(fromByteOffset: done, as: UInt32.self),
        buffer.load(fromByteOffset: attempted, as: UInt32.self))
    }
  }

  /// Whether the index still counts all that it counted at `header`, and was not rebuilt since: then what
  /// its hash tables said in between holds.
  func indexContinues(_ header: WALIndexHeader) -> Bool {
    for _ in 0..<100 {
      switch indexState() {
      case .absent: return false
      case .torn: sched_yield()
      case .header(let now):
        return now.salts == header.salts && now.lastFrame >= header.lastFrame
          && Int32(bitPattern: now.change &- header.change) >= 0
      }
    }
    return false
  }

  // MARK: - Frames and pages

  /// The newest of the frames 1…`last` that holds `page`, by the hash tables of the wal-index.
  ///
  /// - Returns: 0 when none does; `nil` when the index can't be read.
  /// - Complexity: O(last / 4,096).
  func newestFrame(of page: UInt32, upTo last: UInt32) -> UInt32? {
    guard last > 0 else { return 0 }
    for block in (0...WALLayout.place(ofFrame: last).block).reversed() {
      guard let memory = lq_wal_index(handle, Int32(block)) else { return nil }
      let isFirst = block == 0
      let before =
        isFirst
        ? 0 : WALLayout.framesInFirstBlock + UInt32(block - 1) * WALLayout.framesInBlock
      let found = lq_newest_frame(
        memory + (isFirst ? WALLayout.firstFrameOffset : 0), memory + WALLayout.endOfFrames, before,
        isFirst ? WALLayout.framesInFirstBlock : WALLayout.framesInBlock, last, page)
      if found != 0 { return UInt32(exactly: found) }
    }
    return 0
  }

  /// The page number of each of `frames`, from the wal-index; `nil` when the index is too short.
  ///
  /// - Complexity: O(frames).
  func pages(inFrames frames: ClosedRange<UInt32>) -> [UInt32]? {
    var frame = frames.lowerBound
    let count = frames.count
    var isWhole = true
    let pages = [UInt32](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        let (block, offset) = WALLayout.place(ofFrame: frame)
        guard let memory = lq_wal_index(handle, Int32(block)) else {
          isWhole = false
          return
        }
        let run = min(count - initialized, (WALLayout.endOfFrames - offset) / 4)
        lq_copy_shared(buffer.baseAddress! + initialized, memory + offset, Int32(run * 4))
        initialized += run
        frame += UInt32(run)
      }
    }
    return isWhole ? pages : nil
  }

  /// Whether a transaction that isn't committed has written at least `count` frames behind the last one of `header`.
  func hasFrames(_ count: UInt32, behind header: WALIndexHeader, pageSize: Int) -> Bool {
    guard let log = logHeader(), !log.isEmpty else { return false }
    // The transaction may be the first one of a WAL that began again.
    let salts = log.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 16, as: UInt64.self) }
    let frame = (salts == header.salts ? header.lastFrame : 0) + count
    return withUnsafeTemporaryAllocation(
      byteCount: WALLayout.frameHeaderSize, alignment: 8
    ) { buffer in
      readLog(at: WALLayout.offset(ofFrame: frame, pageSize: pageSize), into: buffer)
        && buffer.load(fromByteOffset: 8, as: UInt64.self) == salts
    }
  }

  /// Whether the WAL still has these salts, even if a commit is being published.
  func logHas(salts: UInt64) -> Bool {
    guard let memory = lq_wal_index(handle, 0) else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
      lq_copy_shared(buffer.baseAddress, memory, 96)
      // In both copies of the header.
      return buffer.load(fromByteOffset: 32, as: UInt64.self) == salts
        && buffer.load(fromByteOffset: 80, as: UInt64.self) == salts
    }
  }

  /// Fills `buffer` with bytes of the WAL.
  func readLog(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    lq_read_log(handle, buffer.baseAddress, Int32(buffer.count), offset) == SQLITE_OK
  }

  /// Fills `buffer` with bytes of the database file.
  func readFile(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    lq_read_database(handle, buffer.baseAddress, Int32(buffer.count), offset) == SQLITE_OK
  }

  /// How many complete frames fit in the WAL file; 0 when there is no WAL.
  func framesInLog(pageSize: Int) -> Int {
    max(0, Int(lq_log_size(handle)) - WALLayout.headerSize)
      / (WALLayout.frameHeaderSize + pageSize)
  }

  /// How many pages the database file has, including a truncated last one; 0 when there is no file.
  func pagesInFile(pageSize: Int) -> Int {
    (max(0, Int(lq_database_size(handle))) + pageSize - 1) / pageSize
  }

  /// Whether a published frame that was just read belongs to the WAL with these salts.
  ///
  /// A transaction that writes a page twice leaves the salts of the following frames empty until it
  /// commits; some SQLite libraries (3.40.1, for example) leave them empty for good after a
  /// ROLLBACK TO. The wal-index decides then: it gets other salts before any frame is overwritten.
  func isFrame(_ header: UnsafeRawBufferPointer, of salts: UInt64) -> Bool {
    let own = header.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return own == salts || (own == 0 && logHas(salts: salts))
  }
}
