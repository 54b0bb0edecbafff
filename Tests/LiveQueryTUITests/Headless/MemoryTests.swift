import Glibc
import TestSupport
import Testing

/// What queries may use is bound, and who needs more is told how.
@Suite(.fewAtOnce) struct MemoryTests {
  @Test(arguments: [
    (
      "SELECT zeroblob(17000000)",
      "string or blob too big: a value may have 16 MB; --memory allows more"
    ),
    (
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) "
        + "SELECT zeroblob(10000000) FROM n",
      "the results hold more than 64 MB: select fewer or smaller rows, as with LIMIT or substr(); "
        + "--memory allows more"
    ),
    (
      "SELECT length(group_concat(hex(zeroblob(4000000)) || i, '')) FROM "
        + "(SELECT 1 AS i UNION SELECT 2 UNION SELECT 3)",
      "string or blob too big: a value may have 16 MB; --memory allows more"
    ),
    (
      "SELECT \((0..<12).map { "hex(zeroblob(7500000)) AS c\($0)" }.joined(separator: ", "))",
      "out of memory: SQLite may use 128 MB; --memory allows more"
    ),
  ])
  func `a query that needs too much says so`(_ query: String, _ message: String) async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let result = try await LiveQuery.run(["--once", playground.database, "-c", query])
    #expect(result.status == 1)
    #expect(result.errors == "livequery: panel1: \(message)\n")
  }

  @Test func `a small limit is told as it is`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let query =
      "SELECT zeroblob(90000), zeroblob(90000), zeroblob(90000) UNION ALL SELECT zeroblob(90000), zeroblob(90000), zeroblob(90000)"
    let result = try await LiveQuery.run(
      ["--once", "--memory", "1", playground.database, "-c", query])
    #expect(result.errors.contains("the results hold more than 500 KB"), "\(result.errors)")
  }

  @Test func `results of all panels together are bound`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let large = "SELECT zeroblob(1500000) AS a, zeroblob(1500000) AS b, zeroblob(1500000) AS c"
    let program = try LiveQuery.start([
      "--stream", "--memory", "16", "-o", "/dev/null", playground.database, "-c", large, "-c",
      large + ", 1",
    ])
    try await program.waitForErrors(containing: "panel2: the results hold more than 8 MB")
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test func `more is allowed on request`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    for memory in ["0", "400"] {
      let result = try await LiveQuery.run([
        "--once", "--csv", "--memory", memory, playground.database, "-c",
        "SELECT zeroblob(17000000) IS NULL AS v",
      ])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output == "v\r\n0\r\n" || result.output == "v\n0\n")
    }
  }
}
