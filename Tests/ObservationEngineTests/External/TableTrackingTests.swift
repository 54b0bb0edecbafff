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
