import CSQLite
import Glibc

/// `.work`: small random transactions on the tables whose names begin with `t`, as fast as possible.
///
/// Each transaction raises the count of its writer in `commits (w, n)`, so that what the file holds can be
/// compared with what was acknowledged here. Statements are prepared once: a transaction
/// takes some tens of microseconds.
final class RandomWork {
  /// What to do.
  struct Order {
    /// The row of `commits` that is this writer's.
    var writer = 0
    /// Transactions at most.
    var count = 1
    var milliseconds = 1000
    var seed: UInt64 = 1
    /// Among how many transactions there is a checkpoint of a random kind; 0 for none.
    var checkpoint = 0
    /// Bytes in the longest value.
    var longest = 20

    /// - Parameter words: "writer=1 count=20 …"
    init(_ words: String) throws {
      for word in words.split(separator: " ") {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let number = Int(parts[1]), number >= 0 else {
          throw WriterError(code: 1, message: ".work: \(word)")
        }
        switch parts[0] {
        case "writer": writer = number
        case "count": count = number
        case "ms": milliseconds = number
        case "seed": seed = UInt64(number)
        case "checkpoint": checkpoint = number
        case "longest": longest = number
        default: throw WriterError(code: 1, message: ".work: \(word)")
        }
      }
    }
  }

  private let connection: Connection
  private let order: Order
  private var random: Random
  private var statements: [String: OpaquePointer] = [:]
  private let tables: [String]
  private var rows: [String: Int] = [:]

  init(_ connection: Connection, _ order: Order) throws {
    self.connection = connection
    self.order = order
    random = Random(seed: order.seed)
    var names: [String] = []
    try Self.patiently {
      names = []
      try connection.run(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 't*' ORDER BY name"
      ) { if let name = $0[0] { names.append(name) } }
    }
    tables = names
  }

  deinit { for statement in statements.values { sqlite3_finalize(statement) } }

  /// - Returns: How many transactions were committed.
  func run() throws -> Int {
    guard !tables.isEmpty else { return 0 }
    let end = Clock.nanoseconds + UInt64(order.milliseconds) * 1_000_000
    var commits = 0
    var attempts = 0
    while attempts < order.count, Clock.nanoseconds < end {
      attempts += 1
      if try transact() { commits += 1 }
      if order.checkpoint > 0, onceIn(order.checkpoint) {
        let kind = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][number(below: 4)]
        // Refused where somebody reads or writes: that is in its row, or an error of no consequence.
        try? connection.run("PRAGMA wal_checkpoint(\(kind))")
      }
    }
    return commits
  }

  private func transact() throws -> Bool {
    try Self.patiently { try execute("BEGIN IMMEDIATE") }
    do {
      for _ in 0..<(onceIn(40) ? 60 : 1 + number(below: 3)) { try change() }
      if onceIn(12) {
        try execute("ROLLBACK")
        return false
      }
      try execute("UPDATE commits SET n = n + 1 WHERE w = ?1", order.writer)
      // Readers can keep a commit out of a rollback journal's file; the transaction stays open.
      try Self.patiently { try execute("COMMIT") }
      return true
    } catch {
      if connection.isInTransaction { try execute("ROLLBACK") }
      throw error
    }
  }

  private func change() throws {
    let table = tables[number(below: tables.count)]
    let key = number(below: 48)
    let length = onceIn(15) ? number(below: order.longest + 1) : number(below: 12)
    switch number(below: 10) {
    case 0..<4:
      try execute(
        """
        INSERT OR REPLACE INTO \(table) (a, b, c)
        VALUES (?1, printf('%x', ?2), CAST(printf('%0*d', ?3, ?1) AS BLOB))
        """, key, number(below: 1 << 30), length)
    case 4..<7:
      try execute("UPDATE OR REPLACE \(table) SET b = printf('%x', ?2) WHERE a = ?1", key, key * 7)
    case 7:
      try execute(
        "UPDATE \(table) SET c = CAST(printf('%0*d', ?2, ?1) AS BLOB) WHERE a = ?1", key, length)
    default: try execute("DELETE FROM \(table) WHERE a = ?1", key)
    }
  }

  private func onceIn(_ count: Int) -> Bool { number(below: count) == 0 }

  private func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  private func execute(_ sql: String, _ numbers: Int...) throws {
    let statement = try statements[sql] ?? prepare(sql)
    for (index, number) in numbers.enumerated() {
      sqlite3_bind_int64(statement, Int32(index + 1), Int64(number))
    }
    let code = sqlite3_step(statement)
    // The message is of the step: asked for before the reset.
    let failure = code == SQLITE_DONE ? nil : connection.failure(code)
    sqlite3_reset(statement)
    if let failure { throw failure }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(connection.handle, sql, -1, &statement, nil)
    guard code == SQLITE_OK, let statement else { throw connection.failure(code) }
    statements[sql] = statement
    return statement
  }

  /// Tries for a minute where another process is in the way.
  private static func patiently(_ body: () throws -> Void) throws {
    let end = Clock.nanoseconds + 60_000_000_000
    while true {
      do { return try body() } catch let error as WriterError
        where error.code & 0xff == SQLITE_BUSY && Clock.nanoseconds < end
      {
        usleep(200)
      }
    }
  }
}
