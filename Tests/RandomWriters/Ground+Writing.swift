import Glibc
import TestSupport

// What goes on inside the file.

extension Ground {
  func perform(_ work: Work, _ report: inout Report) async throws {
    switch work {
    case .write: try await burst(&report)
    case .checkpoint:
      let kind = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"].randomElement(using: &random)!
      try await burst(&report, besides: ["PRAGMA wal_checkpoint(\(kind))"])
    case .vacuum: try await burst(&report, besides: vacuum())
    case .schema: try await burst(&report, besides: [schemaChange()])
    case .kill: try await kill(&report)
    case .exclusive: try await haveItAlone(&report)
    case .idle:
      if random.onceIn(2) { await closeAll() }
      usleep(UInt32.random(in: 1_200_000...2_600_000, using: &random))
      try await burst(&report, count: Int.random(in: 1...3, using: &random))
    case .journal: try await changeJournal(&report)
    case .reserved: try await holdOn(&report)
    default: try await handleFile(work, &report)
    }
  }

  // MARK: - Writers

  /// A writer that has the database open.
  func writer(_ options: String...) async throws -> Writer {
    let taken = Set(writers.map(\.number)).union(uncertain)
    guard let number = (0..<Self.writerLimit).first(where: { !taken.contains($0) }) else {
      return writers.randomElement(using: &random)!
    }
    let process = try await ExternalProcess.serve(
      database, ["--busy", "10000"] + options)
    let sync = ["OFF", "OFF", "OFF", "NORMAL", "FULL"].randomElement(using: &random)!
    let cache = [5, 20, 2000].randomElement(using: &random)!
    let limit = [0, 1, 10, 100, 1000].randomElement(using: &random)!
    try await process.send(
      "PRAGMA synchronous = \(sync); PRAGMA cache_size = \(cache); PRAGMA wal_autocheckpoint = \(limit)"
    )
    if !isWAL {
      try await process.send(
        "PRAGMA journal_mode = \(Traits.rollbackModes.randomElement(using: &random)!)")
    }
    let writer = Writer(number: number, process: process)
    writers.append(writer)
    return writer
  }

  func closeAll() async {
    for writer in writers { await writer.process.finish() }
    writers = []
  }

  /// Has several writers commit at once.
  ///
  /// - Parameters:
  ///   - count: Transactions of each writer; random by default, rarely many.
  ///   - besides: Statements that another writer runs meanwhile; it may be refused.
  func burst(
    _ report: inout Report, count: Int? = nil, besides: [String] = []
  ) async throws {
    let wanted = Int.random(in: 1...3, using: &random) + (besides.isEmpty ? 0 : 1)
    while let closed = writers.indices.randomElement(using: &random), random.onceIn(4) {
      await writers.remove(at: closed).process.finish()
    }
    while writers.count < wanted { _ = try await writer() }
    let chosen = writers.shuffled(using: &random).prefix(wanted)
    let workers = besides.isEmpty ? chosen[...] : chosen.dropFirst()
    let count =
      count
      ?? [1, 2, 5, 30, 200, 1500, 6000].randomElement(using: &random)!
    for worker in workers { try tellToWork(worker, count: count) }
    if !besides.isEmpty {
      let other = chosen.first!
      if random.onceIn(2) { usleep(UInt32.random(in: 0...5000, using: &random)) }
      for line in besides {
        note("  \(other.number): \(line)")
        try await tolerating(&report, line) { try await other.process.send(line) }
      }
    }
    for worker in workers {
      let commits = try await answer(of: worker)
      report.commits[isWAL ? "wal" : "rollback journal", default: 0] += commits
    }
  }

  private func tellToWork(_ worker: Writer, count: Int) throws {
    let checkpoint = isWAL && options.classes.contains(.checkpoint) && random.onceIn(3) ? 50 : 0
    let order =
      "writer=\(worker.number) count=\(count) ms=1500 seed=\(UInt32.random(in: 1...UInt32.max, using: &random)) "
      + "checkpoint=\(checkpoint) longest=\(traits.longest)"
    note("  \(worker.number): .work \(order)")
    try worker.process.tell(".work \(order)")
  }

  private func answer(of worker: Writer) async throws -> Int {
    let rows = try await worker.process.answer()
    let commits = rows.first.flatMap { Int($0[0]) } ?? 0
    acknowledged[worker.number] += commits
    return commits
  }

  /// Runs what locks may refuse, and counts that.
  @discardableResult
  func tolerating(
    _ report: inout Report, _ name: String, _ body: () async throws -> [[String]]
  ) async throws -> [[String]]? {
    do {
      return try await body()
    } catch let error as ExternalProcess.Failure where [5, 6].contains(error.code & 0xff) {
      report.refused[name.split(separator: " ").prefix(2).joined(separator: " "), default: 0] += 1
      note("  refused: \(error.description)")
      return nil
    }
  }

  // MARK: - Kinds of work

