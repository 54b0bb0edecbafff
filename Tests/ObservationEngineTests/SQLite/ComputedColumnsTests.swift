import TestSupport
import Testing

@testable import ObservationEngine

/// The columns that are computed when they are read, of rows that are in no table.
struct ComputedColumnsTests {
  private func connection(
    _ schema: String, _ change: (inout Connection.Options) -> Void = { _ in }
  ) throws -> Connection {
    var options = Connection.Options()
    change(&options)
    let connection = try Connection(path: ":memory:", options: options)
    for statement in schema.split(separator: ";") {
      try connection.execute(engine: String(statement))
    }
    return connection
  }

  private func declared(_ connection: Connection) throws -> [SchemaReader.Column] {
    try SchemaReader(connection).columns(of: "t", in: "main")
  }

  private func columns(
    _ connection: Connection, clock: @escaping () -> UInt64 = SystemClock.thread
  ) throws -> ComputedColumns {
    let declaration = try ComputedColumns.Declaration(of: "T", declared(connection), connection)
    return try ComputedColumns(#require(declaration), clock: clock)
  }

  /// Whether the columns of a declaration are computed.
  private func areComputed(
    _ schema: String, _ change: (inout Connection.Options) -> Void = { _ in }
  ) throws -> Bool {
    let connection = try connection(schema, change)
    let columns = try declared(connection)
    guard let declaration = try ComputedColumns.Declaration(of: "t", columns, connection) else {
      return false
    }
    return (try? ComputedColumns(declaration)) != nil
  }

  /// The whole rows of the table, by what is stored of them.
  private func expectTruth(_ connection: Connection) throws {
    let columns = try columns(connection)
    let declared = try declared(connection)
    let rows = try connection.fetch(engine: "SELECT * FROM t")
    #expect(!rows.isEmpty)
    #expect(columns.columns == declared.map(\.name))
    for row in rows {
      let stored = zip(row, declared).filter { !$1.isVirtual }.map(\.0)
      #expect(try columns.wholeRow(stored) == row)
    }
  }

  @Test(arguments: [
    "a INT, b TEXT, c AS (a || b), d INT AS (a || 7), e TEXT AS (a * 2), f REAL AS (a), g BLOB AS (b))",
    "a, b, c NUMERIC AS (b), d AS (c + 1) VIRTUAL, e AS (a || c) STORED, f AS (e || d))",
    "f AS (a > '5'), a INT, g AS (b = 'X'), b TEXT COLLATE NOCASE, c AS (b) COLLATE RTRIM)",
    "a INTEGER PRIMARY KEY, b UNIQUE, c AS (a + b) NOT NULL CHECK (c <> 7 OR a) UNIQUE)",
    "a, b, c AS (json_extract(b, '$.n')), d TEXT AS (b ->> '$.n') VIRTUAL, e INT AS (iif(json_valid(b), b -> 'n', 0)))",
    #"a, b, "c d" AS ("a" || 'it''s'), "e""f" AS ("c d" || "b"))"#,
    "a INT NOT NULL DEFAULT 5, b TEXT, c AS (length(b) + a) VIRTUAL, PRIMARY KEY (b, a)) WITHOUT ROWID",
    "a INT, b ANY, c ANY AS (b), d INT AS (a) STORED, e TEXT AS (typeof(b))) STRICT",
    "a, b, c AS (CASE WHEN b > 'm' THEN upper(b) END), d AS (coalesce(c, a, 'none')))",
  ])
  func `SQLite computes them as it does in the table`(_ declaration: String) throws {
    let connection = try connection("CREATE TABLE t(\(declaration)")
    let texts = ["'x'", "' 8'", "'1e2'", "'{\"n\": 3.0}'", "'{\"n\": \"zz\"}'", "''", "'0x1F'"]
    for (number, text) in texts.enumerated() {
      // Some expressions fail for some of them.
      _ = try? connection.fetch(engine: "INSERT INTO t(a, b) VALUES (\(number * 3 - 1), \(text))")
    }
    try expectTruth(connection)
  }

  @Test func `texts of UTF-16 are not what they are here`() throws {
    #expect(try areComputed("CREATE TABLE t(a, b AS (hex(a)))"))
    #expect(try !areComputed("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a, b AS (hex(a)))"))
    #expect(try !areComputed("PRAGMA encoding = 'UTF-16be'; CREATE TABLE t(a, b AS (hex(a)))"))
  }

  @Test func `a row that is older than a column, or breaks a constraint, is whole`() throws {
    let connection = try connection(
      """
      CREATE TABLE t(a CHECK (a > 1), b AS (a || '!')); PRAGMA ignore_check_constraints = 1;
      INSERT INTO t(a) VALUES (1); ALTER TABLE t ADD COLUMN d TEXT DEFAULT 1.50;
      ALTER TABLE t ADD COLUMN e AS (d || a)
      """)
    try expectTruth(connection)
  }

  @Test func `what SQLite would store otherwise is not known, and neither are other texts`() throws
  {
    let connection = try connection(
      """
      CREATE TABLE t(a TEXT NOT NULL, b AS (typeof(a))); INSERT INTO t VALUES ('x')
      """)
    let columns = try columns(connection)
    // A number in a column of texts, as DEFAULT true leaves one in older rows.
    #expect(throws: DatabaseError.self) { try columns.wholeRow([1]) }
    #expect(throws: DatabaseError.self) { try columns.wholeRow([.null]) }
    #expect(throws: DatabaseError.self) { try columns.wholeRow([.text("a\u{FFFD}")]) }
    #expect(throws: DatabaseError.self) {
      try columns.wholeRow([.text(String(repeating: "x", count: 2_000_000))])
    }
    #expect(try columns.wholeRow(["x"]) == ["x", "text"])
  }

