import TestSupport
import Testing

@testable import ObservationEngine

/// What a commit is published as, with and without a map of the tables' pages.
struct TableTrackingTests {
  private let db: TemporaryDatabase
  private let connection: Connection
  private let tracker: TableTracker

  init() async throws {
    db = try await TemporaryDatabase(.wal)
    try await db.write(script: "CREATE TABLE prize(name TEXT)")
    var options = Connection.Options()
    options.isReader = true
    connection = try Connection(path: db.path, options: options)
    connection.wal.isOn = true
    tracker = TableTracker(connection: connection)
  }

  private func header() throws -> WALIndexHeader {
    guard case .header(let header) = connection.wal.indexState() else {
      throw Unexpected("there is no position")
    }
    return header
  }

  private func commit() async throws -> WALIndexHeader {
    try await db.write(script: "INSERT INTO prize VALUES ('cup')")
    return try header()
  }

  private func change(to header: WALIndexHeader) -> TableTracking.Change {
    TableTracking.Change.changes(tracker.advance(to: header))[0]
  }

  @Test func `a map tells the tables of the next commit`() async throws {
    #expect(tracker.state == .missing)
    try tracker.build()
    #expect(tracker.state == .complete)
    let change = change(to: try await commit())
    #expect(change.changeset.changedTables == .named(["prize"]))
    #expect(change.evidence == nil)
    #expect(change.kind == .data)
  }

  @Test func `without a map a commit may be anything`() async throws {
    let change = change(to: try await commit())
    #expect(change.changeset.everythingReason != nil)
    #expect(change.evidence == nil)
  }

  @Test func `a change of the schema gives up the map`() async throws {
    try tracker.build()
    try await db.write(script: "CREATE TABLE more(name TEXT)")
    let change = change(to: try header())
    #expect(change.kind == .schema)
    #expect(change.evidence == .pages)
    #expect(tracker.state == .missing)
    try tracker.build()
    let next = self.change(to: try await commit())
    #expect(next.changeset.changedTables == .named(["prize"]))
  }

  // MARK: - Written past the WAL

  /// Where page 1 has a number whose last byte is 0 in a small file.
  private enum Field: Int {
    case version = 63
    /// The second byte: how often page 1 was written.
    case counter = 25
  }

  /// Empties the log, and sets the file's version past SQLite, as a program does that puts another content into it.
  /// The empty log, without a commit, is seen before or after that.
  private func rewrite(_ field: Field = .version, isSeenBefore: Bool = true) async throws {
    try await db.database.withoutTransaction { _ = try $0.checkpoint(.truncate) }
    if isSeenBefore { _ = tracker.advance(to: try header()) }
    // In another process: closing the file in this one would let go of its locks.
    let script = #"printf '\007' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none"#
    let words = ["sh", "-c", script, "sh", db.path, "\(field.rawValue)"]
    #expect(try await RunningProgram.run(words).status == 0)
    if !isSeenBefore { _ = tracker.advance(to: try header()) }
  }

  private func insert(rows: Int, then script: String...) async throws {
    let insertion = """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
      INSERT INTO prize SELECT hex(randomblob(40)) FROM n
      """
    #expect(try await db.other([insertion] + script) == 0)
  }

  /// What the tracker finds of the rows that another process inserts.
  private func answer(rows: Int) async throws -> TableTracker.Answer {
    try await insert(rows: rows)
    return tracker.advance(to: try header()) { _ in .all(wantsRows: true) }
  }

  @Test(arguments: [1, 1_000])
  func `what is committed after it may be anything, also when it takes pages`(
    rows: Int
  ) async throws {
    try tracker.build()
    guard case .commits(let found) = try await answer(rows: rows) else {
      throw Unexpected("its rows are not known")
    }
    #expect(found.map(\.rowCounts) == [Commit.RowCounts(inserted: rows)])
    try await rewrite()
    #expect(try await answer(rows: rows) == .overwritten)
    #expect(tracker.state == .missing)
    // Reported now, and so known.
    try tracker.build()
    #expect(tracker.isAsReported)
  }

