import ObservationEngine
import TestSupport
import Testing

/// Every delivered value is of one committed state, whoever writes meanwhile.
@Suite(.fewAtOnce)
struct ConsistencyTests {
  private static let accounts = """
    CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
    INSERT INTO accounts SELECT i, 1000 FROM n
    """

  @Test(arguments: StorageKind.files)
  func `money that is moved is never counted twice, nor lost`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind, schema: Self.accounts)
    let log = CommitLog(db.database)
    // One query each, so that only a shared snapshot makes them agree.
    let recorder = Recorder(
      db.database.observe { connection -> [Int] in
        let queries: [SQL] = [
          "SELECT sum(balance) FROM accounts WHERE id <= 50",
          "SELECT sum(balance) FROM accounts WHERE id > 50",
          "SELECT balance FROM accounts WHERE id = 1",
        ]
        return try queries.map { try connection.fetchOne($0) ?? 0 }
      })
    try await recorder.expect([50_000, 50_000, 1_000])
    let count = kind == .wal ? 300 : 100
    let transfers = try ExternalProcess([
      "transfers", db.path, "--count", "\(count)", "--seed", "5", "--sync", "OFF",
      "--busy", "60000",
    ])
    // Seen while the other one writes, or right after it.
    while try await !move(1_000_000, from: 1, to: 2, in: db) {}
    while try await recorder.next().value[2] > 0 {}
    var random = SeededRandom(seed: 6)
    for _ in 0..<count {
      let from = Int.random(in: 1...100, using: &random)
      let to = Int.random(in: 1...100, using: &random)
      _ = try await move(7, from: from, to: to, in: db)
    }
    #expect(await transfers.ended() == 0)
    // The first transaction of `transfers` changes nothing, and may be a commit or none.
    try await log.expect(.external, count: count)
    try await db.write(script: "UPDATE accounts SET balance = -1 WHERE id = 1")
    while try await recorder.next().value[2] != -1 {}
    let values = recorder.values.dropLast()
    #expect(values.allSatisfy { $0[0] + $0[1] == 100_000 }, "\(values)")
  }

  /// - Returns: Whether it did; `false` when the other writer had the lock all the time.
  private func move(
    _ amount: Int, from: Int, to: Int, in db: TemporaryDatabase
  ) async throws -> Bool {
    do {
      try await db.database.write { connection in
        try connection.execute(
          "UPDATE accounts SET balance = balance - \(amount) WHERE id = \(from)")
        try connection.execute("UPDATE accounts SET balance = balance + \(amount) WHERE id = \(to)")
      }
      return true
    } catch let error as DatabaseError where error.code.primary == .busy {
      return false
    }
  }

  @Test(arguments: StorageKind.allCases)
  func `two queries of one observation never disagree`(_ kind: StorageKind) async throws {
    let db = try await TemporaryDatabase(kind)
    let recorder = Recorder(
      db.database.observe { connection -> [Int] in
        [
          try connection.count(of: "player"),
          try connection.count(of: "map"),
        ]
      })
    try await recorder.expect([0, 0])
    for number in 1...100 {
      try await db.write(
        script: """
          INSERT INTO player(name, score) VALUES ('ada', 1); INSERT INTO map(name) VALUES ('tower')
          """)
      if number % 10 == 0 {
        try await recorder.expect([number, number], via: (0..<number).map { [$0, $0] })
      }
    }
  }

  @Test
  func `results of one group refresh come from one snapshot`() async throws {
    let db = try await TemporaryDatabase(.wal, schema: Self.accounts)
    let group = db.database.panels([
      .rows("SELECT sum(balance) FROM accounts WHERE id % 2"),
      .rows("SELECT sum(balance) FROM accounts WHERE NOT id % 2"),
    ])
    let transfers = try ExternalProcess([
      "transfers", db.path, "--count", "300", "--seed", "7", "--sync", "OFF",
    ])
    var sums: [Int: Int64] = [:]
    var isOver = false
    // The refresh after the end of the other process brings nothing new; the fence ends the test.
    let fence = Task {
      await transfers.ended()
      try await db.write(script: "UPDATE accounts SET balance = balance + 1000000 WHERE id = 1")
    }
    while !isOver, let refresh = await group.next() {
      for (index, result) in refresh.results {
        guard case .integer(let sum) = try result.get().rows[0][0] else { continue }
        sums[index] = sum
      }
      let total = (sums[0] ?? 0) + (sums[1] ?? 0)
      isOver = total == 1_100_000
      #expect(isOver || total == 100_000)
    }
    #expect(isOver)
    try await fence.value
  }
}
