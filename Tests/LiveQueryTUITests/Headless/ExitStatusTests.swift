import Glibc
import TestSupport
import Testing

@Suite(.fewAtOnce) struct ExitStatusTests {
  @Test func `with too few descriptors it says so, and ends`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let result = try await RunningProgram.run(
      ["prlimit", "--nofile=16", LiveQuery.path, "--stream", playground.database],
      environment: LiveQuery.environment)
    #expect(result.status == 3)
    #expect(
      result.errors
        == "livequery: only 16 files can be open at a time, and it takes 32 (ulimit -n)\n")
  }

  @Test(
    arguments: [
      (["-c", "SELECT 1"], 0, ""),
      (["-c", "SELECT * FROM missing"], 1, "no such table: missing"),
      (["-c", "SELECT abs(-9223372036854775807 - 1)"], 1, "integer overflow"),
      (["-c", "SELEKT 1"], 1, "near \"SELEKT\": syntax error"),
      (["-c", "SELECT :p"], 2, "the parameter p has no value"),
      (["-c", "DELETE FROM t"], 2, "this statement writes; only queries are allowed here"),
      (["-c", "SELECT 1; SELECT 2"], 2, "a second statement follows"),
      (["-c", "ATTACH 'other.db' AS other"], 2, "ATTACH and DETACH are not allowed here"),
      (["-c", "SELECT load_extension('x')"], 1, "extensions cannot be loaded"),
      (["-c", ""], 2, "there is no statement here"),
      (["--onec"], 2, "unknown option --onec, did you mean \"--once\"?"),
      (["nothing.sql"], 2, "nothing.sql: No such file or directory"),
      (["-c", Fixture.endless, "--timeout", "0.1"], 4, "timed out after 0.1 s"),
      (["-c", "SELECT 1", "--until", "SELECT 0", "--timeout", "0.1"], 4, "timed out after 0.1 s"),
    ] as [([String], Int32, String)])
  func `the status tells what went wrong, and standard error why`(
    _ arguments: [String], _ status: Int32, _ message: String
  ) async throws {
    let playground = try await Playground(Fixture.counter)
    let result = try await LiveQuery.run(["--once", playground.database] + arguments)
    #expect(result.status == status)
    #expect(result.errors.contains(message))
    #expect(result.errors.isEmpty == (status == 0))
    #expect(result.output.isEmpty == (status != 0))
    #expect(try await playground.shell.run("SELECT count(*) FROM t") == "1\n")
  }

  @Test func `a panel that fails does not keep the others from being printed`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      "--json", playground.database, "-c", "SELECT abs(-9223372036854775807 - 1)", "-c",
      "SELECT 2 AS two")
    #expect(result.status == 1)
    #expect(result.errors == "livequery: panel1: integer overflow\n")
    #expect(result.output == "{\"panel2\":[{\"two\":2}]}\n")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func `a signal ends a stream with the shell's status`(
    _ signal: Int32, _ status: Int32
  ) async throws {
    let playground = try await Playground(Fixture.counter)
    let program = try LiveQuery.start(
      ["--stream", playground.database, "-c", "SELECT count(*) FROM t"])
    _ = try await program.line()
    program.signal(signal)
    let result = try await program.result()
    #expect(result.status == status)
    #expect(result.errors == "")
  }

  @Test func `a signal is heeded while a query runs without end`() async throws {
    let playground = try await Playground(Fixture.counter)
    let program = try LiveQuery.start(
      ["--stream", playground.database, "-c", "SELECT 1 AS one", "-c", Fixture.endless])
    #expect(try await program.line().contains("\"one\":1"))
    program.signal(SIGTERM)
    #expect(try await program.result().status == 143)
  }

  @Test func `a signal is heeded while nobody reads what is printed`() async throws {
    let playground = try await Playground()
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) "
    let program = try LiveQuery.start(
      ["--ndjson", playground.database, "-c", many + "SELECT i, 'a long line' AS text FROM n"])
    _ = try await program.line()
    // The pipe is full now, and stays so until the result is asked for.
    program.signal(SIGTERM)
    try await program.waitForEnd()
    #expect(try await program.result().status == 143)
  }

  @Test func `the time limit holds while nobody reads what is printed`() async throws {
    let playground = try await Playground()
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) "
    let program = try LiveQuery.start(
      [
        "--ndjson", "--timeout", "3", playground.database, "-c",
        many + "SELECT i, 'a long line' AS text FROM n",
      ])
    _ = try await program.line()
    try await program.waitForErrors(containing: "timed out")
    #expect(try await program.result().status == 4)
  }

  @Test func `a signal is heeded while a dashboard is read`() async throws {
    let playground = try await Playground()
    let pipe = playground.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let program = try LiveQuery.start(["--once", playground.database, "-f", pipe])
    // Nobody can open it for writing before the program reads it.
    var writer: Int32 = -1
    try await wait(for: "the program to read") {
      writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return writer >= 0
    }
    program.signal(SIGINT)
    #expect(try await program.result().status == 130)
    close(writer)
  }

  @Test func `help and version go to standard output`() async throws {
    let help = try await LiveQuery.run("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("--once"))
    #expect(help.errors == "")
    let version = try await LiveQuery.run("-V")
    #expect(version.output == "livequery 0.1.0\n")
    #expect(version.status == 0)
  }

  @Test func `without a standard input the program works`() async throws {
    let playground = try await Playground()
    let result = try await LiveQuery.run(
      "--csv", playground.database, "-c", "SELECT 1 AS a", input: .closed)
    #expect(result.output == "a\r\n1\r\n")
    #expect(result.errors == "")
    #expect(result.status == 0)
  }

  @Test func `closed standard streams are named, and nothing else is taken for them`()
    async throws
  {
    let playground = try await Playground(Fixture.counter)
    func run(_ redirection: String, _ arguments: String) async throws -> ProgramResult {
      try await RunningProgram.run(
        [
          "sh", "-c", "\"$0\" --once \"$1\" \(arguments) \(redirection)", try LiveQuery.path,
          playground.database,
        ])
    }
    let output = try await run(">&-", "-c 'SELECT 1'")
    #expect(output.status == 1)
    #expect(output.errors == "livequery: standard output: Bad file descriptor\n")
    let input = try await run("<&-", "-f -")
    #expect(input.status == 2)
    #expect(input.errors == "livequery: standard input: Bad file descriptor\n")
    let before = try playground.folder.bytes("app.db")
    #expect(try await run("<&- >&- 2>&-", "-c 'SELECT * FROM missing'").status == 1)
    #expect(try playground.folder.bytes("app.db") == before)
  }
}
