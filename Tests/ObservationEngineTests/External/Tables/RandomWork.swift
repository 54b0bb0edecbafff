import CSQLite
import TestSupport

/// What several writers do to a database, at random but the same each time for the same seed.
///
/// Single-threaded: the writers take turns. What can be done is split by what it is done to, see
/// the extensions.
final class RandomWork {
  let path: String
  let traits: DatabaseTraits
  var random: SeededRandom
  private(set) var writers: [PlainConnection] = []
  /// Holds a snapshot, so that no checkpoint can finish and the log does not begin anew.
  private var pinned: PlainConnection?
  /// Has a transaction open, with some of its pages in the log.
  private var suspended: PlainConnection?
  /// Whether the newest transaction rolled back to a savepoint.
  private var hasRolledBackTo = false
  /// What was done last, for the complaint about a miss.
  private(set) var history: [String] = []
  /// How often each thing was done.
  private(set) var counts: [String: Int] = [:]

  /// Makes the database.
  init(path: String, seed: UInt64) throws(PlainConnection.Failure) {
    self.path = path
    random = SeededRandom(seed: seed)
    traits = DatabaseTraits(using: &random)
    try traits.create(at: path)
    try openWriter()
    for table in ["row_0", "row_1", "seq_0", "key_0", "key_1", "key_2", "mix_0"] {
      for _ in 0..<4 { try insert(into: table, writers[0]) }
    }
  }

  /// Notes what is being done.
  func note(_ what: String, _ detail: @autoclosure () -> String = "") {
    counts[what, default: 0] += 1
    history.append("\(what) \(detail())")
    if history.count > 60 { history.removeFirst(20) }
  }

  // MARK: - Steps

