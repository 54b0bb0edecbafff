import Glibc
import TestSupport
import Testing

/// `--stream --state FILE`: all runs together print what one would.
@Suite(.fewAtOnce) struct StreamStateTests {
  private static let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v); CREATE TABLE fence (seq);
    INSERT INTO fence VALUES (0); INSERT INTO t VALUES (1, 0.25), (2, 'a'), (3, NULL);
    """
  private static let panels = [
    "-c", "SELECT id, v FROM t WHERE v IS NOT 7 ORDER BY id", "-c", "SELECT seq FROM fence",
  ]

  private func start(_ playground: Playground, _ options: [String] = []) throws -> RunningProgram {
    try LiveQuery.start(
      ["--stream", "--state", playground.folder.path("state"), playground.database] + Self.panels
        + options)
  }

  /// Reads records until the fence has a number.
  ///
  /// - Parameter repeatable: Lines that may come again: the run that printed them was ended before
  ///   it noted that.
  private func follow(
    _ program: RunningProgram, to fence: Int, _ rows: inout StreamedRows,
    repeatable: inout Set<String>
  ) async throws -> [StreamRecord] {
    var records: [StreamRecord] = []
    while !rows.matches("\"panel2\"", "[{\"seq\":\(fence)}]")
      || records.last?.operation != "\"end\""
    {
      let line = try await program.line()
      guard repeatable.insert(line).inserted else { continue }
      records.append(try StreamRecord(line))
      try rows.apply(records[records.count - 1])
    }
    return records
  }

  @Test(arguments: ["wal", "delete"], [SIGTERM, SIGKILL])
  func `a stopped stream goes on with the difference, and its numbers`(
    _ journal: String, _ signal: Int32
  ) async throws {
    let playground = try await Playground(Self.schema, journal: journal)
    var rows = StreamedRows()
    var printed: Set<String> = []
    var last = -1
    for round in 1...3 {
      let program = try start(playground)
      let before = round == 1 ? 0 : round * 10
      let opening = try await follow(program, to: before, &rows, repeatable: &printed)
      #expect(opening.allSatisfy { $0["src"] == (round == 1 ? "\"open\"" : "\"resume\"") })
      if round > 1 {
        // Only what changed meanwhile, of both panels.
        #expect(opening.filter { $0.operation != "\"end\"" }.count == 4, "\(opening.count)")
      }
      let expected = try await playground.shell.json(
        "SELECT id, v FROM t WHERE v IS NOT 7 ORDER BY id")
      #expect(rows.matches("\"panel1\"", expected), "round \(round): \(expected)")
      try await playground.shell.run("UPDATE fence SET seq = \(round * 10 + 1)")
      let change = try await follow(
        program, to: round * 10 + 1, &rows, repeatable: &printed)
      let ordinals = (opening + change).compactMap(\.ordinal)
      #expect(zip([last] + ordinals, ordinals).allSatisfy { $0 <= $1 }, "\(last) \(ordinals)")
      #expect(ordinals.allSatisfy { $0 > last })
      last = ordinals.max() ?? last
      program.signal(signal)
      _ = try await program.result()
      try await playground.shell.run(
        """
        UPDATE t SET v = \(round) + 0.5 WHERE id = 1; INSERT INTO t VALUES (\(round + 10), 'new');
        UPDATE fence SET seq = \((round + 1) * 10)
        """)
    }
  }

  @Test func `what was not printed comes again, and nothing without a change`() async throws {
    let playground = try await Playground(Self.schema, journal: "wal")
    var rows = StreamedRows()
    var printed: Set<String> = []
    let first = try start(playground)
    let opening = try await follow(first, to: 0, &rows, repeatable: &printed)
    first.signal(SIGTERM)
    _ = try await first.result()
    // A crash between the store and the output leaves its lines.
    let state = SQLiteShell(playground.folder.path("state"))
    try await state.run("INSERT INTO outbox (text) VALUES ('{\"left\":1}' || char(10))")
    let second = try start(playground)
    var line = try await second.line()
    while printed.contains(line) { line = try await second.line() }
    #expect(line == "{\"left\":1}")
    try await playground.shell.run("UPDATE fence SET seq = 5")
    let change = try await follow(second, to: 5, &rows, repeatable: &printed)
    #expect(change.allSatisfy { $0["src"] != "\"open\"" })
    #expect(change.count < opening.count)
    second.signal(SIGTERM)
    _ = try await second.result()
  }

  @Test func `a file that is no such state is refused`() async throws {
    let playground = try await Playground(Self.schema)
    let other = try await Playground("CREATE TABLE x (y)")
    let result = try await LiveQuery.run(
      ["--stream", "--state", other.database, playground.database] + Self.panels)
    #expect(result.status == 3)
    #expect(result.errors.contains("not a state that --stream wrote"), "\(result.errors)")
    let alone = try await LiveQuery.run("--once", "--state", "x", playground.database)
    #expect(alone.errors.contains("--state is for --rows and --stream"))
    #expect(alone.status == 2)
  }
}
