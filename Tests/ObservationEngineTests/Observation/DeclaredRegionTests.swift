import TestSupport
import Testing

@testable import ObservationEngine

/// Regions that are stated by name.
@Suite(.fewAtOnce)
struct DeclaredRegionTests {
  @Test
  func `a union has the parts of both, whatever the order`() {
    let player = Region.table("player")
    let score = Region.columns("points", of: "score")
    #expect(player + score == score + player)
    #expect((player + score) + player == player + score)
    #expect(player + Region() == player)
    #expect((player + .fullDatabase).isFull)
    var sum = Region()
    #expect(sum.isEmpty)
    sum = sum + player
    #expect(sum == player && !sum.isEmpty)
    #expect(!Region.fullDatabase.isEmpty)
  }

  @Test
  func `names are compared without case, and by schema`() {
    #expect(Region.table("Player") == .table("player"))
    #expect(Region.columns("A", "b", of: "t") == .columns("B", "a", of: "T"))
    #expect(Region.table("player") != .table("player", in: "aux"))
    #expect(Region.table("player") != .columns("name", of: "player"))
    #expect(Region.rows([1], of: "player") != .rows([2], of: "player"))
  }

  @Test
  func `a description names tables and columns`() {
    #expect(Region().description == "nothing")
    #expect(Region.table("player").description == "player(*)")
    #expect(
      (Region.columns("b", "a", of: "t") + .rows([3], of: "s")).description == "s(*)[1 rows],t(a,b)"
    )
    #expect(Region.fullDatabase.description.hasPrefix("everything"))
  }

  private static let schema = """
    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INT);
    CREATE TABLE square (side INT, name TEXT, area GENERATED ALWAYS AS (side * side) VIRTUAL);
    CREATE TABLE map (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE pair (a INT, b INT, PRIMARY KEY (a)) WITHOUT ROWID;
    CREATE VIEW best AS SELECT name FROM player WHERE score > 10;
    INSERT INTO player(id, name, score) VALUES (1, 'ada', 5), (2, 'bob', 6);
    INSERT INTO square VALUES (3, 'x');
    INSERT INTO pair VALUES (1, 1), (2, 2)
    """

  /// A region, what does not touch it, and what does.
  private static let cases: [(region: Region, outside: [String], inside: [String])] = [
    (
      .table("player"), ["INSERT INTO map DEFAULT VALUES", "UPDATE player SET name = name"],
      [
        "UPDATE player SET name = 'x' WHERE id = 1", "DELETE FROM player WHERE id = 1",
        "INSERT INTO player(id) VALUES (9)",
      ]
    ),
    (
      .columns("name", of: "player"), ["UPDATE player SET score = 7"],
      ["UPDATE player SET name = 'x'", "DELETE FROM player WHERE id = 2"]
    ),
    (
      .columns("area", of: "square"), ["UPDATE player SET name = 'x'"],
      ["UPDATE square SET side = 7", "DELETE FROM square"]
    ),
    (
      .rows([1], of: "player"),
      ["UPDATE player SET name = 'x' WHERE id = 2", "DELETE FROM player WHERE id = 2"],
      ["UPDATE player SET name = 'x' WHERE id = 1", "DELETE FROM player WHERE id = 1"]
    ),
    (
      .rows([1], of: "pair"), ["UPDATE player SET name = 'x'"],
      ["UPDATE pair SET b = 5 WHERE a = 2"]
    ),
    (
      .table("best"), ["INSERT INTO map DEFAULT VALUES", "DELETE FROM pair"],
      ["UPDATE player SET name = 'x'", "UPDATE player SET score = 11"]
    ),
    (
      .table("player") + .table("map"), ["DELETE FROM pair"],
      ["INSERT INTO map DEFAULT VALUES", "DELETE FROM player"]
    ),
    (.fullDatabase, [], ["INSERT INTO map DEFAULT VALUES", "CREATE TABLE t (x)"]),
    (
      .read(by: Query.scalar("SELECT name FROM player WHERE id = ?", [1], as: String.self)),
      ["UPDATE player SET name = 'x' WHERE id = 2", "UPDATE player SET score = 0"],
      ["UPDATE player SET name = 'x' WHERE id = 1"]
    ),
  ]

  @Test(arguments: StorageKind.allCases, cases.indices)
  func `only commits that touch the region are told`(_ kind: StorageKind, index: Int) async throws {
    let (region, outside, inside) = Self.cases[index]
    for statement in inside {
      let db = try await TemporaryDatabase(kind, schema: Self.schema)
      let told = Journal<Int>()
      let subscription = db.database.onChange(of: region) { _, commit in
        told.append(commit.ordinal)
      }
      // It is looked up at the first commit.
      for statement in outside { try await db.write(script: statement) }
      let before = told.entries
      #expect(before.isEmpty, "\(region): \(outside)")
      try await db.write(script: statement)
      #expect(told.entries.count == 1, "\(region): \(statement)")
      subscription.cancel()
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a table that does not exist makes every commit matter, until it does`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let told = Counter()
    let subscription = db.database.onChange(of: .table("level")) { _, _ in told.increment() }
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    #expect(told.value == 1)
    try await db.write(script: "CREATE TABLE level (x)")
    #expect(told.value == 2)
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    #expect(told.value == 2)
    try await db.write(script: "INSERT INTO level VALUES (1)")
    #expect(told.value == 3)
    subscription.cancel()
  }

  @Test(arguments: StorageKind.allCases)
  func `an observation can track another region than it reads`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let fetches = Counter()
    let recorder = Recorder(
      db.database.observe(tracking: .table("map")) { connection -> Int in
        fetches.increment()
        return try connection.count(of: "player")
      })
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await db.write(script: "INSERT INTO map DEFAULT VALUES")
    try await recorder.expect(2)
    #expect(recorder.values == [0, 2])
    #expect(fetches.value == 2)
  }

  @Test(arguments: StorageKind.allCases)
  func `a tracked name is looked up again when the schema changes`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = Recorder(
      db.database.observe(tracking: .table("late")) { connection -> Int in
        try connection.count(of: "player")
      })
    try await recorder.expect(0)
    try await db.write(script: "CREATE TABLE late (x); INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await db.write(script: "INSERT INTO late VALUES (1)")
    try await recorder.expect(2)
    #expect(recorder.values == [0, 1, 2])
  }
}
