import ObservationEngine
import TestSupport
import Testing

/// Observing the rows of a table.
@Suite(.fewAtOnce)
struct RowChangeTests {
  /// What a change was, in short.
  private func told(_ change: RowChange?) -> String {
    guard let change else { return "the end" }
    func text(_ row: Row?) -> String {
      row.map { $0.values.map { value in shown(value) }.joined(separator: ",") } ?? "-"
    }
    return "\(change.kind.rawValue) \(text(change.old)) \(text(change.new))"
  }

  private func shown(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob: "blob"
    case .date(let date): "\(date)"
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `each change of a row is told, with both rows`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var changes = try await db.database.changes(of: "PLAYER").makeAsyncIterator()
    try await db.write(script: "INSERT INTO player VALUES (7, 'ada', 1)")
    let first = try await changes.next()
    #expect(told(first) == "insert - 7,ada,1")
    #expect(first?.key == .rowid(7))
    #expect(first?.table == "player")
    #expect(try first?.new?["NAME"] as String? == "ada")
    try await db.write(script: "UPDATE player SET score = 2 WHERE id = 7")
    #expect(told(try await changes.next()) == "update 7,ada,1 7,ada,2")
    try await db.write(script: "DELETE FROM player")
    #expect(told(try await changes.next()) == "delete 7,ada,2 -")
  }

