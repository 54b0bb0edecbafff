import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// Files with random bytes flipped: no crash, no hang, whatever the answer is.
@Suite(.fewAtOnce)
struct FlippedBytesTests {
  /// Where bytes are flipped.
  enum Place: CaseIterable, Sendable {
    case header, schema, interior, leaf, pointerMap
    /// The log, before it is opened and while it is used.
    case log, openLog
    /// The log's index, while it is used; it is made anew for whoever opens it first.
    case index
  }

  /// 64 files: 8 for each place.
  @Test(arguments: Place.allCases)
  func `a file with flipped bytes is refused, or told about`(_ place: Place) async throws {
    let first = Soak.seed &* 1000
    print("flipped bytes of \(place): seeds from \(first) to \(first &+ 7)")
    for number in 0..<8 as Range<UInt64> {
      try await Self.check(place, seed: first &+ number)
    }
  }

  private static func check(_ place: Place, seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    var database = try BrokenDatabase(
      autoVacuum: place == .pointerMap ? 1 : Int.random(in: 0...2, using: &random))
    let log = try makeLog(beside: database)
    try flip(place, in: &database, using: &random)
    try database.write()
    if place == .log || place == .openLog {
      var log = log
      if place == .log { flip(&log, 0..<log.count, using: &random) }
      try database.folder.write(log, to: "broken.db-wal")
    }
    let (sound, start) = (database, random)
    let path = database.path
    let complaint = await onOwnThread { () -> String? in
      var random = start
      return follow(sound, place, using: &random)
    }
    #expect(complaint == nil, "\(place), seed \(seed)")
    await query(path)
  }

  /// The log that some commits leave, taken while it is open.
  private static func makeLog(beside database: BrokenDatabase) throws -> [UInt8] {
    let plain = try PlainConnection(database.path)
    defer { plain.close() }
    try plain.run(
      """
      PRAGMA wal_autocheckpoint = 0;
      UPDATE deep SET body = 'y' || id WHERE id % 90 = 1;
      INSERT INTO long VALUES (7, zeroblob(7000));
      DELETE FROM long WHERE id = 1;
      """)
    return try database.folder.bytes("broken.db-wal")
  }

  private static func flip(
    _ place: Place, in database: inout BrokenDatabase, using random: inout SeededRandom
  ) throws {
    let size = BrokenDatabase.pageSize
    let range: Range<Int>
    switch place {
    case .header: range = 16..<100
    case .schema: range = 100..<size
    case .interior:
      let page = try database.pages("internal", of: "deep").randomElement(using: &random) ?? 1
      range = database.offset(page)..<database.offset(page) + size
    case .leaf:
      let name = ["deep", "deep_body", "long", "fine"].randomElement(using: &random) ?? "deep"
      let page = try database.pages("leaf", of: name).randomElement(using: &random) ?? 1
      range = database.offset(page)..<database.offset(page) + size
    case .pointerMap: range = size..<2 * size
    case .log, .openLog, .index: return
    }
    flip(&database.bytes, range, using: &random)
  }

  private static func flip(
    _ bytes: inout [UInt8], _ range: Range<Int>, using random: inout SeededRandom
  ) {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      bytes[Int.random(in: range, using: &random)] = UInt8.random(in: 0...255, using: &random)
    }
  }

  // MARK: - What must end

  /// - Returns: What did not end; errors are none.
  private static func follow(
    _ database: BrokenDatabase, _ place: Place, using random: inout SeededRandom
  ) -> String? {
    // What cannot be opened, or be read, is refused: that is all right.
    guard let connection = try? database.reader() else { return nil }
    defer { connection.close() }
    let tracker = TableTracker(connection: connection)
    try? tracker.build(within: 1_000_000_000)
    guard let plain = try? PlainConnection(database.path) else { return nil }
    defer { plain.close() }
    for step in 0..<12 {
      try? plain.run("UPDATE deep SET body = 'z' || id WHERE id % 50 = \(step)")
      try? plain.run("INSERT INTO fine (name) VALUES ('\(step)'); DELETE FROM long WHERE id = 2")
      if step % 4 == 3 { try? plain.run("PRAGMA wal_checkpoint(RESTART)") }
      if place == .openLog { flipLog(database, using: &random) }
      if place == .index, let memory = plain.walIndex {
        // Not the locks, which are no content: bytes 120 to 127.
        for _ in 0..<4 {
          let offset =
            random.onceIn(2)
            ? Int.random(in: 0..<120, using: &random) : Int.random(in: 136..<32_768, using: &random)
          memory.storeBytes(
            of: UInt8.random(in: 0...255, using: &random), toByteOffset: offset, as: UInt8.self)
        }
      }
      if case .header(let header) = connection.wal.indexState() {
        _ = tracker.advance(to: header, rows: { _ in .all(wantsRows: true) })
      }
      var slices = 0
      while tracker.scanSlice() {
        slices += 1
        if slices > 5_000 { return "the search has no end" }
      }
      if !tracker.isReady { try? tracker.build(within: 1_000_000_000) }
    }
    return nil
  }

  /// Flips bytes in the log. A descriptor on it may be closed: SQLite has no locks there.
  private static func flipLog(_ database: BrokenDatabase, using random: inout SeededRandom) {
    let file = open(database.path + "-wal", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    guard size > 0 else { return }
    for _ in 0..<4 {
      var byte = UInt8.random(in: 0...255, using: &random)
      pwrite(file, &byte, 1, Int.random(in: 0..<size, using: &random))
    }
  }

  /// Opens the file as people do, watches it, and asks some questions: each has an answer or an
  /// error.
  private static func query(_ path: String) async {
    guard let database = try? Database(path: path, configuration: TemporaryDatabase.alwaysOpen)
    else { return }
    let recorder = database.record(.rows("SELECT count(*), max(body) FROM deep"))
    _ = try? await recorder.next()
    for sql: SQL in [
      "SELECT sum(length(body)) FROM long", "SELECT * FROM fine", "PRAGMA quick_check",
    ] {
      _ = try? await database.read { try $0.fetchAll(sql) }
    }
    await recorder.stop()
    await database.close()
  }
}
