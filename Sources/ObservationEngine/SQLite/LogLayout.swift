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
  /// Where a block has how far checkpoints came: nBackfill, and nBackfillAttempted.
  static let backfillOffsets = (done: 96, attempted: 128)
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
