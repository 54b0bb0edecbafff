/// Reads pages as they were at positions of the WAL since its last reset.
///
///     frames up to a position   the newest of the page, found by the hash tables of the wal-index
///     no such frame             the database file, as long as no checkpoint has copied later frames into it
///
/// What it read is true only if the caller finds afterwards that the WAL is the same (``isIntact(after:)``).
///
/// Confined to one thread.
final class PageHistory {
  /// A state of the database.
  struct Position {
    /// The last frame that belongs to it.
    let frame: UInt32
    let pageCount: UInt32
  }

  let form: PageForm
  private let connection: Connection
  private let salts: UInt64
  private let deadline: UInt64
  private let buffer: UnsafeMutableRawBufferPointer
  /// The position before which the file must not have changed; `nil` when the file wasn't read.
  private var fileLimit: UInt32?

  /// - Parameter deadline: After which no page is read, on the monotonic clock.
  init(connection: Connection, form: PageForm, salts: UInt64, deadline: UInt64) {
    self.connection = connection
    self.form = form
    self.salts = salts
    self.deadline = deadline
    buffer = .allocate(byteCount: WALLayout.frameHeaderSize + form.pageSize, alignment: 8)
  }

  deinit { buffer.deallocate() }

  /// Whether all that was read is what was committed.
  ///
  /// - Parameter header: The newest position that was known before anything was read.
  func isIntact(after header: WALIndexHeader) -> Bool {
    if let fileLimit {
      // SQLite says how far it copies before it copies anything.
      guard let copied = connection.wal.lastCopiedFrame(), copied <= fileLimit else { return false }
    }
    // Asked last: a reset of the WAL takes back what was copied.
    return connection.wal.indexContinues(header)
  }

  /// The content of a page; the next page that is read overwrites it.
  func read(
    _ page: UInt32, at position: Position
  ) throws(PageMapFailure) -> UnsafeRawBufferPointer {
    guard page >= 1, page <= position.pageCount else {
      throw .inconsistent("page \(page) is outside of the file")
    }
    if SystemClock.monotonic() > deadline { throw .tooLong }
    guard let frame = connection.wal.newestFrame(of: page, upTo: position.frame) else {
      throw .outdated
    }
    let head = WALLayout.frameHeaderSize
    guard frame > 0 else {
      fileLimit = min(fileLimit ?? .max, position.frame)
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[head...])
      let offset = Int64(page - 1) * Int64(form.pageSize)
      guard connection.wal.readFile(at: offset, into: part) else { throw .outdated }
      return UnsafeRawBufferPointer(part)
    }
    let offset = WALLayout.offset(ofFrame: frame, pageSize: form.pageSize)
    guard connection.wal.readLog(at: offset, into: buffer),
      UnsafeRawBufferPointer(buffer).bigEndian32(at: 0) == page,
      connection.wal.isFrame(UnsafeRawBufferPointer(buffer), of: salts)
    else { throw .outdated }
    return UnsafeRawBufferPointer(rebasing: buffer[head...])
  }
}
