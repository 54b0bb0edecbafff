import TestSupport
import Testing

/// The explorer by scripted keys, on real files.
@Suite(.fewAtOnce) struct ExplorerFrameTests {
  private static let shop = """
    CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
    INSERT INTO customer VALUES (1, 'ada', 'UK'), (2, 'grace', 'US'), (3, 'linus', 'FI'),
      (4, 'edsger', 'NL'), (5, 'barbara', 'US');
    CREATE TABLE sale (id INTEGER PRIMARY KEY, customer INT REFERENCES customer, state TEXT,
      amount REAL, sold_at TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO sale SELECT i, i % 5 + 1, iif(i % 4 = 0, 'open', 'paid'), i / 8.0,
      datetime('2026-01-01', i || ' hours') FROM n;
    CREATE TABLE empty (a);
    CREATE VIEW best AS SELECT * FROM sale ORDER BY amount DESC LIMIT 3;
    CREATE VIRTUAL TABLE note USING fts5(text);
    INSERT INTO note VALUES ('hello');
    CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
    INSERT INTO pair VALUES ('x', 'y');
    """

  private func frame(
    _ keys: String = "", size: String = "80x24", journal: String = "wal"
  ) async throws -> Frame {
    try await Frame(
      keys, size: size, on: try await Playground(Self.shop, journal: journal), dashboard: [])
  }

  @Test(arguments: ["wal", "delete"])
  func `the first screen has tables, the newest rows and columns`(_ journal: String) async throws {
    let frame = try await frame(size: "120x40", journal: journal)
    #expect(frame.shows("1 tables", "2 sale", "top ", " of 2 000"))
    #expect(frame.shows("sale", "2 000"))
    #expect(frame.shows("2000", "open", "250"))
    #expect(frame.shows("▸ 1 empty table"))
    #expect(frame.shows("▸ 1 view"))
    #expect(frame.shows("▸ 5 internal tables"))
    #expect(frame.shows("note", "1 "))
    #expect(frame.shows("3 columns"))
    #expect(frame.shows("customer", "int", "→ customer"))
  }

  @Test func `every table and view opens`() async throws {
    // Folds are opened from below, so that the lines above stay.
    for table in ["sale", "customer", "note", "pair", "empty", "best", "note_data"] {
      let frame = try await frame("/\(table)<Enter><Enter><wait>")
      #expect(frame.shows("━┫1 \(table)"), "\(table)")
      #expect(!frame.shows(" error "), "\(table)")
    }
  }

  @Test func `values of a column move with the rows`() async throws {
    let keys = "33jjf<wait>cDELETE FROM sale WHERE id BETWEEN 1 AND 100;<Enter><wait><Esc>"
    let frame = try await frame(keys)
    #expect(frame.shows("━┫1 sale › state"))
    #expect(frame.shows("paid", "1 425"))
    #expect(frame.shows("open", "475"))
    let matches = try await self.frame("3jjf<wait>jj<Enter><wait>")
    #expect(matches.shows("━┫1 sale › state = open", " of 500"))
  }

  @Test func `statistics are read`() async throws {
    let frame = try await frame("I<wait>", size: "160x48")
    #expect(frame.shows("distinct", "least", "greatest"))
    #expect(frame.shows("id", "unique", "1", "2000"))
    #expect(frame.shows("amount", "0.125", "250"))
  }

  @Test func `a table that is created appears`() async throws {
    let frame = try await frame(
      "cCREATE TABLE zoo (a); INSERT INTO zoo VALUES (1);<Enter><wait><Esc><wait>")
    #expect(frame.shows("zoo", "1 "))
  }

  @Test func `an empty file, and one with an empty schema`() async throws {
    for sql in ["", "CREATE TABLE t (a); DROP TABLE t;"] {
      for size in ["80x24", "40x10", "20x5"] {
        let frame = try await Frame(size: size, on: try await Playground(sql), dashboard: [])
        if size != "20x5" { #expect(frame.shows("app.db has no table yet")) }
      }
    }
  }

  @Test func `three hundred tables are listed, with views folded`() async throws {
    let sql =
      (0..<300).map { "CREATE TABLE t\($0) (a);" }.joined()
      + (0..<58).map { "CREATE VIEW v\($0) AS SELECT \($0);" }.joined()
      + "INSERT INTO t77 VALUES (1);"
    let frame = try await Frame(on: try await Playground(sql), dashboard: [])
    #expect(frame.shows("1 tables", "300"))
    #expect(frame.shows("┃  t77", " 1 "))
    #expect(frame.shows("▸ 299 empty tables"))
    #expect(frame.shows("▸ 58 views"))
  }

  @Test func `a dashboard is made, saved, checked and opened`() async throws {
    let playground = try await Playground(Self.shop, journal: "wal")
    let path = playground.folder.path("made.sql")
    let frame = try await Frame(
      "D<wait>:save \(path)<Enter><wait>", size: "160x48", on: playground, dashboard: [])
    #expect(frame.shows("sale per day"))
    #expect(frame.shows("sale by state"))
    #expect(frame.shows("saved to "))
    let check = try await LiveQuery.run("--check", playground.database, path)
    #expect(check.status == 0)
    let opened = try await Frame(size: "160x48", on: playground, dashboard: [path])
    #expect(opened.shows("sale per day"))
    let again = try await Frame(
      "D<wait>:save \(path)<Enter><wait>", size: "160x48", on: playground, dashboard: [])
    #expect(again.shows("not saved: ", "exists; choose another name"))
  }
}
