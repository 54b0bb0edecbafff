import Glibc
import ObservationEngine
import TestSupport
import Testing

/// Queries that are refreshed and told together, as a dashboard's panels are.
@Suite(.fewAtOnce)
struct GroupTests {
  @Test(arguments: StorageKind.allCases)
  func `the first refresh has all results, later ones those that differ`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.observe(group: [
      .rows("SELECT count(*) FROM player"), .rows("SELECT count(*) FROM map"),
      .rows("SELECT * FROM missing"),
    ])
    let first = try #require(await group.next())
    #expect(first.results.count == 3)
    #expect(throws: DatabaseError.self) { try first.results[2]?.get() }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let second = try #require(await group.next())
    #expect(try second.results.mapValues { try $0.get().rows } == [0: [[1]]])
    #expect(second.recomputed.keys.sorted() == [0, 2], "what failed runs at every commit")
    #expect(second.events.count == 1)
    #expect(second.ordinal == db.database.commits.ordinal)
    #expect(second.noticed > 0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a commit that concerns no query is told as an event`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.observe(group: [.rows("SELECT count(*) FROM player")])
    _ = await group.next()
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    let refresh = try #require(await group.next())
    #expect(refresh.results.isEmpty)
    #expect(refresh.recomputed.isEmpty)
    guard case .commit(let commit)? = refresh.events.first else {
      Issue.record("expected a commit")
      return
    }
    #expect(commit.tables == .named(["map"]))
  }

  @Test(arguments: StorageKind.files)
  func `a missing file makes every result stale until it is back`(_ kind: StorageKind) async throws
  {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.observe(group: [.rows("SELECT count(*) FROM player")])
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
    let group = db.database.observe(group: [
      .rows(SQL(raw: sql), [1]), .rows(SQL(raw: sql), [1]), .rows(SQL(raw: sql), [2]),
    ])
    for number in 0..<5 {
      let refresh = try #require(await group.next())
      let rows = try (0..<3).map { try #require(refresh.results[$0]).get().rows[0] }
      #expect(rows[0] == rows[1])
      #expect(rows[0][1] != rows[2][1], "other arguments are another query")
      #expect(rows[0][0] == .integer(Int64(number)))
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `refreshes that were not taken are merged`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.observe(group: [
      .rows("SELECT count(*) FROM player"), .rows("SELECT count(*) FROM map"),
    ])
    _ = await group.next()
    let witness = db.database.record(integer: "SELECT count(*) FROM player")
    try await witness.expect(0)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    for number in 1...10 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await witness.expect(number)
    }
    // The witness began later, so it is told after the group.
    let refresh = try #require(await group.next())
    #expect(try refresh.results.mapValues { try $0.get().rows } == [0: [[10]], 1: [[1]]])
    #expect(refresh.events.count == 11)
    #expect(refresh.droppedEvents == 0)
  }

  @Test
  func `events that nobody takes are dropped, the oldest first, and counted`() async throws {
    let db = try await TemporaryDatabase(.memory)
    let group = db.database.observe(group: [.rows("SELECT count(*) FROM player")])
    _ = await group.next()
    let witness = db.database.record(integer: "SELECT count(*) FROM player")
    for _ in 1...1_010 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    try await witness.expect(1_010, via: Array(0..<1_010))
    let refresh = try #require(await group.next())
    #expect(refresh.events.count + refresh.droppedEvents == 1_010)
    #expect(refresh.events.count == 1_000)
    guard case .commit(let last)? = refresh.events.last else {
      Issue.record("expected a commit")
      return
    }
    #expect(last.ordinal == db.database.commits.ordinal)
  }

  @Test(arguments: StorageKind.allCases)
  func `asking for a refresh runs all queries of the group again`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.observe(group: [.rows("SELECT random()"), .rows("SELECT 1")])
    let first = try #require(await group.next())
    group.refresh()
    var recomputed: Set<Int> = []
    var results: [Int: Result<RowSet, DatabaseError>] = [:]
    // On a busy machine one of them may be taken for slow, and come by itself.
    while recomputed.count < 2 {
      let refresh = try #require(await group.next())
      recomputed.formUnion(refresh.recomputed.keys)
      results.merge(refresh.results) { $1 }
    }
    #expect(results.keys.sorted() == [0])
    #expect(try first.results[0]?.get() != results[0]?.get())
  }

  @Test(arguments: StorageKind.allCases)
  func `a group that is gone is not refreshed, and others are`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let fetches = Counter()
    do {
      let recorder = Recorder(
        db.database.observe { connection in
          fetches.increment()
          return try connection.fetchAll("SELECT count(*) FROM player")
        })
      _ = try await recorder.next()
      await recorder.stop()
    }
    let other = db.database.record(integer: "SELECT count(*) FROM player")
    try await other.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await other.expect(1)
    #expect(fetches.value == 1)
  }
}
