import Glibc
import TestSupport
import Testing

@testable import ObservationEngine

/// What other processes may do to a database that an idle observer watches: everything, as if nobody
/// did.
@Suite(.fewAtOnce)
struct IdleTests {
  private var configuration: Configuration {
    var configuration = Configuration()
    configuration.patienceWithOthers = .milliseconds(1)
    return configuration
  }

  /// Waits until no connection of this process is open.
  private func becomeDormant(_ db: TemporaryDatabase) async throws {
    try await wait(for: "dormancy") {
      guard let identity = DatabaseFile.identity(of: db.path) else { return false }
      return ProcessFile(identity).connections == 0
    }
  }

  @Test
  func `a program that has it open may switch the journal mode to and fro`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    let recorder = db.recordNames()
    try await recorder.settle(on: nil)
    var names: [String] = []
    for mode in ["delete", "wal", "truncate", "wal"] {
      try await other.change(to: mode)
      names.append(mode)
      try await other.send("INSERT INTO player(name) VALUES ('\(mode)')")
      try await recorder.settle(on: names.joined(separator: ","))
      // With a rollback journal nothing is ever held between refreshes.
      if mode != "wal" { #expect(try await other.send("PRAGMA journal_mode = wal") == [["wal"]]) }
      try await other.send("INSERT INTO player(name) VALUES ('x')")
      names.append("x")
      try await recorder.settle(on: names.joined(separator: ","))
    }
  }

  @Test
  func `a program may lock it exclusively, which makes results stale until it lets go`()
    async throws
  {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let group = db.database.panels([.rows("SELECT group_concat(name) FROM player")])
    _ = try #require(await group.next())
    try await becomeDormant(db)
    let other = try await ExternalProcess.serve(db.path, "--busy", "0", "--exclusive")
    // No -shm is made: the index is in the memory of that process.
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    #expect(!db.folder.names.contains("test.db-shm"))
    var stale: Staleness?
    while stale == nil { stale = try #require(await group.next()).stale[0] }
    #expect(stale?.reason.contains("locked") == true)
    try await other.send("INSERT INTO player(name) VALUES ('eve')")
    await other.finish()
    while true {
      let refresh = try #require(await group.next())
      if refresh.stale.isEmpty, let rows = try refresh.results[0]?.get().rows,
        rows == [["ada,bob,eve"]]
      {
        break
      }
    }
  }

  @Test(arguments: StorageKind.files)
  func `BEGIN EXCLUSIVE finds nobody in its way`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, configuration: configuration)
    let recorder = db.recordNames()
    try await recorder.settle(on: nil)
    let other = try await ExternalProcess.serve(db.path, "--busy", "0", "--sync", "OFF")
    try await other.send(
      "BEGIN EXCLUSIVE; INSERT INTO player(name) VALUES ('ada'); COMMIT")
    try await recorder.settle(on: "ada")
  }

  @Test
  func `its commits are counted one by one although all connections were closed`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    let log = CommitLog(db.database)
    func expect(_ count: Int) async throws {
      try await wait(for: "the commit") { log.count(.external) >= count }
      #expect(log.count(.external) == count)
    }
    try await log.expectNamed(["map"]) { try await other.send("INSERT INTO map(name) VALUES (1)") }
    let before = log.count(.external)
    for number in 1...5 {
      try await becomeDormant(db)
      try await other.send("INSERT INTO player(name) VALUES ('ada')")
      try await expect(before + 3 * number - 2)
      // The pages of tables are still known.
      #expect(log.commits.last?.tables == .named(["player"]))
      // Several, while nobody may have looked yet.
      try await becomeDormant(db)
      try await other.send("INSERT INTO player(name) VALUES ('bob')")
      try await other.send("INSERT INTO player(name) VALUES ('eve')")
      try await expect(before + 3 * number)
    }
    // An own one is told from theirs.
    try await becomeDormant(db)
    try await db.write(script: "INSERT INTO player(name) VALUES ('me')")
    try await wait(for: "the own commit") { log.count(.own) == 1 }
    try await other.send("INSERT INTO map(name) VALUES ('tower')")
    try await expect(before + 16)
    #expect(log.count(.own) == 1)
  }

  @Test
  func `a commit to a file that nobody had open is counted, and known by its tables`() async throws
  {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let log = CommitLog(db.database)
    let first = try await ExternalProcess.serve(db.path, "--sync", "OFF")
    try await log.expectNamed(["map"]) { try await first.send("INSERT INTO map(name) VALUES (1)") }
    await first.finish()
    for number in 1...4 {
      try await becomeDormant(db)
      try await wait(for: "the log to be removed") { db.folder.names == ["test.db"] }
      let before = log.count(.external)
      let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
      for step in 1...number {
        try await other.send("INSERT INTO player(name) VALUES ('ada')")
        try await wait(for: "the commit") { log.count(.external) >= before + step }
      }
      #expect(log.count(.external) == before + number)
      #expect(log.commits.suffix(number).allSatisfy { $0.tables == .named(["player"]) })
      await other.finish()
    }
  }

  @Test
  func `what is written and rolled back wakes nobody who is told of it`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let log = CommitLog(db.database)
    for isShared in [true, false] {
      var keeper: ExternalProcess?
      if isShared { keeper = try await ExternalProcess.serve(db.path) }
      let other = try await ExternalProcess.serve(db.path, "--sync", "OFF")
      try await becomeDormant(db)
      try await other.send("BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('ada')")
      try await other.send(".spill")
      try await other.send("ROLLBACK")
      // The fence.
      try await other.send("INSERT INTO map(name) VALUES ('tower')")
      #expect(try await log.nextCommit().count == 1)
      await other.finish()
      await keeper?.finish()
    }
    #expect(log.commits.count == 2, "\(log.commits.map { ($0.tables, $0.origin) })")
  }

  @Test
  func `two observers of one file leave it to others once nothing happens`() async throws {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let second = try Database(path: db.path, configuration: configuration)
    defer { second.close() }
    let recorder = db.recordNames()
    let secondRecorder = second.record(TemporaryDatabase.names)
    try await recorder.settle(on: nil)
    try await secondRecorder.settle(on: nil)
    let other = try await ExternalProcess.serve(db.path, "--busy", "0")
    try await other.change(to: "delete")
    // The observers read what the file is like now, and with a rollback journal that is in its way.
    try await wait(for: "a commit") {
      (try? await other.send("INSERT INTO player(name) VALUES ('ada')")) != nil
    }
    try await recorder.settle(on: "ada")
    try await secondRecorder.settle(on: "ada")
    await secondRecorder.stop()
  }

  @Test(arguments: ["mv", "rm", "cp"])
  func `the file may be replaced, deleted and written over`(_ way: String) async throws {
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    let recorder = db.recordNames()
    try await recorder.settle(on: "ada")
    try await becomeDormant(db)
    try await wait(for: "the log to be removed") { db.folder.names == ["test.db"] }
    let new = try await db.makeOther("new.db", name: "bob", journal: "wal")
    switch way {
    case "mv": #expect(rename(new, db.path) == 0)
    case "rm":
      #expect(unlink(db.path) == 0)
      #expect(rename(new, db.path) == 0)
    default: try db.folder.write(try db.folder.bytes("new.db"), to: "test.db")
    }
    try await recorder.settle(on: "bob")
    #expect(try await db.other("INSERT INTO player(name) VALUES ('eve')") == 0)
    try await recorder.settle(on: "bob,eve")
    await recorder.stop()
    await db.database.close()
    #expect(try await db.check() == ["ok", "bob,eve"])
  }
}
