import Foundation
import ObservationEngine
import Testing

@testable import ObservationPostgres

@Suite struct ServerStatementTests {
  @Test(
    arguments: [
      ("SELECT :a::text, :b, :a", "SELECT $1::text, $2, $1", ["a", "b"]),
      (
        "SELECT a[1:n], b[:n], ARRAY[:x, 2, :y]", "SELECT a[1:n], b[:n], ARRAY[$1, 2, $2]",
        ["x", "y"]
      ),
      (
        "SELECT array [[:x], [:y]], a[f(:z):n], (ARRAY[1])[:n], a[1 + :x]",
        "SELECT array [[$1], [$2]], a[f($3):n], (ARRAY[1])[:n], a[1 + $1]", ["x", "y", "z"]
      ),
      ("SELECT ':a', E'\\':b', $$:c$$, $t$:d$$e$t$, \":f\"", nil, []),
      (
        "SELECT 1 /* :a /* :b */ :c */ -- :d\n, :e", "SELECT 1 /* :a /* :b */ :c */ -- :d\n, $1",
        ["e"]
      ),
      ("SELECT $2, :x, $1", "SELECT $1, $2, $3", ["2", "x", "1"]),
      ("SELECT x @> :y, j ? 'k', a := 1", "SELECT x @> $1, j ? 'k', a := 1", ["y"]),
      ("SELECT U&'\\0041:a', N':b', x':c'", nil, []),
    ] as [(String, String?, [String])])
  func `named parameters get numbers`(_ source: String, _ text: String?, _ names: [String]) {
    let statement = ServerStatement(source)
    #expect(statement.text == text ?? source)
    #expect(statement.names == names)
  }