  @Test func `an expression that fails, or makes too much, is not known`() throws {
    let connection = try connection(
      """
      CREATE TABLE t(a, b AS (abs(a)), c AS (length(zeroblob(a * 1000)))); INSERT INTO t VALUES (2)
      """)
    let columns = try columns(connection)
    #expect(throws: DatabaseError.self) { try columns.wholeRow([.integer(.min)]) }
    #expect(throws: DatabaseError.self) { try columns.wholeRow([10_000_000]) }
    try expectTruth(connection)
  }

  @Test func `what the application declares is not computed here`() throws {
    let twice = CustomFunction("twice", argumentCount: 1, isDeterministic: true) { _ in .null }
    var configuration = Configuration()
    configuration.functions = [twice]
    #expect(!configuration.schemaCallsApplication)
    configuration.trustsSchema = true
    #expect(configuration.schemaCallsApplication)
    configuration = Configuration()
    configuration.collations = [CustomCollation("nocase") { _, _ in .same }]
    #expect(configuration.schemaCallsApplication)
    let sql = "CREATE TABLE t(a, b AS (a + 1))"
    #expect(try areComputed(sql))
    #expect(try !areComputed(sql) { $0.schemaCallsApplication = true })
  }

  /// A pattern of ten characters can take hours, and a pragma of the application makes LIKE tell cases apart.
  @Test(arguments: [
    "a LIKE 'A'", "like('A', a)", "a GLOB '*a*a*a*a*b'", "\"glob\"('a', a)",
    "a \u{feff}GLOB '*a*'", "\u{feff}printf('%d', a)",
  ])
  func `what compares with patterns is not computed`(_ expression: String) throws {
    #expect(try !areComputed("CREATE TABLE t(a, b AS (\(expression)))"))
  }

  @Test func `a constraint may compare with patterns`() throws {
    let check = "CHECK (a GLOB '*' || (a) AND a LIKE '%')"
    #expect(try areComputed("CREATE TABLE t(a \(check), b AS (a + 1), \(check))"))
    #expect(try !areComputed("CREATE TABLE t(a \(check), b AS (a LIKE '%'))"))
  }

  @Test func `a row of other columns is not known`() throws {
    let columns = try columns(connection("CREATE TABLE t(a, b AS (a + 1), c)"))
    #expect(try columns.wholeRow([1, 2]) == [1, 2, 2])
    for row: [Value] in [[1], [1, 2, 3]] {
      #expect(throws: DatabaseError.self) { try columns.wholeRow(row) }
    }
  }

