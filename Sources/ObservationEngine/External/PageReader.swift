/// Reads pages of a database as they are at one position of the WAL.
///
///     changed pages only    frames after the last position, the last of each page
///     snapshot              all frames up to the position; the file has the other pages
///
/// Frames up to a published position stay unchanged until the WAL restarts, and a page without a
/// frame stays unchanged in the file while a read transaction is open. Frames are recognised by
/// their salts; at the end, the caller compares those of the wal-index.
///
/// It has a deadline. Every walk through pages reads them with it, so every walk ends, however the
/// pages are linked.
///
/// Confined to one thread.
final class PageReader {
  /// Why a page cannot be read.
  enum Failure: Error {
    /// The WAL restarted, or something else is in the way: try again later.
    case outdated
    /// It isn't a page of the database.
    case outside(UInt32)
    /// The time for reading is over.
    case tooLate
  }

  let pageSize: Int
  /// Bytes of a page that SQLite uses; the rest is reserved for extensions.
  let usableSize: Int
  let pageCount: UInt32
  private let connection: Connection
  private let salts: UInt64
  /// The newest frame of each page.
  let frames: [UInt32: UInt32]
  private let readsFile: Bool
  private let deadline: UInt64
  private let buffer: UnsafeMutableRawBufferPointer

  /// - Parameters:
  ///   - frames: The newest frame of each page; other pages are read from the file if `readsFile`.
  ///   - salts: The salts of these frames.
  ///   - deadline: When to stop reading pages, on the monotonic clock.
  init(
    connection: Connection, form: PageForm, pageCount: UInt32, frames: [UInt32: UInt32],
    salts: UInt64, readsFile: Bool, deadline: UInt64
  ) {
    self.deadline = deadline
    self.connection = connection
    self.pageCount = pageCount
    pageSize = form.pageSize
    usableSize = form.usableSize
    self.salts = salts
    self.frames = frames
    self.readsFile = readsFile
    buffer = .allocate(byteCount: WALLayout.frameHeaderSize + pageSize, alignment: 8)
  }

  deinit { buffer.deallocate() }

  /// The content of a page; the next read overwrites it.
  ///
  /// - Parameter count: How many bytes of it are needed.
  func read(_ page: UInt32, count: Int? = nil) throws(Failure) -> UnsafeRawBufferPointer {
    guard page >= 1, page <= pageCount else { throw .outside(page) }
    if SystemClock.monotonic() > deadline { throw .tooLate }
    let count = count ?? pageSize
    let head = WALLayout.frameHeaderSize
    guard let frame = frames[page] else {
      guard readsFile else { throw .outdated }
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      let offset = Int64(page - 1) * Int64(pageSize)
      guard connection.wal.readFile(at: offset, into: part) else { throw .outdated }
      return UnsafeRawBufferPointer(part)
    }
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(head + count)])
    let offset = WALLayout.offset(ofFrame: frame, pageSize: pageSize)
    guard connection.wal.readLog(at: offset, into: part),
      UnsafeRawBufferPointer(part).bigEndian32(at: 0) == page,
      connection.wal.isFrame(UnsafeRawBufferPointer(part), of: salts)
    else { throw .outdated }
    return UnsafeRawBufferPointer(rebasing: part[head...])
  }
}

/// The size of the pages of a database.
struct PageForm: Equatable {
  let pageSize: Int
  /// Bytes that SQLite uses of a page; an extension may have reserved the rest.
  let usableSize: Int
}
