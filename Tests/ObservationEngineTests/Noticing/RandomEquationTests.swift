import ObservationEngine
import Synchronization
import TestSupport
import Testing

/// Equations of columns of every affinity with values of every kind, observed while rows change at
/// random: the value that was fetched last must be what a new fetch finds.
@Suite(.fewAtOnce)
struct RandomEquationTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `an observation of few rows misses no change`(seed: UInt64) async throws {
    var random = SeededRandom(seed: seed)
    let db = try await TemporaryDatabase(.memory, schema: Equation.schema)
    let equations = (0..<60).map { _ in Equation(using: &random) }
    let latest = Mutex<[Int: RowSet]>([:])
    let runs = Counter()
    let recorders = equations.enumerated().map { index, equation in
      Recorder(
        db.database.observe { connection in
          runs.increment()
          let rows = try connection.fetchAll(SQL(raw: equation.sql), equation.arguments)
          latest.withLock { $0[index] = rows }
          return rows
        })
    }
    for recorder in recorders { _ = try await recorder.next() }
    // It begins last: when it is told of a commit, the others have been fetched.
    let fence = db.database.record(integer: "SELECT count(*) FROM fence")
    try await fence.expect(0)
    let steps = 300
    for step in 1...steps {
      let script = (0...Int.random(in: 0...1, using: &random))
        .map { _ in Equation.change(using: &random) }.joined(separator: "; ")
      try await db.write(script: "\(script); INSERT INTO fence VALUES (1)")
      try await fence.expect(step)
      for (index, equation) in equations.enumerated() {
        let now = try await db.database.read {
          try $0.fetchAll(SQL(raw: equation.sql), equation.arguments)
        }
        #expect(
          latest.withLock { $0[index] } == now,
          "seed \(seed), step \(step): \(equation) after \(script)")
      }
    }
    // Were nothing restricted, nearly every commit would run them all.
    #expect(runs.value < equations.count * steps * 3 / 4, "seed \(seed): \(runs.value) runs")
    withExtendedLifetime(recorders) {}
  }
}

/// A query of one row or a few, by a column that equals values.
private struct Equation: Sendable, CustomStringConvertible {
  /// Names tell types; `i` holds an INTEGER, `floating` has INTEGER affinity by its declared type.
  static let schema = """
    CREATE TABLE fence (x);
    CREATE TABLE t (
      id INTEGER PRIMARY KEY, i INT, floating FLOATING POINT, r REAL, n NUMERIC, s TEXT,
      folded TEXT COLLATE NOCASE, trimmed VARCHAR(9) COLLATE RTRIM, b BLOB, x
    );
    CREATE TABLE g (id INTEGER PRIMARY KEY, i INT, s TEXT, next AS (i + 1));
    CREATE TABLE w (id TEXT PRIMARY KEY, i INT, s TEXT, r REAL) WITHOUT ROWID;
    CREATE TABLE k (id INT PRIMARY KEY, i INT, s TEXT);
    CREATE TABLE d (id INTEGER PRIMARY KEY DESC, i INT, s TEXT);
    CREATE VIEW v AS SELECT i AS s, s AS i, id FROM t;
    """

  private static let columns = [
    "t": [
      "id", "i", "floating", "r", "n", "s", "folded", "trimmed", "b", "x", "rowid", "oid",
    ],
    "w": ["id", "i", "s", "r"], "k": ["id", "i", "s", "rowid"], "d": ["id", "i", "s", "rowid"],
    "g": ["id", "i", "s", "next"], "v": ["id", "i", "s"],
  ]

  private static let values: [Value] = [
    .null, 0, 1, 2, 3, -1, 1.0, 1.5, -0.0, "1", " 1", "1 ", "1.0", "a", "A", "a ", "", "é",
    "e\u{301}",
    .blob([0x31]), .blob([0x61]), .blob([]), .integer(.min), .integer(.max),
    9_007_199_254_740_993, 9_007_199_254_740_992.0, -9_223_372_036_854_775_808.0, 1e300,
  ]

  /// Values that some column or collation takes for the same, by the kind of column.
  private static let texts: [Value] = ["a", "A", "a ", "1"]
  private static let numbers: [Value] = [
    1, 2, 3, 1.0, "1", .integer(.min), -9_223_372_036_854_775_808.0,
  ]

  private static func value(of column: String, using random: inout SeededRandom) -> Value {
    let kin = ["s", "folded", "trimmed", "x"].contains(column) ? texts : numbers
    return (random.onceIn(5) ? values : kin).randomElement(using: &random)!
  }

  let sql: String
  let arguments: QueryArguments
  var description: String { "\(sql) \(arguments.positional)" }

  init(using random: inout SeededRandom) {
    let table = ["t", "t", "t", "w", "k", "d", "g", "v"].randomElement(using: &random)!
    let column = Self.columns[table]!.randomElement(using: &random)!
    var values: [Value] = []
    var operands: [String] = []
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let value = Self.value(of: column, using: &random)
      if random.onceIn(3), let literal = value.literal {
        operands.append(literal)
      } else {
        values.append(value)
        operands.append("?")
      }
    }
    let condition =
      operands.count > 1
      ? "\(column) IN (\(operands.joined(separator: ", ")))"
      : random.onceIn(3)
        ? "\(operands[0]) = \(column)"
        : "\(column) \(random.onceIn(2) ? "IS" : "=") \(operands[0])"
    let what = ["*", "count(*)", "i", "s"].randomElement(using: &random)!
    sql = "SELECT \(what) FROM \(table) WHERE \(condition)"
    arguments = QueryArguments(values)
  }

  static func change(using random: inout SeededRandom) -> String {
    func value(_ column: String) -> String { Self.value(of: column, using: &random).sql }
    let id = Int.random(in: -1...4, using: &random)
    let table = ["t", "t", "t", "w", "k", "d", "g"].randomElement(using: &random)!
    let settable = columns[table]!.filter { !["id", "next", "rowid", "oid"].contains($0) }
    let assignments = settable.shuffled(using: &random).prefix(
      Int.random(in: 1...6, using: &random)
    )
    .map { "\($0) = \(value($0))" }.joined(separator: ", ")
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: "DELETE FROM \(table) WHERE id = \(id)"
    case 1: "UPDATE OR REPLACE \(table) SET id = \(id) WHERE id = \(3 - id)"
    case 2, 3:
      "INSERT OR REPLACE INTO \(table)(id, i, s) VALUES (\(id), \(value("i")), \(value("s")))"
    case 4 where table == "w":
      "INSERT OR REPLACE INTO w(id, i) VALUES (ifnull(\(value("s")), 0), 1)"
    case 4 where table == "k": "INSERT OR REPLACE INTO k(id, i) VALUES (\(value("i")), 1)"
    default: "UPDATE \(table) SET \(assignments) WHERE id = \(id)"
    }
  }
}

extension Value {
  /// As SQL text.
  fileprivate var sql: String {
    switch self {
    case .null: "NULL"
    case .integer(.min): "(-9223372036854775807 - 1)"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .blob(let bytes): "x'" + bytes.map { String($0, radix: 16) }.joined() + "'"
    case .date(let date): "'\(date)'"
    }
  }

  /// As a literal of a query; `nil` where a parameter is needed.
  fileprivate var literal: String? {
    switch self {
    case .integer, .text: sql
    default: nil
    }
  }
}
