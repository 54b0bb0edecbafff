import TestSupport
import Testing

@testable import ObservationPostgres

@Suite struct NotifiedTransactionsTests {
  private var transactions = NotifiedTransactions()

  private mutating func taken(_ texts: String..., isAnswered: Bool = false) -> [UInt32] {
    transactions.take(texts, isAnswered: isAnswered).map(\.xid)
  }

  @Test mutating func `a transaction is whole when another one follows`() {
    let first = transactions.take(["812 16385", "812 16390", "813 16385"], isAnswered: false)
    #expect(first.map(\.xid) == [812])
    #expect(first[0].relations == [.numbered(16385), .numbered(16390)])
    #expect(first[0].isComplete && first[0].isCommit)
    #expect(transactions.isIncomplete)
  }

  @Test mutating func `the last one is whole when an answer comes alone`() {
    #expect(taken("812 16385") == [])
    // Perhaps it came after the answer, and more of it is on its way.
    #expect(taken("812 16390", isAnswered: true) == [])
    let last = transactions.take([], isAnswered: true)
    #expect(last.map(\.relations.count) == [2] && !transactions.isIncomplete)
    #expect(taken(isAnswered: true) == [])
  }

  @Test mutating func `a number beyond 32 bits is that of the log`() {
    #expect(taken("4294967297 1", "2 1") == [1])
  }

  @Test(arguments: ["", "812", "x 1", "812 x", "812 1 2", "-1 5"])
  mutating func `another text stands for a change of anything`(_ text: String) {
    #expect(taken("812 1", text, "812 2") == [812, 0])
    let last = transactions.take([], isAnswered: true)
    #expect(last.map(\.xid) == [812] && last[0].relations == [.numbered(2)])
  }

  /// Cut anywhere, and with answers wherever the server may give one: each transaction comes out once, and whole.
  @Test(arguments: [UInt64](1...20))
  mutating func `no way of arriving takes a transaction apart`(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var found: [ReportedTransactions.Ended] = []
    var texts: [(String, isLast: Bool)] = []
    var counts: [Int] = []
    for xid in 1...100 {
      let count = Int.random(in: 1...4, using: &random)
      counts.append(count)
      texts += (1...count).map { ("\(xid) \($0)", $0 == count) }
    }
    var isWithin = false
    while !texts.isEmpty {
      let part = texts.prefix(Int.random(in: 0...3, using: &random))
      texts.removeFirst(part.count)
      let isAnswered = random.onceIn(3) && (!isWithin || !part.isEmpty)
      found += transactions.take(part.map(\.0), isAnswered: isAnswered)
      if let last = part.last { isWithin = !last.isLast }
    }
    found += transactions.take([], isAnswered: true)
    #expect(found.map(\.xid) == Array(1...100))
    #expect(found.map(\.relations.count) == counts)
  }
}
