internal import Glibc

/// Finds which tables, and which of their rows, the commits between two checks of the wal-index changed.
///
///     frames since the last check ─▶ pages ─▶ whose they were (PageOwnerMap) ─▶ tables (SchemaRoots)
///                                      └────▶ as they were, and as they are (RowTracker) ─▶ rows
///
/// If a table differs between two states, some page that belonged to it in the *old* one was written in
/// between. So the map of the old state is asked, and then brought up to date.
///
/// ## Guarantees
/// - A table that differs is in the answer, or the answer is one of those that stand for all.
/// - Where rows are known, they are exactly those that differ between the state before a commit and the state
///   after it.
///
/// ## Limits
/// - A table of which no rows are known need not differ: a page of it may have been written as it was, or
///   moved.
/// - A program that writes to the file itself is noticed here only if it leaves another beginning of page 1 (see
///   ``CheckpointNotes``).
///
/// Confined to one thread, that of its connection.
final class TableTracker {
  /// What changed.
  enum Answer: Equatable {
    /// These tables, in one commit or several.
    case tables(Set<TableID>)
    /// What each commit changed, in order.
    case commits([Changeset])
    /// The schema, and so possibly everything.
    case schema(reason: String)
    /// The schema says what it said before, but was written: VACUUM does that.
    case rewritten(reason: String)
    /// It is not known.
    case all(reason: String)
    /// A program wrote to the file past its WAL, so everything.
    case overwritten
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
    let rows: RowTracker
    /// Page 1: what its header says, and the root of the schema.
    var firstPage: [UInt8]
  }

  /// How page 1 began at a position.
  struct Head {
    let header: WALIndexHeader
    let bytes: [UInt8]

    /// Whether nothing was committed between the two positions.
    ///
    /// The count alone doesn't show that: SQLite rebuilds the index of a WAL after a program has died, and counts from
    /// 0 then.
    func isAsOf(_ later: WALIndexHeader) -> Bool {
      header.change == later.change
        && (later.lastFrame == 0
          || later.lastFrame == header.lastFrame && later.salts == header.salts)
    }
  }

  /// How much of a table's rows must be known; `nil` when that it changed is enough.
  typealias Interest = (TableID) -> TableInterest?

  private(set) var connection: Connection
  let parts: Parts
  var map: (any PageOwnerMap)?
  var base: Base?
  /// Why there is no map.
  var reason = "the tables' pages are not known yet"
  /// A commit wrote pages whose owner is unknown: they must be searched for.
  var isSearchWanted = false
  /// How page 1 began after the last commit that was reported while there was no map; `nil` when it wasn't read.
  var headWithoutMap: Head?

