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
  /// - Parameter repeatable: Lines that may come again: the run that printed them was killed before
  ///   it noted that.
  private func follow(
    _ program: RunningProgram, to fence: Int, _ rows: inout StreamedRows,
    repeatable: Set<String> = []
  ) async throws -> (lines: [String], records: [StreamRecord]) {
    var lines: [String] = []
    var records: [StreamRecord] = []
    while !rows.matches("\"panel2\"", "[{\"seq\":\(fence)}]")
      || records.last?.operation != "\"end\""
    {
      let line = try await program.line()
      guard !repeatable.contains(line) else { continue }
      lines.append(line)
      records.append(try StreamRecord(line))
      try rows.apply(records[records.count - 1])
    }
    return (lines, records)
  }

  @Test(arguments: ["wal", "delete"], [SIGTERM, SIGINT, SIGKILL])
  func `a stopped stream goes on with the difference, and its numbers`(
    _ journal: String, _ signal: Int32
  ) async throws {
    let playground = try await Playground(Self.schema, journal: journal)
    var rows = StreamedRows()
    var repeatable: Set<String> = []
    var last = -1
    for round in 1...3 {
      let program = try start(playground)
      let before = round == 1 ? 0 : round * 10
      let opening = try await follow(program, to: before, &rows, repeatable: repeatable).records
      #expect(opening.allSatisfy { $0["src"] == (round == 1 ? "\"open\"" : "\"resume\"") })
      if round > 1 {
        // Only what changed meanwhile, of both panels.
        #expect(opening.filter { $0.operation != "\"end\"" }.count == 4, "\(opening.count)")
      }
      let expected = try await playground.shell.json(
        "SELECT id, v FROM t WHERE v IS NOT 7 ORDER BY id")
      #expect(rows.matches("\"panel1\"", expected), "round \(round): \(expected)")
      try await playground.shell.run("UPDATE fence SET seq = \(round * 10 + 1)")
      let (lines, change) = try await follow(
        program, to: round * 10 + 1, &rows, repeatable: repeatable)
      let ordinals = (opening + change).compactMap(\.ordinal)
      #expect(zip([last] + ordinals, ordinals).allSatisfy { $0 <= $1 }, "\(last) \(ordinals)")
      #expect(ordinals.allSatisfy { $0 > last })
      last = ordinals.max() ?? last
      program.signal(signal)
      let result = try await program.result()
      #expect(result.status == 128 + signal)
      // Nothing tells the program what was read from a pipe; only its last lines can come again.
      if signal == SIGKILL { repeatable = Set(lines) }
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
    let first = try start(playground)
    let opening = try await follow(first, to: 0, &rows).records
    first.signal(SIGTERM)
    _ = try await first.result()
    // A crash between the store and the output leaves its lines.
    let state = SQLiteShell(playground.folder.path("state"))
    try await state.run("INSERT INTO outbox (text) VALUES ('{\"left\":1}' || char(10))")
    let second = try start(playground)
    #expect(try await second.line() == "{\"left\":1}")
    try await playground.shell.run("UPDATE fence SET seq = 5")
    let change = try await follow(second, to: 5, &rows).records
    #expect(change.allSatisfy { $0["src"] != "\"open\"" })
    #expect(change.count < opening.count)
    second.signal(SIGTERM)
    _ = try await second.result()
  }

  @Test(arguments: ["--stream", "--rows"])
  func `a signal ends it though nobody reads its lines, which then come again`(
    _ mode: String
  ) async throws {
    let playground = try await Playground(
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, v);
      INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000)
        SELECT i, hex(zeroblob(50)) FROM n;
      """, journal: "wal")
    let words = [mode, "--state", playground.folder.path("state"), playground.database]
    let panel = mode == "--stream" ? ["-c", "SELECT id, v FROM t"] : []
    let first = try LiveQuery.start(words + panel)
    let line = try await first.line()
    first.signal(SIGTERM)
    try await first.waitForEnd()
    let second = try LiveQuery.start(words + panel)
    #expect(try await second.line() == line)
    #expect(try await first.result().status == 143)
    second.signal(SIGTERM)
    try await second.waitForEnd()
  }

  @Test(arguments: ["--stream", "--rows"])
  func `after kill -9 a file has each line once`(_ mode: String) async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("kill -9 from seed \(seed)")
    var random = SeededRandom(seed: seed)
    let playground = try await Playground(Self.schema, journal: "wal")
    let lines = playground.folder.path("lines")
    let words = [
      mode, "--state", playground.folder.path("state"), "-o", lines, playground.database,
    ]
    let writer = try await ExternalProcess.serve(playground.database)
    func size() -> Int {
      var info = stat()
      return stat(lines, &info) == 0 ? Int(info.st_size) : 0
    }
    for round in 1...6 {
      let program = try LiveQuery.start(words + (mode == "--stream" ? Self.panels : []))
      let before = size()
      try await wait(for: "a line") { size() > before }
      for step in 0...Int.random(in: 0..<6, using: &random) {
        try await writer.send(
          """
          BEGIN; REPLACE INTO t VALUES (\(step % 5), \(round) + \(step) * 0.5);
          UPDATE fence SET seq = \(round * 10 + step); END
          """)
      }
      // The kill falls into whatever it is doing then.
      program.signal(SIGKILL)
      _ = try await program.result()
      try await writer.send("UPDATE fence SET seq = \(round * 10 + 9)")
    }
    let last = try LiveQuery.start(words + (mode == "--stream" ? Self.panels : []))
    try await writer.send("UPDATE fence SET seq = 99")
    try await wait(for: "the last line") {
      let text = try playground.folder.text("lines")
      return text.contains(#""new":{"seq":99}}"#) && text.hasSuffix("\n")
    }
    last.signal(SIGTERM)
    _ = try await last.result()
    let printed = try playground.folder.text("lines").split(separator: "\n").map(String.init)
    if mode == "--stream" {
      var rows = StreamedRows()
      for line in printed { try rows.apply(StreamRecord(line)) }
      let expected = try await playground.shell.json(
        "SELECT id, v FROM t WHERE v IS NOT 7 ORDER BY id")
      #expect(rows.matches("\"panel1\"", expected), "seed \(seed)")
    } else {
      // Each commit's number is the next one, and each old row what it was.
      var rows = PrintedRows()
      for line in printed { try rows.apply(line) }
      let truth = try await PrintedRows.truth(
        playground.database, ["t": ["id"], "fence": ["rowid"]])
      #expect(rows.filled == truth, "seed \(seed)")
    }
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
