import TestSupport
import Testing

@testable import ObservationEngine

/// Where the log and its index keep frames.
@Suite
struct WALLayoutTests {
  @Test
  func `frames are counted on in the next block of the index where the hash table begins`() {
    // Computed by hand from the format: 4062 frames after a header of 136 bytes, then 4096 a block.
    let places: [(UInt32, Int, Int)] = [
      (1, 0, 136), (2, 0, 140), (4062, 0, 16_380), (4063, 1, 0), (4064, 1, 4), (8158, 1, 16_380),
      (8159, 2, 0), (4062 + 4096 * 10 + 1, 11, 0),
    ]
    for (frame, block, offset) in places {
      let place = WALLayout.place(ofFrame: frame)
      #expect(place == (block, offset), "frame \(frame)")
    }
  }

  @Test
  func `a frame stands after the header and all frames before it`() {
    #expect(WALLayout.offset(ofFrame: 1, pageSize: 4096) == 32)
    #expect(WALLayout.offset(ofFrame: 3, pageSize: 4096) == 32 + 2 * (24 + 4096))
    #expect(WALLayout.offset(ofFrame: 60_000, pageSize: 65_536) == 32 + 59_999 * 65_560)
  }

  @Test
  func `the index names the page that each frame of a long log has`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("long.db")
    let plain = try PlainConnection(path)
    try plain.run(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      PRAGMA synchronous = OFF; CREATE TABLE a (body BLOB);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO a SELECT zeroblob(400) FROM n;
      """)
    var options = Connection.Options()
    options.isReader = true
    let connection = try Connection(path: path, options: options)
    defer { connection.close() }
    connection.wal.isOn = try connection.journalMode == "wal"
    guard case .header(let header) = connection.wal.indexState() else {
      Issue.record("there is no log")
      return
    }
    #expect(header.lastFrame > 8158, "more than two blocks")
    let log = try folder.bytes("long.db-wal")
    let pages = (0..<Int(header.lastFrame)).map { frame in
      log[(32 + frame * 536)..<(36 + frame * 536)].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    for range in [1...header.lastFrame, 4060...4070, 4063...8159, 8150...8170] {
      let expected = Array(pages[Int(range.lowerBound) - 1...Int(range.upperBound) - 1])
      #expect(connection.wal.pages(inFrames: range) == expected, "frames \(range)")
    }
    #expect(connection.wal.pages(inFrames: 1...60_000) == nil, "there are not so many blocks")
  }
}
