import TestSupport
import Testing

@testable import ObservationPostgres

@Suite struct DecodedTransactionsTests {
  private func ended(_ messages: [String]) -> [ReportedTransactions.Ended] {
    var transactions = DecodedTransactions()
    return messages.enumerated().compactMap { index, message in
      transactions.take(Array(message.utf8)[...], at: UInt64(index))
    }
  }

  private func name(_ schema: String, _ name: String) -> ReportedRelation {
    .named(schema: schema, name: name)
  }

  @Test func `a transaction has the tables of its changes`() {
    let found = ended([
      "BEGIN 812", "table public.item: INSERT: id[integer]:1 name[text]:'a: b.c, \"d\"'",
      "table shop.\"Order: \"\"x\"\", 1\": DELETE: (no-tuple-data)", "COMMIT 812",
      "BEGIN 4294967295", "table public.a, public.\"B\": TRUNCATE: (no-flags)", "COMMIT 4294967295",
    ])
    #expect(found.map(\.xid) == [812, .max] && found.allSatisfy(\.isComplete))
    #expect(
      found[0].relations == [name("public", "item"), name("shop", "Order: \"x\", 1")])
    #expect(found[1].relations == [name("public", "a"), name("public", "B")])
    #expect(found.map(\.end) == [3, 6])
  }

  @Test(arguments: [
    ["BEGIN 1", "COMMIT 1"], ["BEGIN 1", "table public.a: INSERT:", "something else", "COMMIT 1"],
    ["BEGIN 1", "table public.a: INSERT:", "COMMIT 2"], ["COMMIT 1"],
    ["BEGIN 1", "table public", "COMMIT 1"], ["BEGIN 1", "table \"a.b: INSERT", "COMMIT 1"],
    ["BEGIN 1", "table a.: INSERT", "COMMIT 1"], ["BEGIN 1", "table a.b;c", "COMMIT 1"],
  ])
  func `what isn't recognised may have changed any table`(_ messages: [String]) {
    #expect(ended(messages).map(\.isComplete) == [false])
  }

  @Test(arguments: [UInt64](1...20))
  func `hostile bytes end in no crash`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let bytes = Array("BEGIN COMMIT 1table a.b\",: \u{0}\u{ff}".utf8)
    var transactions = DecodedTransactions()
    for index in 0..<2_000 {
      let start = [[], Array("table ".utf8), Array("COMMIT ".utf8)].randomElement(using: &random)!
      let message =
        start
        + (0..<Int.random(in: 0..<12, using: &random)).map { _ in
          bytes.randomElement(using: &random)!
        }
      _ = transactions.take(message[...], at: UInt64(index))
    }
  }
}
