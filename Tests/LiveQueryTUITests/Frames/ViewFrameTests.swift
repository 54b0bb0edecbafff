import TestSupport
import Testing

/// Whole runs of the program with each view: from the directive to the cells.
@Suite(.fewAtOnce) struct ViewFrameTests {
  /// A frame of one panel with these directives, on a screen without room for much else.
  private func frame(
    _ directives: String, _ query: String, keys: String = "", size: String = "60x14",
    schema: String = "CREATE TABLE t (n);", options: [String] = []
  ) async throws -> Frame {
    let playground = try await Playground(schema, journal: "wal")
    let text = "-- name: p\n" + directives.split(separator: ";").map { "-- \($0)\n" }.joined()
    let path = try playground.folder.write(text + query + ";\n", to: "d.sql")
    return try await Frame(keys, size: size, options: options, on: playground, dashboard: [path])
  }

  /// `count` rows of the numbers from 0.
  private func numbers(_ count: Int, _ columns: String) -> String {
    "WITH RECURSIVE s(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM s LIMIT \(count)) "
      + "SELECT \(columns) FROM s"
  }

  @Test func `time and a number are a line without being asked`() async throws {
    let frame = try await frame(
      "title: load", numbers(11, "datetime('2026-11-20 11:54', i || ' minutes') AS at, i AS load"))
    #expect(frame.shows("━┫1 load┣", "braille · 10 min"))
    #expect(frame.shows(" 9┤", "⠉"))
    #expect(frame.shows(" 0┤⣀") && frame.shows(" ┼──", "┬"))
    #expect(frame.shows("11:55", "12:00"))
  }

  @Test(
    arguments: [
      "datetime('2026-11-20 11:54', i || ' minutes')",
      "julianday('2026-11-20 11:54', i || ' minutes')",
      "unixepoch('2026-11-20 11:54', i || ' minutes')",
      "unixepoch('2026-11-20 11:54', i || ' minutes') * 1000",
      "strftime('%Y-%m-%dT%H:%M:%SZ', '2026-11-20 11:54', i || ' minutes')",
      "strftime('%H:%M', '2026-11-20 11:54', i || ' minutes')",
    ])
  func `each of SQLite's forms of a date is an axis of time`(_ moment: String) async throws {
    let frame = try await frame("view: line", numbers(11, "\(moment) AS at, i AS load"))
    #expect(frame.shows("11:55", "12:00"))
    #expect(frame.shows("10 min"))
  }

  @Test func `a gauge is drawn between its ends, with its thresholds`() async throws {
    let frame = try await frame(
      "view: gauge min=0 max=10% warn=5%;format: rate percent", "SELECT 0.062 AS rate")
    #expect(frame.shows("6.2 %", "! WARN > 5 %"))
    #expect(frame.shows("[██████", "]"))
    #expect(frame.shows("0 %", "5 %│", "10 %"))
  }

  @Test func `a histogram counts, and a sparkline rises`() async throws {
    let histogram = try await frame("view: histogram bins=5", numbers(100, "i * i AS n"))
    #expect(histogram.shows("100 values"))
    #expect(histogram.shows("█████"))
    #expect(histogram.shows("0┼", "┬"))
    let sparkline = try await frame("view: sparkline", numbers(20, "i AS n"))
    #expect(sparkline.shows("n  19   min 0   max 19"))
    #expect(sparkline.shows("█"))
  }

  @Test func `a log follows its newest row`() async throws {
    let frame = try await frame(
      "view: log", "SELECT n, 'row ' || n AS message FROM t ORDER BY n DESC LIMIT 100",
      keys: "cINSERT INTO t VALUES (41);<Enter><wait>", size: "80x24",
      schema: "CREATE TABLE t (n); " + "INSERT INTO t " + numbers(41, "i") + ";")
    #expect(frame.shows("+ 41  row 41"))
    #expect(frame.shows("40  row 40"))
    #expect(!frame.shows("row 0 "))
  }

  @Test func `numbers and rows remember what they were`() async throws {
    let insert = "cINSERT INTO t VALUES (7);<Enter><wait>INSERT INTO t VALUES (8);<Enter><wait>"
    let number = try await frame(
      "view: number", "SELECT count(*) AS n FROM t", keys: insert, size: "80x30")
    #expect(number.shows("▲ +1"))
    #expect(number.shows("▁▅█", "min 0"))
    #expect(number.shows("max 2"))
    let table = try await frame(
      "view: table;key: name;spark: n", "SELECT 'all' AS name, count(*) AS n FROM t", keys: insert,
      size: "80x30")
    #expect(table.shows("name", "n", "last 3 tx"))
    #expect(table.shows("all", "2", "▁▅█"))
  }

  @Test func `columns have formats, and can be hidden and moved`() async throws {
    let query = "SELECT 184320 AS size, 0.5 AS part, 303 AS took, 1 AS secret"
    let directives = "format: size bytes, part percent-bar, took duration, secret hidden"
    let plain = try await frame(directives, query)
    #expect(plain.shows("size", "part", "took"))
    #expect(plain.shows("180 KB", "▇▇", "50 %", "5 min 03 s"))
    #expect(!plain.shows("secret"))
    let chosen = try await frame(directives, query, keys: "<lt>G <lt><lt><lt><Esc>")
    #expect(chosen.shows("secret", "size", "part"))
    let chooser = try await frame(directives, query, keys: "<gt>")
    #expect(chooser.shows("columns of p", "3 of 4"))
    #expect(chooser.shows("[ ] secret"))
  }

  @Test func `a view that cannot show its result says why, and shows a table`() async throws {
    let frame = try await frame("view: line", "SELECT 'a' AS x, 'b' AS y")
    #expect(frame.shows("━┫1 p┣", "no line"))
    #expect(frame.shows("x", "y"))
    #expect(frame.shows("! can't draw a line: no numeric column"))
  }

  @Test func `with --ascii charts are ASCII`() async throws {
    for view in ["line", "sparkline", "histogram", "bar", "log", "gauge"] {
      let frame = try await frame(
        "view: \(view)", numbers(30, "'2026-11-' || (10 + i % 20) AS day, i - 9 AS n"),
        options: ["--ascii"])
      #expect(frame.text.utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test(arguments: ["1x1", "20x5", "80x24", "5x200", "500x3", "200x150"])
  func `no series and no screen is too much`(_ size: String) async throws {
    let queries = [
      "SELECT column1 AS n FROM (VALUES (9e999), (-9e999), (NULL), ('x'), (x'00'))",
      "SELECT 'a' AS a, 1 AS n WHERE 0",
      "SELECT column1 AS a, column2 AS n FROM (VALUES ('2026-13-45', 1e308), ('x', -1e308))",
      numbers(5000, "'category ' || i AS name, (i % 7) - 3 AS n"),
    ]
    let views = ["line", "sparkline", "histogram", "bar", "gauge", "log", "number", "table"]
    let panels = views.flatMap { view in
      queries.enumerated().map { "-- name: \(view)\($0)\n-- view: \(view)\n\($1);\n" }
    }
    let playground = try await Playground("CREATE TABLE t (n);", journal: "wal")
    let path = try playground.folder.write(panels.joined(separator: "\n"), to: "d.sql")
    let keys = String(repeating: "<Tab>jllG<PgUp>", count: panels.count)
    let frame = try await Frame(keys, size: size, on: playground, dashboard: [path])
    let width = Int(size.split(separator: "x")[0]) ?? 0
    #expect(frame.widths.allSatisfy { $0 <= width })
  }
}
