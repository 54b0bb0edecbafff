import ObservationEngine
import TestSupport
import Testing

/// Processes that die in the middle of a transaction.
@Suite(.fewAtOnce)
struct CrashTests {
  @Test(arguments: StorageKind.files)
  func `a killed transaction is never seen`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for number in 1...3 {
      let victim = try await ExternalProcess.serve(db.path)
      try await victim.send(
        """
        BEGIN IMMEDIATE;
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
        INSERT INTO player(name) SELECT hex(randomblob(50)) FROM n
        """)
      try await victim.send(".spill")
      victim.kill()
      #expect(await victim.ended() == 128 + 9)
      // Whoever comes next finds half a transaction on disk, and recovers.
      let heir = try await ExternalProcess.serve(db.path)
      try await heir.send("INSERT INTO player(name) VALUES ('ada')")
      try await recorder.expect(2 * number - 1)
      try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
      try await recorder.expect(2 * number)
    }
    #expect(log.count(.own) == 3)
    #expect(try await db.integer("SELECT count(*) FROM player") == 6)
  }

  @Test(arguments: StorageKind.files)
  func `an own write after a crash of another process is an own commit`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let victim = try ExternalProcess(["crash", db.path, "--table", "player2"])
    #expect(try await victim.line() == "spilled")
    #expect(await victim.ended() == 128 + 9)
    // Its CREATE TABLE was committed before the crash.
    try await log.expect(.external, count: 1)
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    try await recorder.expect(1)
    #expect(log.count(.own) == 1)
    #expect(try await db.integer("SELECT count(*) FROM player2") == 0)
  }

  @Test(arguments: StorageKind.files)
  func `a killed flood leaves what it committed, and nothing else`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    let flood = try ExternalProcess([
      "flood", db.path, "--count", "1000000000", "--sync", "OFF",
      "--sql", "INSERT INTO player(name) VALUES ('ada')",
    ])
    while try await recorder.next().value < 20 {}
    flood.kill()
    await flood.ended()
    let committed = try await db.integer("SELECT count(*) FROM player")
    try await db.write(script: "INSERT INTO player(name) VALUES ('bob')")
    while try await recorder.next().value < committed + 1 {}
    #expect(recorder.values.last == committed + 1)
    #expect(recorder.values == recorder.values.sorted())
  }
}
