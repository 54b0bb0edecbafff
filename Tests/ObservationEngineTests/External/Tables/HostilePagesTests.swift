import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// Counts and links that somebody wrote on purpose: no map follows them beyond the files.
@Suite(.fewAtOnce)
struct HostilePagesTests {
  /// A tracker at work on a sound database, and the connection that writes to it.
  private static func withTracker(
    autoVacuum: Int = 0, parts: TableTracker.Parts = TableTracker.Parts(),
    _ body: (TableTracker, Connection, PlainConnection) throws -> Void
  ) throws {
    try withTracker(of: BrokenDatabase(autoVacuum: autoVacuum), parts: parts, body)
  }

  private static func withTracker(
    of database: BrokenDatabase, parts: TableTracker.Parts = TableTracker.Parts(),
    _ body: (TableTracker, Connection, PlainConnection) throws -> Void
  ) throws {
    let connection = try database.reader()
    defer { connection.close() }
    let plain = try PlainConnection(database.path)
    defer { plain.close() }
    try plain.run("INSERT INTO fine (name) VALUES ('bob')")
    _ = try connection.fetch(engine: "SELECT count(*) FROM fine")
    let tracker = TableTracker(connection: connection, parts: parts)
    try tracker.build()
    try body(tracker, connection, plain)
  }

  /// How often this process has a part of a file in its memory.
  private static func mappings(of path: String) throws -> Int {
    let file = try #require(fopen("/proc/self/maps", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 8_192)
    var count = 0
    while fgets(&line, Int32(line.count), file) != nil {
      if strstr(line, path) != nil { count += 1 }
    }
    return count
  }

  /// A count in the header of a wal-index.
  enum Count: Int, CaseIterable, Sendable {
    case frames = 16
    case pages = 20
  }

  @Test(arguments: Count.allCases, 0...2)
  func `a count beyond the files is refused before memory is reserved for it`(
    _ count: Count, autoVacuum: Int
  ) async throws {
    try await onOwnThread {
      let database = try BrokenDatabase(autoVacuum: autoVacuum)
      try Self.withTracker(of: database) { tracker, connection, plain in
        try plain.run("INSERT INTO fine (name) VALUES ('eve')")
        let memory = try #require(plain.walIndex)
        Self.claim(0xffff_fff0, at: count.rawValue, in: memory)
        guard case .header(let header) = connection.wal.indexState() else {
          throw Unexpected("the header is not taken")
        }
        guard case .all = tracker.advance(to: header) else { throw Unexpected("tables are told") }
        #expect(!tracker.isReady)
        #expect(try Self.mappings(of: database.path + "-shm") < 10)
        // SQLite may go by the count in page 1, or make the index anew.
        try? tracker.build()
      }
    }
  }

  @Test func `a file that was written to past its log has no rows told`() async throws {
    try await onOwnThread {
      let database = try BrokenDatabase(autoVacuum: 0)
      try Self.withTracker(of: database) { tracker, connection, plain in
        func answer(_ sql: String) throws -> TableTracker.Answer {
          try plain.run(sql)
          guard case .header(let header) = connection.wal.indexState() else {
            throw Unexpected("the header is not taken")
          }
          return tracker.advance(to: header) { _ in TableInterest() }
        }
        let insertion = "INSERT INTO fine (name) VALUES ('eve')"
        // Before a checkpoint, and behind one.
        for _ in 1...2 {
          guard case .commits = try answer(insertion) else { throw Unexpected("no rows are told") }
          #expect(try answer("PRAGMA wal_checkpoint(TRUNCATE)") == .tables([]))
        }
        // The count of changes in page 1 is another one.
        let file = open(database.path, O_WRONLY)
        #expect(pwrite(file, "x", 1, 27) == 1)
        close(file)
        #expect(try answer(insertion) == .overwritten)
        #expect(!tracker.isReady)
      }
    }
  }

  @Test func `a tree that loses the pages below it has no map`() async throws {
    try await onOwnThread {
      try Self.withTracker { tracker, connection, plain in
        try plain.run("INSERT INTO deep (body) SELECT body || 'y' FROM deep")
        let memory = try #require(plain.walIndex)
        for pages in (1...20 as ClosedRange<UInt32>).reversed() {
          try? tracker.build()
          Self.claim(pages, at: Count.pages.rawValue, in: memory)
          guard case .header(let header) = connection.wal.indexState() else { continue }
          _ = tracker.advance(to: header)
        }
      }
    }
  }

  /// Writes a number into both copies of the header, with the checksum that belongs to it.
  private static func claim(_ number: UInt32, at offset: Int, in memory: UnsafeMutableRawPointer) {
    memory.storeBytes(of: number, toByteOffset: offset, as: UInt32.self)
    var sums: (UInt32, UInt32) = (0, 0)
    for offset in stride(from: 0, to: 40, by: 8) {
      sums.0 &+= memory.load(fromByteOffset: offset, as: UInt32.self) &+ sums.1
      sums.1 &+= memory.load(fromByteOffset: offset + 4, as: UInt32.self) &+ sums.0
    }
    memory.storeBytes(of: sums.0, toByteOffset: 40, as: UInt32.self)
    memory.storeBytes(of: sums.1, toByteOffset: 44, as: UInt32.self)
    (memory + 48).copyMemory(from: memory, byteCount: 48)
  }

  @Test func `a page of a table that is listed as free makes no map`() async throws {
    try await onOwnThread {
      var database = try BrokenDatabase()
      let root = try database.root(of: "fine")
      let trunk = database.integer(at: 32)
      database.put(root, at: database.offset(trunk) + 8)
      try database.write()
      let connection = try database.reader()
      defer { connection.close() }
      let error = #expect(throws: DatabaseError.self) {
        try TableTracker(connection: connection).build()
      }
      #expect(error?.message == "page \(root) is used twice")
    }
  }

  @Test func `a pointer map that makes a tree too deep is not climbed`() async throws {
    try await onOwnThread {
      var database = try BrokenDatabase(autoVacuum: 1)
      // Each of these pages is below the one before it.
      for page in 10..<100 as Range<UInt32> {
        let place = database.offset(2) + 5 * Int(page - 3)
        database.bytes[place] = 5
        database.put(page - 1, at: place + 1)
      }
      try database.write()
      let connection = try database.reader()
      defer { connection.close() }
      let tracker = TableTracker(connection: connection)
      try tracker.build()
      #expect(throws: PageMapFailure.self) { try tracker.map?.owner(of: 99) }
    }
  }

  @Test func `commits are not counted in a log that is too long for it`() async throws {
    var parts = TableTracker.Parts()
    parts.countedFrames = 20
    try await onOwnThread { [parts] in
      try Self.withTracker(parts: parts) { tracker, connection, plain in
        try plain.run("PRAGMA wal_checkpoint(RESTART)")
        try plain.run("UPDATE deep SET body = 'x' || id")
        guard case .header(let header) = connection.wal.indexState() else {
          throw Unexpected("there is no log")
        }
        guard case .all(let reason) = tracker.advance(to: header) else {
          throw Unexpected("tables are told")
        }
        #expect(reason.contains("more commits by now than are counted"))
      }
    }
  }

  @Test func `reading of pages ends with its time`() async throws {
    try await onOwnThread {
      try Self.withTracker { tracker, _, _ in
        let error = #expect(throws: DatabaseError.self) { try tracker.build(within: 0) }
        #expect(error?.code == .busy)
      }
    }
  }
}
