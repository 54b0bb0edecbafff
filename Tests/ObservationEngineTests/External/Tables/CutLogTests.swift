import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// A log of which the end is not valid: whoever makes its index anew drops that end, and goes on
/// from there.
@Suite
struct CutLogTests {
  @Test
  func `commits in the place of those that were cut off are not missed`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("cut.db")
    let plain = try PlainConnection(path)
    try plain.run(
      """
      PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id INTEGER PRIMARY KEY);
      """)
    var options = Connection.Options()
    options.isReader = true
    let connection = try Connection(path: path, options: options)
    connection.wal.isOn = true
    try plain.run("INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)")
    let tracker = TableTracker(connection: connection)
    try tracker.build()
    let before = try #require(header(connection))

    // A frame within the last two commits loses its checksum, and the index of the log its header.
    let memory = try #require(plain.walIndex)
    let log = open(path + "-wal", O_RDWR | O_CLOEXEC)
    defer { close(log) }
    var zero: UInt64 = 0
    #expect(pwrite(log, &zero, 8, 32 + Int(before.lastFrame - 2) * (24 + 4096) + 16) == 8)
    memory.storeBytes(of: 0, toByteOffset: 8, as: UInt32.self)

    // The same number of commits, to another table first.
    let heir = try PlainConnection(path)
    try heir.run("INSERT INTO b VALUES (1); INSERT INTO a VALUES (7); INSERT INTO a VALUES (8)")
    let after = try #require(header(connection))
    #expect(after.salts == before.salts)
    #expect(after.lastFrame >= before.lastFrame)
    let answer = tracker.advance(to: after)
    #expect(answer == .all(reason: "a part of the WAL was cut off after a crash"))
    connection.close()
    heir.close()
    plain.close()
  }

  private func header(_ connection: Connection) -> WALIndexHeader? {
    if case .header(let header) = connection.wal.indexState() { header } else { nil }
  }
}