  @Test func `it is noticed without an interest in rows`() async throws {
    try tracker.build()
    try await rewrite()
    try await insert(rows: 1)
    #expect(tracker.advance(to: try header()) == .overwritten)
  }

  @Test func `the count in page 1 shows it when a checkpoint has written over the rest`()
    async throws
  {
    try tracker.build()
    try await rewrite(.counter)
    try await insert(rows: 1_000, then: "PRAGMA wal_checkpoint(PASSIVE)")
    #expect(tracker.advance(to: try header()) == .overwritten)
  }

  @Test func `it is noticed when the map was given up before`() async throws {
    try tracker.build()
    _ = try await answer(rows: 1)
    tracker.forget("a test wants it")
    try await rewrite(isSeenBefore: false)
    try tracker.build()
    #expect(!tracker.isAsReported)
  }

  @Test(arguments: [true, false])
  func `a map that is built after it isn't that of what was reported`(
    isSeenBefore: Bool
  ) async throws {
    try tracker.build()
    #expect(tracker.isAsReported)
    tracker.forget("a test wants it")
    _ = try await answer(rows: 1)
    try await rewrite(isSeenBefore: isSeenBefore)
    try tracker.build()
    #expect(!tracker.isAsReported)
    tracker.forget("a test wants it")
    _ = try await answer(rows: 1)
    try tracker.build()
    #expect(tracker.isAsReported)
  }

  @Test func `a checkpoint of the commit that is found is none`() async throws {
    try tracker.build()
    for _ in 1...3 {
      let insertion = "INSERT INTO prize SELECT hex(randomblob(3000))"
      #expect(try await db.other(insertion, "PRAGMA wal_checkpoint(PASSIVE)") == 0)
      let answer = tracker.advance(to: try header()) { _ in .all(wantsRows: true) }
      guard case .commits = answer else { throw Unexpected("\(answer)") }
    }
  }

  /// The index after commits that write into the file alone, as a replica of LiteFS makes them: they
  /// count, and leave no frame.
  private func header(afterHidden commits: UInt32) throws -> WALIndexHeader {
    var header = Array(try #require(connection.wal.indexHeader())[..<48])
    let change = header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
    withUnsafeBytes(of: change &+ commits) { header.replaceSubrange(8..<12, with: $0) }
    header = header.withWALIndexChecksum
    return try #require(WALIndexHeader(copies: header + header))
  }

  @Test(arguments: [true, false], [UInt32(1), 3])
  func `a commit that left no page in the log may be anything`(
    isEmpty: Bool, count: UInt32
  ) async throws {
    if isEmpty {
      try await db.database.withoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    try tracker.build()
    let change = change(to: try header(afterHidden: count))
    #expect(change.changeset.everythingReason?.contains("no page") == true)
    #expect(change.evidence == nil)
    // Its pages are not known: the map is made again.
    #expect(tracker.state == .missing)
  }

  /// SQLite rebuilds the index of a WAL after a program has died, and counts from 0 then.
  @Test func `a rebuilt index is no sign that the file was overwritten`() async throws {
    try tracker.build()
    // One that takes pages, counted as if it were the last one before.
    try await insert(rows: 1_000)
    let answer = tracker.advance(to: try header(afterHidden: .max))
    #expect(answer == .tables([TableID(name: "prize")]))
    tracker.forget("a test wants it")
    _ = tracker.advance(to: try header(afterHidden: 1))
    try await insert(rows: 1_000)
    _ = tracker.advance(to: try header())
    try tracker.build()
    #expect(tracker.isAsReported)
  }

  @Test func `it may be anything between commits that left pages, too`() async throws {
    try tracker.build()
    _ = try await commit()
    _ = try await commit()
    let change = change(to: try header(afterHidden: 1))
    #expect(change.changeset.everythingReason?.contains("no page") == true)
  }

  @Test func `commits that all left pages are told by their tables`() async throws {
    try tracker.build()
    for _ in 1...5 { _ = try await commit() }
    #expect(change(to: try header()).changeset.changedTables == .named(["prize"]))
  }
}
