import TestSupport
import Testing

/// The console by scripted keys: what it runs, asks, refuses and tells.
@Suite(.fewAtOnce) struct ConsoleFrameTests {
  private let schema = """
    CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT);
    INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c');
    """
  private let panel = ["-c", "SELECT count(*) AS n, max(v) AS v FROM t"]

  /// A frame, and the rows of `t` afterwards.
  private func run(
    _ keys: String, options: [String] = []
  ) async throws -> (frame: Frame, rows: String) {
    let playground = try await Playground(schema, journal: "wal")
    let frame = try await Frame(keys, options: options, on: playground, dashboard: panel)
    return (frame, try await playground.shell.run("SELECT group_concat(v, '') FROM t"))
  }

  @Test func `an own commit is seen in the panel, the console and the feed`() async throws {
    let (frame, rows) = try await run("cINSERT INTO t(v) VALUES ('d');<Enter><wait>")
    #expect(rows == "abcd\n")
    #expect(frame.shows("livequery", "tx 1"))
    #expect(frame.shows("sql> INSERT INTO t(v) VALUES ('d');"))
    #expect(frame.shows("✓ tx 1 · 1 row"))
    #expect(frame.shows("1 me", "+1", "→ 1"))
    // The panel: its one row is another.
    #expect(frame.shows("~", "4", "d"))
  }

  @Test func `each commit belongs to the statement that made it`() async throws {
    let (schema, _) = try await run(
      "cCREATE TABLE u(x); CREATE TABLE w(x); INSERT INTO w VALUES (2) RETURNING x; INSERT INTO u VALUES (7);<Enter><wait>"
    )
    #expect(schema.shows("CREATE TABLE w(x);", "✓ tx 2 · 0 rows"))
    #expect(schema.shows("✓ tx 3 · 1 row"))
    #expect(schema.shows("INSERT INTO u VALUES (7);", "✓ tx 4 · 1 row"))
    let (undone, rows) = try await run(
      "cBEGIN; DELETE FROM t;<Enter><wait>y<wait>ROLLBACK; INSERT INTO t(v) VALUES ('d') RETURNING v;<Enter><wait>"
    )
    #expect(rows == "abcd\n")
    #expect(undone.shows("✓ tx 1 · 1 row"))
    #expect(!undone.shows("ROLLBACK;", "✓ tx"))
  }

  @Test func `DELETE without WHERE asks with the number of rows, and n keeps them`() async throws {
    let (asked, kept) = try await run("cDELETE FROM t;<Enter><wait>")
    #expect(asked.shows("? DELETE without WHERE removes all 3 rows of t. Run it?  y / n"))
    #expect(kept == "abc\n")
    let (refused, still) = try await run("cDELETE FROM t;<Enter><wait>n<wait>")
    #expect(refused.shows("not run"))
    // The text stays, to be corrected.
    #expect(refused.shows("sql> DELETE FROM t;"))
    #expect(still == "abc\n")
    let (done, gone) = try await run("cDELETE FROM t;<Enter><wait>y<wait>")
    #expect(done.shows("tx 1 · 3 rows"))
    #expect(gone == "\n")
  }

  @Test func `what follows a statement that was not confirmed is not run`() async throws {
    let (_, rows) = try await run(
      "cDELETE FROM t; INSERT INTO t(v) VALUES ('x');<Enter><wait>n<wait>")
    #expect(rows == "abc\n")
  }

  @Test func `an open transaction shows in the prompt, and the panels keep what is committed`()
    async throws
  {
    let (frame, rows) = try await run(
      "cBEGIN;<Enter><wait>DELETE FROM t WHERE id > 1;<Enter><wait>")
    #expect(frame.shows(" tx> DELETE FROM t WHERE id > 1;"))
    #expect(frame.shows("SQL", "in tx", "panels show tx 0"))
    #expect(frame.shows("3", "c"))
    // The program ended within it.
    #expect(rows == "abc\n")
  }

