import Glibc
import Synchronization
import TestSupport
import Testing

@testable import DatabaseConsole
@testable import ObservationEngine

/// Windows of long results, observed in a group as panels are.
@Suite(.fewAtOnce)
struct WindowTests {
  private static let schema = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, amount INT);
    CREATE TABLE other (x);
    """

  private static func fill(_ count: Int) -> String {
    """
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO item SELECT i, 'item ' || i, i % 7 FROM n
    """
  }

  private static func database(
    _ kind: StorageKind, rows: Int, refreshBudget: Duration = .seconds(30)
  ) async throws -> TemporaryDatabase {
    var configuration = TemporaryDatabase.alwaysOpen
    configuration.refreshBudget = refreshBudget
    let db = try await TemporaryDatabase(kind, configuration: configuration, schema: schema)
    try await db.write(script: fill(rows))
    return db
  }

  /// The next result of a query of the group; refreshes without one are passed over.
  private func result(_ group: WindowedObservation, _ index: Int = 0) async throws -> RowSet {
    while true {
      let refresh = try #require(await group.next())
      if let result = refresh.results[index] { return try result.get() }
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `a result is held as a whole up to ten thousand rows`(_ kind: StorageKind) async throws {
    let db = try await Self.database(kind, rows: 10_001)
    let group = db.database.panels([.rows("SELECT * FROM item")], windowed: [0])
    let first = try await result(group)
    #expect(first.part == .init(first: 0, total: 10_001, all: 10_001))
    #expect(first.rows.count == 1_000)
    try await db.write(script: "DELETE FROM item WHERE id = 5")
    let whole = try await result(group)
    #expect(whole.part == nil)
    #expect(whole.rows.count == 10_000)
    try await db.write(script: "INSERT INTO item (name) VALUES ('new'), ('newer')")
    let long = try await result(group)
    #expect(long.part == .init(first: 0, total: 10_002, all: 10_002))
    #expect(long.rows == Array(whole.rows.prefix(1_000)))
  }

  @Test(arguments: StorageKind.allCases)
  func `a moved window comes with its rows, and with no event`(_ kind: StorageKind) async throws {
    let db = try await Self.database(kind, rows: 20_000)
    let group = db.database.panels(
      [.rows("SELECT * FROM item"), .rows("SELECT count(*) FROM item")], windowed: [0])
    _ = try await result(group)
    group.show(RowWindow(first: 15_000, count: 3, number: 7), of: 0)
    let refresh = try #require(await group.next())
    #expect(refresh.events.isEmpty)
    #expect(refresh.refreshed.keys.sorted() == [0], "the others need no fetch")
    let rows = try #require(refresh.results[0]).get()
    #expect(rows.rows.map(\.first) == [15_001, 15_002, 15_003])
    #expect(rows.part == .init(first: 15_000, total: 20_000, all: 20_000, window: 7))
    group.show(
      RowWindow(
        first: 1, count: 2, sort: .init(column: 2, isDescending: true), number: 8,
        filter: { $0[0] != .integer(20) }), of: 0)
    let sorted = try await result(group)
    #expect(sorted.rows.map(\.first) == [13, 27])
    #expect(sorted.part == .init(first: 1, total: 19_999, all: 20_000, window: 8))
    group.show(RowWindow(first: 9, count: 5, filter: { _ in false }), of: 0)
    let nothing = try await result(group)
    #expect(nothing.rows.isEmpty)
    #expect(nothing.part == .init(first: 0, total: 0, all: 20_000))
  }

  @Test(arguments: StorageKind.allCases)
  func `rows and their number are of one snapshot while others commit`(
    _ kind: StorageKind
  ) async throws {
    let db = try await Self.database(kind, rows: 11_000)
    let group = db.database.panels([.rows("SELECT * FROM item")], windowed: [0])
    let writing = Task {
      for number in 11_001...11_060 {
        try await db.write(script: "INSERT INTO item VALUES (\(number), '', 0)")
      }
    }
    var last = 0
    while last < 11_060 {
      // Always the last rows, whose number says how many there are.
      group.show(RowWindow(first: .max, count: 2), of: 0)
      let rows = try await result(group)
      last = try #require(rows.part).all
      if rows.rows.count == 2 {
        #expect(rows.rows.last?.first == .integer(Int64(last)))
        #expect(rows.part == .init(first: last - 2, total: last, all: last))
      }
    }
    try await writing.value
  }

  @Test(arguments: StorageKind.allCases)
  func `a window follows commits to what it shows, and those alone`(
    _ kind: StorageKind
  ) async throws {
    let db = try await Self.database(kind, rows: 12_000)
    let group = db.database.panels([.rows("SELECT id, name FROM item")], windowed: [0])
    _ = try await result(group)
    group.show(RowWindow(first: 6_000, count: 1), of: 0)
    _ = try await result(group)
    try await db.write(
      script: "UPDATE item SET amount = 9 WHERE id = 6001; INSERT INTO other VALUES (1)")
    let quiet = try #require(await group.next())
    #expect(quiet.events.count == 1)
    #expect(quiet.refreshed.isEmpty, "amount is not read")
    try await db.write(script: "UPDATE item SET name = 'changed' WHERE id = 6001")
    #expect(try await result(group).rows == [[6001, "changed"]])
  }

  @Test(arguments: [
    "SELECT id, name FROM item", "SELECT name FROM item WHERE id = 7", "SELECT 1",
    "SELECT count(*) FROM item", "SELECT id FROM item WHERE amount > 3 ORDER BY name",
    "SELECT i.id, date('now') FROM item i, other", "PRAGMA table_info(item)",
    "SELECT random() FROM item",
  ])
  func `what is watched is what the query itself reads`(_ sql: String) async throws {
    let db = try await Self.database(.wal, rows: 40)
    try await db.write(script: "INSERT INTO other VALUES (1)")
    for limit in [10, 1_000] {
      let window = WindowedQuery(
        .rows(SQL(raw: sql)), limits: .init(whole: limit, shallow: 20, near: 2))
      let (found, expected) = try await db.database.read { connection in
        (
          connection.recordingRegion { try window.fetch(connection) }.1,
          connection.recordingRegion { try connection.fetchAll(SQL(raw: sql)) }.1
        )
      }
      #expect(found == expected)
    }
  }

  @Test
  func `a window that moves while it is read is read again by the same fetch`() async throws {
    let db = try await Self.database(.wal, rows: 40)
    let query = WindowedQuery(.rows("SELECT id FROM item"), limits: .init(whole: 10))
    query.show(
      RowWindow(count: 2, number: 1) { _ in
        query.show(RowWindow(first: 20, count: 2, number: 2))
        return true
      })
    let rows = try await db.database.read { try query.fetch($0) }
    #expect(rows.rows == [[21], [22]])
    #expect(rows.part == .init(first: 20, total: 40, all: 40, window: 2))
  }

  @Test
  func `how long a window takes is known once it was read, but not with another filter`()
    async throws
  {
    let db = try await Self.database(.wal, rows: 40)
    for (limit, isLong) in [(1_000, false), (10, true)] {
      let query = WindowedQuery(.rows("SELECT id FROM item"), limits: .init(whole: limit))
      #expect(query.estimate(isUnchanged: true) == nil)
      _ = try await db.database.read { try query.fetch($0) }
      #expect((query.estimate(isUnchanged: false) != nil) == isLong)
      query.show(RowWindow(first: 5, count: 2))
      #expect((query.estimate(isUnchanged: false) != nil) == isLong)
      query.show(RowWindow(count: 2) { _ in true })
      #expect(query.estimate(isUnchanged: false) == nil)
    }
  }

  @Test(arguments: StorageKind.files)
  func `of many moves while one is read only the last is read`(_ kind: StorageKind) async throws {
    let db = try await Self.database(kind, rows: 10_100)
    let group = db.database.panels([.rows("SELECT * FROM item")], windowed: [0])
    _ = try await result(group)
    let gate = Gate()
    let looked = Mutex<Set<Int>>([])
    group.show(
      RowWindow(count: 2) { _ in
        gate.pass()
        return true
      }, of: 0)
    await gate.wasReached()
    for move in 1...10 {
      group.show(
        RowWindow(first: move, count: 2) { _ in
          looked.withLock { _ = $0.insert(move) }
          return true
        }, of: 0)
    }
    gate.open()
    var rows: RowSet?
    while rows?.part?.first != 10 { rows = try await result(group) }
    #expect(looked.withLock { $0 } == [10])
  }

  /// Lets a pass over all rows wait at its ten-thousandth, which is too far for a quick lane without time.
  private static func pass(_ gate: Gate, _ looked: Shared) -> @Sendable ([Value]) -> Bool {
    { row in
      looked.value.withLock { $0 += 1 }
      if row[0] == 10_000 { gate.pass() }
      return true
    }
  }

  @Test(arguments: StorageKind.files, [Duration.zero, .seconds(30)])
  func `a pass for a window that has moved on is cut short, and not delivered`(
    _ kind: StorageKind, _ refreshBudget: Duration
  ) async throws {
    let db = try await Self.database(kind, rows: 60_000, refreshBudget: refreshBudget)
    let group = db.database.panels([.rows("SELECT * FROM item")], windowed: [0])
    _ = try await result(group)
    let gate = Gate()
    let looked = Shared(0)
    group.show(RowWindow(count: 2, number: 1, filter: Self.pass(gate, looked)), of: 0)
    await gate.wasReached()
    group.show(RowWindow(first: 40_000, count: 2, number: 2), of: 0)
    gate.open()
    let rows = try await result(group)
    #expect(rows.part == .init(first: 40_000, total: 60_000, all: 60_000, window: 2))
    #expect(looked.value.withLock { $0 } < 30_000, "the last rows were not read")
  }

  @Test
  func `a commit does not cut a pass short`() async throws {
    let db = try await Self.database(.wal, rows: 60_000, refreshBudget: .zero)
    let group = db.database.panels([.rows("SELECT * FROM item")], windowed: [0])
    _ = try await result(group)
    let gate = Gate()
    let looked = Shared(0)
    group.show(RowWindow(count: 2, number: 1, filter: Self.pass(gate, looked)), of: 0)
    await gate.wasReached()
    try await db.write(script: "INSERT INTO item (name) VALUES ('new')")
    gate.open()
    let rows = try await result(group)
    #expect(rows.part == .init(first: 0, total: 60_000, all: 60_000, window: 1))
    let newer = try await result(group)
    #expect(newer.part == .init(first: 0, total: 60_001, all: 60_001, window: 1))
  }

  @Test(arguments: StorageKind.files)
  func `a moved window needs no slow lane, though its query does`(_ kind: StorageKind) async throws
  {
    // Whatever takes more than a few steps of SQLite's machine is too slow.
    let db = try await Self.database(kind, rows: 12_000, refreshBudget: .zero)
    // While another program has the file open the log is not emptied, which would be another snapshot.
    let other = try await ExternalProcess.serve(db.path)
    try await other.send("SELECT count(*) FROM item")
    // However long the first pass takes on this machine.
    db.database.coordinator.runner.scheduler.withLock {
      $0.settings.quickAgain = .seconds(3_600)
    }
    let sql = "SELECT id, name FROM item WHERE name <> ''"
    let group = db.database.panels([.rows(SQL(raw: sql))], windowed: [0])
    var refresh = try #require(await group.next())
    #expect(refresh.stale[0]?.reason.contains("slow") == true)
    #expect(try await result(group).part?.all == 12_000)
    for first in [11_990, 11_980, 3] {
      group.show(RowWindow(first: first, count: 5), of: 0)
      refresh = try #require(await group.next())
      #expect(refresh.stale.isEmpty, "what was read on the other lane is known here")
      #expect(try refresh.results[0]?.get().rows.first?.first == .integer(Int64(first + 1)))
    }
    await other.finish()
  }

  @Test(arguments: StorageKind.allCases)
  func `equal queries have equal results in a refresh`(_ kind: StorageKind) async throws {
    let db = try await Self.database(kind, rows: 30)
    // Two runs would hardly draw the same numbers.
    let sql = "SELECT id, random() FROM item"
    let group = db.database.panels(
      [.rows(SQL(raw: sql)), .rows(SQL(raw: sql)), .rows(SQL(raw: sql))], windowed: [0, 2])
    for _ in 0..<3 {
      let refresh = try #require(await group.next())
      let rows = try (0..<3).map { try #require(refresh.results[$0]).get() }
      #expect(rows[0] == rows[1] && rows[1] == rows[2])
      try await db.write(script: "INSERT INTO item (name) VALUES ('x')")
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `asking for a refresh runs all queries of the group again`(
    _ kind: StorageKind
  ) async throws {
    let db = try await TemporaryDatabase(kind)
    let group = db.database.panels([.rows("SELECT random()"), .rows("SELECT 1")], windowed: [0])
    let first = try #require(await group.next())
    group.refresh()
    var recomputed: Set<Int> = []
    var results: [Int: Result<RowSet, any Error>] = [:]
    // On a busy machine one of them may be taken for slow, and come by itself.
    while recomputed.count < 2 {
      let refresh = try #require(await group.next())
      recomputed.formUnion(refresh.refreshed.keys)
      results.merge(refresh.results) { $1 }
    }
    #expect(results.keys.sorted() == [0])
    #expect(try first.results[0]?.get() != results[0]?.get())
  }

  @Test
  func `a pass over all rows ends with its observation`() async throws {
    let db = try await Self.database(.wal, rows: 10_100, refreshBudget: .milliseconds(20))
    do {
      let group = db.database.panels(
        [
          .rows(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
            """)
        ], windowed: [0])
      group.show(
        RowWindow(count: 2) { _ in
          true
        }, of: 0)
      #expect(try #require(await group.next()).stale[0] != nil)
    }
    // The time limit of the suite ends it otherwise.
    db.database.shutDown()
    #expect(db.folder.names.contains("test.db"))
  }
}

/// A number that a closure counts.
private final class Shared: Sendable {
  let value: Mutex<Int>

  init(_ value: Int) { self.value = Mutex(value) }
}

/// Holds up a thread until it is opened.
private final class Gate: Sendable {
  private let state = Mutex<(isOpen: Bool, isReached: Bool)>((false, false))

  func pass() {
    state.withLock { $0.isReached = true }
    while !state.withLock({ $0.isOpen }) { usleep(1_000) }
  }

  func open() { state.withLock { $0.isOpen = true } }

  func wasReached() async {
    while !state.withLock({ $0.isReached }) { try? await Task.sleep(for: .milliseconds(1)) }
  }
}
