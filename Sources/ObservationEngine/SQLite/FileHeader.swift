/// The header of a database file.
///
/// Source: https://www.sqlite.org/fileformat2.html#the_database_header
struct FileHeader: Equatable {
  /// Raised by each commit in a rollback-journal mode (offset 24).
  let changeCounter: UInt32
  /// Whether the write version says WAL (offsets 18 and 19).
  let isWAL: Bool
  /// Whether the file has the header of a database, or is still empty.
  let hasMagic: Bool
  /// The file's length by its own record (offsets 16 and 28); `nil` when that may be outdated
  /// (offset 92).
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
