/// Puts together what the triggers of ``ReportingTriggers`` notify of.
///
///     "812 16385", "812 16390", "813 16385" ─▶ 812 wrote to two tables, 813 to one
///
/// The server sends what transactions notify of in the order of their commits, so one that another follows is whole. All
/// that a transaction notified of is sent before the server reads another statement, so the last one is whole when a
/// statement has been answered and nothing more came with the answer.
///
/// Pure. Anybody may notify: a text that isn't a trigger's stands for a change of anything. So does a number that isn't
/// a transaction's, which only a snapshot shows: see ``CommitBarrier``.
struct NotifiedTransactions {
  private var arriving: [ReportedTransactions.Ended] = []

  /// Whether more may come of a transaction.
  var isIncomplete: Bool { !arriving.isEmpty }

  /// Takes what has arrived.
  ///
  /// - Parameter isAnswered: Whether a statement that was sent after all earlier texts had arrived was answered.
  /// - Returns: The transactions that are whole.
  /// - Complexity: O(texts).
  mutating func take(_ texts: [String], isAnswered: Bool) -> [ReportedTransactions.Ended] {
    for text in texts { add(text) }
    let count = isAnswered && texts.isEmpty ? arriving.count : max(0, arriving.count - 1)
    defer { arriving.removeFirst(count) }
    return Array(arriving.prefix(count))
  }

  private mutating func add(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let number = UInt64(words[0]), let table = UInt32(words[1]) else {
      return arriving.append(.anything)
    }
    let xid = UInt32(truncatingIfNeeded: number)
    if arriving.last?.xid != xid || arriving.last?.isComplete == false {
      arriving.append(ReportedTransactions.Ended(xid: xid, isCommit: true, end: .max))
    }
    arriving[arriving.count - 1].relations.insert(.numbered(table))
  }
}
