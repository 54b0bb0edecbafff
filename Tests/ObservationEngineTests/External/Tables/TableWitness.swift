import RandomProof
import TestSupport

@testable import ObservationEngine

/// Checks a database as the engine does, and compares the tracker's answers with what really differs.
///
///     random work ──▶ database ◀── tracker: which tables?      named ⊇ differing, or it is a miss
///                                      which rows?        replica + rows = contents after
///                              ◀── plain connection: contents before and after
///
/// Confined to one thread.
final class TableWitness {
  private let path: String
  private let parts: TableTracker.Parts
  private let audits: Bool
  /// Its own, so that what the tracker is asked changes nothing about what is done.
  private var random: SeededRandom
  private var truth: PlainConnection
  private var contents: TableContents
  /// What the rows were at the last look, for a tracker that is asked for rows.
  private var replica: RowReplica?
  private var watched: (connection: Connection, tracker: TableTracker)?
  private var lastHeader: WALIndexHeader?
  private(set) var report = OracleReport()

  /// Begins to watch a database in WAL mode.
  ///
  /// - Parameters:
  ///   - parts: What to replace in the tracker.
  ///   - audits: Whether to look into its map as well.
  init(
    path: String, seed: UInt64, parts: TableTracker.Parts = .init(), audits: Bool = true
  ) throws {
    self.path = path
    self.parts = parts
    self.audits = audits
    random = SeededRandom(seed: ~seed)
    truth = try PlainConnection(path)
    contents = try TableContents(truth)
    report.databases = 1
    try attach()
  }

  /// What SQLite or the tracker did and must not do.
  func complain(_ what: String) { report.failures.append("look \(report.looks): \(what)") }

  // MARK: - Looking

  /// Looks once.
  ///
  /// - Parameter delay: What happens after the position of the log was read, and before the log is;
  ///   a second look follows then.
  func look(delayedBy delay: (() throws -> Void)? = nil) throws {
    guard let watched else { return try attach() }
    guard var header = try position(watched.connection) else {
      return complain("the wal-index cannot be read")
    }
    report.looks += 1
    var first: TableTracker.Answer?
    let interest: TableTracker.Interest? =
      replica == nil ? nil : { _ in .all(wantsRows: true) }
    if let delay {
      try delay()
      first = watched.tracker.advance(to: header, rows: interest)
      guard let second = try position(watched.connection) else {
        return complain("the wal-index cannot be read")
      }
      header = second
    }
    let second = watched.tracker.advance(to: header, rows: interest)
    let answer = Self.union(first, second)
    let steps = header.change &- (lastHeader ?? header).change
    if steps < 1 << 16 { report.commits += Int(steps) }
    let isSame = lastHeader == header
    lastHeader = header
    let now = try TableContents(truth)
    judge(answer, now, isSame: isSame)
    contents = now
    if replica != nil { try judgeRows([first, second].compactMap(\.self)) }
    if !watched.tracker.isReady {
      build(watched.tracker)
    } else if random.onceIn(3) {
      search(watched.tracker)
    }
    if random.onceIn(12), audits { try audit(watched.tracker) }
  }

  private func position(_ connection: Connection) throws -> WALIndexHeader? {
    if case .torn = connection.wal.indexState() {
      // Whoever reads next makes the index anew.
      _ = try truth.integer("SELECT count(*) FROM sqlite_schema")
    }
    guard case .header(let header) = connection.wal.indexState() else { return nil }
    return header
  }

  private static func changeset(_ tables: Set<TableID>) -> Changeset {
    var changeset = Changeset()
    for table in tables where !table.name.hasPrefix("sqlite_") {
      changeset[table] = .bulk(reason: "the commits were not told apart")
    }
    changeset.touchesInternals = tables.contains { $0.name.hasPrefix("sqlite_") }
    return changeset
  }

  private static func union(
    _ first: TableTracker.Answer?, _ second: TableTracker.Answer
  ) -> TableTracker.Answer {
    switch (first, second) {
    case (.tables(let one)?, .tables(let other)): .tables(one.union(other))
    case (.commits(let one)?, .commits(let other)): .commits(one + other)
    case (.commits(let one)?, .tables(let other)): .commits(one + [changeset(other)])
    case (.tables(let one)?, .commits(let other)): .commits([changeset(one)] + other)
    case (nil, _), (.tables?, _), (.commits?, _): second
    case (let first?, _): first
    }
  }

