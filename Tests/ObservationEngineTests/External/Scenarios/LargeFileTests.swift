import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// Sizes at which the formats change.
@Suite(.fewAtOnce)
struct LargeFileTests {
  @Test(arguments: [4096, 65_536], ["wal", "delete"])
  func `a file of more than a gigabyte grows around the lock page, and is watched`(
    _ pageSize: Int, journal: String
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("test.db")
    try await Self.make(path, pageSize: pageSize)
    let database = try Database(path: path, configuration: TemporaryDatabase.alwaysOpen)
    defer { database.close() }
    let other = try await ExternalProcess.serve(path, "--sync", "OFF", "--journal", journal)
    let recorder = database.record(
      Query.scalar(
        "SELECT count(*) || ',' || ifnull(sum(length(name)), 0) FROM player", as: String?.self))
    let log = CommitLog(database)
    try await recorder.settle(on: "1,3")
    if journal == "wal" { try await log.expectNamed(["map"]) { try await other.send(Self.map) } }
    // Overflow pages before the lock page and beyond it: the file ends a page before it.
    try await other.send(
      "INSERT INTO player(name) VALUES (hex(zeroblob(\(pageSize * 4))))")
    try await recorder.settle(on: "2,\(3 + pageSize * 8)")
    try await other.send("UPDATE player SET name = name || 'x' WHERE id = 2")
    try await recorder.settle(on: "2,\(4 + pageSize * 8)")
    if journal == "wal" { try await log.expectNamed(["map"]) { try await other.send(Self.map) } }
    #expect(DatabaseFile.size(of: path)! + (DatabaseFile.size(of: path + "-wal") ?? 0) > 1 << 30)
    var info = stat()
    #expect(stat(path, &info) == 0 && Int(info.st_blocks) * 512 < 64 << 20, "the file is sparse")
  }

  private static let map = "INSERT INTO map(name) VALUES ('tower')"

  /// Makes a database that ends right before the lock page. Nearly all of it is a hole in the file, whose
  /// pages belong to nothing: a leak, which SQLite tolerates.
  private static func make(_ path: String, pageSize: Int) async throws {
    let make = try ExternalProcess([
      "exec", path, "--sync", "OFF", "PRAGMA page_size = \(pageSize)", "PRAGMA auto_vacuum = 0",
      TemporaryDatabase.players, TemporaryDatabase.maps,
      "INSERT INTO player(name) VALUES ('ada')",
    ])
    guard await make.ended() == 0 else { throw Unexpected("\(path) was not made") }
    let file = open(path, O_RDWR | O_CLOEXEC)
    defer { close(file) }
    // The page that holds byte 0x40000000 is the lock page: the file ends with the page before it.
    let pages = UInt32(0x4000_0000 / pageSize)
    guard ftruncate(file, off_t(Int(pages) * pageSize)) == 0 else { throw Unexpected("ftruncate") }
    var bytes = (0..<4).map { UInt8(truncatingIfNeeded: pages >> (24 - 8 * $0)) }
    guard pwrite(file, &bytes, 4, 28) == 4 else { throw Unexpected("pwrite") }
  }

  @Test
  func `a log of more than 4,062 frames has a second block in its index, and is followed`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    try await other.send("PRAGMA wal_autocheckpoint = 0")
    var rows = 0
    // One commit that crosses the border, and many around the next one.
    for count in [3_000, 2_000, 1, 1, 3_100] + Array(repeating: 20, count: 8) {
      try await other.send(
        """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
        INSERT INTO player(name) SELECT hex(zeroblob(1800)) FROM n
        """)
      rows += count
      try await recorder.settle(on: rows)
    }
    let frames = (DatabaseFile.size(of: db.path + "-wal") ?? 0) / (24 + 4096)
    #expect(frames > 4_062 + 4_096, "the index has three blocks")
    try await log.expectNamed(["map"]) { try await other.send(Self.map) }
    try await log.expectNamed(["player"]) {
      try await other.send("UPDATE player SET score = 1 WHERE id IN (1, 5000)")
    }
    #expect(log.count(.external) == 15)
  }
}
