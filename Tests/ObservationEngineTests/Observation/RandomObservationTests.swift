import ObservationEngine
import TestSupport
import Testing

/// Random transactions under observations that read other columns and rows: after each of them every
/// observation shows what a new fetch shows.
@Suite(.fewAtOnce)
struct RandomObservationTests {
  /// Queries that watch single rows, few columns, or rows as such, besides those that watch much.
  private static let queries = [
    ["SELECT x FROM a WHERE id = 3", "SELECT count(*) FROM a WHERE id IN (1, 2, 9)"],
    ["SELECT * FROM a WHERE id = 3 AND x IS NOT NULL", "SELECT * FROM a WHERE rowid = 4"],
    ["SELECT x FROM a WHERE id = 3", "SELECT r FROM a ORDER BY id"],
    ["SELECT count(*) FROM c WHERE n = 2", "SELECT v FROM c WHERE k = 5 ORDER BY n"],
    ["SELECT * FROM b WHERE y = 4 ORDER BY rowid", "SELECT count(*) FROM b WHERE y IN (1, 5)"],
    ["SELECT rowid FROM b WHERE y = 7 ORDER BY 1", "SELECT x FROM b WHERE rowid = 2"],
    ["SELECT count(*) FROM e WHERE what = 'x'", "SELECT z FROM a WHERE z = 'z3'"],
    ["SELECT count(*) FROM d", "SELECT a FROM d WHERE id = 5", "SELECT x FROM a WHERE id = 1"],
    RandomTransaction.queries,
  ]

  @Test(arguments: queries, [11, 12, 13] as [UInt64])
  func `after each transaction every observation shows what a new fetch shows`(
    _ queries: [String], seed: UInt64
  ) async throws {
    let db = try await TemporaryDatabase(.wal, schema: RandomTransaction.schema)
    try await db.run("PRAGMA foreign_keys = ON")
    let recorders = queries.map { db.database.record(.rows(SQL(raw: $0))) }
    var random = SeededRandom(seed: seed)
    var last: [RowSet?] = queries.map { _ in nil }
    for step in 0..<40 {
      let transaction = RandomTransaction(using: &random)
      _ = await transaction.run(db)
      let fresh = try await db.database.read { connection in
        try queries.map { try connection.fetchAll(SQL(raw: $0)) }
      }
      for (index, recorder) in recorders.enumerated() {
        while last[index] != fresh[index] {
          do { last[index] = try await recorder.next().value } catch {
            Issue.record("seed \(seed), step \(step), \(queries[index]): \(error); \(transaction)")
            return
          }
        }
      }
    }
  }
}