  /// Does one thing: mostly a transaction, now and then something to the file or to a connection.
  func step() throws(PlainConnection.Failure) {
    do {
      if suspended != nil {
        try stepBesideSuspended()
      } else {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<78: try transaction(pickWriter())
        case 78..<84: try statement(pickWriter())
        case 84..<88: try checkpoint(pickWriter())
        case 88..<90: try shortLivedWriter()
        case 90..<92: try changeWriters()
        case 92..<94: try pin()
        case 94: try vacuum(pickWriter())
        case 95: try tearHeader(pickWriter())
        case 96: try writeLong(pickWriter())
        case 97: try fillFreelist(pickWriter())
        default: try configure(pickWriter())
        }
      }
    } catch  where error.isExpected || isConfusion(error) {
      note("refused", error.description)
    }
  }

  private func pickWriter() throws(PlainConnection.Failure) -> PlainConnection {
    writers[Int.random(in: 0..<writers.count, using: &random)]
  }

  /// One statement that commits by itself.
  private func statement(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    try operation(writer)
  }

  private func transaction(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    try writer.run(random.onceIn(2) ? "BEGIN" : "BEGIN IMMEDIATE")
    hasRolledBackTo = false
    do {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        if random.onceIn(8) { try savepoint(writer) } else { try attempt(writer) }
        // SQLite rolled the whole transaction back.
        guard writer.isInTransaction else { return }
        if random.onceIn(10) {
          note("spill")
          try writer.spill()
        }
      }
      switch Int.random(in: 0..<16, using: &random) {
      case 0, 1:
        note("rollback")
        try writer.run("ROLLBACK")
      case 2:
        note("suspend")
        try writer.spill()
        suspended = writer
      default:
        try commit(writer)
      }
    } catch {
      if writer.isInTransaction { try writer.run("ROLLBACK") }
      guard isConfusion(error) else { throw error }
      note("refused", error.description)
    }
  }

  private func commit(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    do { try writer.run("COMMIT") } catch  where isConfusion(error) {
      note("refused commit")
      if writer.isInTransaction { try writer.run("ROLLBACK") }
      return
    }
    note("commit")
  }

  /// Whether SQLite refuses to go on with a transaction because of a full-text table that a savepoint made or
  /// dropped, and that was rolled back: FTS5 still has rows to write into what is not there.
  private func isConfusion(_ error: PlainConnection.Failure) -> Bool {
    hasRolledBackTo && [SQLITE_ERROR, SQLITE_CORRUPT].contains(error.code & 0xff)
  }

  /// One operation, which may fail, and be undone, as far as it goes by itself.
  private func attempt(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    do { try operation(writer) } catch  where error.isExpected || isConfusion(error) {
      note("refused", error.description)
    }
  }

  private func savepoint(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    try writer.run("SAVEPOINT s")
    for _ in 0..<Int.random(in: 1...3, using: &random) { try attempt(writer) }
    guard writer.isInTransaction else { return }
    if random.onceIn(3) { try writer.spill() }
    if random.onceIn(2) {
      note("rollback to savepoint")
      hasRolledBackTo = true
      try writer.run("ROLLBACK TO s; RELEASE s")
    } else {
      note("release savepoint")
      try writer.run("RELEASE s")
    }
  }

  private func stepBesideSuspended() throws(PlainConnection.Failure) {
    guard let writer = suspended else { return }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try checkpoint(writers.first { $0 !== writer } ?? writer)
    case 1:
      try attempt(writer)
      if writer.isInTransaction { try writer.spill() }
    default:
      suspended = nil
      guard writer.isInTransaction else { return }
      if random.onceIn(3) {
        note("rollback of the suspended")
        try writer.run("ROLLBACK")
      } else {
        note("commit of the suspended")
        try commit(writer)
      }
    }
  }

  // MARK: - Connections

  private func openWriter() throws(PlainConnection.Failure) {
    let writer = try PlainConnection(path, padsLog: traits.padsLog)
    writers.append(writer)
    try configure(writer)
  }

  func configure(_ writer: PlainConnection) throws(PlainConnection.Failure) {
    let caches = [2, 5, 10, 100, -2000]
    let cache = caches[Int.random(in: 0..<caches.count, using: &random)]
    let isSecure = ["OFF", "ON", "FAST"][Int.random(in: 0..<3, using: &random)]
    let map = random.onceIn(4) ? 1 << 20 : 0
    note("configure", "cache_size \(cache), secure_delete \(isSecure), mmap_size \(map)")
    try writer.run(
      """
      PRAGMA synchronous = \(traits.padsLog ? "FULL" : "OFF");
      PRAGMA wal_autocheckpoint = \(traits.autocheckpoint);
      PRAGMA cache_size = \(cache);
      PRAGMA cache_spill = \(random.onceIn(4) ? 0 : 1);
      PRAGMA secure_delete = \(isSecure);
      PRAGMA mmap_size = \(map);
      """)
  }

  /// Somebody who opens the database, commits once and closes it.
  private func shortLivedWriter() throws(PlainConnection.Failure) {
    note("short-lived writer")
    let writer = try PlainConnection(path, padsLog: traits.padsLog)
    defer { writer.close() }
    try configure(writer)
    try statement(writer)
  }

  private func changeWriters() throws(PlainConnection.Failure) {
    if writers.count < 3, random.onceIn(2) {
      note("open")
      try openWriter()
    } else if writers.count > 1 {
      note("close")
      writers.remove(at: Int.random(in: 0..<writers.count, using: &random)).close()
    }
  }

  private func pin() throws(PlainConnection.Failure) {
    if pinned != nil {
      note("unpin")
      pinned?.close()
      pinned = nil
    } else {
      note("pin")
      let reader = try PlainConnection(path)
      try reader.run("BEGIN; SELECT count(*) FROM sqlite_schema")
      pinned = reader
    }
  }

  /// Closes all connections, ends the WAL mode, commits in the other mode, and begins WAL again.
  ///
  /// Nobody else may have the database open.
  func switchJournal() throws(PlainConnection.Failure) {
    close()
    let writer = try PlainConnection(path)
    defer { writer.close() }
    note("journal mode", "DELETE")
    try writer.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE")
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      do { try transaction(writer) } catch  where error.isExpected {}
      if suspended != nil { try commit(writer) }
      suspended = nil
    }
    if random.onceIn(2) {
      // In this mode alone VACUUM gives pages another size.
      let size = 512 << Int.random(in: 0...4, using: &random)
      try writer.run("PRAGMA page_size = \(size)")
      try vacuum(writer)
    }
    try writer.run("PRAGMA journal_mode = WAL")
    note("journal mode", "WAL")
    try openWriter()
  }

  /// Closes all connections.
  func close() {
    suspended = nil
    pinned?.close()
    pinned = nil
    for writer in writers { writer.close() }
    writers = []
  }
}
