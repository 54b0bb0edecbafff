import Glibc
import TestSupport
import Testing

@testable import LiveQueryTUI

@Suite struct ScriptStatementTests {
  private func lines(_ text: String) -> [String] {
    ScriptStatement.statements(of: text).map { "\($0.line) \($0.sql)" }
  }

  @Test func `each statement has the line on which it begins`() {
    #expect(
      lines("SELECT 1;\n\nSELECT\n 2; SELECT 3;\nSELECT 4")
        == ["1 SELECT 1;", "3 SELECT\n 2;", "4 SELECT 3;", "5 SELECT 4"])
  }

  @Test func `a trigger is one statement, and so is a string with semicolons`() {
    let trigger = "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; SELECT 2; END;"
    #expect(lines("\(trigger)\nSELECT ';\n;';") == ["1 \(trigger)", "2 SELECT ';\n;';"])
  }

  @Test func `remarks and empty statements are none`() {
    #expect(lines("-- a\n;;\n/* b; */\n") == [])
    #expect(lines("SELECT 1;\n-- the end") == ["1 SELECT 1;"])
  }

  @Test func `a remark above a statement belongs to it`() {
    #expect(lines("-- why\nSELECT 1;") == ["1 -- why\nSELECT 1;"])
  }

  @Test func `a command of sqlite3 is a line`() {
    #expect(
      lines("SELECT 1;\n.mode csv\nSELECT .5;") == ["1 SELECT 1;", "2 .mode csv", "3 SELECT .5;"])
    #expect(lines("-- as text\n  .print it's; \nSELECT 1") == ["2 .print it's;", "3 SELECT 1"])
  }

  @Test func `what has no end is a statement, so that SQLite says what is wrong`() {
    #expect(lines("SELECT 1;\nSELECT 'a;\n") == ["1 SELECT 1;", "2 SELECT 'a;"])
    #expect(lines("\n'a;") == ["2 'a;"])
    #expect(lines("SELECT 1;\n/* the end") == ["1 SELECT 1;"])
  }

  @Test func `a file is read, and standard input, pipes and folders are refused`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("SELECT 1;", to: "a.sql")
    #expect(try await ScriptStatement.read(path).map(\.sql) == ["SELECT 1;"])
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    for path in ["-", folder.path("pipe"), folder.path("."), folder.path("nowhere")] {
      await #expect(throws: Failure.self) { try await ScriptStatement.read(path) }
    }
  }

  @Test func `line ends of Windows count as one`() {
    #expect(lines("SELECT 1;\r\nSELECT 2;\r\n") == ["1 SELECT 1;", "2 SELECT 2;"])
  }
}
