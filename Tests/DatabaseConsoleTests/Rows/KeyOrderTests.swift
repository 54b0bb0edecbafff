import ObservationEngine
import TestSupport
import Testing

@testable import DatabaseConsole

@Suite struct KeyOrderTests {
  @Test func `keys have the order that SQLite gives them without affinity`() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    print("keys from seed \(seed)")
    var random = SeededRandom(seed: seed)
    let database = try await TemporaryDatabase(
      .memory, schema: "CREATE TABLE k (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID")
    var keys: Set<[Value]> = []
    for _ in 0..<2_000 { keys.insert([value(&random), value(&random)]) }
    let pairs = keys
    try await database.database.write { connection in
      for pair in pairs {
        try connection.execute(
          "INSERT OR IGNORE INTO k VALUES (?, ?)", QueryArguments(values: pair))
      }
    }
    let rows = try await database.database.read {
      try $0.fetchAll("SELECT a, b FROM k ORDER BY a, b")
    }
    for (left, right) in zip(rows.rows, rows.rows.dropFirst()) {
      let (left, right) = (RowChange.Key.primaryKey(left), RowChange.Key.primaryKey(right))
      #expect(KeyOrder.compare(left, right) < 0, "\(left) \(right), seed \(seed)")
      #expect(KeyOrder.compare(right, left) > 0, "\(left) \(right), seed \(seed)")
      #expect(KeyOrder.compare(left, left) == 0)
    }
  }

  private func value(_ random: inout SeededRandom) -> Value {
    let reals = [.infinity, -.infinity, 1e300, -0.5, .leastNonzeroMagnitude]
    let numbers: [Int64] = [0, 1, -1, 1 << 53, 1 << 53 + 1, .max, .min, .max - 1, 1 << 62]
    let number = numbers.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .integer(number &+ Int64.random(in: -2...2, using: &random))
    case 1: return .real(Double(number) + Double(Int.random(in: -4...4, using: &random)) / 4)
    case 2: return .real(reals.randomElement(using: &random) ?? 0)
    case 3:
      return .text(
        ["", "a", "A", "ä", "a\u{308}", "字", "🙂", "ﬀ", "ab"].randomElement(using: &random) ?? "")
    case 4:
      return .blob(
        (0..<Int.random(in: 0..<3, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        })
    default: return .integer(Int64.random(in: -3...3, using: &random))
    }
  }
}
