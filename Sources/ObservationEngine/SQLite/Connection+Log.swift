internal import CLinux
internal import CSQLite

/// Where the write-ahead log and its index keep what they say of frames.
///
/// Source: "WAL-index format" and "The WAL File Format" in https://www.sqlite.org/walformat.html and
/// https://www.sqlite.org/fileformat2.html#walformat
enum LogLayout {
  /// Where the pages of the frames end in a block of the wal-index: a hash table of them follows.
  static let endOfFrames = 16_384
  /// The first block begins with the header, and so has fewer frames.
  static let framesInFirstBlock: UInt32 = 4_062
  static let framesInBlock: UInt32 = 4_096
  /// Where the frames of the first block begin.
  static let firstFrameOffset = 136
  /// Bytes of the log before its first frame.
  static let headerSize = 32
  /// Bytes of a frame before its page.
  static let frameHeaderSize = 24

  /// Which block of the wal-index names the page of a frame, counted from 1, and where in it.
  static func place(ofFrame frame: UInt32) -> (block: Int, offset: Int) {
    if frame <= framesInFirstBlock { return (0, firstFrameOffset + 4 * Int(frame - 1)) }
    let later = frame - framesInFirstBlock - 1
    return (1 + Int(later / framesInBlock), 4 * Int(later % framesInBlock))
  }

  /// Where a frame begins in the log.
  static func offset(ofFrame frame: UInt32, pageSize: Int) -> Int64 {
    Int64(headerSize) + Int64(frame - 1) * Int64(frameHeaderSize + pageSize)
  }
}

/// Reading the log, its index and the file past SQLite's page cache, without a lock: whoever reads
/// must find out whether it was changed meanwhile.
extension Connection {
  /// The page in each of `frames`, as the wal-index names them; `nil` when it is too short.
  ///
  /// - Complexity: O(frames).
  func pages(inFrames frames: ClosedRange<UInt32>) -> [UInt32]? {
    var frame = frames.lowerBound
    let count = frames.count
    var isWhole = true
    let pages = [UInt32](unsafeUninitializedCapacity: count) { buffer, initialized in
      while initialized < count {
        let (block, offset) = LogLayout.place(ofFrame: frame)
        guard let memory = lq_wal_index(handle, Int32(block)) else {
          isWhole = false
          return
        }
        let run = min(count - initialized, (LogLayout.endOfFrames - offset) / 4)
        lq_copy_shared(buffer.baseAddress! + initialized, memory + offset, Int32(run * 4))
        initialized += run
        frame += UInt32(run)
      }
    }
    return isWhole ? pages : nil
  }

  /// Whether the log is still of the generation with these salts, even if a commit is being published.
  func logHas(salts: UInt64) -> Bool {
    guard let memory = lq_wal_index(handle, 0) else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
      lq_copy_shared(buffer.baseAddress, memory, 96)
      // In both copies of the header.
      return buffer.load(fromByteOffset: 32, as: UInt64.self) == salts
        && buffer.load(fromByteOffset: 80, as: UInt64.self) == salts
    }
  }

  /// Fills `buffer` with bytes of the log.
  func readLog(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    lq_read_log(handle, buffer.baseAddress, Int32(buffer.count), offset) == SQLITE_OK
  }

  /// Fills `buffer` with bytes of the database file.
  func readFile(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    lq_read_database(handle, buffer.baseAddress, Int32(buffer.count), offset) == SQLITE_OK
  }

  /// How many whole frames the log file has room for; 0 when there is no log.
  func framesInLog(pageSize: Int) -> Int {
    max(0, Int(lq_log_size(handle)) - LogLayout.headerSize)
      / (LogLayout.frameHeaderSize + pageSize)
  }

  /// How many pages the database file has, a last one that is cut short included; 0 when there is no
  /// file.
  func pagesInFile(pageSize: Int) -> Int {
    (max(0, Int(lq_database_size(handle))) + pageSize - 1) / pageSize
  }

  /// Whether a published frame that was just read is of the generation with these salts.
  ///
  /// A transaction that writes a page twice leaves the salts of the frames that follow empty until it
  /// commits; some SQLite libraries (3.40.1 is one) leave them so for good after a ROLLBACK TO. The
  /// wal-index tells, then: it has other salts before any frame is overwritten.
  func isFrame(_ header: UnsafeRawBufferPointer, of salts: UInt64) -> Bool {
    let own = header.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    return own == salts || (own == 0 && logHas(salts: salts))
  }
}
