import TestSupport
import Testing

/// The console by scripted keys: completion, parameters, plans, pinned panels, files, undo.
@Suite(.fewAtOnce) struct ConsoleWorkFrameTests {
  private let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
    INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
    """

  private func run(
    _ keys: String, options: [String] = [], size: String = "100x40", files: [String: String] = [:]
  ) async throws -> (frame: Frame, playground: Playground) {
    let playground = try await Playground(schema, journal: "wal")
    var keys = keys
    for (name, text) in files {
      try playground.folder.write(text, to: name)
      keys = keys.replacing(name, with: playground.folder.path(name))
    }
    keys = keys.replacing("NEWFILE", with: playground.folder.path("new.sql"))
    let frame = try await Frame(
      keys, size: size, options: options, on: playground,
      dashboard: ["-c", "SELECT count(*) AS n, max(v) AS v FROM t"])
    return (frame, playground)
  }

  private func rows(_ playground: Playground) async throws -> String {
    try await playground.shell.run("SELECT group_concat(v, '') FROM t")
  }

  @Test func `a table is offered with its rows, and Tab takes a column`() async throws {
    let playground = try await Playground(
      "CREATE TABLE players (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO players VALUES (1, '');"
    )
    let offered = try await Frame(
      "cselect * from pl<wait>", on: playground, dashboard: ["-c", "SELECT 1"])
    #expect(offered.shows("┌────────────────────────┐"))
    #expect(offered.shows("│ players        table 1 │", "Tab accept"))
    let taken = try await Frame(
      "c<wait>select * from pl<Tab> where na<Tab> = ''", on: playground,
      dashboard: ["-c", "SELECT 1"])
    #expect(taken.shows("sql> select * from players where name = ''"))
  }

  @Test func `parameters are asked for, and told with the statement`() async throws {
    let (asked, _) = try await run("cSELECT v FROM t WHERE id > :low;<Enter><wait>")
    #expect(asked.shows("   ? :low =", "a number, text, 'text', x'00' or NULL"))
    let (frame, playground) = try await run(
      "cINSERT INTO t(v) VALUES (:v);<Enter><wait>it's<Enter><wait>")
    #expect(frame.shows("sql> INSERT INTO t(v) VALUES ('it''s');", "✓ tx 1 · 1 row"))
    #expect(try await rows(playground) == "abcit's\n")
    let (failed, _) = try await run("cSELECT ?, nme FROM t;<Enter><wait>longer<Enter><wait>")
    let statement = failed.line(with: "sql> SELECT 'longer', nme")
    let start = statement.firstRange(of: "nme")?.lowerBound
    let caret = failed.line(with: "   ^")
    #expect(
      start.map { statement.distance(from: statement.startIndex, to: $0) }
        == caret.firstIndex(of: "^").map { caret.distance(from: caret.startIndex, to: $0) })
  }

  @Test func `a plan is a tree`() async throws {
    let (frame, _) = try await run("c:explain SELECT v FROM t WHERE id = 1<Enter><wait>")
    #expect(frame.shows("sql> :explain SELECT v FROM t WHERE id = 1"))
    #expect(frame.shows("└─ SEARCH t USING INTEGER PRIMARY KEY (rowid=?)"))
  }

  @Test func `a pinned query is a panel that follows commits`() async throws {
    let (frame, _) = try await run(
      "cSELECT v, id FROM t WHERE id > 2;<Enter><wait>:pin high<Enter><wait>"
        + "INSERT INTO t(v) VALUES ('new');<Enter><wait>")
    #expect(frame.shows("2 high"))
    #expect(frame.shows("panel 2, high, follows this query"))
    #expect(frame.shows("new", "4"))
    #expect(frame.shows("3 SQL"))
  }

  @Test func `what is no query is not pinned`() async throws {
    let (frame, _) = try await run(
      "cINSERT INTO t(v) VALUES ('x');<Enter><wait>:pin x<Enter><wait>")
    #expect(frame.shows("! there is no query to pin yet"))
  }

  @Test func `a pinned panel is saved, and the file is a dashboard`() async throws {
    let (frame, playground) = try await run(
      "cSELECT max(id) FROM t;<Enter><wait>:pin top<Enter><wait>:save NEWFILE<Enter><wait>",
      size: "160x40")
    #expect(frame.shows("Saved top to "))
    let again = try await LiveQuery.run(
      "--once", playground.database, playground.folder.path("new.sql"))
    #expect(again.status == 0)
    #expect(again.output.contains("3"))
  }

  @Test func `a file is run up to the first error, whose line is told`() async throws {
    let script = "INSERT INTO t(v) VALUES ('d');\n\nSELECT 6 * 7;\nSELEC 1;\nDELETE FROM t;\n"
    let (frame, playground) = try await run(
      "c:read! s.sql<Enter><wait>", size: "160x40", files: ["s.sql": script])
    #expect(frame.shows("2 of 4 statements · 1 row"))
    #expect(frame.shows("! line 4: near \"SELEC\": syntax error (stopped; later"))
    #expect(frame.shows("      42"))
    #expect(try await rows(playground) == "abcd\n")
  }

  @Test(arguments: [
    ("/nowhere/x.sql", "No such file or directory"),
    ("/dev/null", "/dev/null is not a regular file"),
    ("empty.sql", "✓ 0 statements"),
  ])
  func `a file that cannot be read, or is empty, is no trap`(
    _ path: String, _ text: String
  ) async throws {
    let (frame, _) = try await run("c:read \(path)<Enter><wait>", files: ["empty.sql": ""])
    #expect(frame.shows(text))
  }

  @Test func `a transaction of a file is committed as it says`() async throws {
    let (frame, playground) = try await run(
      "c:read s.sql<Enter><wait>y<wait>", size: "160x40",
      files: ["s.sql": "BEGIN;\nDELETE FROM t WHERE id = 1;\nCOMMIT;\n"])
    #expect(frame.shows("✓ 3 statements · 1 row"))
    #expect(frame.shows("SQL console", "autocommit"))
    #expect(try await rows(playground) == "bc\n")
  }

  @Test func `a result is looked through with the keys of a panel`() async throws {
    let query = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300) SELECT i FROM n;"
    let (end, _) = try await run("c\(query)<Enter><wait><C-o>G")
    #expect(end.shows("292-300 of 300"))
    #expect(end.shows("300"))
    let (row, _) = try await run("c\(query)<Enter><wait><C-o>jj<Enter>")
    #expect(row.shows("row 3 of 300"))
    let (closed, _) = try await run("c\(query)<Enter><wait><C-o><Esc>")
    #expect(closed.shows("… 292 more rows (^o to browse)"))
    let (found, _) = try await run("c\(query)<Enter><wait><C-o>/29<Enter>n")
    #expect(found.shows("2 WITH", "/29"))
    #expect(found.shows("┃   129 "))
    #expect(!found.shows("┃     1 "))
    let (columns, _) = try await run("cSELECT id, v FROM t;<Enter><wait><C-o><lt>j <Esc>S")
    #expect(columns.shows("id▼"))
    #expect(!columns.line(with: "id▼").contains(" v"))
  }

  @Test func `what a file is must be confirmed, and nothing runs without a yes`() async throws {
    let files = ["s.sql": "DROP TABLE t;\nSELECT 1;\n"]
    let (asked, untouched) = try await run("c:read s.sql<Enter><wait>", files: files)
    #expect(asked.shows("? run s.sql: 2 statements, 22 B, 1 write, 1 drop?  y / n"))
    #expect(try await rows(untouched) == "abc\n")
    let (refused, again) = try await run("c:read s.sql<Enter><wait>n<wait>", files: files)
    #expect(refused.shows("not run"))
    #expect(refused.shows("sql> :read", "s.sql"))
    #expect(try await rows(again) == "abc\n")
  }

  @Test func `what was undone is redone, unless another transaction came`() async throws {
    let (frame, playground) = try await run(
      "cDELETE FROM t WHERE id > 1;<Enter><wait><Esc>u<wait>y<wait>U<wait>y<wait>")
    #expect(frame.shows("redid tx 1: 2 rows deleted from t"))
    #expect(try await rows(playground) == "a\n")
    let (ended, _) = try await run(
      "cDELETE FROM t WHERE id > 1;<Enter><wait>:undo<Enter><wait>y<wait>"
        + "INSERT INTO t(v) VALUES ('x');<Enter><wait>:redo<Enter><wait>")
    #expect(ended.shows("what was undone before tx 3 is not redone after it"))
  }

  @Test func `Enter on an own commit shows the rows of its tables`() async throws {
    let (frame, _) = try await run(
      "cUPDATE t SET v = upper(v) WHERE id in (1, 2); DELETE FROM t WHERE id = 3;<Enter><wait><Esc>3jk<Enter><wait>",
      size: "120x48")
    #expect(frame.shows("by", "me: this program"))
    #expect(frame.shows("table t  -1"))
    #expect(frame.shows("- ", "3  c"))
    let (older, _) = try await run(
      "cUPDATE t SET v = upper(v) WHERE id in (1, 2); DELETE FROM t WHERE id = 3;<Enter><wait><Esc>3j<Enter><wait>",
      size: "120x48")
    #expect(older.shows("table t  ~2"))
    #expect(older.shows("~ ", "1  a → A"))
  }

  @Test func `all pinned panels are saved, and one by its name`() async throws {
    let pins =
      "cSELECT 1;<Enter><wait>:pin one<Enter><wait>SELECT 2;<Enter><wait>:pin two<Enter><wait>"
    let (one, file) = try await run(
      pins + ":save two NEWFILE<Enter><wait>:save NEWFILE<Enter><wait>", size: "160x40")
    #expect(one.shows("Saved two to "))
    #expect(one.shows("Saved one to ", "(two"))
    #expect(try file.folder.text("new.sql").hasSuffix("-- name: one\nSELECT 1;\n"))
  }

  @Test func `the last own transaction is undone after a yes`() async throws {
    let (asked, untouched) = try await run("cDELETE FROM t WHERE id > 1;<Enter><wait><Esc>u<wait>")
    #expect(asked.shows("? undo tx 1 (", ", 2 rows deleted from t)?  y / n"))
    #expect(try await rows(untouched) == "a\n")
    let (undone, whole) = try await run(
      "cDELETE FROM t WHERE id > 1;<Enter><wait><Esc>u<wait>y<wait>")
    #expect(undone.shows("undid tx 1: 2 rows put back in t"))
    #expect(undone.shows("2 me", "+2"))
    #expect(try await rows(whole) == "abc\n")
    let (nothing, _) = try await run(
      "cDELETE FROM t WHERE id > 1;<Enter><wait>:undo<Enter><wait>y<wait>:undo<Enter><wait>")
    #expect(nothing.shows("no own transaction is left to undo"))
  }

  @Test func `what cannot be undone says why`() async throws {
    let (frame, _) = try await run("cCREATE TABLE u (x);<Enter><wait><Esc>u<wait>")
    #expect(frame.shows("! tx 1 cannot be undone: it changed the schema"))
    let (none, _) = try await run("u<wait>")
    #expect(none.shows("no own transaction is left to undo"))
    let (readOnly, _) = try await run("u<wait>", options: ["-r"])
    #expect(readOnly.shows("the database is open for reading"))
  }

  @Test func `what was cut is put in again`() async throws {
    let (frame, _) = try await run("cSELECT 1 + 2;<C-u>SELECT 3;<C-a><C-y><Enter><wait>")
    #expect(frame.shows("sql> SELECT 1 + 2;", "1 row"))
    #expect(frame.shows("sql> SELECT 3;", "1 row"))
  }

  @Test func `with --ascii the words and trees are ASCII too`() async throws {
    let (frame, _) = try await run(
      "c:explain SELECT v FROM t<Enter><wait>select * from t, sqlite_<BS> where i<Tab>",
      options: ["--ascii"])
    #expect(frame.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(frame.shows("`-- SCAN t"))
    #expect(frame.shows("+--------------------------+"))
  }
}
