import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct DialectTests {
  private static let query = """
    -- name: states
    SELECT state::text FROM jobs WHERE name = $tag$a;b$tag$ AND id = :id;
    """

  @Test(arguments: ["postgres", "PostgreSQL"])
  func `a file may say whose SQL it is`(_ word: String) {
    let parsed = DashboardParser.parse("-- dialect: \(word)\n\n" + Self.query)
    #expect(parsed.diagnostics == [])
    #expect(parsed.definition.dialect?.dialect == .postgres)
    #expect(parsed.definition.dialect?.position.line == 1)
    #expect(
      parsed.definition.panels.map(\.sql) == [
        String(Self.query.split(separator: "\n")[1].dropLast())
      ])
  }

  @Test func `what the file says goes before the kind of the database`() {
    let parsed = DashboardParser.parse(
      "-- dialect: sqlite\n\n-- name: a\nSELECT [a;b] FROM t;\n", dialect: .postgres)
    #expect(parsed.definition.panels.map(\.sql) == ["SELECT [a;b] FROM t"])
  }

  @Test(arguments: [
    ("-- dialect: oracle\n\n", "the dialects are \"sqlite\" and \"postgres\""),
    ("-- dialect: sqlite\n-- dialect: sqlite\n\n", "\"dialect:\" is given twice"),
  ])
  func `what is no dialect is an error`(_ head: String, _ message: String) {
    let parsed = DashboardParser.parse(head + "-- name: a\nSELECT 1;\n")
    #expect(parsed.diagnostics.map(\.message) == [message])
    #expect(parsed.diagnostics.first?.severity == .error)
  }
}
