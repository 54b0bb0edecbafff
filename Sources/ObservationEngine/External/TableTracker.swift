internal import Glibc

/// Tells which tables the commits between two looks at the wal-index changed.
///
///     frames since the last look ─▶ pages ─▶ whose they were (PageOwnerMap) ─▶ tables (SchemaRoots)
///
/// If a table differs between two states, some page that belonged to it in the *old* one was written in
/// between. So it is the map of the old state that is asked, and then brought up to date.
///
/// ## Guarantees
/// - A table that differs is in the answer, or the answer is one of those that stand for all.
///
/// ## Limits
/// - A table in the answer need not differ: a page of it may have been written as it was, or moved.
///
/// Confined to one thread, that of its connection.
final class TableTracker {
  /// What changed.
  enum Answer: Equatable {
    case tables(Set<TableID>)
    /// The schema, and so possibly everything.
    case schema(reason: String)
    /// The schema says what it said before, but was written: VACUUM does that.
    case rewritten(reason: String)
    /// It is not known.
    case all(reason: String)
  }

  /// Parts that tests replace by faulty ones, to see that they are found.
  struct Parts: Sendable {
    /// Makes another map of the one that was read.
    var map: @Sendable (any PageOwnerMap) -> any PageOwnerMap = { $0 }
    /// Why commits may have been overlooked.
    var doubt: @Sendable (WALContinuity) -> String? = { $0.doubt }
    /// Of how many frames the commits are counted.
    var countedFrames = MapBounds.countedFrames
  }

  /// The state at the position up to which commits were reported.
  struct Base {
    var header: WALIndexHeader
    /// The checkpoint sequence of the WAL, when it has one.
    var sequence: UInt32?
    let form: PageForm
    let roots: SchemaRoots
    /// Page 1: what its header says, and the root of the schema.
    var firstPage: [UInt8]
  }

  private(set) var connection: Connection
  let parts: Parts
  var map: (any PageOwnerMap)?
  var base: Base?
  /// Why there is no map.
  var reason = "the tables' pages are not known yet"
  /// A commit wrote pages whose owner is unknown: they must be searched for.
  var isSearchWanted = false

  /// - Parameter connection: One that reads, on a database in WAL mode, and knows it
  ///   (``WALView/isOn``).
  init(connection: Connection, parts: Parts = Parts()) {
    self.connection = connection
    self.parts = parts
  }

  /// Continues with another connection, after commits were reported up to `header`.
  func resume(_ connection: Connection, at header: WALIndexHeader) {
    self.connection = connection
    guard let before = base?.header, before != header else { return }
    base!.header = header
    base!.sequence = nil
  }

  /// Whether it has a map, and so can attribute commits to tables.
  var isReady: Bool { base != nil }

  /// What the commits after the last call, or after ``build()``, up to `header` changed.
  ///
  /// - Complexity: O(pages written), and of trees that grew O(their pages that lead to these); within
  ///   ``MapBounds/time``, or the answer is `all`.
  func advance(to header: WALIndexHeader) -> Answer {
    guard base != nil else { return .all(reason: reason) }
    do {
      return try step(to: header)
    } catch {
      let reason =
        switch error {
        case .inconsistent(let what): "the pages of the tables are not clear: \(what)"
        case .outdated: "the WAL restarted meanwhile"
        case .tooLong: "it takes too long to find the tables"
        }
      forget(reason)
      return .all(reason: reason)
    }
  }

  /// Gives up the map.
  func forget(_ reason: String) {
    self.reason = reason
    map = nil
    base = nil
  }

  private func step(to header: WALIndexHeader) throws(PageMapFailure) -> Answer {
    guard let before = base?.header, header != before else { return .tables([]) }
    if header.lastFrame > 0, header.pageSize != base!.form.pageSize {
      throw .inconsistent("the size of pages changed")
    }
    let first: UInt32
    if header.salts == before.salts, header.lastFrame >= before.lastFrame {
      guard connection.wal.logContinues(before) else {
        guard connection.wal.logHas(salts: header.salts) else { throw .outdated }
        return forgetAll("a part of the WAL was cut off after a crash")
      }
      first = before.lastFrame + 1
      guard try isInLog(before, header) else {
        return forgetAll("a commit left no page in the WAL")
      }
      if before.lastFrame == 0, header.lastFrame > 0 {
        base!.sequence = connection.wal.checkpointSequence(salts: header.salts)
      }
    } else {
      if let doubt = try doubt(from: before, to: header) { return forgetAll(doubt) }
      first = 1
    }
    guard first <= header.lastFrame else {
      base!.header = header
      return .tables([])
    }
    let pageSize = base!.form.pageSize
    try MapBounds.check(frames: header.lastFrame, connection, pageSize: pageSize)
    if let known = map?.pageCount, header.pageCount > known {
      try MapBounds.check(
        pages: header.pageCount, frames: header.lastFrame, connection, pageSize: pageSize)
    }
    guard let pages = connection.wal.pages(inFrames: first...header.lastFrame),
      connection.wal.logHas(salts: header.salts)
    else { throw .outdated }
    var frames: [UInt32: UInt32] = [:]
    frames.reserveCapacity(min(pages.count, 4_096))
    var frame = first
    for page in pages {
      frames[page] = frame
      frame += 1
    }
    let reader = PageReader(
      connection: connection, form: base!.form, pageCount: header.pageCount, frames: frames,
      salts: header.salts, readsFile: false, deadline: SystemClock.monotonic() + MapBounds.time)
    let answer = try answer(Array(frames.keys), reader)
    // What was read may be of frames that were written since, if the log began anew.
    guard connection.wal.logHas(salts: header.salts) else { throw .outdated }
    base?.header = header
    return answer
  }

