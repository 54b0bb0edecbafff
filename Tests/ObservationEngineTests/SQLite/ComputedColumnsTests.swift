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

  private func columns(_ connection: Connection) throws -> ComputedColumns {
    let made = try ComputedColumns(of: "T", declared(connection), sameAs: connection)
    return try #require(made)
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

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `texts are encoded as in the database`(_ encoding: String) throws {
    let connection = try connection(
      """
      PRAGMA encoding = '\(encoding)'; CREATE TABLE t(a TEXT, b AS (hex(a)), c AS (length(CAST(a AS BLOB))));
      INSERT INTO t VALUES ('aé😀'), (''), (NULL)
      """)
    try expectTruth(connection)
  }

  @Test func `a row that is older than a column, or than a constraint, is as it is read`() throws {
    let connection = try connection(
      """
      CREATE TABLE t(a, b AS (c || '!')); INSERT INTO t(a) VALUES (1)
      """.replacing("b AS (c || '!')", with: "b AS (a || '!')")
        + "; ALTER TABLE t ADD COLUMN d TEXT DEFAULT 1.50; ALTER TABLE t ADD COLUMN e AS (d || a)")
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
    #expect(configuration.schemaMeaning == .sqlite)
    configuration.trustsSchema = true
    #expect(configuration.schemaMeaning == .application)
    configuration = Configuration()
    configuration.collations = [CustomCollation("nocase") { _, _ in .same }]
    #expect(configuration.schemaMeaning == .application)
    configuration = Configuration()
    configuration.prepareConnection = { try $0.execute("PRAGMA case_sensitive_like = 1") }
    #expect(configuration.schemaMeaning == .sqliteButLike)
    for (sql, meanings) in [
      ("b AS (a LIKE 'A')", [Connection.SchemaMeaning.sqlite]),
      ("b AS (like('A', a))", [.sqlite]), ("b AS (a + 1)", [.sqlite, .sqliteButLike]),
    ] {
      for meaning in [Connection.SchemaMeaning.sqlite, .sqliteButLike, .application] {
        let connection = try connection("CREATE TABLE t(a, \(sql))") { $0.schemaMeaning = meaning }
        let declared = try declared(connection)
        let made = try ComputedColumns(of: "t", declared, sameAs: connection)
        #expect((made != nil) == meanings.contains(meaning), "\(sql) \(meaning)")
      }
    }
  }
}
