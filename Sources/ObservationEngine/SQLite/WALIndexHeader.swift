/// The header of a wal-index, as SQLite publishes it in shared memory after each commit.
///
///     offset  0  iVersion        14  szPage         24  frame checksum
///             8  iChange         16  mxFrame        32  salt (2 × 4 bytes, raw)
///            12  isInit          20  nPage          40  checksum
///
/// Source: `WalIndexHdr` in SQLite's wal.c. All fields but the salts are in the machine's byte order.
package struct WALIndexHeader: Sendable, Equatable {
  /// Counts commits; restarts when the index is rebuilt.
  package private(set) var change: UInt32
  /// The last valid frame of the WAL; 0 after a reset.
  package private(set) var lastFrame: UInt32
  /// Pages in the database; 0 while the WAL is empty.
  package private(set) var pageCount: UInt32
  /// New random values each time the WAL restarts.
  package let salts: UInt64
  /// A checksum of all frames of the WAL up to the last valid one.
  package let checksum: UInt64
  /// Bytes in a page.
  package let pageSize: Int
  /// The format of the index.
  package let version: UInt32

  /// The only existing format; SQLite itself refuses any other.
  package static let knownVersion: UInt32 = 3_007_000

  /// How many bytes of the shared memory ``init(copies:)`` needs: both copies of the header.
  package static let byteCount = 96

  /// Reads both copies of the header.
  ///
  /// A writer stores the second copy first, so copies that differ mean a commit in progress.
  ///
  /// - Returns: `nil` when the copies differ or don't match their checksum, or the index was never
  ///   built.
  package init?(copies bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, bytes[0..<48] == bytes[48..<96], bytes[12] != 0 else {
      return nil
    }
    func word(_ offset: Int) -> UInt32 {
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    guard Self.checksum(word) == (word(40), word(44)) else { return nil }
    change = word(8)
    lastFrame = word(16)
    pageCount = word(20)
    salts = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 32, as: UInt64.self) }
    checksum = UInt64(word(24)) << 32 | UInt64(word(28))
    // Two bytes are too few for 65536, which is stored as 1.
    let size = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 14, as: UInt16.self) }
    pageSize = Int(size & 0xfe00) + Int(size & 1) << 16
    version = word(0)
  }

  /// The result of `walChecksumBytes` in SQLite's wal.c for the 40 bytes before the checksum.
  private static func checksum(_ word: (Int) -> UInt32) -> (UInt32, UInt32) {
    var sums: (UInt32, UInt32) = (0, 0)
    for offset in stride(from: 0, to: 40, by: 8) {
      sums.0 &+= word(offset) &+ sums.1
      sums.1 &+= word(offset + 4) &+ sums.0
    }
    return sums
  }

  /// The header of the same WAL before its `commits` commits.
  func beginning(before commits: UInt32) -> WALIndexHeader {
    var header = self
    (header.change, header.lastFrame, header.pageCount) = (change &- commits, 0, 0)
    return header
  }
}
