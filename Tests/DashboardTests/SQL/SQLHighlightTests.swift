import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct SQLHighlightTests {
  /// Roles by their first letters, one for each run.
  private func roles(_ sql: String) -> [String] {
    SQLHighlight(sql).runs(of: 0..<sql.utf8.count, in: sql).map { "\($0.role) \($0.text)" }
  }

  @Test func `keywords, strings, numbers, parameters and comments have roles of their own`() {
    #expect(
      roles("select 'é', 4.5, :x from t -- why") == [
        "keyword select", "text  ", "string 'é'", "text , ", "numeral 4.5", "text , ",
        "numeral :x", "text  ", "keyword from", "text  t ", "comment -- why",
      ])
    #expect(roles("/* a */ x'00'") == ["comment /* a */", "text  ", "string x'00'"])
  }

  @Test func `a name in quotes is no keyword, and a string without its end is a string`() {
    #expect(roles("\"select\"") == ["text \"select\""])
    #expect(roles("select 'ab") == ["keyword select", "text  ", "string 'ab"])
  }

  @Test func `a piece of the text has the roles of the whole`() {
    let sql = "select 'a\nb' from t"
    let highlight = SQLHighlight(sql)
    #expect(
      highlight.runs(of: 10..<19, in: sql).map(\.role) == [.string, .text, .keyword, .text])
  }

  @Test func `a very long text is plain`() {
    let sql = String(repeating: "select ", count: 20_000)
    #expect(roles(sql).count == 1)
  }

  @Test(arguments: ["", "--", "/*", "'", "\u{0}", "é'\u{301}", "[", "$", ":", "1e", "🇩🇪--x"])
  func `the runs of any text are the text`(_ sql: String) {
    let runs = SQLHighlight(sql).runs(of: 0..<sql.utf8.count, in: sql)
    #expect(runs.map(\.text).joined() == sql)
  }

  @Test func `the keywords are those of SQLite`() {
    #expect(SQLKeywords.all.isSuperset(of: SQLText.keywords))
    #expect(SQLKeywords.offered.filter { !SQLKeywords.contains($0) } == ["rowid"])
    #expect(SQLKeywords.first.allSatisfy(SQLKeywords.contains))
  }
}