  /// Applies the rows to what they were: that must be what they are.
  private func judgeRows(_ answers: [TableTracker.Answer]) throws {
    guard var copy = replica else { return }
    let now = try RowReplica(truth)
    replica = now
    for answer in answers {
      switch answer {
      case .tables(let tables) where tables.isEmpty: continue
      case .tables, .schema, .rewritten, .all, .overwritten: return
      case .commits(let changesets):
        for changeset in changesets { copy.apply(changeset) }
      }
    }
    report.rows += copy.rowCount
    for reason in copy.unknown.values { report.note(unknownRows: reason) }
    for complaint in copy.complaints + copy.differences(from: now) { complain(complaint) }
  }

  private func judge(_ answer: TableTracker.Answer, _ now: TableContents, isSame: Bool) {
    let differing = now.differences(from: contents)
    switch answer {
    case .commits(let changesets):
      // SQLite's own tables aren't named.
      let isInternal = changesets.contains(where: \.touchesInternals)
      let own = isInternal ? differing.filter { $0.hasPrefix("sqlite_") } : []
      let tables = changesets.flatMap { $0.tables.keys } + own.map { TableID(name: $0) }
      judge(.tables(Set(tables)), now, isSame: isSame)
    case .tables(let told):
      report.named += 1
      let names = Set(told.map(\.name))
      // The engine knows the table of the schema by another name.
      let missed = differing.filter {
        !names.contains($0) && !($0 == "sqlite_schema" && names.contains("sqlite_master"))
      }
      if !missed.isEmpty {
        report.missed += 1
        complain("missed \(missed.sorted()), told \(names.sorted())")
      }
      if isSame, !names.isEmpty { complain("told \(names.sorted()) where nothing was committed") }
      let same = now.tables.filter { !differing.contains($0) }
      report.affected += differing.count
      report.unaffected += same.count
      report.falsePositives += same.filter { names.contains($0) }.count
    case .schema, .rewritten: report.schema += 1
    case .all(let reason): report.note(all: reason)
    case .overwritten: complain("told that a program wrote past the WAL")
    }
  }

  private func audit(_ tracker: TableTracker) throws {
    guard let audit = try MapAudit(tracker, truth) else { return }
    report.audits += 1
    report.auditedPages += audit.pages
    report.unknownPages += audit.withoutOwner
    for mistake in audit.mistakes { complain(mistake) }
  }

  // MARK: - The tracker

  /// Opens the database again, after ``detach()``.
  func attach() throws {
    truth = try PlainConnection(path)
    var options = Connection.Options()
    options.isReader = true
    let connection = try Connection(path: path, options: options)
    connection.wal.isOn = try connection.journalMode == "wal"
    let tracker = TableTracker(connection: connection, parts: parts)
    watched = (connection, tracker)
    lastHeader = nil
    contents = try TableContents(truth)
    replica = random.onceIn(4) ? nil : try RowReplica(truth)
    build(tracker)
  }

  /// Closes what it has open.
  func detach() {
    watched?.connection.close()
    watched = nil
    truth.close()
  }

  private func build(_ tracker: TableTracker) {
    // A map that is not made yet answers for everything: that must be right, too.
    guard !random.onceIn(5) else { return }
    do throws(DatabaseError) {
      try tracker.build()
    } catch {
      return report.note(refused: error.message)
    }
    report.builds += 1
    if random.onceIn(2) { search(tracker) }
  }

  /// Some slices, or all there are; a small database has few.
  private func search(_ tracker: TableTracker) {
    if random.onceIn(2) {
      for _ in 0..<Int.random(in: 1...3, using: &random) { _ = tracker.scanSlice(within: 0) }
      return
    }
    var slices = 0
    while tracker.scanSlice() {
      slices += 1
      guard slices < 10_000 else { return complain("the search has no end") }
    }
  }
}
