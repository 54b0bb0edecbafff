import TestSupport
import Testing

@testable import DatabaseConsole
@testable import ObservationEngine

/// Windows of random queries, moved at random between random commits, against the whole result in memory.
@Suite(.fewAtOnce)
struct RandomWindowTests {
  private static let limits = WindowedQuery.Limits(whole: 15, shallow: 30, near: 4)

  @Test(arguments: StorageKind.allCases, [1, 2, 3] as [UInt64])
  func `a window has the rows of the whole result`(_ kind: StorageKind, seed: UInt64) async throws {
    var (long, keyed, remembered) = (0, 0, 0)
    for round in 0..<12 {
      var random = RandomWindows(seed: seed * 1_000 + UInt64(round))
      let db = try await TemporaryDatabase(kind, schema: random.schema())
      let bench = WindowBench(db.database)
      let windows = (0..<6).map { _ in
        let (sql, arguments) = random.query()
        return WindowedQuery(.rows(SQL(raw: sql), arguments), limits: Self.limits)
      }
      var shown = RowWindow()
      for step in 0..<60 {
        if random.random.onceIn(5) { try bench.commit(random.change(), using: &random.random) }
        let query = random.pick(windows)
        let rows = Int.random(in: 0...80, using: &random.random)
        shown = random.window(after: shown, rows: rows)
        query.show(shown)
        let look = try bench.look(query, using: &random.random)
        let context = "seed \(seed), round \(round), step \(step): \(query.query.sql), \(shown)"
        switch (look.window, look.whole) {
        case (.success(let found), .success(let whole)):
          let isSortable = !["PRAGMA", "EXPLAIN"].contains { query.query.sql.hasPrefix($0) }
          let expected = WindowOracle.result(
            of: whole, shown, limit: Self.limits.whole, isSortable: isSortable)
          #expect(found == expected, "\(context)")
          if found.part != nil { long += 1 }
          if found != expected { return }
        case (.failure, .failure): break
        default: Issue.record("\(context): \(look)")
        }
        if query.memory?.key != nil { keyed += 1 }
        if look.wasRemembered { remembered += 1 }
      }
      bench.close()
    }
    // The grammar must not make the test an empty one.
    #expect(long > 200 && keyed > 60, "seed \(seed): \(long), \(keyed)")
    #expect(kind == .memory || remembered > 30, "seed \(seed): \(remembered)")
  }
}

/// Fetches windows as the runner of refreshes does, on one of several connections.
struct WindowBench {
  struct Look {
    let window: Result<RowSet, any Error>
    let whole: Result<RowSet, any Error>
    /// What was known of the snapshot before.
    let wasRemembered: Bool
  }

  private let database: Database
  private let queues: [ConnectionQueue]

  init(_ database: Database) {
    self.database = database
    let readers = database.readers.map { readers in
      ["first", "second"].map { readers.makeQueue(label: $0) }
    }
    queues = (readers ?? []) + [database.writer.queue]
  }

  /// The window, and all rows, in one snapshot.
  func look(_ query: WindowedQuery, using random: inout SeededRandom) throws -> Look {
    let queue = queues.randomElement(using: &random)!
    return try queue.performAndWait { connection in
      let memory = query.memory?.mark
      return try connection.markedSnapshot { connection in
        let mark = connection.snapshotMark
        let window = Result { try query.fetch(connection) }
        let whole = Result {
          try connection.fetchAll(SQL(raw: query.query.sql), query.query.arguments)
        }
        let isSame = mark.flatMap { mark in memory.map { $0.isSame(as: mark) } }
        return Look(window: window, whole: whole, wasRemembered: isSame == true)
      }
    }
  }

  func commit(_ sql: String, using random: inout SeededRandom) throws {
    try database.writeWaiting { try $0.execute(script: sql) }
  }

  func close() { for queue in queues.dropLast() { queue.shutDown() } }
}
