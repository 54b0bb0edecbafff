import TestSupport
import Testing

/// `--once` in every format, compared with what is written here and with `sqlite3`.
@Suite(.fewAtOnce) struct FormatTests {
  private let things = "SELECT * FROM thing ORDER BY id"

  private func printed(_ arguments: String...) async throws -> String {
    let playground = try await Playground(Fixture.things)
    let result = try await LiveQuery.run(["--once", playground.database] + arguments)
    #expect(result.status == 0)
    #expect(result.errors == "")
    return result.output
  }

  @Test func `a table is aligned, with numbers to the right`() async throws {
    #expect(
      try await printed("--table", "-c", things) == """
                      id  name         size  data
        ----------------  --------  -------  ---------
                       1  plain         1.5
                       2  a "b", c    -0.25  X'00FF10'
                       3            1.0e+25  X''
        9007199254740993  zwei          2.0
                          Zeilen

        """)
  }

  @Test func `of several panels, the only one with a result has its name`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      "--once", playground.database, "-c", "SELECT nope", "-c", "SELECT 2 AS x")
    #expect(result.output.hasPrefix("panel2:\nx\n"))
  }

  @Test func `a table is what comes without a format`() async throws {
    let implied = try await printed("-c", things)
    #expect(try await printed("--table", "-c", things) == implied)
  }

  @Test func `CSV follows RFC 4180`() async throws {
    let lines = [
      "id,name,size,data", "1,plain,1.5,", "2,\"a \"\"b\"\", c\",-0.25,X'00FF10'",
      "3,,1.0e+25,X''", "9007199254740993,\"zwei\nZeilen\",2.0,",
    ]
    #expect(
      try await printed("--csv", "-c", things) == lines.map { $0 + "\r\n" }.joined())
  }

  @Test func `CSV is what sqlite3 prints, where both quote alike`() async throws {
    let playground = try await Playground(Fixture.things)
    let query = "SELECT id, size, name FROM thing WHERE id < 3 ORDER BY id"
    let result = try await LiveQuery.run("--csv", playground.database, "-c", query)
    // The lines of sqlite3 end as its system's do.
    #expect(
      result.output.split(separator: "\r\n")
        == (try await playground.shell.run(query, options: ["-csv", "-header"]))
        .split(separator: "\n"))
  }

  @Test func `JSON is what sqlite3 prints`() async throws {
    let playground = try await Playground(Fixture.things)
    for query in [
      "SELECT id, name, size FROM thing ORDER BY id", "SELECT 1 AS a, 2 AS b, NULL AS c",
      "SELECT char(1, 8, 9, 10, 12, 13, 27, 31, 34, 47, 92, 127, 233, 8232, 128053) AS text",
      "SELECT -9223372036854775808 AS low, 9223372036854775807 AS high, 0.5 AS r, 1e100 AS s",
    ] {
      let result = try await LiveQuery.run("--json", playground.database, "-c", query)
      #expect(result.output == (try await playground.shell.json(query)))
    }
  }

  @Test(arguments: ["--table", "--csv", "--json", "--ndjson", "--stream"])
  func `a real number has the same fewest digits in every format`(_ format: String) async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      [format, playground.database, "-c", "SELECT 32.38 AS a, 0.1 + 0.2 AS b, 1e300 AS c"]
        + (format == "--stream" ? ["--until", "SELECT 1"] : []))
    for number in ["32.38", "0.30000000000000004", "1.0e+300"] {
      #expect(result.output.contains(number))
    }
    #expect(!result.output.contains("32.380"))
  }

  @Test func `a BLOB in JSON is base64, and an empty result an empty array`() async throws {
    #expect(
      try await printed("--json", "-c", "SELECT data FROM thing WHERE id IN (2, 3)") == """
        [{"data":{"$blob":"AP8Q"}},
        {"data":{"$blob":""}}]

        """)
    #expect(try await printed("--json", "-c", "SELECT id FROM thing WHERE 0") == "[]\n")
  }

  @Test func `NDJSON is an object a line`() async throws {
    #expect(
      try await printed("--ndjson", "-c", "SELECT id, name FROM thing ORDER BY id") == """
        {"id":1,"name":"plain"}
        {"id":2,"name":"a \\"b\\", c"}
        {"id":3,"name":null}
        {"id":9007199254740993,"name":"zwei\\nZeilen"}

        """)
  }

  @Test func `columns of the same name are told apart`() async throws {
    #expect(
      try await printed("--ndjson", "-c", "SELECT 1 AS x, 2 AS x, 3 AS x")
        == "{\"x\":1,\"x:1\":2,\"x:2\":3}\n")
  }

  @Test func `several panels are kept apart in every format`() async throws {
    let two = ["-c", "SELECT 1 AS a", "-c", "SELECT 'x' AS b WHERE 0"]
    let playground = try await Playground()
    func printed(_ format: String) async throws -> String {
      try await LiveQuery.run([format, playground.database] + two).output
    }
    #expect(try await printed("--json") == "{\"panel1\":[{\"a\":1}],\n\"panel2\":[]}\n")
    #expect(try await printed("--ndjson") == "{\"a\":1}\n")
    #expect(try await printed("--table") == "panel1:\na\n-\n1\n\npanel2:\nb\n-\n")
  }

  @Test func `CSV of several panels is refused, with the remedy`() async throws {
    let playground = try await Playground()
    let two = ["-c", "SELECT 1 AS a", "-c", "SELECT 2 AS b"]
    let result = try await LiveQuery.run(["--csv", playground.database] + two)
    #expect(result.status == 2)
    #expect(result.output == "")
    #expect(
      result.errors.contains(
        "--csv prints one panel, and there are 2: choose one with --panel NAME (panel1, panel2)"))
    let chosen = try await LiveQuery.run(
      ["--csv", "--panel", "panel2", playground.database] + two)
    #expect(chosen.output == "b\r\n2\r\n")
  }

  @Test func `what stands for NULL can be chosen`() async throws {
    let query = "SELECT NULL AS a, '' AS b, 'none' AS c"
    #expect(
      try await printed("--csv", "--null", "none", "-c", query)
        == "a,b,c\r\nnone,\"\",\"none\"\r\n")
    #expect(
      try await printed("--table", "--null", "none", "-c", query)
        == "a     b  c\n----  -  ----\nnone     none\n")
  }

  @Test func `invalid UTF-8 becomes a replacement, and the text stays valid`() async throws {
    let query = "SELECT CAST(x'61ff62' AS TEXT) AS broken"
    #expect(try await printed("--json", "-c", query) == "[{\"broken\":\"a\u{fffd}b\"}]\n")
    #expect(try await printed("--csv", "-c", query) == "broken\r\na\u{fffd}b\r\n")
  }

  @Test func `a text of a megabyte is printed whole`() async throws {
    let query = "SELECT replace(hex(zeroblob(500000)), '0', 'y') AS long"
    let output = try await printed("--json", "-c", query)
    #expect(output == "[{\"long\":\"\(String(repeating: "y", count: 1_000_000))\"}]\n")
  }

  @Test(arguments: ["--json", "--csv", "--table", "--ndjson"])
  func `two thousand columns are printed`(_ format: String) async throws {
    let columns = (1...2000).map { "\($0) AS c\($0)" }.joined(separator: ",")
    let output = try await printed(format, "-c", "SELECT \(columns)")
    #expect(output.contains("c2000"))
    #expect(output.split(separator: "2000").count >= 2)
  }
}
