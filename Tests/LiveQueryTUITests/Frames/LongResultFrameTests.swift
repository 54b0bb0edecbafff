import Glibc
import TestSupport
import Testing

/// Long results by scripted keys: what is asked for is there before the next step.
@Suite(.fewAtOnce) struct LongResultFrameTests {
  private static let count = 12_000
  private static let query = "SELECT id, kind, amount FROM event ORDER BY id DESC"

  private func playground() async throws -> Playground {
    try await Playground(
      """
      CREATE TABLE event (id INTEGER PRIMARY KEY, kind TEXT, amount INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.count))
      INSERT INTO event
        SELECT i, CASE i % 3 WHEN 0 THEN 'login' WHEN 1 THEN 'view' ELSE 'buy' END, i % 101 FROM n;
      """, journal: "wal")
  }

  private func frame(_ keys: String, _ options: [String] = []) async throws -> Frame {
    try await Frame(
      keys, options: options, on: try await playground(), dashboard: ["-c", Self.query])
  }

  @Test func `the end is there, and the way back`() async throws {
    let end = try await frame("G")
    #expect(end.text.contains("-12 000 of 12 000"))
    #expect(end.shows("3", "login", "3"))
    #expect(!end.text.contains("…"))
    let head = try await frame("G<wait>g")
    #expect(head.shows("12000", "login", "82"))
  }

  @Test func `a filter and an order are of all rows`() async throws {
    let frame = try await frame("/buy<Enter><wait>ss<wait>G")
    #expect(frame.text.contains("4 000/12 000"))
    #expect(frame.shows("buy"))
    #expect(!frame.text.contains("login"))
    let none = try await self.frame("/buyx<wait><BS><wait>y<wait>")
    #expect(none.text.contains("no row contains \u{201c}buyy\u{201d}"))
  }

  @Test func `what was written meanwhile is shown where the person is`() async throws {
    let frame = try await frame(
      "<PgDn><PgDn><wait>cDELETE FROM event WHERE id = 11999;<Enter><wait>y<wait><Esc>1")
    #expect(frame.text.contains("of 11 999"))
  }

  @Test func `an export has every row, as the panel shows them`() async throws {
    let playground = try await playground()
    let path = playground.folder.path("out.ndjson")
    let keys = "/login<Enter><wait>:export \(path)<Enter><wait>"
    let frame = try await Frame(keys, on: playground, dashboard: ["-c", Self.query])
    #expect(frame.text.contains("4 000 rows written to"))
    let written = try await RunningProgram.run(["cat", path])
    let lines = written.output.split(separator: "\n")
    #expect(lines.count == 4_000)
    #expect(lines.first == #"{"id":12000,"kind":"login","amount":82}"#)
    #expect(lines.last == #"{"id":3,"kind":"login","amount":3}"#)
  }

  @Test func `a recording plays the rows that were looked at`() async throws {
    let playground = try await playground()
    let path = playground.folder.path("session")
    let frame = try await Frame(
      "G", options: ["--record", path], on: playground, dashboard: ["-c", Self.query])
    #expect(frame.text.contains("of 12 000"))
    let played = try await LiveQuery.run(["--replay", path, "--frame", "80x24"])
    #expect(played.status == 0)
    #expect(played.output.contains("-12 000 of 12 000"))
    let keys = try playground.folder.write("g", to: "keys")
    let other = try await LiveQuery.run(["--replay", path, "--keys", keys, "--frame", "80x24"])
    #expect(other.output.contains("not recorded"))
  }

  @Test func `a recording plays a filter, and filters what it has`() async throws {
    let playground = try await playground()
    let path = playground.folder.path("session")
    let frame = try await Frame(
      "/buy<Enter><wait>", options: ["--record", path], on: playground,
      dashboard: ["-c", Self.query])
    let title = try #require(frame.lines.first { $0.contains("/buy") })
    let played = try await LiveQuery.run(["--replay", path, "--frame", "80x24"])
    #expect(title.contains("4 000/12 000"))
    #expect(played.output.contains("1 panel1 /buy┣") && played.output.contains("4 000/12 000"))
    let keys = try playground.folder.write("/1199<Enter>", to: "keys")
    let filtered = try await LiveQuery.run(["--replay", path, "--keys", keys, "--frame", "80x24"])
    #expect(filtered.output.contains("/buy /1199"))
    #expect(filtered.output.contains(" of 1 024 recorded"))
  }

  @Test func `Enter in the schema opens all rows of a table`() async throws {
    let frame = try await Frame(
      "<F2>j<Enter><wait>G", size: "150x44", on: try await playground(),
      dashboard: ["-c", "SELECT 1"])
    #expect(frame.text.contains("of 12 000"))
  }
}