  /// SQLite compiles the expressions within each other: each column doubles what the one before it takes.
  @Test func `a declaration that is much to compile is not compiled`() throws {
    let columns = (1...40).map { "c\($0) AS (c\($0 - 1) + c\($0 - 1))" }
    #expect(try areComputed("CREATE TABLE t(c0, \(columns.prefix(6).joined(separator: ", ")))"))
    #expect(try !areComputed("CREATE TABLE t(c0, \(columns.joined(separator: ", ")))"))
    let deep = String(repeating: " + c0", count: 900)
    #expect(try !areComputed("CREATE TABLE t(c0, a AS (c0), b AS (a), c AS (1\(deep)))"))
    let long = String(repeating: "x", count: 70_000)
    #expect(try !areComputed("CREATE TABLE t(c0, a AS (c0 || '\(long)'))"))
    let many = (1...101).map { "c\($0) AS (c0)" }.joined(separator: ", ")
    #expect(try !areComputed("CREATE TABLE t(c0, \(many))"))
  }

  @Test func `what follows the declaration is no part of it`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("t.db")
    let plain = try PlainConnection(path)
    try plain.run("CREATE TABLE t(a, b AS (a || ';'), c); PRAGMA writable_schema = 1")
    func declaration(_ sql: String) throws -> ComputedColumns.Declaration? {
      try plain.run("UPDATE sqlite_schema SET sql = \(sql.quoted(by: "'"))")
      let connection = try Connection(path: path, options: Connection.Options())
      defer { connection.close() }
      return try ComputedColumns.Declaration(of: "t", declared(connection), connection)
    }
    let own = "CREATE TABLE t(a, b AS (a || ';'), c)"
    #expect(try declaration(own + "; PRAGMA hard_heap_limit = 5000000")?.creation == own)
  }

  @Test func `rows that take too much are not known`() throws {
    let connection = try connection("CREATE TABLE t(a INT, b AS (hex(zeroblob(a))))")
    let columns = try columns(connection) { 0 }
    func entries(_ count: Int, _ bytes: Int64) -> [RowDifference.Entry] {
      (0..<count).map {
        RowDifference.Entry(key: .rowid(Int64($0)), old: nil, new: [.integer(bytes)])
      }
    }
    #expect(try columns.wholeRows(entries(1_000, 10)).count == 1_000)
    #expect(throws: DatabaseError.self) { try columns.wholeRows(entries(1_001, 10)) }
    // 200 kB each.
    #expect(throws: DatabaseError.self) { try columns.wholeRows(entries(100, 100_000)) }
    #expect(throws: DatabaseError.self) { try columns.wholeRow([200_000]) }
  }

  @Test func `rows that take too long are not known, and one that does is the last`() throws {
    let connection = try connection("CREATE TABLE t(a, b AS (a))")
    let rows = (1...20).map {
      RowDifference.Entry(key: .rowid($0), old: nil, new: [.integer($0)])
    }
    // Each row is a step of the clock.
    var (time, step): (UInt64, UInt64) = (0, 0)
    let columns = try columns(connection) {
      time += step
      return time
    }
    #expect(try columns.wholeRows(rows).count == 20)
    step = 10_000_000
    #expect(throws: DatabaseError.self) { try columns.wholeRows(rows) }
    #expect(try columns.wholeRows(Array(rows.prefix(5))).count == 5)
    step = 30_000_000
    _ = try columns.wholeRows([rows[0]])
    step = 0
    #expect(throws: DatabaseError.self) { try columns.wholeRows([rows[0]]) }
  }

  @Test func `a function that gives up in silence is not called`() throws {
    #expect(try !areComputed("CREATE TABLE t(d, c AS (length(format('%s%s', d, d))))"))
    #expect(try !areComputed("CREATE TABLE t(d, c AS (\"printf\"('%s%s', d, d)))"))
    #expect(try areComputed("CREATE TABLE t(format, c AS (length(format)))"))
  }

  /// To Swift, a quote with an accent is another character than a quote.
  @Test func `a name can't leave its quotes`() throws {
    let name = "a\"\u{301}, x AS \"\u{301}"
    #expect(name.quotedIdentifier == "\"a\"\"\u{301}, x AS \"\"\u{301}\"")
    let quoted = "\"a\"\"\u{301}, x AS \"\"\u{301}\""
    let connection = try connection(
      "CREATE TABLE t(x, \(quoted) AS (x + 1), z); INSERT INTO t(x) VALUES (5)")
    try expectTruth(connection)
  }
}
