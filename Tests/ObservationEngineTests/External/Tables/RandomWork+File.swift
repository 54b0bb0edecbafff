import TestSupport

/// What is done to the file as a whole, and to its log.
extension RandomWork {
  func checkpoint(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    let modes = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]
    let mode = modes[Int.random(in: 0..<modes.count, using: &random)]
    note("checkpoint", mode)
    try writer.run("PRAGMA wal_checkpoint(\(mode))")
  }

  func vacuum(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    // Both come into force with the VACUUM, if at all.
    if random.onceIn(3) { writer.reserve(Int.random(in: 0...32, using: &random)) }
    if random.onceIn(3) {
      try writer.run("PRAGMA auto_vacuum = \(Int.random(in: 0...2, using: &random))")
    }
    note("vacuum")
    try writer.run("VACUUM")
  }

  /// A transaction of many frames, so that the log's index takes more than its first block.
  func writeLong(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    guard traits.pageSize <= 1024, let table = try tables(writer).first(where: { $0 == "row_1" })
    else { return }
    note("write long")
    let pages = random.onceIn(4) ? 1500 : 120
    try writer.run(
      """
      BEGIN;
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(pages))
      INSERT INTO \(table) (a, b, c) SELECT i, 'long', zeroblob(\(traits.pageSize * 3)) FROM n;
      DELETE FROM \(table) WHERE b = 'long' AND a > 5;
      COMMIT;
      """)
  }

  /// Leaves hundreds of free pages behind, unless the database gives them back.
  func fillFreelist(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    guard traits.pageSize <= 4096 else { return }
    note("fill freelist")
    try writer.run(
      """
      CREATE TABLE passing (b);
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
      INSERT INTO passing SELECT zeroblob(\(traits.pageSize)) FROM n;
      DROP TABLE passing;
      """)
  }

  /// Commits as a writer does that dies between the two copies of the wal-index's header: whoever
  /// reads next finds them different and makes the index anew from the log.
  func tearHeader(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    guard let header = writer.walIndex else { return }
    let half = 48
    let before = Array(UnsafeRawBufferPointer(start: header, count: half))
    try operation(writer)
    // Or SQLite would lose commits, and be as confused by it as anybody.
    guard writer.logIsWhole else { return note("leave header") }
    note("tear header")
    header.copyMemory(from: before, byteCount: half)
  }
}
