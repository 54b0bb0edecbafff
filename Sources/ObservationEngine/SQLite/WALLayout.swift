/// Where the write-ahead log and its index store information about frames.
///
/// Source: "WAL-index format" and "The WAL File Format" in https://www.sqlite.org/walformat.html and
/// https://www.sqlite.org/fileformat2.html#walformat
enum WALLayout {
  /// Where the page numbers of the frames end in a block of the wal-index; a hash table follows.
  static let endOfFrames = 16_384
  /// The first block starts with the header, and so has fewer frames.
  static let framesInFirstBlock: UInt32 = 4_062
  static let framesInBlock: UInt32 = 4_096
  /// Where the frames of the first block start.
  static let firstFrameOffset = 136
  /// The offsets of nBackfill and nBackfillAttempted, which say how far checkpoints came.
  static let backfillOffsets = (done: 96, attempted: 128)
  /// Bytes of the WAL before its first frame.
  static let headerSize = 32
  /// Bytes of a frame before its page.
  static let frameHeaderSize = 24

  /// The block of the wal-index that has the page number of a frame, counted from 1, and the offset
  /// in it.
  static func place(ofFrame frame: UInt32) -> (block: Int, offset: Int) {
    if frame <= framesInFirstBlock { return (0, firstFrameOffset + 4 * Int(frame - 1)) }
    let later = frame - framesInFirstBlock - 1
    return (1 + Int(later / framesInBlock), 4 * Int(later % framesInBlock))
  }

  /// The offset of a frame in the WAL.
  static func offset(ofFrame frame: UInt32, pageSize: Int) -> Int64 {
    Int64(headerSize) + Int64(frame - 1) * Int64(frameHeaderSize + pageSize)
  }
}
