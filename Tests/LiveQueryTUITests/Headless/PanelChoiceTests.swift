import TestSupport
import Testing

/// Where panels come from, which of them are printed, and with what values.
@Suite(.fewAtOnce) struct PanelChoiceTests {
  private let dashboard = """
    -- name: first
    SELECT 1 AS one;
    -- name: second
    SELECT :limit AS value, typeof(:limit) AS type;
    """

  @Test func `one panel of a dashboard can be chosen`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write(dashboard, to: "d.sql")
    let result = try await LiveQuery.run(
      "--json", "--panel", "first", playground.database, file)
    #expect(result.output == "[{\"one\":1}]\n")
    #expect(result.status == 0)
  }

  @Test func `several panels are printed in the order in which they are chosen`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write(dashboard, to: "d.sql")
    let result = try await LiveQuery.run(
      "--json", "--panel", "second", "--panel", "first", "--param", "limit=1",
      playground.database, file)
    #expect(
      result.output
        == "{\"second\":[{\"value\":1,\"type\":\"integer\"}],\n\"first\":[{\"one\":1}]}\n")
  }

  @Test func `several panels as CSV are refused with the remedies, or are files of a folder`()
    async throws
  {
    let playground = try await Playground()
    let file = try playground.folder.write(dashboard, to: "d.sql")
    let arguments = ["--csv", "--param", "limit=1", playground.database, file]
    let refused = try await LiveQuery.run(arguments)
    #expect(refused.status == 2 && refused.output == "")
    #expect(refused.errors.contains("--panel NAME (first, second)"), "\(refused.errors)")
    #expect(refused.errors.contains("-o DIR/"))
    let written = try await LiveQuery.run(arguments + ["-o", playground.folder.path("out") + "/"])
    #expect(written.status == 0 && written.output == "" && written.errors == "")
    #expect(try playground.folder.text("out/first.csv") == "one\r\n1\r\n")
    #expect(try playground.folder.text("out/second.csv") == "value,type\r\n1,integer\r\n")
    // Again, and into a folder without a slash.
    let again = try await LiveQuery.run(arguments + ["-o", playground.folder.path("out")])
    #expect(again.status == 0)
    let missing = try await LiveQuery.run(arguments + ["-o", playground.folder.path("no/out") + "/"])
    #expect(missing.status == 3 && missing.errors.contains("No such file"))
  }

  @Test func `one broken panel keeps nobody from the others`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write(
      "-- name: good\nSELECT 1 AS x;\n-- name: bad\nSELECT * FROM gone;", to: "d.sql")
    let result = try await LiveQuery.run("--json", playground.database, file)
    #expect(result.output == "{\"good\":[{\"x\":1}]}\n", "two were asked for")
    #expect(result.errors.contains("d.sql:4:15: error: no such table: gone"))
    #expect(result.status == 1)
    let alone = try await LiveQuery.run("--json", "--panel", "bad", playground.database, file)
    #expect(alone.output == "" && alone.status == 1)
  }

  @Test func `a value for no parameter is reported, and the panels are printed`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      "--json", "--param", "limit=1", "--param", "limti=2", playground.database, "-c",
      "SELECT :limit AS n")
    #expect(result.output == "[{\"n\":1}]\n")
    #expect(
      result.errors
        == "livequery: --param limti: no query has this parameter, did you mean \"limit\"?\n")
    #expect(result.status == 0)
  }

  @Test func `a view that lost its table does not hide the panels that nobody wrote`() async throws
  {
    let playground = try await Playground(
      "CREATE TABLE a (x); INSERT INTO a VALUES (7); CREATE VIEW v AS SELECT nope FROM gone")
    let result = try await LiveQuery.run("--json", playground.database)
    #expect(
      result.output == "{\"a count\":[{\"count(*)\":1}],\n\"a\":[{\"x\":7}]}\n")
    #expect(result.errors.contains("no such table: main.gone"))
    #expect(result.status == 1)
  }

  @Test func `a panel that does not exist has a suggestion`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write(dashboard, to: "d.sql")
    let result = try await LiveQuery.run(
      "--panel", "frist", "--param", "limit=1", playground.database, file)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(
      result.errors
        == "livequery: --panel frist: no panel has this name, did you mean \"first\"?\n")
  }

  @Test(
    arguments: [
      ("5", "5", "integer"), ("1.5", "1.5", "real"), ("007", "\"007\"", "text"),
      ("-3", "-3", "integer"), ("a=b", "\"a=b\"", "text"), ("", "\"\"", "text"),
      ("'; DROP TABLE t; --", "\"'; DROP TABLE t; --\"", "text"),
    ])
  func `a parameter is bound, never pasted`(
    _ text: String, _ json: String, _ type: String
  ) async throws {
    let playground = try await Playground()
    let file = try playground.folder.write(dashboard, to: "d.sql")
    let result = try await LiveQuery.run(
      "--json", "--panel", "second", "--param", "limit=\(text)", playground.database, file)
    #expect(result.output == "[{\"value\":\(json),\"type\":\"\(type)\"}]\n")
  }

  @Test func `a parameter without a value is named, with its remedy`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run("--once", playground.database, "-c", "SELECT :limit")
    #expect(result.status == 2)
    #expect(result.errors.contains("panel1: the parameter limit has no value"))
    #expect(result.errors.contains("--param limit=VALUE"))
  }

  @Test func `a dashboard comes from standard input`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      "--json", playground.database, "-f", "-", input: .text("SELECT 5 AS five;"))
    #expect(result.output == "[{\"five\":5}]\n")
  }

  @Test func `an empty standard input is a dashboard without queries`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run("--json", playground.database, "-f", "-")
    #expect(result.status == 2)
    #expect(
      result.errors == "standard input:1:1: error: there is no query in this dashboard\n")
  }

  @Test func `panels of the command line follow those of the file`() async throws {
    let playground = try await Playground()
    let file = try playground.folder.write("-- name: a\nSELECT 1 AS x;", to: "d.sql")
    let result = try await LiveQuery.run(
      "--json", playground.database, file, "-c", "SELECT 2 AS x", "-c", "SELECT 3 AS x")
    #expect(
      result.output == "{\"a\":[{\"x\":1}],\n\"panel2\":[{\"x\":2}],\n\"panel3\":[{\"x\":3}]}\n")
  }

  @Test func `without queries each table has a count and its newest rows`() async throws {
    let playground = try await Playground(
      "CREATE TABLE \"odd \"\"name\" (x); INSERT INTO \"odd \"\"name\" VALUES (1), (2);")
    let result = try await LiveQuery.run("--json", playground.database)
    #expect(
      result.output == """
        {"odd \\"name count":[{"count(*)":2}],
        "odd \\"name":[{"x":2},
        {"x":1}]}

        """)
  }

  @Test func `all panels are read in one snapshot`() async throws {
    let playground = try await Playground(
      "CREATE TABLE a (n); CREATE TABLE b (n); INSERT INTO a VALUES (0); INSERT INTO b VALUES (0);",
      journal: "wal")
    let writer = try await ExternalProcess.serve(playground.database)
    for round in 1...20 {
      try writer.tell("BEGIN; UPDATE a SET n = \(round); UPDATE b SET n = \(round); COMMIT")
      let result = try await LiveQuery.run(
        "--ndjson", playground.database, "-c", "SELECT n FROM a", "-c", "SELECT n FROM b")
      let numbers = result.output.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(numbers.count == 2)
      #expect(numbers.first == numbers.last)
      _ = try await writer.answer()
    }
  }
}