  @Test func `a position is that of the user's text`() {
    let statement = ServerStatement("SELECT 'ä', :minimum, nosuch")
    let position = statement.text.unicodeScalars.prefix { $0 != "n" }.count + 1
    let offset = statement.offset(ofCharacter: position)
    #expect(Array(statement.source.utf8)[offset...].starts(with: "nosuch".utf8))
    // At the parameter, and beyond the end.
    let parameter = statement.text.unicodeScalars.prefix { $0 != "$" }.count + 1
    #expect(
      Array(statement.source.utf8)[statement.offset(ofCharacter: parameter)...].starts(
        with: ":minimum".utf8))
    #expect(statement.offset(ofCharacter: 1_000) == statement.source.utf8.count)
  }

  @Test(arguments: [
    ("SELECT 1", true), ("(SELECT 1)", true), ("-- x\nWITH a AS (SELECT 1) TABLE a", true),
    ("INSERT INTO t VALUES (1)", false), ("COPY t TO STDOUT", false), ("DO $$BEGIN END$$", false),
    ("", false),
  ])
  func `only queries can be panels`(_ sql: String, _ isQuery: Bool) {
    #expect(ServerStatement(sql).isQuery == isQuery)
  }

  @Test(arguments: [
    ("WITH x AS (DELETE FROM t RETURNING *) TABLE x", "DELETE"),
    ("WITH x AS (UPDATE t SET v = 1 RETURNING v) TABLE x", "UPDATE"),
    ("SELECT * INTO u FROM t", "INTO"), ("SELECT 1 FROM t FOR UPDATE", "FOR UPDATE"),
    ("SELECT 1 FROM t FOR NO KEY UPDATE", "FOR NO KEY UPDATE"),
    ("WITH x AS (SELECT 1) INSERT INTO t TABLE x", "INSERT"),
    ("WITH x AS (SELECT 1), y AS (TABLE x) DELETE FROM t", "DELETE"),
    ("WITH x AS (SELECT 1) MERGE INTO t USING x ON true WHEN MATCHED THEN DO NOTHING", "MERGE"),
    ("EXPLAIN (ANALYZE off) DELETE FROM t", nil), ("SELECT 1 AS into, t.into FROM t", nil),
    ("SELECT substring(s FROM 1 FOR key), substring(s FOR no) FROM t", nil),
    ("EXPLAIN ANALYZE DELETE FROM t", "DELETE"), ("EXPLAIN DELETE FROM t", nil),
    ("EXPLAIN (ANALYZE) SELECT 1", nil), ("SELECT substring(a FOR 3), \"update\" FROM t", nil),
    ("SELECT insert, (delete + 1), (SELECT update FROM t) FROM \"into\"", nil),
    ("WITH x AS (SELECT 'INSERT INTO t') TABLE x", nil),
  ])
  func `what writes is found before it runs`(_ sql: String, _ word: String?) {
    #expect(ServerStatement(sql).writing?.word.uppercased() == word)
  }

  @Test(arguments: [
    (
      "SELECT count(*), round(avg(v), 1) FROM t WHERE v IN (1, 2) GROUP BY date_trunc('day', d)",
      true
    ),
    ("WITH w AS MATERIALIZED (SELECT 1) SELECT sum(v) OVER (PARTITION BY k) FROM w", true),
    ("SELECT array_agg(v), variance(v), abs(min(v)), width_bucket(sum(v), 0, 9, 3) FROM t", true),
    ("SELECT (v) FROM t WHERE EXISTS (SELECT FROM u) AND v = ANY (VALUES (1))", true),
    ("SELECT CAST(v AS numeric(10, 2)), 'query_to_xml(' FROM t", true), ("TABLE t", true),
    ("SELECT query_to_xml('TABLE t', true, false, '')", false), ("SELECT own (1)", false),
    ("SELECT pg_catalog./* */query_to_xml /* */ ('TABLE t', true, false, '')", false),
    ("SELECT \"query_to_xml\"('TABLE t', true, false, '')", false),
    ("SELECT v FROM t TABLESAMPLE own (1)", false), ("SELECT pg_table_size(name) FROM t", false),
  ])
  func `functions are known by their names`(_ sql: String, _ areKnown: Bool) {
    #expect(ServerStatement(sql).callsKnownFunctions == areKnown)
  }

  @Test(arguments: [
    ("SELECT now()", true), ("SELECT 'today'::timestamp", true),
    ("SELECT 'today 08:00'::timestamp", true), ("SELECT 'what is known today'", false),
    ("SELECT count(*) FROM now_playing", false),
    ("SELECT random -- x\n ( /* y */ )", true), ("SELECT Clock_Timestamp\t()", true),
    ("SELECT pg_catalog.now()", true), ("SELECT \"now\"()", true),
    ("SELECT own.age (d) FROM t", true), ("SELECT current_date", true),
    ("SELECT LOCALTIME, 1", true), ("SELECT current_time(3)", true),
    ("SELECT localtimestamp", true), ("SELECT CURRENT_TIMESTAMP", true),
    // Columns.
    ("SELECT age, t.random, (now) FROM t", false), ("SELECT \"current_date\" FROM t", false),
    ("SELECT max(age) FROM t GROUP BY random", false), ("SELECT name AS now", false),
  ])
  func `a query over the time is known by its words`(_ sql: String, _ dependsOnTime: Bool) {
    #expect(ServerStatement(sql).dependsOnTime == dependsOnTime)
  }

  @Test(arguments: [("ROLLBACK", true), ("-- x\nabort work", true), ("COMMIT", false)])
  func `ROLLBACK has two names`(_ sql: String, _ rollsBack: Bool) {
    #expect(ServerStatement(sql).rollsBack == rollsBack)
  }

  @Test(
    arguments: [
      ("9.00", .real(9)), ("100000.5000000000", .real(100_000.5)),
      ("0.00000000000000012", .real(1.2e-16)),
      ("1000.50", .real(1000.5)), ("12", .integer(12)),
      ("-123456789012345.6", .text("-123456789012345.6")),
      ("123456789012345678", .integer(123_456_789_012_345_678)),
      ("99999999999999999999", .text("99999999999999999999")), ("NaN", .text("NaN")),
    ] as [(String, Value)])
  func `a number with more digits than a double keeps is text, and no other`(
    _ text: String, _ value: Value
  ) {
    // numeric(20, 2)
    let reading = ColumnReading(type: 1700, modifier: (20 << 16 | 2) + 4)
    let bytes = Array(text.utf8)
    #expect(bytes.withUnsafeBufferPointer(reading.value) == value)
  }

  @Test(arguments: [
    ("postgres:///shop", "shop"),
    ("postgresql://me:secret@db.example.com:5433/shop?x=1", "shop@db.example.com:5433"),
    ("postgres://me:secret@/shop?host=/run/pg", "shop"),
    ("host=db dbname=shop password=secret", "shop@db"),
    ("user = me dbname = 'shop' host=db", "shop@db"),
    ("service=shop", "shop"), ("postgres://localhost/shop", "shop"), ("postgres://", "postgres"),
  ])
  func `what is shown for a server has no password`(_ argument: String, _ name: String) {
    #expect(ServerAddress(argument)?.name == name)
  }

  @Test(arguments: [
    "app.db", "./host=x", "postgres.db", "postgresql", "/srv/dbname=x", "user data=1.db", "",
  ])
  func `a file is no server`(_ argument: String) {
    #expect(ServerAddress(argument) == nil)
  }

  @Test(
    arguments: [
      (20, -1, "9223372036854775807", .integer(.max)),
      (20, -1, "-9223372036854775808", .integer(.min)),
      (16, -1, "t", 1), (16, -1, "f", 0), (17, -1, "\\x00ff", .blob([0, 255])),
      (701, -1, "1.5", 1.5), (701, -1, "NaN", "NaN"), (701, -1, "Infinity", .real(.infinity)),
      // numeric: computed; of ten digits; of thirty.
      (1700, -1, "903.2000000000000000", 903.2), (1700, -1, "38", 38),
      (1700, 10 << 16 + 2 + 4, "12.50", 12.5),
      (1700, 30 << 16 + 4 + 4, "1234567890123456.7890", "1234567890123456.7890"),
      (1700, -1, "100000000000000000000", "100000000000000000000"),
      (1700, -1, "-18000000000000000001", "-18000000000000000001"),
      // A sum of money is exact, an average has the digits of a double.
      (1700, -1, "123479134691246912.63", "123479134691246912.63"),
      (1700, -1, "12345678901234.10", 12345678901234.1),
      (1700, -1, "16.6666666666666667", 16.666666666666668),
      (1700, -1, "-0.0000000000000000012345678901234567", -1.2345678901234567e-18),
      (1700, 30 << 16 + 4, "18000000000000000001", "18000000000000000001"),
      (1700, -1, "NaN", "NaN"),
      (1184, -1, "2026-11-20 12:04:31.5+00", "2026-11-20 12:04:31.5+00"), (25, -1, "", ""),
    ] as [(UInt32, Int32, String, Value)])
  func `values keep what the server said`(
    _ type: UInt32, _ modifier: Int32, _ text: String, _ value: Value
  ) {
    let bytes = Array(text.utf8)
    let read = bytes.withUnsafeBufferPointer {
      ColumnReading(type: type, modifier: modifier).value($0)
    }
    #expect(read == value)
  }

  @Test func `the server never hears that anything was flushed`() {
    let message = StreamMessage.status(read: 0x16_B374_D848, flushed: 0, at: 5)
    #expect(message.count == 34)
    #expect(message[1..<9].elementsEqual([0, 0, 0, 0x16, 0xB3, 0x74, 0xD8, 0x48]))
    // A server whose synchronous_standby_names is * would wait for this program otherwise.
    #expect(message[9..<25].allSatisfy { $0 == 0 })
  }

  @Test func `an idle server is asked seldom`() {
    var pace = PollPace(fixed: nil, now: 0)
    #expect(pace.interval(at: 0) == 10_000_000)
    #expect(pace.interval(at: 100_000_000_000) == 250_000_000)
    pace.noteChange(at: 100_000_000_000)
    #expect(pace.interval(at: 101_000_000_000) == 10_000_000)
    #expect(PollPace(fixed: 7, now: 0).interval(at: .max) == 7)
  }

  @Test func `no source creates a slot that outlives its connection`() throws {
    // Physical streams need none; a temporary one goes with its connection; a durable one would make the server keep its log for ever.
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(atPath: sources.path))
    for case let name as String in files where name.hasSuffix(".swift") || name.hasSuffix(".c") {
      let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8).uppercased()
      let slots = text.ranges(of: "CREATE_REPLICATION_SLOT")
      for slot in slots { #expect(text[slot.upperBound...].prefix(40).contains(" TEMPORARY ")) }
      #expect(!text.contains("_REPLICATION_SLOT("))
      #expect(!text.contains("CREATE PUBLICATION"))
    }
  }
}
