import Glibc
import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard

@Suite(.fewAtOnce) struct RowsTests {
  /// A running `--rows`, and what it has printed.
  struct Follower {
    let program: RunningProgram
    var rows = PrintedRows()

    init(_ playground: Playground, _ options: String...) throws {
      program = try LiveQuery.start(["--rows", playground.database] + options)
    }

    /// Reads to the end of the next commit.
    @discardableResult
    mutating func commit() async throws -> [String] {
      var lines: [String] = []
      while true {
        lines.append(try await program.line())
        if try rows.apply(lines[lines.count - 1]) != nil { return lines }
      }
    }

    /// Reads until a row of the table `fence` is printed, and so all that was committed before it.
    mutating func reach(_ number: Int) async throws {
      while rows.tables["fence"]?[[.integer(Int64(number))]] == nil { try await commit() }
    }
  }

  /// A line without its time.
  private static func timeless(_ line: String) -> String {
    line.replacing(/"time":"[^"]*"/, with: "\"time\":\"\"")
  }

  private static let fence = "CREATE TABLE fence (n INTEGER PRIMARY KEY);"

  @Test func `rows of another process's commits are printed as they were and are`() async throws {
    let playground = try await Playground(Fixture.things, journal: "wal")
    var follower = try Follower(playground)
    let start = try await follower.commit().map(Self.timeless)
    #expect(start == [#"{"commit":0,"time":"","origin":"open","rows":0}"#])
    follower.rows.mayRepeat = true
    try await playground.shell.run(
      """
      BEGIN; DELETE FROM thing WHERE id = 1; UPDATE thing SET size = 2.5, data = NULL WHERE id = 2;
      INSERT INTO thing VALUES (9223372036854775807, 'é', -1e300, x'ff'); END
      """)
    let lines = try await follower.commit().map(Self.timeless)
    #expect(
      lines.dropLast() == [
        #"{"commit":1,"table":"thing","op":"delete","key":{"id":1},"#
          + #""old":{"id":1,"name":"plain","size":1.5,"data":null}}"#,
        #"{"commit":1,"table":"thing","op":"update","key":{"id":2},"#
          + #""old":{"id":2,"name":"a \"b\", c","size":-0.25,"data":{"$blob":"AP8Q"}},"#
          + #""new":{"id":2,"name":"a \"b\", c","size":2.5,"data":null}}"#,
        #"{"commit":1,"table":"thing","op":"insert","key":{"id":9223372036854775807},"#
          + #""new":{"id":9223372036854775807,"name":"é","size":-1.0e+300,"data":{"$blob":"/w=="}}}"#,
      ])
    #expect(lines.last?.hasPrefix(#"{"commit":1,"time":"","origin":"ext","rows":3"#) == true)
    follower.program.signal(SIGTERM)
    #expect(try await follower.program.result().status == 143)
  }

  @Test func `the rows of a WAL's commits need no comparison`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v);" + Self.fence, journal: "wal")
    let writer = try await ExternalProcess.serve(playground.database)
    // The map of pages must be made before.
    var follower = try Follower(playground, "--state", playground.folder.path("state"))
    try await follower.commit()
    var number = 0
    repeat {
      number += 1
      try await writer.send("INSERT INTO fence VALUES (\(number))")
      let compared = follower.rows.compared.count
      try await follower.reach(number)
      if follower.rows.compared.count == compared { break }
    } while number < 100
    #expect(number < 100)
    let compared = follower.rows.compared
    for step in 1...20 {
      try await writer.send("REPLACE INTO t VALUES (\(step % 7), \(step))")
      try await follower.commit()
    }
    #expect(follower.rows.compared == compared)
    #expect(follower.rows.tables["t"]?.count == 7)
  }

  @Test(arguments: ["wal", "delete"])
  func `each kind of table has its key`(_ journal: String) async throws {
    let playground = try await Playground(
      """
      CREATE TABLE plain (v); CREATE TABLE hides (rowid, v);
      CREATE TABLE texts (k TEXT PRIMARY KEY, v);
      CREATE TABLE pair (v, b TEXT COLLATE NOCASE, a, PRIMARY KEY (a, b)) WITHOUT ROWID;
      CREATE TABLE made (id INTEGER PRIMARY KEY, a, s AS (a * 2) STORED, w AS (a * 3));
      """, journal: journal)
    var follower = try Follower(playground)
    try await follower.commit()
    let inserts = [
      ("INSERT INTO plain VALUES (1)", #""key":{"rowid":1},"new":{"v":1}"#),
      ("INSERT INTO hides VALUES (5, 1)", #""key":{"_rowid_":1},"new":{"rowid":5,"v":1}"#),
      ("INSERT INTO texts VALUES ('x', 1)", #""key":{"rowid":1},"new":{"k":"x","v":1}"#),
      (
        "INSERT INTO pair VALUES (1, 'B', 2)", #""key":{"a":2,"b":"B"},"new":{"v":1,"b":"B","a":2}"#
      ),
      ("INSERT INTO made (a) VALUES (2)", #""key":{"id":1},"new":{"id":1,"a":2,"s":4,"w":6}"#),
    ]
    for (sql, expected) in inserts {
      try await playground.shell.run(sql)
      let lines = try await follower.commit()
      #expect(lines.count == 2)
      #expect(lines[0].hasSuffix(",\"op\":\"insert\",\(expected)}"), "\(lines[0])")
    }
    // A key that changes is one row less and another more.
    try await playground.shell.run("UPDATE pair SET b = 'b'")
    let lines = try await follower.commit()
    #expect(lines.count == 3)
    #expect(lines.map { $0.contains("\"delete\"") } == [true, false, false])
  }

  @Test func `only the tables that are named are printed`() async throws {
    let playground = try await Playground("CREATE TABLE Kept (v); CREATE TABLE other (v);")
    var follower = try Follower(playground, "kept")
    try await follower.commit()
    try await playground.shell.run("INSERT INTO other VALUES (1); INSERT INTO kept VALUES (2)")
    let lines = try await follower.commit()
    #expect(lines[0].hasPrefix(#"{"commit":1,"table":"Kept","op":"insert""#))
    #expect(lines.count == 2)
  }

  @Test func `what can't be followed is refused by name`() async throws {
    let playground = try await Playground(
      "CREATE TABLE players (v); CREATE VIEW seen AS SELECT 1; CREATE VIRTUAL TABLE doc USING fts5(x);"
    )
    let cases: [([String], Int32, String)] = [
      (["player"], 1, "no such table: player, did you mean \"players\"?"),
      (["seen"], 2, "seen is a view: name the tables that it reads"),
      (["doc"], 2, "doc is a virtual table, whose rows can't be followed"),
      (["doc_data"], 2, "doc_data belongs to a virtual table, whose rows can't be followed"),
      (
        ["arena.sql"], 2,
        "--rows prints changed rows of tables: arena.sql is a dashboard, not a table"
      ),
      (["players", "-c", "SELECT 1"], 2, "-c has no meaning with it"),
      (["players", "--csv"], 2, "--csv has no meaning with it"),
      (["players", "--stream"], 2, "--rows and --stream exclude each other"),
    ]
    for (words, status, message) in cases {
      let result = try await LiveQuery.run(["--rows", playground.database] + words)
      #expect(result.status == status && result.errors.contains(message), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
    let result = try await LiveQuery.run("--state", "x", playground.database)
    #expect(result.errors.contains("--state is for --rows"))
  }

  @Test func `virtual tables are left out, and so are those that they make`() async throws {
    let playground = try await Playground(
      "CREATE VIRTUAL TABLE doc USING fts5(x); CREATE TABLE t (v);", journal: "wal")
    var follower = try Follower(playground)
    try await follower.commit()
    try await follower.program.waitForErrors(
      containing: "doc is left out: the rows of a virtual table can't be followed")
    try await playground.shell.run("INSERT INTO doc VALUES ('word'); INSERT INTO t VALUES (1)")
    let lines = try await follower.commit()
    #expect(lines[0].contains(#""table":"t","op":"insert""#) && lines.count == 2)
  }

  @Test func `it ends after so many commits, or after a time`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let file = playground.folder.path("lines")
    let program = try LiveQuery.start(
      ["--rows", "--count", "1", "-o", file, playground.database, "t"])
    try await wait(for: "the start") {
      guard playground.folder.names.contains("lines") else { return false }
      return try playground.folder.text("lines").contains("open")
    }
    try await playground.shell.run("INSERT INTO t VALUES (1)")
    #expect(try await program.result().status == 0)
    let lines = try playground.folder.text("lines").split(separator: "\n")
    #expect(lines.count == 3 && lines[1].contains("\"op\":\"insert\""))
    let timed = try await LiveQuery.run("--rows", "--timeout", "0.1", playground.database)
    #expect(timed.status == 4)
    #expect(timed.errors == "livequery: timed out after 0.1 s\n")
  }

  @Test func `it ends when its reader does`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    var follower = try Follower(playground)
    try await follower.commit()
    await follower.program.closeOutput()
    #expect(try await follower.program.result().status == 0)
  }

  // MARK: - State

  @Test(arguments: ["wal", "delete"])
  func `a state continues where it ended`(_ journal: String) async throws {
    let playground = try await Playground(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
      journal: journal)
    let state = playground.folder.path("state")
    var first = try Follower(playground, "--state", state)
    #expect(try await first.commit().count == 3)
    var info = stat()
    #expect(stat(state, &info) == 0 && info.st_mode & 0o777 == 0o600)
    try await playground.shell.run("UPDATE t SET v = 'B' WHERE id = 2")
    try await first.commit()
    first.program.signal(SIGINT)
    #expect(try await first.program.result().status == 130)

    try await playground.shell.run("DELETE FROM t WHERE id = 1; INSERT INTO t VALUES (3, 'c')")
    var second = try Follower(playground, "--state", state)
    second.rows = first.rows
    // The signal can come before the program has noted that it printed the last commit.
    second.rows.mayRepeat = true
    var lines: [String] = []
    repeat { lines = try await second.commit() } while lines.last?.contains("open") != true
    #expect(lines.count == 3)
    #expect(lines[2].contains(#""origin":"open","rows":2,"compared":"#))
    #expect(second.rows.commit == 2)
    try await playground.shell.run("DELETE FROM t")
    try await second.commit()
    #expect(second.rows.filled.isEmpty)
    second.program.signal(SIGTERM)
    _ = try await second.program.result()
    #expect(playground.folder.names.filter { $0.hasPrefix("state") } == ["state"])
  }

  @Test func `a state that is none is refused, and left alone`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let folder = playground.folder
    _ = try folder.write(
      "This is no database, and long enough for a header. " + String(repeating: ".", count: 100),
      to: "text")
    try await SQLiteShell(folder.path("other.db")).run("CREATE TABLE mine (v)")
    let other = try folder.bytes("other.db")
    let cases = [
      ("app.db", "this is the database itself"), ("text", "not an SQLite database"),
      ("other.db", "not a state that --rows wrote"),
      ("app.db-wal", "SQLite keeps a part of the database"),
      ("no/such", "No such file"), (".", "directory"),
    ]
    for (name, message) in cases {
      let result = try await LiveQuery.run(
        "--rows", "--state", folder.path(name), playground.database)
      #expect(result.status != 0 && result.errors.contains(message), "\(name): \(result.errors)")
    }
    #expect(try folder.bytes("other.db") == other)
    #expect(!folder.names.contains("app.db-wal"))
  }

  @Test func `two processes can't have one state`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    let state = playground.folder.path("state")
    var follower = try Follower(playground, "--state", state)
    try await follower.commit()
    let result = try await LiveQuery.run("--rows", "--state", state, playground.database)
    #expect(result.status == 3 && result.errors.contains("another process uses it"))
  }

  @Test(arguments: ["wal", "delete"])
  func `after kill -9 nothing is missing`(_ journal: String) async throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    print("kill -9 from seed \(seed)")
    var random = SeededRandom(seed: seed)
    let playground = try await Playground(Self.random + Self.fence, journal: journal)
    let state = playground.folder.path("state")
    var rows = PrintedRows()
    rows.mayRepeat = true
    let writer = try await ExternalProcess.serve(playground.database)
    for round in 1...6 {
      var follower = try Follower(playground, "--state", state)
      follower.rows = rows
      try writer.tell(
        ".work count=60 ms=60000 seed=\(Int.random(in: 0..<1_000_000, using: &random)) checkpoint=20"
      )
      // The kill falls into whatever it is doing then.
      for _ in 0..<Int.random(in: 0..<(journal == "wal" ? 40 : 8), using: &random) {
        try follower.rows.apply(try await follower.program.line())
      }
      follower.program.signal(SIGKILL)
      let result = try await follower.program.result()
      // What was in the pipe is read; a last line may be cut off.
      let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      rows = PrintedRows.resumed(rows, lines.map(String.init))
      _ = try await writer.answer()
      try await writer.send("INSERT INTO fence VALUES (\(round))")
    }
    var last = try Follower(playground, "--state", state)
    last.rows = rows
    try await last.reach(6)
    let truth = try await PrintedRows.truth(playground.database, Self.randomKeys)
    #expect(last.rows.filled == truth, "seed \(seed)")
  }

  // MARK: - Files and schemas

  @Test(arguments: ["wal", "delete"])
  func `tables come, go and change`(_ journal: String) async throws {
    let playground = try await Playground(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b');"
        + Self.fence, journal: journal)
    var follower = try Follower(playground, "--state", playground.folder.path("state"))
    try await follower.commit()
    var fence = 0
    var keys = ["t": ["id"], "fence": ["n"]]
    let steps: [(String, [String: [String]?])] = [
      (
        "CREATE TABLE u (a, b PRIMARY KEY) WITHOUT ROWID; INSERT INTO u VALUES (1, 'x')",
        ["u": ["b"]]
      ),
      ("ALTER TABLE t ADD COLUMN w DEFAULT 7", [:]),
      ("ALTER TABLE t RENAME COLUMN v TO z", [:]),
      ("ALTER TABLE t DROP COLUMN w", [:]),
      ("ALTER TABLE u RENAME TO x", ["u": nil, "x": ["b"]]),
      (
        "DROP TABLE x; CREATE TABLE x (a, b); INSERT INTO x VALUES (1, 'x'), (1, 'x')",
        ["x": ["rowid"]]
      ),
      ("DROP TABLE t", ["t": nil]),
      ("CREATE TABLE T (id INTEGER PRIMARY KEY, v); INSERT INTO T VALUES (5, NULL)", ["T": ["id"]]),
      ("DELETE FROM x WHERE rowid = 1; VACUUM", [:]),
      ("CREATE INDEX i ON x (a); REINDEX", [:]),
    ]
    for (sql, changes) in steps {
      for (name, key) in changes { keys[name] = key }
      try await playground.shell.run(sql)
      fence += 1
      try await playground.shell.run("INSERT INTO fence VALUES (\(fence))")
      try await follower.reach(fence)
      let truth = try await PrintedRows.truth(playground.database, keys)
      #expect(follower.rows.filled == truth, "\(sql)")
    }
  }

  @Test func `a file that is replaced is compared, also one that was gone`() async throws {
    let playground = try await Playground(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (1, 'a'), (2, 'b');",
      journal: "wal")
    let folder = playground.folder
    var follower = try Follower(playground, "--state", folder.path("state"))
    try await follower.commit()
    try await SQLiteShell(folder.path("new.db")).run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES (2, 'b'), (3, 'c');")
    #expect(rename(folder.path("new.db"), playground.database) == 0)
    let lines = try await follower.commit()
    #expect(lines.count == 3)
    #expect(follower.rows.tables["t"]?.keys.sorted { "\($0)" < "\($1)" } == [[2], [3]])

    #expect(rename(playground.database, folder.path("away.db")) == 0)
    try await follower.program.waitForErrors(containing: "the file is gone")
    try await SQLiteShell(folder.path("away.db")).run("DELETE FROM t")
    #expect(rename(folder.path("away.db"), playground.database) == 0)
    try await follower.commit()
    #expect(follower.rows.filled.isEmpty)
  }

  @Test(arguments: ["UTF-8", "UTF-16le", "UTF-16be"])
  func `keys are compared in any encoding, and under any collation`(_ encoding: String) async throws
  {
    let playground = try await Playground(
      """
      PRAGMA encoding = '\(encoding)'; \(Self.fence)
      CREATE TABLE k (k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID;
      CREATE TABLE n (k PRIMARY KEY DESC, v) WITHOUT ROWID;
      INSERT INTO k VALUES ('b', 1), ('B2', 2), ('ä', 3), ('Ω', 4), ('字', 5), ('🙂', 6), ('', 7);
      INSERT INTO n VALUES (1, 1), (9007199254740993, 2), (9007199254740992.0, 3), (x'00', 4), ('', 5);
      """, journal: "delete")
    var follower = try Follower(playground, "--state", playground.folder.path("state"))
    try await follower.commit()
    let keys = ["k": ["k"], "n": ["k"], "fence": ["n"]]
    let steps = [
      "UPDATE k SET k = upper(k)", "DELETE FROM k WHERE v % 2", "UPDATE n SET k = 1.0 WHERE v = 1",
      "INSERT INTO k VALUES ('ﬀ', 8), ('𐀀', 9)", "UPDATE n SET v = v + 1",
    ]
    for (number, sql) in steps.enumerated() {
      try await playground.shell.run("\(sql); INSERT INTO fence VALUES (\(number))")
      try await follower.reach(number)
      let truth = try await PrintedRows.truth(playground.database, keys)
      #expect(follower.rows.filled == truth, "\(sql)")
    }
  }

  @Test func `nothing is left next to the database, and no transaction stays open`() async throws {
    let playground = try await Playground("CREATE TABLE t (v);")
    var follower = try Follower(playground)
    try await follower.commit()
    for value in 1...3 {
      try await playground.shell.run("INSERT INTO t VALUES (\(value))")
      try await follower.commit()
      // It would wait for any reader.
      try await playground.shell.run("BEGIN EXCLUSIVE; ROLLBACK")
      #expect(playground.folder.names == ["app.db"])
    }
    follower.program.signal(SIGTERM)
    _ = try await follower.program.result()
    #expect(playground.folder.names == ["app.db"])
  }

  // MARK: - Random writers

  private static let random = """
    CREATE TABLE commits (w INTEGER PRIMARY KEY, n);
    INSERT INTO commits VALUES (0, 0), (1, 0), (2, 0);
    CREATE TABLE t1 (a INTEGER PRIMARY KEY, b TEXT, c BLOB);
    CREATE TABLE t2 (a UNIQUE, b UNIQUE, c);
    CREATE TABLE t3 (c, b TEXT, a PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE t4 (a INT UNIQUE, b TEXT PRIMARY KEY, c) WITHOUT ROWID;
    CREATE TABLE t5 (a INTEGER PRIMARY KEY, b, c, d AS (a || b));
    """
  private static let randomKeys = [
    "commits": ["w"], "t1": ["a"], "t2": ["rowid"], "t3": ["a"], "t4": ["b"], "t5": ["a"],
    "fence": ["n"],
  ]

  @Test(arguments: ["wal", "delete"], [false, true])
  func `lines that random writers cause make the same tables`(
    _ journal: String, _ isSlow: Bool
  ) async throws {
    let seed = Int.random(in: 0..<1_000_000)
    print("random writers from seed \(seed)")
    let playground = try await Playground(Self.random + Self.fence, journal: journal)
    var follower = try Follower(playground, "--state", playground.folder.path("state"))
    var writers: [ExternalProcess] = []
    for _ in 1...2 { writers.append(try await ExternalProcess.serve(playground.database)) }
    for round in 1...3 {
      for (index, writer) in writers.enumerated() {
        try writer.tell(
          ".work writer=\(index + 1) count=40 ms=60000 seed=\(seed + 10 * round + index) "
            + "checkpoint=30 longest=\(round == 2 ? 3000 : 20)")
      }
      if !isSlow { try await follower.commit() }
      for writer in writers { _ = try await writer.answer() }
      try await writers[0].send("INSERT INTO fence VALUES (\(round))")
      try await follower.reach(round)
      let truth = try await PrintedRows.truth(playground.database, Self.randomKeys)
      #expect(follower.rows.filled == truth, "seed \(seed), round \(round)")
    }
    print(
      "\(follower.rows.count) rows, \(follower.rows.commit) commits", follower.rows.compared.count)
  }
}

extension PrintedRows {
  /// What these rows are after lines that can be cut off anywhere.
  fileprivate static func resumed(_ rows: PrintedRows, _ lines: [String]) -> PrintedRows {
    var rows = rows
    for line in lines { _ = try? rows.apply(line) }
    rows.forgetOpen()
    return rows
  }
}