  /// - Parameter connection: One that reads, on a database in WAL mode, and knows it
  ///   (``WALView/isOn``).
  init(connection: Connection, parts: Parts = Parts()) {
    self.connection = connection
    self.parts = parts
    if case .header(let header) = connection.wal.indexState() { noteHead(at: header) }
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
  /// - Parameter interest: How much of the rows must be known, if any of them must.
  /// - Complexity: O(pages written), and of trees that grew O(their pages that lead to these); within
  ///   ``MapBounds/time``, or the answer is `all`. Rows of interest: O(bytes of the pages of their tables), within
  ///   ``TreeDelta/Bounds``, or they are unknown.
  func advance(to header: WALIndexHeader, rows interest: Interest? = nil) -> Answer {
    defer { if base == nil { noteHead(at: header) } }
    guard base != nil else { return .all(reason: reason) }
    do {
      return try step(to: header, interest)
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
    if let base {
      headWithoutMap = Head(
        header: base.header, bytes: Array(base.firstPage[..<Self.headSize]))
    }
    map = nil
    base = nil
  }

  private func step(
    to header: WALIndexHeader, _ interest: Interest?
  ) throws(PageMapFailure) -> Answer {
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
    let all = LogSpan(
      frames: first...header.lastFrame, pageCount: header.pageCount,
      commits: header.change &- before.change)
    let spans: [LogSpan]? =
      interest == nil
      ? nil : try commits(in: all, header, count: header.change &- before.change)
    var tables: Set<TableID> = []
    var changesets: [Changeset] = []
    var exception: Answer?
    for span in spans ?? [all] where base != nil {
      let start = Int(span.frames.lowerBound - first)
      let part = pages[start..<start + span.frames.count]
      switch try answer(span, part, header, spans == nil ? nil : interest) {
      case .tables(let found): tables = found
      case .commits(var found):
        // Each span is one commit.
        let from = before.change &+ UInt32(changesets.count)
        for index in found.indices { found[index].span = CommitSpan(from: from, to: from &+ 1) }
        changesets += found
      case let other: exception = exception ?? other
      }
    }
    // If the WAL was reset, the frames that were read may have been written since.
    guard connection.wal.logHas(salts: header.salts) else { throw .outdated }
    base?.header = header
    return exception ?? (spans == nil ? .tables(tables) : .commits(changesets))
  }

  /// Frames of the WAL that one commit wrote, or several.
  private struct LogSpan {
    let frames: ClosedRange<UInt32>
    /// Pages in the database afterwards.
    let pageCount: UInt32
    var commits: UInt32 = 1
  }

  /// More commits than this at a time aren't told apart.
  static let commitLimit = 128

  /// The frames of each commit; `nil` when they can't be told apart, or are too many.
  ///
  /// A query may have read the state between two commits. So rows that the second one changed back
  /// are changes, too.
  ///
  /// - Complexity: O(frames) if there is more than one commit.
  private func commits(
    in all: LogSpan, _ header: WALIndexHeader, count: UInt32
  ) throws(PageMapFailure) -> [LogSpan]? {
    if count == 1 { return [all] }
    guard (2...Self.commitLimit).contains(Int(count)) else { return nil }
    guard
      let ends = connection.wal.commitEnds(
        in: all.frames, salts: header.salts, pageSize: header.pageSize)
    else { throw .outdated }
    // A commit that fills up a sector of the disk has several last frames.
    guard ends.count == Int(count), ends.last?.frame == all.frames.upperBound else { return nil }
    let most = max(map?.pageCount ?? 0, header.pageCount)
    for end in ends where end.pageCount > most {
      try MapBounds.check(
        pages: end.pageCount, frames: header.lastFrame, connection, pageSize: header.pageSize)
    }
    var first = all.frames.lowerBound
    return ends.map { end in
      defer { first = end.frame + 1 }
      return LogSpan(frames: first...end.frame, pageCount: end.pageCount)
    }
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

  /// What the commits in `span` changed, of which `pages` has the page of each frame.
  private func answer(
    _ span: LogSpan, _ pages: ArraySlice<UInt32>, _ header: WALIndexHeader, _ interest: Interest?
  ) throws(PageMapFailure) -> Answer {
    var frames: [UInt32: UInt32] = [:]
    frames.reserveCapacity(min(pages.count, 4_096))
    for (frame, page) in zip(span.frames, pages) { frames[page] = frame }
    let reader = PageReader(
      connection: connection, form: base!.form, pageCount: span.pageCount, frames: frames,
      salts: header.salts, readsFile: false, deadline: SystemClock.monotonic() + MapBounds.time)
    let changed = Array(frames.keys)
    let continues = try continuesFirstPage(span, header)
    if frames[1] != nil, try !takeFirstPage(reader) { return schemaChanged() }
    guard continues else {
      forget(TableTracking.Change.overwritten)
      return .overwritten
    }
    var tables: Set<TableID> = []
    var pagesOfTables = PagesOfTables(interest)
    var last: (root: UInt32, table: TableID?) = (0, nil)
    var unknown: UInt32?
    let oldCount = map!.pageCount
    for page in changed where page <= oldCount && page != 1 {
      switch try map!.owner(of: page) {
      case .free: continue
      case .unknown: unknown = page
      case .tree(let root):
        if root != last.root {
          switch base!.roots.tree(at: root) {
          case .schema: return schemaChanged()
          case .table(let table):
            if tables.insert(table).inserted { pagesOfTables.begin(table) }
            last = (root, table)
          case .index: last = (root, nil)
          case .none: throw .inconsistent("page \(page) belongs to no table of the schema")
          }
        }
        if let table = last.table { pagesOfTables.note(page, of: table, before: map!) }
      }
    }
    let dropped = try map!.update(changed: changed, reader)
    if let unknown {
      isSearchWanted = true
      return .all(reason: "it is not known to which table page \(unknown) belongs")
    }
    guard interest != nil else { return .tables(tables) }
    try pagesOfTables.note(changed, dropped, after: &map!, base!.roots)
    return .commits([changeset(span, tables, pagesOfTables, header, from: oldCount)])
  }

  /// What one commit did to the rows of its tables.
  private func changeset(
    _ span: LogSpan, _ tables: Set<TableID>, _ pages: PagesOfTables, _ header: WALIndexHeader,
    from oldCount: UInt32
  ) -> Changeset {
    var changes: [TableID: TableChange] = [:]
    let history = PageHistory(
      connection: connection, form: base!.form, salts: header.salts,
      deadline: SystemClock.monotonic() + TreeDelta.Bounds.time)
    let old = PageHistory.Position(frame: span.frames.lowerBound - 1, pageCount: oldCount)
    let new = PageHistory.Position(frame: span.frames.upperBound, pageCount: span.pageCount)
    for table in tables where !table.name.hasPrefix("sqlite_") {
      switch pages[table] {
      case nil: changes[table] = .bulk(reason: "another process changed it")
      case .failure(let unknown)?: changes[table] = .bulk(reason: unknown.reason)
      case .success(let (pages, interest))?:
        changes[table] = base!.rows.change(
          of: table, pages, history, from: old, to: new, interest, connection)
      }
    }
    if !history.isIntact(after: header) {
      let reason = "a checkpoint overwrote what the rows were"
      for table in tables where !table.name.hasPrefix("sqlite_") {
        if case .success? = pages[table] { changes[table] = .bulk(reason: reason) }
      }
    }
    var changeset = Changeset(changes)
    // SQLite's own tables, or none at all: user_version, REINDEX, …
    changeset.touchesInternals =
      changes.isEmpty || tables.contains { $0.name.hasPrefix("sqlite_") }
    return changeset
  }

  private func schemaChanged() -> Answer {
    let before = base?.roots.declarations
    let reason = "the schema changed"
    forget(reason)
    // A snapshot that ``OldPages`` keeps has the old schema.
    connection.comeToRest()
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

  /// Whether page 1 begins, just before commits, as it did at the position that was reported last.
  ///
  /// A program that puts another content into the file just after a checkpoint isn't told from the checkpoint:
  /// the pages that the commit leaves would pass for what they were. But most commits that add pages have changed the
  /// beginning of page 1, where SQLite counts them as well.
  private func continuesFirstPage(
    _ span: LogSpan, _ header: WALIndexHeader
  ) throws(PageMapFailure) -> Bool {
    let known = base!.firstPage[..<Self.headSize]
    let first = span.frames.lowerBound
    let after = try head(upTo: span.frames.upperBound, header)
    if after.frame >= first {
      // A connection counts on from the number that it read, and so may write the same one several times.
      let steps = Self.counter(after.bytes) &- Self.counter(known)
      if steps > span.commits {
        let counted = try countedCommits(in: span, header)
        if steps > counted { return false }
      }
    }
    var before = after.frame < first ? after : try head(upTo: first - 1, header)
    for _ in 0..<10 {
      if before.bytes == known { return true }
      if before.frame == 0, try isCopied(before.bytes, header) { return true }
      guard connection.wal.logHas(salts: header.salts) else { throw .outdated }
      // A checkpoint that was writing it leaves parts of two.
      let again = try head(upTo: first - 1, header)
      if again == before { return false }
      before = again
    }
    throw .outdated
  }

  /// How many commits the frames have by themselves: a rebuilt index counts from 0 again.
  private func countedCommits(
    in span: LogSpan, _ header: WALIndexHeader
  ) throws(PageMapFailure) -> Int {
    let found = connection.wal.commitFrames(
      in: span.frames, salts: header.salts, pageSize: header.pageSize)
    guard let found else { throw .outdated }
    return found
  }

  /// Whether a page 1 that begins so can be in the file because a checkpoint has copied it, during or behind the
  /// commits that are reported.
  private func isCopied(
    _ bytes: ArraySlice<UInt8>, _ header: WALIndexHeader
  ) throws(PageMapFailure) -> Bool {
    guard var last = connection.wal.lastCopiedFrame() else { return false }
    for _ in 0..<Self.commitLimit {
      let copied = try head(upTo: last, header)
      if copied.frame == 0 { return false }
      if copied.bytes == bytes { return true }
      last = copied.frame - 1
    }
    // A checkpoint that has just begun goes on from one that ended further back.
    throw .outdated
  }

  /// How often page 1 was written, by its beginning.
  private static func counter(_ head: ArraySlice<UInt8>) -> UInt32 {
    head.withUnsafeBytes { $0.bigEndian32(at: 24) }
  }

  /// Remembers how page 1 begins at a position that is reported without a map; at several without a commit in
  /// between, how it began at the first.
  private func noteHead(at header: WALIndexHeader) {
    if headWithoutMap?.isAsOf(header) == true { return }
    headWithoutMap = nil
    guard let head = try? head(upTo: header.lastFrame, header),
      header.lastFrame == 0 || connection.wal.logHas(salts: header.salts)
    else { return }
    headWithoutMap = Head(header: header, bytes: Array(head.bytes))
  }

  /// What SQLite writes at the beginning of page 1; see "The Database Header" in
  /// https://www.sqlite.org/fileformat2.html.
  static let headSize = 100

  /// How page 1 begins after the frame `last` of the WAL that `header` describes.
  ///
  /// - Returns: With the frame that has it; 0 for the file.
  /// - Complexity: O(frames / 4,096), and one read.
  private func head(
    upTo last: UInt32, _ header: WALIndexHeader
  ) throws(PageMapFailure) -> (frame: UInt32, bytes: ArraySlice<UInt8>) {
    // A damaged index would have it look through as much as it claims.
    try MapBounds.check(frames: last, connection, pageSize: header.pageSize)
    guard let frame = connection.wal.newestFrame(of: 1, upTo: last) else { throw .outdated }
    var bytes = [UInt8](repeating: 0, count: WALLayout.frameHeaderSize + Self.headSize)
    let isRead = bytes.withUnsafeMutableBytes { bytes in
      guard frame > 0 else {
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[WALLayout.frameHeaderSize...])
        return connection.wal.readFile(at: 0, into: part)
      }
      return connection.wal.readLog(
        at: WALLayout.offset(ofFrame: frame, pageSize: header.pageSize), into: bytes)
        && UnsafeRawBufferPointer(bytes).bigEndian32(at: 0) == 1
        && connection.wal.isFrame(UnsafeRawBufferPointer(bytes), of: header.salts)
    }
    guard isRead else { throw .outdated }
    return (frame, bytes[WALLayout.frameHeaderSize...])
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
