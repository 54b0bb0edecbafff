/// What following the pages of a database may cost, whatever its files claim.
///
/// The header of a log, and of its index, name counts that nothing else confirms. So each is compared
/// with the size of the files before memory is reserved for it, and files that are too large for a map
/// have none: their commits stand for every table, with the reason.
///
/// | what                              | bound                                                |
/// | --------------------------------- | ---------------------------------------------------- |
/// | pages of a map                    | those of file and log together, and ``pages``        |
/// | frames that are read at once      | those that the log has room for, and ``frames``      |
/// | frames whose commits are counted  | ``countedFrames``                                    |
/// | time of one update, or one search | ``time``; a map is made within the caller's limit    |
/// | memory                            | 10 bytes a page, and 20 a frame: 240 MB at most      |
enum MapBounds {
  /// 64 GB at SQLite's usual 4,096 bytes a page.
  static let pages = 1 << 24
  /// 16 GB of log at 4,096 bytes a page.
  static let frames = 1 << 22
  /// Each is read by itself: half a second for all of them, during which no commit is noticed.
  static let countedFrames: UInt32 = 1 << 18
  /// Nanoseconds.
  static let time: UInt64 = 2_000_000_000

  /// Checks that a log has the frames that its index counts.
  ///
  /// - Throws: `outdated` when it has not: it was cut off meanwhile, or the index is damaged.
  static func check(frames last: UInt32, _ connection: Connection, pageSize: Int)
    throws(PageMapFailure)
  {
    guard last > 0 else { return }
    guard Int(last) <= connection.wal.framesInLog(pageSize: pageSize) else { throw .outdated }
    guard Int(last) <= frames else {
      throw .inconsistent("the log has \(last) frames, more than are followed")
    }
  }

  /// Checks that a database can have as many pages as it says: each page was written to the file, or
  /// is in the log.
  static func check(
    pages count: UInt32, frames last: UInt32, _ connection: Connection, pageSize: Int
  ) throws(PageMapFailure) {
    // SQLite allows for as much when it copies the log into the file.
    let slack = 65_536 / pageSize + 1
    guard Int(count) <= connection.wal.pagesInFile(pageSize: pageSize) + Int(last) + slack else {
      throw .inconsistent("the database claims \(count) pages, which neither file nor log can have")
    }
    guard Int(count) <= pages else {
      throw .inconsistent("the database has \(count) pages, more than are followed")
    }
  }
}