  private func vacuum() -> [String] {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return ["PRAGMA auto_vacuum = \(Int.random(in: 0...2, using: &random))", "VACUUM"]
    // In WAL mode the size of a page stays.
    case 1:
      return ["PRAGMA page_size = \(Traits.pageSizes.randomElement(using: &random)!)", "VACUUM"]
    case 2: return ["PRAGMA incremental_vacuum(\(Int.random(in: 1...20, using: &random)))"]
    default: return ["VACUUM"]
    }
  }

  private func schemaChange() -> String {
    let number = Int.random(in: 0..<4, using: &random)
    let table = traits.tables.randomElement(using: &random)!
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: return "CREATE TABLE IF NOT EXISTS x\(number) (a INT, b TEXT)"
    case 2:
      return """
        BEGIN IMMEDIATE; DROP TABLE IF EXISTS x\(number); CREATE TABLE x\(number) AS SELECT a, b FROM \
        \(table); COMMIT
        """
    case 3: return "DROP TABLE IF EXISTS x\(number)"
    case 4: return "CREATE INDEX IF NOT EXISTS \(table)_x\(number) ON \(table) (b, a)"
    default: return "DROP INDEX IF EXISTS \(table)_x\(number)"
    }
  }

  private func kill(_ report: inout Report) async throws {
    let victim = try await writers.randomElement(using: &random).orElse { try await writer() }
    if random.onceIn(2) {
      // In the middle of a transaction, part of which is on disk.
      let table = traits.tables.randomElement(using: &random)!
      try await victim.process.send(
        "BEGIN IMMEDIATE; UPDATE \(table) SET c = zeroblob(\(traits.longest)); DELETE FROM \(table) WHERE a % 3 = 0"
      )
      if !random.onceIn(4) { try await victim.process.send(".spill") }
      note("  \(victim.number): killed in a transaction")
    } else {
      uncertain.insert(victim.number)
      try tellToWork(victim, count: 1_000_000)
      usleep(UInt32.random(in: 100...40_000, using: &random))
      note("  \(victim.number): killed")
    }
    victim.process.kill()
    await victim.process.ended()
    writers.removeAll { $0.number == victim.number }
    if random.onceIn(2) { try await burst(&report, count: 3) }
  }

  private func haveItAlone(_ report: inout Report) async throws {
    await closeAll()
    let line = "PRAGMA locking_mode = EXCLUSIVE"
    do {
      if random.onceIn(2) {
        _ = try await writer("--exclusive")
      } else {
        try await writer().process.send("\(line); SELECT count(*) FROM commits")
      }
    } catch let error as Unexpected {
      // It could not open the database.
      report.refused[line, default: 0] += 1
      note("  refused: \(error)")
      return
    }
    guard let alone = writers.first else { return }
    note("  \(alone.number): has it alone")
    try tellToWork(alone, count: [1, 20, 500].randomElement(using: &random)!)
    do {
      report.commits["exclusive", default: 0] += try await answer(of: alone)
    } catch let error as ExternalProcess.Failure where error.code & 0xff == 5 {
      report.refused[line, default: 0] += 1
    }
    if random.onceIn(2) {
      try await tolerating(&report, line) {
        try await alone.process.send("PRAGMA locking_mode = NORMAL; SELECT count(*) FROM commits")
      }
    }
    await closeAll()
  }

  private func changeJournal(_ report: inout Report) async throws {
    await closeAll()
    let process = try await writer().process
    let mode = isWAL ? Traits.rollbackModes.randomElement(using: &random)! : "wal"
    note("  journal_mode = \(mode)")
    // As a person would: SQLite does not wait here.
    let end = ContinuousClock.now.advanced(by: .seconds(8))
    while ContinuousClock.now < end {
      let rows = try? await process.send("PRAGMA journal_mode = \(mode)")
      if rows?.first?.first == mode {
        isWAL = mode == "wal"
        break
      }
      usleep(50_000)
    }
    if isWAL != (mode == "wal") { report.refused["journal_mode \(mode)", default: 0] += 1 }
    await closeAll()
    if random.onceIn(2) { try await burst(&report, count: 2) }
  }

  /// Commits, and begins another transaction at once, which is open at the fence.
  private func holdOn(_ report: inout Report) async throws {
    let writer = try await writers.randomElement(using: &random).orElse { try await self.writer() }
    let table = traits.tables.randomElement(using: &random)!
    try await writer.process.send(
      """
      BEGIN IMMEDIATE; DELETE FROM \(table) WHERE a = \(Int.random(in: 0..<48, using: &random));
      UPDATE commits SET n = n + 1 WHERE w = \(writer.number); COMMIT; BEGIN IMMEDIATE
      """)
    acknowledged[writer.number] += 1
    report.commits[isWAL ? "wal" : "rollback journal", default: 0] += 1
    try await fence(&report, after: "reserved")
    try await writer.process.send("ROLLBACK")
  }
}

extension Optional {
  fileprivate func orElse(_ other: () async throws -> Wrapped) async rethrows -> Wrapped {
    if let self { return self }
    return try await other()
  }
}
