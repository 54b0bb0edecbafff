import DatabaseConsole
import Glibc
import ObservationEngine
import TestSupport
import Testing

/// Commits with a rollback journal, beside programs that keep locks.
@Suite(.fewAtOnce)
struct RollbackLockTests {
  private static let modes = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF"]

  @Test(arguments: modes)
  func `a commit shows while its program is in the next transaction`(
    _ mode: String
  ) async throws {
    let db = try await TemporaryDatabase(
      .rollbackJournal, configuration: TemporaryDatabase.alwaysOpen)
    let other = try await ExternalProcess.serve(db.path, "--journal", mode)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    try await other.send(
      """
      INSERT INTO player(name) VALUES ('ada');
      BEGIN IMMEDIATE;
      INSERT INTO player(name) VALUES ('bob')
      """)
    // It goes on when the value was seen, and not before.
    try await recorder.expect(1)
    for number in 2...8 {
      try await other.send("COMMIT; BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('eve')")
      try await recorder.expect(number)
    }
    try await other.send("ROLLBACK; INSERT INTO player(name) VALUES ('eve')")
    try await recorder.expect(9)
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST"])
  func `what a full cache wrote to the file shows when it is committed`(
    _ mode: String
  ) async throws {
    let db = try await TemporaryDatabase(
      .rollbackJournal, configuration: TemporaryDatabase.alwaysOpen)
    let other = try await ExternalProcess.serve(db.path, "--journal", mode)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for number in 1...4 {
      try await other.send("BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('ada')")
      try await other.send(".spill")
      try await other.send("COMMIT; BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('regretted')")
      try await recorder.expect(number)
      try await other.send(".spill")
      try await other.send("ROLLBACK")
    }
  }

  @Test
  func `a transaction that a killed program left is rolled back without a commit`() async throws {
    let db = try await TemporaryDatabase(
      .rollbackJournal, configuration: TemporaryDatabase.alwaysOpen)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let victim = try await ExternalProcess.serve(db.path)
    try await victim.send("BEGIN IMMEDIATE; INSERT INTO player(name) VALUES ('ada')")
    try await victim.send(".spill")
    victim.kill()
    await victim.ended()
    try await wait(for: "the journal to go") { access(db.path + "-journal", F_OK) != 0 }
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
    try await recorder.expect(1)
  }

  @Test
  func `a program that never lets go of the file makes results stale until it ends`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(50)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let group = db.database.panels([.rows("SELECT count(*) FROM player")])
    _ = try #require(await group.next())
    let other = try await ExternalProcess.serve(db.path, "--exclusive")
    try await other.send("INSERT INTO player(name) VALUES ('ada')")
    try await other.send("INSERT INTO player(name) VALUES ('bob')")
    // Nobody asks for a refresh.
    var reason: String?
    while reason == nil { reason = try #require(await group.next()).stale[0]?.reason }
    #expect(reason?.contains("locked") == true, "\(reason ?? "")")
    await other.finish()
    var rows: [[Value]]?
    while rows != [[2]] {
      let refresh = try #require(await group.next())
      rows = try refresh.results[0]?.get().rows ?? rows
    }
  }

  @Test
  func `a program stopped while it waits for readers makes results stale until it goes on`()
    async throws
  {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.busyTimeout = .milliseconds(50)
    let db = try await TemporaryDatabase(.rollbackJournal, configuration: configuration)
    let group = db.database.panels([.rows("SELECT count(*) FROM player")])
    _ = try #require(await group.next())
    let witness = try await ExternalProcess.serve(db.path, "--busy", "0")
    let reader = try await ExternalProcess.serve(db.path)
    try await reader.send("BEGIN; SELECT count(*) FROM player")
    let writer = try await ExternalProcess.serve(db.path, "--busy", "600000")
    try writer.tell("INSERT INTO player(name) VALUES ('ada')")
    // PENDING keeps new readers out.
    try await wait(for: "the writer to wait") {
      do {
        try await witness.send("SELECT count(*) FROM player")
        return false
      } catch is ExternalProcess.Failure {
        return true
      }
    }
    kill(writer.identifier, SIGSTOP)
    group.refresh()
    var reason: String?
    while reason == nil { reason = try #require(await group.next()).stale[0]?.reason }
    #expect(reason?.contains("locked") == true, "\(reason ?? "")")
    kill(writer.identifier, SIGCONT)
    try await reader.send("COMMIT")
    _ = try await writer.answer()
    var rows: [[Value]]?
    while rows != [[1]] {
      let refresh = try #require(await group.next())
      rows = try refresh.results[0]?.get().rows ?? rows
    }
  }

  @Test
  func `the last commit of a writer that never pauses shows`() async throws {
    let db = try await TemporaryDatabase(
      .rollbackJournal, configuration: TemporaryDatabase.alwaysOpen)
    let group = db.database.panels([.rows("SELECT count(*) FROM player")])
    _ = try #require(await group.next())
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "2000", "--sync", "OFF", "--busy", "60000",
      "--sql", "INSERT INTO player (name) VALUES ('ada')",
    ])
    var rows: [[Value]]?
    while rows != [[2_000]] {
      let refresh = try #require(await group.next())
      rows = try refresh.results[0]?.get().rows ?? rows
    }
    #expect(await flood.ended() == 0)
  }
}