  @Test
  func `what is undone, or is no change, is not told`() async throws {
    let db = try await TemporaryDatabase(schema: "\(TemporaryDatabase.players); CREATE TABLE x (y)")
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 1)")
    var changes = try await db.database.changes(of: "player").makeAsyncIterator()
    try? await db.database.write { connection in
      try connection.execute("DELETE FROM player")
      throw Unexpected("changed my mind")
    }
    try await db.write(
      script: """
        SAVEPOINT s; DELETE FROM player; ROLLBACK TO s; RELEASE s;
        UPDATE player SET score = score; INSERT INTO x VALUES (1);
        INSERT INTO player VALUES (2, 'bob', 2); DELETE FROM player WHERE id = 2
        """)
    try await db.write(script: "UPDATE player SET score = 9")
    #expect(told(try await changes.next()) == "update 1,ada,1 1,ada,9")
  }

  @Test
  func `with a condition, the rows that fulfil it are what changes`() async throws {
    let db = try await TemporaryDatabase()
    let all = try await db.database.changes(of: "player", where: "score > ?", [40])
    var changes = all.makeAsyncIterator()
    for statement in [
      "INSERT INTO player VALUES (1, 'ada', 10)", "UPDATE player SET score = 41",
      "UPDATE player SET score = 42", "UPDATE player SET score = NULL",
      "UPDATE player SET name = 'eve'", "INSERT INTO player VALUES (2, 'bob', 50)",
      "DELETE FROM player",
    ] { try await db.write(script: statement + "; INSERT INTO map(name) VALUES ('x')") }
    // A slow consumer: what came and went is merged away.
    try await db.write(script: "INSERT INTO player VALUES (3, 'zoe', 60)")
    #expect(told(try await changes.next()) == "insert - 3,zoe,60")
    try await db.write(script: "UPDATE player SET score = 61")
    #expect(told(try await changes.next()) == "update 3,zoe,60 3,zoe,61")
    try await db.write(script: "UPDATE player SET score = 4")
    #expect(told(try await changes.next()) == "delete 3,zoe,61 -")
  }

  @Test
  func `only the kinds asked for are told`() async throws {
    let db = try await TemporaryDatabase()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 50)")
    var changes = try await db.database.changes(of: "player", [.delete], where: "score > 40")
      .makeAsyncIterator()
    try await db.write(script: "INSERT INTO player VALUES (2, 'bob', 60)")
    try await db.write(script: "UPDATE player SET score = 51 WHERE id = 1")
    try await db.write(script: "DELETE FROM player WHERE id = 1")
    #expect(told(try await changes.next()) == "delete 1,ada,50 -")
  }

  @Test
  func `a condition means on old rows what it means in the table`() async throws {
    let db = try await TemporaryDatabase(
      schema: "CREATE TABLE t (a TEXT COLLATE NOCASE, b NUMERIC, c, d INT)")
    let condition = "a = 'ADA' AND b = '5' AND c IS NOT '5' AND d > '1' AND rowid < 10"
    var changes = try await db.database.changes(of: "t", where: SQL(raw: condition))
      .makeAsyncIterator()
    try await db.write(script: "INSERT INTO t(rowid, a, b, c, d) VALUES (3, 'Ada', '5', 5, '2')")
    #expect(told(try await changes.next()) == "insert - Ada,5,5,2")
    try await db.write(script: "UPDATE t SET rowid = 11")
    #expect(told(try await changes.next()) == "delete Ada,5,5,2 -")
  }

  @Test
  func `functions and collations of the database are those of the condition`() async throws {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.functions = [
      CustomFunction("twice", argumentCount: 1, isDeterministic: true) { arguments in
        .integer((arguments[0].integer ?? 0) * 2)
      }
    ]
    let db = try await TemporaryDatabase(configuration: configuration)
    var changes = try await db.database.changes(of: "player", where: "twice(score) = 4")
      .makeAsyncIterator()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 1), (2, 'bob', 2)")
    #expect(told(try await changes.next()) == "insert - 2,bob,2")
  }

  @Test
  func `a slow consumer gets one change of each row`() async throws {
    let db = try await TemporaryDatabase()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 0)")
    var changes = try await db.database.changes(of: "player").makeAsyncIterator()
    for score in 1...50 { try await db.write(script: "UPDATE player SET score = \(score)") }
    #expect(told(try await changes.next()) == "update 1,ada,0 1,ada,50")
    try await db.write(script: "UPDATE player SET score = 51")
    #expect(told(try await changes.next()) == "update 1,ada,50 1,ada,51")
  }

  @Test(arguments: StorageKind.files)
  func `commits of other processes are told, by comparing`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 50), (2, 'bob', 3)")
    var changes = try await db.database.changes(of: "player", where: "score > 40")
      .makeAsyncIterator()
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("UPDATE player SET score = 51 WHERE id = 1")
    #expect(told(try await changes.next()) == "update 1,ada,50 1,ada,51")
    try await other.send("UPDATE player SET score = 60 WHERE id = 2")
    #expect(told(try await changes.next()) == "insert - 2,bob,60")
    // An own commit after a foreign one follows what was told.
    try await db.write(script: "UPDATE player SET score = 61 WHERE id = 2")
    #expect(told(try await changes.next()) == "update 2,bob,60 2,bob,61")
    try await other.send("DELETE FROM player WHERE id = 1")
    #expect(told(try await changes.next()) == "delete 1,ada,51 -")
  }

  @Test
  func `rows without a rowid, and those that nobody can tell, are told`() async throws {
    let db = try await TemporaryDatabase(
      schema: """
        CREATE TABLE pair (a INT, b TEXT, c, PRIMARY KEY (b, a)) WITHOUT ROWID;
        CREATE TABLE sum (a INT, b INT, c AS (a + b))
        """)
    var pairs = try await db.database.changes(of: "pair").makeAsyncIterator()
    var sums = try await db.database.changes(of: "sum", where: "c > 2").makeAsyncIterator()
    try await db.write(script: "INSERT INTO pair VALUES (1, 'x', 2); INSERT INTO sum VALUES (1, 2)")
    let pair = try await pairs.next()
    #expect(told(pair) == "insert - 1,x,2")
    #expect(pair?.key == .primaryKey(["x", 1]))
    #expect(told(try await sums.next()) == "insert - 1,2,3")
    try await db.write(script: "UPDATE sum SET a = 2")
    #expect(told(try await sums.next()) == "update 1,2,3 2,2,4")
  }

  @Test
  func `a new schema is followed`() async throws {
    let db = try await TemporaryDatabase()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 50)")
    var changes = try await db.database.changes(of: "player", where: "score > 40")
      .makeAsyncIterator()
    try await db.write(script: "ALTER TABLE player ADD COLUMN team TEXT DEFAULT 'red'")
    #expect(told(try await changes.next()) == "update 1,ada,50 1,ada,50,red")
    try await db.write(script: "UPDATE player SET team = 'blue'")
    #expect(told(try await changes.next()) == "update 1,ada,50,red 1,ada,50,blue")
    try await db.write(script: "ALTER TABLE player RENAME COLUMN score TO points")
    let error = try await changes.nextError() as? DatabaseError
    #expect(error?.message.contains("score") == true)
    try await db.write(script: "ALTER TABLE player RENAME COLUMN points TO score")
    #expect(try await changes.next(isolation: #isolation) == nil, "it has ended")
  }

  @Test
  func `own changes alone cost no memory, and say when rows are not known`() async throws {
    let db = try await TemporaryDatabase()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 50)")
    var changes = try await db.database.changes(
      of: "player", where: "score > 40", untracked: .ignore
    )
    .makeAsyncIterator()
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("UPDATE player SET score = 60")
    try await db.write(script: "UPDATE player SET score = 61")
    #expect(told(try await changes.next()) == "update 1,ada,60 1,ada,61")
    try await db.write(script: "ALTER TABLE player ADD COLUMN team")
    let error = try await changes.nextError() as? DatabaseError
    #expect(error?.message.contains("use untracked: .diff") == true)
    try await db.write(script: "UPDATE player SET team = 'red'")
    #expect(try await changes.next(isolation: #isolation) == nil, "nothing follows a gap")
  }

  @Test
  func `what cannot be observed is an error at once`() async throws {
    let db = try await TemporaryDatabase()
    try await db.write(
      script: "CREATE VIEW v AS SELECT * FROM player; CREATE VIRTUAL TABLE note USING fts5(body)")
    func message(
      _ table: String, _ condition: String? = nil, _ arguments: QueryArguments = []
    ) async -> String {
      let error = await #expect(throws: DatabaseError.self) {
        _ = try await db.database.changes(
          of: table, where: condition.map { SQL(raw: $0) }, arguments)
      }
      return error?.message ?? ""
    }
    #expect(await message("nix").contains("no such table: nix"))
    #expect(await message("v").contains("v is a view, which has no rows of its own"))
    #expect(
      await message("note").contains("note is a virtual table, and only its module knows its rows"))
    #expect(await message("player", "scoer > 1").contains("no such column: scoer"))
    #expect(await message("player", "score >").contains("syntax error"))
    #expect(await message("player", "score > ?").contains("has no value"))
    #expect(await message("player", "id IN (SELECT 1)").contains("cannot have a subquery"))
    #expect(await message("player", "count(*) > 1").contains("misuse of aggregate"))
    var configuration = Configuration()
    configuration.isReadOnly = true
    let reader = try Database(path: db.path, configuration: configuration)
    let error = await #expect(throws: DatabaseError.self) {
      _ = try await reader.changes(of: "player", untracked: .ignore)
    }
    #expect(error?.code == .readOnly)
    var changes = try await reader.changes(of: "player").makeAsyncIterator()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 50)")
    #expect(told(try await changes.next()) == "insert - 1,ada,50")
    await reader.close()
  }

  @Test
  func `a second consumer at the same time is refused`() async throws {
    let db = try await TemporaryDatabase()
    let changes = try await db.database.changes(of: "player")
    let results = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<2 {
        group.addTask {
          var iterator = changes.makeAsyncIterator()
          // Whoever comes first waits until it is cancelled.
          return ((try? await iterator.next()) ?? nil) == nil
        }
      }
      _ = await group.next()
      group.cancelAll()
      return await group.reduce(into: 1) { count, _ in count += 1 }
    }
    #expect(results == 2)
    var iterator = changes.makeAsyncIterator()
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 1)")
    #expect(told(try await iterator.next()) == "insert - 1,ada,1")
  }

  @Test
  func `the sequence ends with its task, and with the database`() async throws {
    let db = try await TemporaryDatabase()
    let changes = try await db.database.changes(of: "player")
    let task = Task {
      var iterator = changes.makeAsyncIterator()
      return try await iterator.next()
    }
    task.cancel()
    #expect(try await task.value == nil)
    let ending = Task {
      var iterator = changes.makeAsyncIterator()
      return try await iterator.next()
    }
    await db.database.close()
    #expect(try await ending.value == nil)
  }
}
