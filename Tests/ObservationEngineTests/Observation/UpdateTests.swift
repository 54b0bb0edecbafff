import ObservationEngine
import TestSupport
import Testing

/// The circumstances of delivered values, and requests that are often observed.
@Suite(.fewAtOnce)
struct UpdateTests {
  private static let count = Query.count(of: "player")

  @Test(arguments: StorageKind.allCases)
  func `an update tells which commit led to it, whose it was, and its tables`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let log = CommitLog(db.database, noticesOthers: false)
    let recorder = db.database.record(Self.count)
    let first = try await recorder.next()
    #expect(first.origin == nil && first.tables == nil)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES; INSERT INTO map DEFAULT VALUES")
    let commit = try await log.nextCommit()
    let second = try await recorder.next()
    #expect(try second.value == 1)
    #expect(second.ordinal == commit.ordinal)
    #expect(second.origin == .own)
    #expect(second.tables == .named(["map", "player"]))
    #expect(second.duration >= .zero)
  }

  @Test(arguments: StorageKind.files)
  func `an update tells of a commit of another process`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let other = try await ExternalProcess.serve(db.path)
    let recorder = db.database.record(Self.count)
    try await recorder.expect(0)
    try await other.send("INSERT INTO player DEFAULT VALUES")
    let update = try await recorder.next()
    #expect(update.origin == .external)
    #expect(update.tables != nil)
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `tables of commits that were coalesced add up`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let sum = Query.scalar(
      "SELECT (SELECT count(*) FROM player) + (SELECT count(*) FROM map)", as: Int.self)
    var updates = db.database.observe(sum).updates.makeAsyncIterator()
    _ = await updates.take()
    let witness = db.database.record(sum)
    try await witness.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await witness.expect(1)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await witness.expect(2)
    let update = try #require(await updates.take())
    #expect(try update.value == 2)
    #expect(update.tables == .named(["map", "player"]))
  }

  @Test(arguments: StorageKind.allCases)
  func `counts, first rows and lists are observed`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind, schema: "\(TemporaryDatabase.players); CREATE TABLE \"odd \"\"name\" (x)")
    let good = db.database.record(.count(of: "player", where: "score > ?", [40]))
    let odd = db.database.record(.count(of: "odd \"name"))
    let best = db.database.record(
      Query.rows("SELECT name FROM player ORDER BY score DESC LIMIT 1").map { rows in
        try rows.first?["name"] as String?
      })
    try await good.expect(0)
    try await odd.expect(0)
    try await best.expect(nil)
    try await db.write(script: "INSERT INTO player(name, score) VALUES ('ada', 50), ('bob', 3)")
    try await good.expect(1)
    try await best.expect("ada")
    try await db.write(script: "INSERT INTO \"odd \"\"name\" VALUES (1)")
    try await odd.expect(1)
  }
}