  @Test func `a transaction is committed or rolled back as a whole`() async throws {
    let (committed, rows) = try await run(
      "cBEGIN;<Enter><wait>DELETE FROM t WHERE id = 1;<Enter><wait>COMMIT;<Enter><wait>")
    #expect(committed.shows("tx> COMMIT;", "✓ tx 1"))
    #expect(committed.shows("SQL", "autocommit"))
    #expect(rows == "bc\n")
    let (rolledBack, all) = try await run(
      "cBEGIN;<Enter><wait>DELETE FROM t WHERE id = 1;<Enter><wait>ROLLBACK;<Enter><wait>")
    #expect(rolledBack.shows("tx> ROLLBACK;", "✓"))
    #expect(rolledBack.shows("SQL", "autocommit"))
    #expect(all == "abc\n")
  }

  @Test func `quitting within a transaction asks`() async throws {
    let (asked, _) = try await run("cBEGIN;<Enter><wait><Esc>q")
    #expect(asked.shows("? a transaction is open in the console: leave and roll it back?  y / n"))
    let (stayed, _) = try await run("cBEGIN;<Enter><wait><Esc>qn")
    #expect(!stayed.shows("leave and roll it back?"))
    #expect(stayed.shows("in tx"))
  }

  @Test func `a mistake is pointed at`() async throws {
    let (frame, _) = try await run("cSELECT nme FROM t;<Enter><wait>")
    let statement = frame.line(with: "sql> SELECT nme")
    let caret = frame.line(with: "   ^")
    let start = try #require(statement.firstRange(of: "nme")).lowerBound
    let mark = try #require(caret.firstIndex(of: "^"))
    #expect(
      statement.distance(from: statement.startIndex, to: start)
        == caret.distance(from: caret.startIndex, to: mark))
    #expect(frame.shows("! no such column: nme"))
  }

  @Test func `an incomplete statement goes on in the next line`() async throws {
    let (frame, _) = try await run("cSELECT 40 +<Enter>2;<Enter><wait>")
    #expect(frame.shows("sql> SELECT 40 +"))
    #expect(frame.shows("…> 2;", "1 row"))
    #expect(frame.shows("42"))
  }

  @Test func `a console that can only read refuses to write`() async throws {
    let (frame, rows) = try await run(
      "cINSERT INTO t(v) VALUES ('d');<Enter><wait>", options: ["-r"])
    #expect(frame.shows("WAL ro"))
    #expect(frame.shows("SQL", "read-only"))
    #expect(frame.shows("! attempt to write a readonly database"))
    #expect(rows == "abc\n")
  }

  @Test func `commands of the sqlite3 program have an answer, or a pointer to one`() async throws {
    let (tables, _) = try await run("c.tables<Enter><wait>")
    #expect(tables.shows("name  type   columns"))
    #expect(tables.shows("t     table        2"))
    let (schema, _) = try await run("c.schema t<Enter><wait>")
    #expect(schema.shows("sql> .schema t"))
    #expect(schema.shows("CREATE TABLE t (id INTEGER PRIMARY KEY"))
    let (mode, _) = try await run("c.mode csv<Enter><wait>")
    #expect(mode.shows("sql> .mode csv"))
    #expect(mode.shows("^o looks through a result as a table"))
    let (slip, _) = try await run("c.tabels<Enter><wait>")
    #expect(slip.shows("! .tabels is not a command here, did"))
  }

  @Test func `statements follow each other until one fails`() async throws {
    let (_, rows) = try await run(
      "cINSERT INTO t(v) VALUES ('d'); INSERT INTO nope VALUES (1); INSERT INTO t(v) VALUES ('e');"
        + "<Enter><wait>")
    #expect(rows == "abcd\n")
  }

  @Test func `a failed statement leaves the transaction open, and the prompt says so`()
    async throws
  {
    let (frame, _) = try await run(
      "cBEGIN;<Enter><wait>INSERT INTO t VALUES (1, 'again');<Enter><wait>")
    #expect(frame.shows("UNIQUE constraint failed"))
    #expect(frame.shows("SQL", "in tx"))
  }

  @Test func `the script leaves no history behind`() async throws {
    let state = try TemporaryFolder()
    let playground = try await Playground(schema)
    let script = try playground.folder.write("cSELECT 1;<Enter><wait>", to: "keys")
    let result = try await LiveQuery.run(
      "--keys", script, playground.database, "-c", "SELECT 1",
      environment: ["XDG_STATE_HOME": state.path])
    #expect(result.status == 0)
    #expect(state.names == [])
  }
}