  private func forgetAll(_ reason: String) -> Answer {
    forget(reason)
    return .all(reason: reason)
  }

  /// Whether the WAL has a frame of each commit between two positions without a restart.
  ///
  /// A replica of LiteFS writes the pages of its commits into the file itself, and counts them in the
  /// wal-index.
  ///
  /// - Complexity: O(frames) if there is more than one commit.
  private func isInLog(
    _ before: WALIndexHeader, _ header: WALIndexHeader
  ) throws(PageMapFailure) -> Bool {
    let commits = Int32(bitPattern: header.change &- before.change)
    // An added frame belongs to the one commit. A count that went back proves nothing.
    if commits <= 1 || header.lastFrame == before.lastFrame {
      return commits <= 0 || header.lastFrame > before.lastFrame
    }
    let frames = before.lastFrame + 1...header.lastFrame
    guard
      let found = connection.wal.commitFrames(
        in: frames, salts: header.salts, pageSize: header.pageSize)
    else { throw .outdated }
    // One that fills up a sector of the disk is written twice.
    return found >= commits
  }

  private func answer(
    _ changed: [UInt32], _ reader: PageReader
  ) throws(PageMapFailure) -> Answer {
    if reader.frames[1] != nil, try !takeFirstPage(reader) { return schemaChanged() }
    var tables: Set<TableID> = []
    var lastRoot: UInt32 = 0
    var unknown: UInt32?
    for page in changed where page <= map!.pageCount && page != 1 {
      switch try map!.owner(of: page) {
      case .free: continue
      case .unknown: unknown = page
      case .tree(let root):
        if root == lastRoot { continue }
        lastRoot = root
        switch base!.roots.tree(at: root) {
        case .schema: return schemaChanged()
        case .table(let table): tables.insert(table)
        case .index: continue
        case .none: throw .inconsistent("page \(page) belongs to no table of the schema")
        }
      }
    }
    try map!.update(changed: changed, reader)
    guard let unknown else { return .tables(tables) }
    isSearchWanted = true
    return .all(reason: "it is not known to which table page \(unknown) belongs")
  }

  private func schemaChanged() -> Answer {
    let before = base?.roots.declarations
    let reason = "the schema changed"
    forget(reason)
    guard let after = try? SchemaRoots(reading: connection), after.declarations == before else {
      return .schema(reason: reason)
    }
    return .rewritten(reason: "the schema was written, as VACUUM does")
  }

  /// Compares page 1 with what it was.
  ///
  /// - Returns: Whether the schema is the same.
  private func takeFirstPage(_ reader: PageReader) throws(PageMapFailure) -> Bool {
    let page = try reader.image(1)
    // The form of the file; what belongs to the schema, like its version; the root of the schema.
    let isSame = base!.firstPage.withUnsafeBytes { old in
      [16..<24, 40..<60, 100..<page.count].allSatisfy { range in
        memcmp(
          page.baseAddress! + range.lowerBound, old.baseAddress! + range.lowerBound, range.count)
          == 0
      }
    }
    if isSame {
      base!.firstPage.withUnsafeMutableBytes { $0.copyBytes(from: page[..<100]) }
    }
    return isSame
  }

  /// Whether something was missed when the WAL restarted.
  private func doubt(
    from before: WALIndexHeader, to header: WALIndexHeader
  ) throws(PageMapFailure) -> String? {
    guard header.lastFrame > 0 else {
      // A checkpoint emptied the WAL.
      return header.change == before.change
        ? nil : "commits were copied out of the WAL before they were seen"
    }
    guard header.lastFrame <= parts.countedFrames else {
      return "the WAL restarted, and has more commits by now than are counted"
    }
    guard let sequence = connection.wal.checkpointSequence(salts: header.salts),
      let (commits, hasPadding) = connection.wal.commits(
        upTo: header.lastFrame, salts: header.salts, pageSize: base!.form.pageSize)
    else { throw .outdated }
    let continuity = WALContinuity(
      before: before, after: header, sequenceBefore: base!.sequence, sequenceAfter: sequence,
      commits: commits, hasPadding: hasPadding)
    base!.sequence = sequence
    return parts.doubt(continuity)
  }
}
