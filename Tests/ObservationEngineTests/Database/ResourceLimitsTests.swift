import TestSupport
import Testing

@testable import ObservationEngine

/// What readers may use.
@Suite struct ResourceLimitsTests {
  private static func database(_ change: (inout ResourceLimits) -> Void) throws -> Database {
    var configuration = Configuration()
    change(&configuration.limits)
    return try Database(
      sharedMemoryNamed: "limits-\(UInt64.random(in: 0 ... .max))", configuration: configuration)
  }

  @Test func `a reader refuses a value that is too long, and a writer does not`() async throws {
    let database = try Self.database { $0.valueBytes = 1_000 }
    let error = await #expect(throws: DatabaseError.self) {
      try await database.read { _ = try $0.fetchAll("SELECT zeroblob(2000)") }
    }
    #expect(error?.code.primary == .tooBig)
    #expect(error?.message.hasSuffix("Configuration.limits allows more") == true)
    let size: Int? = try await database.write { try $0.fetchOne("SELECT length(zeroblob(2000))") }
    #expect(size == 2000)
  }

  @Test func `the results of one read have a bound, and the next read has it again`() async throws {
    let database = try Self.database { $0.resultBytes = 3_000 }
    for _ in 0..<3 {
      let rows = try await database.read { try $0.fetchAll("SELECT zeroblob(2000)") }
      #expect(rows.rows.count == 1)
    }
    let error = await #expect(throws: DatabaseError.self) {
      try await database.read { connection in
        _ = try connection.fetchAll("SELECT zeroblob(2000)")
        _ = try connection.fetchAll("SELECT zeroblob(2000) AS again")
      }
    }
    #expect(error?.code.primary == .tooBig)
  }

  @Test func `a group holds no more than the bound in all its results`() async throws {
    let database = try Self.database { $0.resultBytes = 3_000 }
    try await database.write { try $0.execute("CREATE TABLE t (v)") }
    let group = database.panels([
      .rows("SELECT zeroblob(2000) AS v, count(*) FROM t"), .rows("SELECT zeroblob(v) FROM t"),
    ])
    let first = try #require(await group.next())
    #expect(throws: Never.self) { try first.results[0]?.get() }
    #expect(throws: Never.self) { try first.results[1]?.get() }
    try await database.write { try $0.execute("INSERT INTO t VALUES (2000)") }
    var last: Result<RowSet, any Error>?
    while last == nil { last = try #require(await group.next()).results[1] }
    #expect(throws: DatabaseError.self) { try last?.get() }
    // What is small again fits again.
    try await database.write { try $0.execute("UPDATE t SET v = 10") }
    last = nil
    while last == nil { last = try #require(await group.next()).results[1] }
    #expect(try last?.get().rows.count == 1)
  }
}
