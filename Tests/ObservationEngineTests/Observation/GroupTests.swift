import Glibc
import ObservationEngine
import TestSupport
import Testing

/// Lists of queries that are observed together, each with a result of its own.
@Suite(.fewAtOnce)
struct GroupTests {
  private static let players = Query.count(of: "player")
  private static let maps = Query.count(of: "map")

  @Test(arguments: StorageKind.allCases)
  func `the first update has all results, later ones those that differ`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(
      db.database.observe(all: [Self.players, Self.maps, Query.count(of: "missing")]))
    let first = try #require(await group.next())
    #expect(first.results.count == 3)
    #expect(first.error(2)?.message.contains("missing") == true)
    #expect(first.commits.isEmpty)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let second = try #require(await group.next())
    #expect(try second.results.mapValues { try $0.get() } == [0: 1])
    #expect(second.refreshed.keys.sorted() == [0, 2], "what failed runs at every commit")
    #expect(second.stale.isEmpty)
    #expect(second.commits.map(\.tables) == [.named(["player"])])
    #expect(second.ordinal == second.commits.last?.ordinal)
    #expect(second.noticed > 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a query that failed has a result as soon as it can have one`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(
      db.database.observe(all: [Self.players, Query.count(of: "missing")]))
    #expect(try #require(await group.next()).error(1) != nil)
    try await db.write(script: "CREATE TABLE missing (x); INSERT INTO missing VALUES (1), (2)")
    #expect(try #require(await group.next()).results.mapValues { try $0.get() } == [1: 2])
  }

  @Test(arguments: StorageKind.allCases)
  func `a commit that concerns no query comes without results`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(db.database.observe(all: [Self.players]))
    _ = await group.next()
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    let update = try #require(await group.next())
    #expect(update.results.isEmpty)
    #expect(update.refreshed.isEmpty)
    #expect(update.commits.map(\.tables) == [.named(["map"])])
    #expect(update.commits.first?.rows == Commit.RowCounts(inserted: 1))
  }

  @Test(arguments: StorageKind.allCases)
  func `without queries there is a first update, and then the commits alone`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(db.database.observe(all: [Query<Int>]()))
    let first = try #require(await group.next())
    #expect(first.results.isEmpty && first.stale.isEmpty && first.commits.isEmpty)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    let update = try #require(await group.next())
    #expect(update.results.isEmpty && update.stale.isEmpty)
    #expect(update.commits.count == 1)
  }

  @Test(arguments: StorageKind.files)
  func `a missing file makes every result stale until it is back`(_ kind: StorageKind) async throws
  {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(db.database.observe(all: [Self.players]))
    _ = await group.next()
    let path = db.folder.path("test.db")
    #expect(rename(path, path + ".away") == 0)
    var stale: [Int: Staleness] = [:]
    while stale.isEmpty { stale = try #require(await group.next()).stale }
    #expect(stale[0]?.reason.isEmpty == false)
    #expect(rename(path + ".away", path) == 0)
    while !stale.isEmpty { stale = try #require(await group.next()).stale }
  }

  @Test(arguments: StorageKind.allCases)
  func `equal queries run once in a refresh`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    // Two runs would hardly draw the same number.
    let sql = "SELECT count(*), random(), ? FROM player"
    let group = ElementReader(
      db.database.observe(all: [1, 1, 2].map { Query.rows(SQL(raw: sql), [$0]) }))
    for number in 0..<5 {
      let update = try #require(await group.next())
      let rows = try (0..<3).map { try #require(update.results[$0]).get().rows[0] }
      #expect(rows[0] == rows[1])
      #expect(rows[0][1] != rows[2][1], "other arguments are another query")
      #expect(rows[0][0] == .integer(Int64(number)))
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `updates that were not taken are merged`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(db.database.observe(all: [Self.players, Self.maps]))
    _ = await group.next()
    let witness = db.database.record(integer: "SELECT count(*) FROM player")
    try await witness.expect(0)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    for number in 1...10 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await witness.expect(number)
    }
    // The witness began later, so it is given its value after the group.
    let update = try #require(await group.next())
    #expect(try update.results.mapValues { try $0.get() } == [0: 10, 1: 1])
    #expect(update.commits.count == 11)
    #expect(update.droppedEvents == 0)
  }

  @Test
  func `of commits that are not taken the newest thousand stay, and the rest are counted`()
    async throws
  {
    let db = try await TemporaryDatabase(.memory)
    let group = ElementReader(db.database.observe(all: [Self.players]))
    _ = await group.next()
    let witness = db.database.record(integer: "SELECT count(*) FROM player")
    for _ in 1...1_010 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    try await witness.expect(1_010, via: Array(0..<1_010))
    let update = try #require(await group.next())
    #expect(update.commits.count + update.droppedEvents == 1_010)
    let newest = db.database.commits.ordinal
    #expect(update.commits.map(\.ordinal) == Array(newest - 999...newest))
  }

  @Test(arguments: StorageKind.allCases)
  func `the sequence ends with the database, and stays at its end`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = ElementReader(db.database.observe(all: [Self.players]))
    _ = await group.next()
    await db.database.close()
    for _ in 0..<2 { #expect(await group.next() == nil) }
  }

  @Test(arguments: StorageKind.allCases)
  func `a task that is cancelled ends the observation for good`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.panels([.rows("SELECT count(*) FROM player")])
    _ = await group.next()
    let task = Task { await group.next() == nil }
    task.cancel()
    #expect(await task.value)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(await group.next() == nil)
  }

  @Test(arguments: StorageKind.allCases)
  func `each iterator observes by itself`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let updates = db.database.observe(all: [Self.players])
    let first = ElementReader(updates)
    #expect(try #require(await first.next()).results[0]?.get() == 0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let second = ElementReader(updates)
    #expect(try #require(await second.next()).results[0]?.get() == 1)
    #expect(try #require(await first.next()).results[0]?.get() == 1)
  }

  @Test(arguments: StorageKind.allCases)
  func `a group that is gone is not refreshed, and others are`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let fetches = Counter()
    let counted = Self.players.map { count in
      fetches.increment()
      return count
    }
    do {
      let group = ElementReader(db.database.observe(all: [counted]))
      _ = await group.next()
    }
    let other = ElementReader(db.database.observe(all: [Self.players]))
    _ = await other.next()
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    #expect(try #require(await other.next()).results[0]?.get() == 1)
    #expect(fetches.value == 1)
  }
}
