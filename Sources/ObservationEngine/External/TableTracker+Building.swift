internal import Glibc

// Making the map of pages, and searching for the pages of long rows.
//
// Both read the database within a read transaction, so that no checkpoint changes what is read, and
// hold it only briefly, so that the WAL can restart.

extension TableTracker {
  /// Builds the map as of now; commits are attributed from here on.
  ///
  /// - Parameter limit: How long it may take, in nanoseconds.
  /// - Throws: `DatabaseError`: `busy` when no quiet moment was found or it took too long, `corrupt` when
  ///   the pages do not fit together.
  /// - Complexity: O(pages), by reading interior pages alone, or the pointer map.
  func build(within limit: UInt64 = .max) throws(DatabaseError) {
    let (end, isNever) = SystemClock.monotonic().addingReportingOverflow(limit)
    let deadline = isNever ? .max : end
    do {
      for attempt in 0..<20 {
        // A writer that never pauses commits between two readings; but not each time.
        if attempt > 0 { usleep(UInt32(50 * attempt)) }
        if try buildOnce(deadline) { return }
      }
      throw PageMapFailure.tooLong
    } catch let error as DatabaseError where error.code.primary != .interrupted {
      throw error
    } catch PageMapFailure.inconsistent(let what) {
      throw DatabaseError(code: .corrupt, message: what)
    } catch {
      throw DatabaseError(
        code: .busy,
        message: "the database changes, or is read, too slowly to find its tables' pages")
    }
  }

  /// Whether the map that was just built is of the file of which commits were reported so far.
  ///
  /// It isn't when page 1 begins otherwise than it did after the same commit: a program wrote to the file past its
  /// WAL.
  var isAsReported: Bool {
    guard let base, let head = headWithoutMap, head.isAsOf(base.header) else { return true }
    return base.firstPage[..<Self.headSize].elementsEqual(head.bytes)
  }

  /// - Returns: `false` when something was committed meanwhile.
  private func buildOnce(_ deadline: UInt64) throws -> Bool {
    try inSnapshot(until: deadline) { header, form, reader in
      let roots = try connection.withBudget({ SystemClock.monotonic() > deadline }) {
        try SchemaRoots(reading: connection)
      }
      let firstPage = Array(try reader.image(1))
      // The largest root page is stored in auto-vacuum databases alone.
      let isAutoVacuum = firstPage[52..<56].contains { $0 != 0 }
      let made: any PageOwnerMap =
        isAutoVacuum
        ? try PointerMap(reader)
        : try TreeMap(reader, roots: roots.all)
      guard header.lastFrame == 0 || connection.wal.logHas(salts: header.salts) else {
        return false
      }
      map = parts.map(made)
      base = Base(
        header: header, sequence: connection.wal.checkpointSequence(salts: header.salts),
        form: form, roots: roots, rows: RowTracker(firstPage: firstPage),
        firstPage: firstPage)
      isSearchWanted = false
      return true
    } ?? false
  }

  /// Whether ``scanSlice(within:)`` has something to do.
  var wantsScan: Bool { isSearchWanted && map?.wantsSearch == true }

  /// Searches a part of the database for the pages of long rows, if a commit wrote such a page.
  ///
  /// - Parameter limit: How long one slice takes, in nanoseconds. One row may take longer, and so
  ///   may the preparation for a long WAL, O(frames): then the search continues for as long as that
  ///   took, up to ten times the limit.
  /// - Returns: Whether there is more to search.
  func scanSlice(within limit: UInt64 = 2_000_000) -> Bool {
    guard wantsScan else { return false }
    let start = SystemClock.monotonic()
    // Commits since the last check are taken in first: the map must match the snapshot.
    do {
      // The search yields by itself, but one long row must not keep it.
      try inSnapshot(until: start + MapBounds.time) { header, _, reader in
        guard header == base?.header else { return }
        let ready = SystemClock.monotonic()
        let time = max(limit, min(ready - start, 10 * limit))
        defer {
          // A snapshot does not keep a WAL from restarting that is copied completely.
          if header.lastFrame > 0, !connection.wal.logHas(salts: header.salts) {
            forget("the WAL restarted while pages were searched")
          }
        }
        try map?.search(reader) { SystemClock.monotonic() - ready > time }
      }
    } catch {
      // Another attempt would fail at the same page: it is left to the next commit that needs it.
      isSearchWanted = false
    }
    isSearchWanted = wantsScan
    return isSearchWanted
  }

  /// Runs `body` in a read transaction that begins at a known position of the WAL.
  ///
  /// - Returns: `nil` when something was committed just when it began.
  @discardableResult
  private func inSnapshot<Output>(
    until deadline: UInt64, _ body: (WALIndexHeader, PageForm, PageReader) throws -> Output
  ) throws -> Output? {
    guard case .header(let header) = connection.wal.indexState() else { return nil }
    guard header.version == WALIndexHeader.knownVersion else {
      throw DatabaseError(code: .error, message: "the index of the WAL has an unknown format")
    }
    try connection.run(.begin)
    defer { connection.endReading() }
    // The first reading begins the snapshot.
    let size = Int(try connection.engineInteger("PRAGMA main.page_size"))
    let pageCount = UInt32(clamping: try connection.engineInteger("PRAGMA main.page_count"))
    _ = try connection.integer(of: .schemaVersion)
    guard case .header(header) = connection.wal.indexState() else { return nil }
    guard size >= 512, size <= 65_536, pageCount > 0 else {
      throw DatabaseError(code: .corrupt, message: "the database has no pages")
    }
    let last = header.lastFrame
    try MapBounds.check(frames: last, connection, pageSize: size)
    try MapBounds.check(pages: pageCount, frames: last, connection, pageSize: size)
    // Page 1 says how much of a page is used; its newest version may still be in the WAL.
    let frames = try newestFrames(header)
    func reader(_ form: PageForm) -> PageReader {
      PageReader(
        connection: connection, form: form, pageCount: pageCount, frames: frames,
        salts: header.salts, readsFile: true, deadline: deadline)
    }
    let whole = reader(PageForm(pageSize: size, usableSize: size))
    // The bytes are the reader's, which must live as long.
    let reserved = try withExtendedLifetime(whole) { try whole.image(1, count: Self.headSize)[20] }
    let form = PageForm(pageSize: size, usableSize: size - Int(reserved))
    return try body(header, form, reader(form))
  }

  /// The newest frame of each page as of `header`.
  private func newestFrames(
    _ header: WALIndexHeader
  ) throws(PageMapFailure) -> [UInt32: UInt32] {
    var frames: [UInt32: UInt32] = [:]
    guard header.lastFrame > 0 else { return frames }
    guard let pages = connection.wal.pages(inFrames: 1...header.lastFrame) else { throw .outdated }
    frames.reserveCapacity(min(pages.count, 65_536))
    var frame: UInt32 = 0
    for page in pages {
      frame += 1
      frames[page] = frame
    }
    return frames
  }
}

extension Connection {
  /// The one integer that SQL of the engine returns; 0 for none.
  fileprivate func engineInteger(_ sql: String) throws(DatabaseError) -> Int64 {
    guard case .integer(let value)? = try fetch(engine: sql).first?.first else { return 0 }
    return value
  }
}
