import TestSupport
import Testing

/// Panels that rows open, foreign keys that are followed, and parameters that are chosen.
@Suite(.fewAtOnce) struct DetailFrameTests {
  private func frame(_ keys: String) async throws -> Frame {
    let playground = try await Playground(
      """
      CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, land TEXT);
      CREATE TABLE sale (id INTEGER PRIMARY KEY, customer REFERENCES customer, what TEXT);
      INSERT INTO customer VALUES (1, 'ada', 'Austria'), (2, 'bob', 'Austria'), (3, 'zoe', 'Chile');
      INSERT INTO sale VALUES (7, 1, 'apples'), (8, 2, 'pears'), (9, 2, 'plums');
      """, journal: "wal")
    let dashboard = try playground.folder.write(
      """
      -- param: land from SELECT DISTINCT land FROM customer ORDER BY 1

      -- name: customers
      -- key: id
      -- on-enter: sales customer=:id
      SELECT id, name FROM customer WHERE land = :land ORDER BY id;

      -- name: sales
      SELECT * FROM sale WHERE customer = :customer;
      """, to: "shop.sql")
    return try await Frame(keys, on: playground, dashboard: [dashboard], panes: nil)
  }

  @Test func `Enter opens the rows of a row, and Escape goes back`() async throws {
    let opened = try await frame("jj<Enter><wait>")
    #expect(opened.shows("━┫2 customers > 2 > sales┣"))
    #expect(opened.shows("8", "pears") && opened.shows("9", "plums"))
    #expect(!opened.text.contains("apples"))
    let back = try await frame("jj<Enter><wait><Esc><wait>")
    #expect(back.shows("━┫1 customers┣") && !back.text.contains("sales"))
  }

  @Test func `a foreign key is followed to its row`() async throws {
    let frame = try await frame("jj<Enter><wait>llo<wait>")
    #expect(frame.shows("━┫3 customers > 2 > sales > customer 2┣"))
    #expect(frame.shows("bob", "Austria"))
  }

  @Test func `a panel that a row opens is not missed where no row is left to open it`() async throws
  {
    let playground = try await Playground("CREATE TABLE t (a)")
    let file = try playground.folder.write(
      """
      -- name: x
      -- on-enter: y p=:a
      SELECT a FROM t;
      -- name: y
      SELECT :p;
      -- name: z
      SELECT 5 AS five;
      """, to: "a.sql")
    let run = try await LiveQuery.run([
      "--once", "--csv", "--panel", "z", playground.database, file,
    ])
    #expect(run.output == "five\r\n5\r\n" && run.errors == "", "\(run)")
    let detail = try await LiveQuery.run(["--once", "--panel", "y", playground.database, file])
    #expect(detail.errors.contains("only a row of another panel opens it"), "\(detail.errors)")
  }

  @Test func `the first value of a parameter holds until another is chosen`() async throws {
    let first = try await frame("")
    #expect(first.shows("land=Austria") && first.shows("2", "bob"))
    let other = try await frame("$<wait>Ch<Tab><Enter><wait>")
    #expect(other.shows("land=Chile") && other.shows("3", "zoe"))
    #expect(!other.text.contains("bob"))
  }

  @Test(arguments: [
    (
      "-- param: p from SELECT x FROM t\n-- name: y\nSELECT :p",
      "a.sql:1:25: error: no such column: x"
    ),
    (
      "-- name: x\n-- on-enter: y p=:a\nSELECT a FROM t;\n-- name: y\nSELECT :p, b FROM t",
      "a.sql:5:12: error: no such column: b"
    ),
    ("-- prest: ops x\n-- name: x\nSELECT a FROM t", "a.sql:1:4: warning: \"prest:\""),
  ])
  func `what is wrong with what isn't shown yet is told on the screen`(
    _ text: String, _ message: String
  ) async throws {
    let playground = try await Playground("CREATE TABLE t (a)")
    let file = try playground.folder.write(text + ";", to: "a.sql")
    let result = try await LiveQuery.run(["--frame", "120x24", playground.database, file])
    #expect(result.output.contains(message), "\(result.output)")
    #expect(result.errors.contains(message), "\(result.errors)")
  }

  @Test func `a check compiles what rows open, with their parameters`() async throws {
    let playground = try await Playground("CREATE TABLE t (a)")
    let good = "-- name: x\n-- on-enter: y p=:a\nSELECT a FROM t;\n-- name: y\nSELECT :p"
    for (text, status) in [(good, 0), (good + ", b FROM t", 2), (good + ", :q", 2)] {
      let file = try playground.folder.write(text + ";", to: "a.sql")
      let result = try await LiveQuery.run(["--check", playground.database, file])
      #expect(result.status == Int32(status), "\(text): \(result.output)")
    }
  }
}
