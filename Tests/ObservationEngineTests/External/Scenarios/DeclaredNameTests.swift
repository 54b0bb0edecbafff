import TestSupport
import Testing

@testable import ObservationEngine

/// Tables are named as they are declared, however SQL spells them.
struct DeclaredNameTests {
  @Test func `commits name tables as they are declared`() async throws {
    let db = try await TemporaryDatabase(.wal)
    try await db.write(script: "CREATE TABLE \"Order Details\"(name TEXT)")
    let log = CommitLog(db.database)
    let recorder = db.database.record(integer: "SELECT count(*) FROM \"order details\"")
    try await recorder.settle(on: 0)
    try await db.write(script: "INSERT INTO \"ORDER DETAILS\" VALUES ('mine')")
    #expect(try await log.nextCommit().tables == .named(["Order Details"]))
    try await log.expectNamed(["Order Details"]) {
      let status = try await db.other("INSERT INTO \"order DETAILS\" VALUES ('theirs')")
      if status != 0 { throw Unexpected("the other process ended with \(status)") }
    }
  }

  @Test func `tables of several commits are united without regard to case`() {
    let first = Commit.Tables.named(["apple", "Pear"])
    #expect(first.union(.named(["Zebra", "fig"])) == .named(["apple", "fig", "Pear", "Zebra"]))
    #expect(first.union(.named(["Apple"])) == .named(["Apple", "Pear"]), "it was renamed")
    #expect(first.union(.all(reason: "why")) == .all(reason: "why"))
  }

  @Test func `names that differ in case alone are one table`() {
    #expect(TableID(name: "Orders") == TableID(name: "orders"))
    #expect(Set([TableID(name: "Orders"), TableID(name: "ORDERS")]).count == 1)
    #expect(TableID(name: "Orders") != TableID(schema: "temp", name: "Orders"))
  }
}
