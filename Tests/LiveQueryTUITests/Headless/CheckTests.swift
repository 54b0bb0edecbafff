import TestSupport
import Testing

/// `--check`: file, line, column, what is wrong, and what was probably meant.
@Suite(.fewAtOnce) struct CheckTests {
  /// - Returns: Standard output without the file's name in front of each line, and the status.
  private func check(
    _ dashboard: String, _ arguments: String..., withDatabase: Bool = true
  ) async throws -> (lines: [String], status: Int32, errors: String) {
    let playground = try await Playground(
      "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT, score INT);")
    let file = try playground.folder.write(dashboard, to: "d.sql")
    let database = withDatabase ? [playground.database] : []
    let result = try await LiveQuery.run(["--check"] + database + [file] + arguments)
    let lines = result.output.split(separator: "\n").map { line in
      line.hasPrefix(file + ":") ? String(line.dropFirst(file.utf8.count + 1)) : String(line)
    }
    return (lines, result.status, result.errors)
  }

  @Test(
    arguments: [
      (
        "-- name: a\nSELECT *\nFROM playrs;\n",
        "3:6: error: no such table: playrs, did you mean \"players\"?"
      ),
      (
        "-- name: a\n-- titel: x\nSELECT 1;\n",
        "2:4: error: unknown key \"titel\", did you mean \"title\"?"
      ),
      (
        "-- name: a\n-- view: tabel\nSELECT 1;\n",
        "2:10: error: no view is called \"tabel\", did you mean \"table\"?"
      ),
      (
        "-- name: a\n-- key: nam\nSELECT name FROM players;\n",
        "2:9: error: \"key:\" names \"nam\", which is not a column of the result, "
          + "did you mean \"name\"?"
      ),
      (
        "-- name: a\nDELETE FROM players;\n",
        "2:1: error: this statement writes; only queries are allowed here"
      ),
      (
        "-- name: a\nSELECT 1; SELECT 2;\n",
        "2:11: error: a second query under \"a\"; put \"-- name:\" above it"
      ),
      (
        "-- name: a\nSELECT 1\n  LIMIT :limit;\n",
        "3:9: error: the parameter limit has no value; give --param limit=VALUE"
      ),
      (
        "-- layout: a fmae\n-- name: fame\nSELECT 1;\n-- name: a\nSELECT 2;\n",
        "1:14: error: the layout names \"fmae\", but no panel is called so, did you mean \"fame\"?"
      ),
      (
        "-- layout: a a\n-- layout: a b\n-- name: a\nSELECT 1;\n-- name: b\nSELECT 2;\n",
        "1:12: error: the cells of \"a\" in the layout are not a rectangle"
      ),
      ("", "1:1: error: there is no query in this dashboard"),
      ("-- only prose\n", "1:1: error: there is no query in this dashboard"),
      ("-- name: a\nSELECT nam FRM players;\n", "2:16: error: near \"players\": syntax error"),
      ("-- name: a\nSELECT\n  points FROM players;\n", "3:3: error: no such column: points"),
      (
        "-- name: a\nSELECT 1;\n-- name: a\nSELECT 2;\n",
        "3:10: error: a panel is called \"a\" already, on line 1"
      ),
      (
        ".mode json\nSELECT 1;\n",
        "1:1: error: \".mode\" is a command of the sqlite3 shell, not SQL; remove this line"
      ),
      ("-- name: é\nSELECT 'é', x FROM players;\n", "2:13: error: no such column: x"),
    ])
  func `a mistake has a place, and a remedy where one is known`(
    _ dashboard: String, _ line: String
  ) async throws {
    let result = try await check(dashboard)
    #expect(result.lines.first == line)
    #expect(result.status == 2)
    #expect(result.errors == "")
  }

  /// SQLite would take it for the end of the SQL.
  @Test func `a dashboard with a NUL byte is refused, with its line`() async throws {
    let (lines, status, errors) = try await check("-- name: a\nSELECT 1\u{0}, nope FROM nosuch;\n")
    #expect(lines == [] && status == 2)
    #expect(errors.contains("d.sql:2: a NUL byte"))
  }

  @Test func `five hundred panels are refused with the limit`() async throws {
    let many = (1...500).map { "-- name: p\($0)\nSELECT \($0);\n" }.joined()
    let result = try await check(many)
    #expect(result.lines == ["402:1: error: 500 queries; a dashboard can have 200 at most"])
    #expect(result.status == 2)
  }

  @Test func `two hundred panels are good`() async throws {
    let many = (1...200).map { "-- name: p\($0)\nSELECT \($0);\n" }.joined()
    let result = try await check(many)
    #expect(result.lines == [])
    #expect(result.status == 0)
  }

  @Test func `all mistakes are told, in the order of their lines`() async throws {
    let result = try await check(
      """
      -- name: a
      SELECT * FROM playrs;
      -- name: b
      SELECT 1;
      -- name: c
      INSERT INTO players VALUES (1, 'x', 2);
      """)
    #expect(
      result.lines == [
        "2:15: error: no such table: playrs, did you mean \"players\"?",
        "6:1: error: this statement writes; only queries are allowed here",
      ])
  }

  @Test func `a dashboard without mistakes is praised on standard error alone`() async throws {
    let result = try await check(
      "-- name: a\nSELECT :n AS n;\n-- name: b\nSELECT 2;\n", "--param", "n=1")
    #expect(result.lines == [])
    #expect(result.status == 0)
    #expect(result.errors.hasSuffix("d.sql: 2 panels, no errors\n"))
  }

  @Test func `columns that directives name are looked up in the result`() async throws {
    let result = try await check(
      "-- name: a\n-- view: line x=at y=b\n-- spark: scre\n-- format: scroe bytes\n"
        + "SELECT 1 AS at, 2 AS score, 3 AS b;\n")
    #expect(
      result.lines == [
        "3:11: error: \"spark:\" names \"scre\", which is not a column of the result, "
          + "did you mean \"score\"?",
        "4:12: error: \"format:\" names \"scroe\", which is not a column of the result, "
          + "did you mean \"score\"?",
      ])
    #expect(result.status == 2)
  }

  @Test func `a panel of the command line is checked as well`() async throws {
    let result = try await check("-- name: a\nSELECT 1;\n", "-c", "SELECT * FROM playrs")
    #expect(
      result.lines == ["panel2: error: no such table: playrs, did you mean \"players\"?"])
    #expect(result.status == 2)
  }

  @Test func `without a database only the text is checked`() async throws {
    let good = try await check("-- name: a\nSELECT * FROM playrs;\n", withDatabase: false)
    #expect(good.status == 0)
    let bad = try await check("-- name: a\n-- titel: x\nSELECT 1;\n", withDatabase: false)
    #expect(bad.status == 2)
  }

  @Test func `the dashboard of the sample is good, and sqlite3 runs it`() async throws {
    let sample = try await Playground.sample()
    let arena = Playground.projectFile("arena.sql")
    let result = try await LiveQuery.run("--check", sample.database, arena)
    #expect(result.status == 0)
    #expect(result.output == "")
    try await sample.shell.run(".read '\(arena)'")
  }

  @Test func `a faulty dashboard is not shown at all`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write(
      "-- name: a\n-- titel: x\nSELECT 1;\n", to: "d.sql")
    for mode in ["--once", "--stream", "--frame=80x24"] {
      let result = try await LiveQuery.run(mode, playground.database, file)
      #expect(result.status == 2)
      #expect(result.output == "")
      #expect(result.errors.hasPrefix("\(file):2:4: error: unknown key \"titel\""))
    }
  }
}
