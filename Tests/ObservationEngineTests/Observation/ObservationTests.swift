import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// What an observation delivers, and what it does not.
@Suite(.fewAtOnce)
struct ObservationTests {
  @Test(arguments: StorageKind.allCases)
  func `the first element is the current value, and consecutive elements differ`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player(name, score) VALUES ('ada', 1)")
    let recorder = db.database.record(integer: "SELECT max(score) FROM player")
    try await recorder.expect(1)
    try await db.write(script: "INSERT INTO player(name, score) VALUES ('bob', 0)")
    try await db.write(script: "UPDATE player SET score = 0 WHERE name = 'bob'")
    try await db.write(script: "UPDATE player SET score = 2")
    try await recorder.expect(2)
    #expect(recorder.values == [1, 2])
    let late = db.database.record(integer: "SELECT max(score) FROM player")
    try await late.expect(2)
  }

  @Test(arguments: StorageKind.allCases)
  func `a rolled-back transaction yields nothing`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    await #expect(throws: Unexpected.self) {
      try await db.database.write { connection in
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        try connection.execute("INSERT INTO player DEFAULT VALUES")
        throw Unexpected("changed my mind")
      }
    }
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    try await recorder.expect(1)
    #expect(recorder.values == [0, 1])
  }

  /// What is read, what is written elsewhere, and the fence that is read.
  static let unrelated: [(read: String, write: String)] = [
    ("SELECT name FROM player", "UPDATE player SET score = 5"),
    ("SELECT count(*) FROM player", "UPDATE player SET score = 5, name = 'x'"),
    ("SELECT name FROM player", "INSERT INTO map(name) VALUES ('tower')"),
  ]

  @Test(arguments: StorageKind.allCases, unrelated.indices)
  func `a commit that cannot matter causes no fetch`(_ kind: StorageKind, index: Int) async throws {
    let (read, write) = Self.unrelated[index]
    let db = try await TemporaryDatabase(kind)
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 0)")
    let fetches = Counter()
    let recorder = Recorder(
      db.database.observe { connection in
        fetches.increment()
        return try connection.fetchAll(SQL(raw: read)).rows
      })
    _ = try await recorder.next()
    try await db.write(script: write)
    try await db.write(script: write)
    try await db.write(script: "INSERT INTO player VALUES (2, 'fence', 0)")
    _ = try await recorder.next()
    #expect(fetches.value == 2, "one at first, one for the fence")
    #expect(recorder.updates.count == 2)
  }

  @Test(arguments: StorageKind.allCases)
  func `a view and a join are observed through their tables`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        \(TemporaryDatabase.players); CREATE TABLE score (player INT, points INT);
        CREATE VIEW best AS SELECT name, sum(points) AS total FROM player
        JOIN score ON player = id GROUP BY id;
        CREATE TRIGGER t AFTER INSERT ON player
        BEGIN INSERT INTO score VALUES (new.id, 100); END
        """)
    let recorder = db.database.record(integer: "SELECT ifnull(sum(total), 0) FROM best")
    try await recorder.expect(0)
    try await db.write(script: "INSERT INTO player VALUES (1, 'ada', 0)")
    try await recorder.expect(100)
    try await db.write(script: "UPDATE score SET points = points + 1")
    try await recorder.expect(101)
    try await db.write(script: "DELETE FROM player")
    try await recorder.expect(0)
  }

  @Test(arguments: StorageKind.allCases)
  func `a fetch may read other tables from one run to the next`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(
      kind,
      schema: """
        CREATE TABLE choice (t); INSERT INTO choice VALUES ('a');
        CREATE TABLE a (x); CREATE TABLE b (x); INSERT INTO b VALUES (1)
        """)
    let fetches = Counter()
    let recorder = Recorder(
      db.database.observe { connection -> Int in
        fetches.increment()
        let table: String = try connection.fetchOne("SELECT t FROM choice") ?? ""
        return try connection.count(of: table)
      })
    try await recorder.expect(0)
    try await db.write(script: "UPDATE choice SET t = 'b'")
    try await recorder.expect(1)
    try await db.write(script: "INSERT INTO a VALUES (1)")
    try await db.write(script: "INSERT INTO b VALUES (2)")
    try await recorder.expect(2)
    #expect(fetches.value == 3, "what is no longer read does not matter")
  }

  @Test(arguments: StorageKind.allCases)
  func `a slow consumer gets the newest value, and none twice`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let all = db.database.record(integer: "SELECT count(*) FROM player")
    try await all.expect(0)
    var iterator = db.database.observe(
      Query.count(of: "player")
    ).makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    for number in 1...20 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await all.expect(number)
    }
    // The witness may be told of the last commit a moment earlier.
    let newest = try #require(try await iterator.next())
    #expect(newest >= 19)
    if newest == 19 { #expect(try await iterator.next() == 20) }
    // While nobody looks the value changes, and comes back: there is nothing new to tell.
    try await db.write(script: "DELETE FROM player WHERE id = 20")
    try await all.expect(19)
    try await db.write(script: "INSERT INTO player(id) VALUES (20)")
    try await all.expect(20)
    try await db.write(script: "INSERT INTO player(id) VALUES (21)")
    // The witness may be told a moment earlier here too, so the way there may be seen, in order.
    var last = 20
    while last != 21 {
      let next = try #require(try await iterator.next())
      #expect(next != last && [19, 20, 21].contains(next))
      last = next
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `cancelling the task ends the sequence`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let observation = db.database.observe(
      Query.count(of: "player"))
    let (started, continuation) = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      var seen: [Int] = []
      for try await value in observation {
        seen.append(value)
        continuation.yield(value)
      }
      return seen
    }
    var iterator = started.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    task.cancel()
    #expect(try await task.value == [0])
    // One that is cancelled before it begins ends at once, with the value or without.
    let early = Task { try await observation.first { _ in false } }
    early.cancel()
    #expect(try await early.value == nil)
  }

  @Test(arguments: StorageKind.allCases)
  func `an update tells the commit that it reflects`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    #expect(try await recorder.next().origin == nil)
    try await db.write(script: "INSERT INTO player DEFAULT VALUES")
    let update = try await recorder.next()
    #expect(update.origin == .own)
    #expect(update.ordinal == db.database.commits.ordinal)
    #expect(update.duration > .zero)
  }

  @Test(arguments: StorageKind.allCases)
  func `several queries are delivered together`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let count = Query.count(of: "player")
    let names = Query.rows("SELECT name FROM player") { row in try row[0] as String }
    var iterator = db.database.observe(count, names).makeAsyncIterator()
    var element = try #require(try await iterator.next())
    #expect(element.0 == 0 && element.1 == [])
    try await db.write(script: "INSERT INTO player(name) VALUES ('ada')")
    element = try #require(try await iterator.next())
    #expect(element.0 == 1 && element.1 == ["ada"])
  }

  @Test(arguments: [true, false])
  func `refreshes kept apart or put off still bring the newest value`(apart: Bool) async throws {
    var configuration = Configuration()
    if apart {
      configuration.minimumRefreshInterval = .milliseconds(40)
    } else {
      configuration.debounce = .milliseconds(20)
    }
    let db = try await TemporaryDatabase(.wal, configuration: configuration)
    let recorder = db.database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for _ in 1...10 { try await db.write(script: "INSERT INTO player DEFAULT VALUES") }
    try await recorder.expect(10, via: Array(1...9))
  }

  @Test(arguments: StorageKind.allCases)
  func `closing the database ends its observations`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    var iterator = db.database.observe(
      Query.count(of: "player")
    ).makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    let database = db.database
    // From a thread of its own, as `close` asks for: it blocks.
    await onOwnThread { database.close() }
    #expect(try await iterator.next() == nil)
  }

  @Test
  func `a database opened for reading is observed`() async throws {
    let db = try await TemporaryDatabase(.wal)
    var configuration = Configuration()
    configuration.isReadOnly = true
    let database = try Database(path: db.path, configuration: configuration)
    defer { database.close() }
    let recorder = database.record(integer: "SELECT count(*) FROM player")
    try await recorder.expect(0)
    for number in 1...3 {
      try await db.write(script: "INSERT INTO player DEFAULT VALUES")
      try await recorder.expect(number)
    }
  }
}

/// Counts what happens on several threads.
final class Counter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }

  func increment() { count.add(1, ordering: .sequentiallyConsistent) }
}
