/// Bounds on the cost of following the pages of a database, whatever its files claim.
///
/// The headers of a WAL and of its index have counts that nothing else confirms. So each count is
/// compared with the size of the files before memory is reserved for it. Files too large for a map
/// have none: their commits count as changes to every table, with the reason.
///
/// | what                              | bound                                                |
/// | --------------------------------- | ---------------------------------------------------- |
/// | pages of a map                    | those of file and WAL together, and ``pages``        |
/// | frames read in one pass           | those that the WAL has room for, and ``frames``      |
/// | frames whose commits are counted  | ``countedFrames``                                    |
/// | time of one update, or one search | ``time``; a map is made within the caller's limit    |
/// | memory                            | 10 bytes a page, and 20 a frame: 240 MB at most      |
enum MapBounds {
  /// 64 GB at SQLite's usual 4,096 bytes a page.
  static let pages = 1 << 24
  /// 16 GB of WAL at 4,096 bytes a page.
  static let frames = 1 << 22
  /// Each is read by itself: half a second for all of them, during which no commit is detected.
  static let countedFrames: UInt32 = 1 << 18
  /// Nanoseconds.
  static let time: UInt64 = 2_000_000_000

  /// Checks that a WAL has the frames that its index counts.
  ///
  /// - Throws: `outdated` when it doesn't: it was truncated meanwhile, or the index is damaged.
  static func check(frames last: UInt32, _ connection: Connection, pageSize: Int)
    throws(PageMapFailure)
  {
    guard last > 0 else { return }
    guard Int(last) <= connection.wal.framesInLog(pageSize: pageSize) else { throw .outdated }
    guard Int(last) <= frames else {
      throw .inconsistent("the WAL has \(last) frames, more than are followed")
    }
  }

  /// Checks that a database can have as many pages as it claims: each page was written to the file,
  /// or is in the WAL.
  static func check(
    pages count: UInt32, frames last: UInt32, _ connection: Connection, pageSize: Int
  ) throws(PageMapFailure) {
    // SQLite allows as much when it copies the WAL into the file.
    let slack = 65_536 / pageSize + 1
    guard Int(count) <= connection.wal.pagesInFile(pageSize: pageSize) + Int(last) + slack else {
      throw .inconsistent("the database claims \(count) pages, which neither file nor WAL can have")
    }
    guard Int(count) <= pages else {
      throw .inconsistent("the database has \(count) pages, more than are followed")
    }
  }
}
