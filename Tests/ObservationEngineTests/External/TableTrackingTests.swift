import TestSupport
import Testing

@testable import ObservationEngine

/// What is told of commits around the making of the map.
struct TableTrackingTests {
  private let db: TemporaryDatabase
  private let connection: Connection
  private var tracking: TableTracking

  init() async throws {
    db = try await TemporaryDatabase(.wal)
    try await db.write(script: "CREATE TABLE prize(name TEXT)")
    var options = Connection.Options()
    options.isReader = true
    connection = try Connection(path: db.path, options: options)
    connection.wal.isOn = true
    tracking = TableTracking(TableTracker(connection: connection))
  }

  private func position() throws -> CommitWatch.Position {
    guard case .header(let header) = connection.wal.indexState() else {
      throw Unexpected("there is no position")
    }
    return .wal(header)
  }

  private func commit() async throws -> CommitWatch.Position {
    try await db.write(script: "INSERT INTO prize VALUES ('cup')")
    return try position()
  }

  private mutating func told(
    to position: CommitWatch.Position
  ) throws -> TableTracking.Change {
    guard let change = tracking.changed(to: position) else { throw Unexpected("nothing is told") }
    return change
  }

  @Test mutating func `what was committed after the last look, before the map, may be anything`()
    async throws
  {
    let last = try position()
    let next = try await commit()
    let notice = tracking.work(SystemClock.monotonic(), position: last)
    #expect(notice == nil)
    let change = try told(to: next)
    #expect(
      change.changeset.allReason == "it was committed while the tables' pages were looked for")
    let later = try told(to: try await commit())
    #expect(later.changeset.changedTables == .named(["prize"]))
    #expect(later.changeset.allReason == nil)
  }

  @Test mutating func `a map as of the last look tells the next commit`() async throws {
    #expect(tracking.timeToWork(SystemClock.monotonic()) == 0)
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    #expect(tracking.timeToWork(SystemClock.monotonic()) == .max)
    let change = try told(to: try await commit())
    #expect(change.changeset.changedTables == .named(["prize"]))
  }

  @Test mutating func `without a map a commit may be anything`() async throws {
    let change = try told(to: try await commit())
    #expect(change.changeset.allReason != nil)
    #expect(change.evidence == nil)
  }

  @Test mutating func `after a change of the schema the map is made again`() async throws {
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    try await db.write(script: "CREATE TABLE more(name TEXT)")
    let change = try told(to: try position())
    #expect(change.kind == .schema)
    #expect(change.evidence == .pages)
    let now = SystemClock.monotonic()
    #expect(tracking.timeToWork(now) < .max)
    // At most a twentieth of the time is spent on it; by then it is due.
    _ = tracking.work(now + 600_000_000_000, position: try position())
    let next = try told(to: try await commit())
    #expect(next.changeset.changedTables == .named(["prize"]))
  }

  /// The position of the index after commits that write into the file alone, as a replica of LiteFS makes
  /// them: they count, and leave no frame.
  private func position(afterHidden commits: UInt32) throws -> CommitWatch.Position {
    var header = Array(try #require(connection.wal.indexHeader())[..<48])
    let change = header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt32.self) }
    withUnsafeBytes(of: change &+ commits) { header.replaceSubrange(8..<12, with: $0) }
    header = header.withWALIndexChecksum
    return .wal(try #require(WALIndexHeader(copies: header + header)))
  }

  @Test(arguments: [true, false], [UInt32(1), 3])
  mutating func `a commit that left no page in the log may be anything`(
    isEmpty: Bool, count: UInt32
  ) async throws {
    if isEmpty {
      try await db.database.withoutTransaction { _ = try $0.checkpoint(.truncate) }
    }
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    let change = try told(to: try position(afterHidden: count))
    #expect(change.changeset.allReason?.contains("no page") == true)
    #expect(change.evidence == nil)
    // Its pages are not known: the map is made again.
    #expect(tracking.timeToWork(SystemClock.monotonic()) < .max)
  }

  @Test mutating func `it may be anything between commits that left pages, too`() async throws {
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    _ = try await commit()
    _ = try await commit()
    let change = try told(to: try position(afterHidden: 1))
    #expect(change.changeset.allReason?.contains("no page") == true)
  }

  @Test mutating func `commits that all left pages are told by their tables`() async throws {
    _ = tracking.work(SystemClock.monotonic(), position: try position())
    for _ in 1...5 { _ = try await commit() }
    #expect(try told(to: try position()).changeset.changedTables == .named(["prize"]))
  }
}
