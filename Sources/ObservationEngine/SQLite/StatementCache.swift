/// Prepared statements by their SQL, the least recently used going first.
struct StatementCache {
  private var entries: [String: (statement: Statement, lastUse: UInt64)] = [:]
  private var clock: UInt64 = 0
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Takes a statement out, so that nobody else steps it meanwhile.
  mutating func take(_ sql: String) -> Statement? {
    entries.removeValue(forKey: sql)?.statement
  }

  mutating func put(_ statement: Statement) {
    clock += 1
    if entries.count >= capacity, entries[statement.sql] == nil,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      entries[oldest] = nil
    }
    entries[statement.sql] = (statement, clock)
  }

  mutating func removeAll() { entries.removeAll() }
}
