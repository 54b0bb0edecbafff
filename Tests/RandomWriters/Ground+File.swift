import Glibc
import TestSupport

// What happens to the file as a whole.

extension Ground {
  private var backup: String { "\(folder)/backup.db" }

  func handleFile(_ work: Work, _ report: inout Report) async throws {
    if work == .away { return try await moveAway(&report) }
    let before = try await makeBackup(&report)
    if !random.onceIn(3) {
      try await burst(&report, count: [1, 40, 400].randomElement(using: &random)!)
      if random.onceIn(2) { try await fence(&report, after: "writing before \(work.rawValue)") }
    }
    switch work {
    case .backup:
      let writer = try await anybody()
      // Refused while others read or write: tried again, as a person would.
      var isRestored = false
      for _ in 0..<50 where !isRestored {
        isRestored =
          try await tolerating(&report, "restore") {
            try await writer.process.send(".restore \(backup)")
          } != nil
        if !isRestored { usleep(100_000) }
      }
      guard isRestored else { return try await settleAsIs(&report) }
    case .dump:
      let process = try await anybody().process
      try await process.send("ATTACH '\(backup)' AS backup")
      try await process.send(recreation(of: before, dropping: try await names(process)))
      try await process.send("DETACH backup")
    case .rename:
      if isWAL, try await !emptyLog(&report) { return try await settleAsIs(&report) }
      await closeAll()
      for suffix in ["-wal", "-shm", "-journal"] { unlink(database + suffix) }
      try await convertBackup()
      guard Glibc.rename(backup, database) == 0 else { throw Unexpected("rename: \(errno)") }
    case .copy, .copyBesideFrames:
      await closeAll()
      // Livequery is to let go of a log that nobody else has open.
      if isWAL { usleep(UInt32.random(in: 300_000...600_000, using: &random)) }
      if isWAL { try await convertBackup() }
      guard Files.copy(backup, to: database) else { throw Unexpected("cp: \(errno)") }
    case .copyBesideLog:
      guard try await emptyLog(&report) else { return try await settleAsIs(&report) }
      await closeAll()
      try await convertBackup()
      guard Files.copy(backup, to: database) else { throw Unexpected("cp: \(errno)") }
    case .truncate:
      await closeAll()
      unlink(database + "-journal")
      Glibc.truncate(database, 0)
      usleep([0, 3_000, 50_000, 1_500_000].randomElement(using: &random)!)
      let process = try await anybody().process
      try await process.send("ATTACH '\(backup)' AS backup")
      try await process.send(recreation(of: before, dropping: []))
      try await process.send("DETACH backup")
    default: break
    }
    note("  restored")
    acknowledged = before.commits
    uncertain = []
    let mode = try await journalMode()
    isWAL = mode == "wal"
    try await fence(&report, after: work.rawValue, expected: before)
  }

  private func settleAsIs(_ report: inout Report) async throws {
    await closeAll()
    try await fence(&report, after: "a refused checkpoint")
  }

  private func anybody() async throws -> Writer {
    if let open = writers.randomElement(using: &random) { return open }
    return try await writer()
  }

  /// - Returns: What is in the backup.
  private func makeBackup(_ report: inout Report) async throws -> Truth {
    let truth = try await fence(&report, after: "before a backup")
    for suffix in Files.suffixes { unlink(backup + suffix) }
    try await anybody().process.send("VACUUM INTO '\(backup)'")
    note("  backup")
    return truth
  }

  /// A backup is in rollback mode; a copy of the whole file would be as the database was.
  private func convertBackup() async throws {
    guard random.onceIn(2) else { return }
    let process = try await ExternalProcess.serve(backup)
    try await process.send("PRAGMA journal_mode = WAL")
    await process.finish()
  }

  /// Has all of the log in the file.
  private func emptyLog(_ report: inout Report) async throws -> Bool {
    let process = try await anybody().process
    for _ in 0..<50 {
      let rows = try await tolerating(&report, "wal_checkpoint") {
        try await process.send("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      if rows?.first?.first == "0" { return true }
      usleep(20_000)
    }
    report.refused["wal_checkpoint(TRUNCATE)", default: 0] += 1
    return false
  }

  private func names(_ process: ExternalProcess) async throws -> [String] {
    try await process.send(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).map { $0[0] }
  }

  /// What a shell would do with a dump: one transaction.
  private func recreation(of truth: Truth, dropping names: [String]) -> String {
    var sql = "BEGIN IMMEDIATE; "
    for name in names { sql += "DROP TABLE main.\(name); " }
    for entry in truth.schema {
      sql += entry.sql + "; "
      if entry.type == "table" {
        sql += "INSERT INTO main.\(entry.name) SELECT * FROM backup.\(entry.name); "
      }
    }
    return sql + "COMMIT"
  }

  private func journalMode() async throws -> String {
    // Asked of the file's own bytes: a connection would be one more that has it open.
    let file = open(database, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 20)
    guard pread(file, &bytes, 20, 0) == 20 else { return "delete" }
    return bytes[18] == 2 ? "wal" : "delete"
  }

  private func moveAway(_ report: inout Report) async throws {
    let suffixes = random.onceIn(2) ? [""] : Files.suffixes
    // A file without its log is another database: then the log has to be empty.
    if isWAL, suffixes.count == 1 {
      guard try await emptyLog(&report) else { return }
    }
    if random.onceIn(2) { await closeAll() }
    for suffix in suffixes { Glibc.rename(database + suffix, "\(folder)/away.db\(suffix)") }
    usleep([0, 500, 30_000, 1_300_000].randomElement(using: &random)!)
    for suffix in suffixes.reversed() {
      Glibc.rename("\(folder)/away.db\(suffix)", database + suffix)
    }
    note("  moved away and back: \(suffixes)")
    if random.onceIn(2) {
      // Those who have it open from before go on with it; others come.
      try await fence(&report, after: "away")
      await closeAll()
      try await burst(&report, count: 3)
    }
  }
}
