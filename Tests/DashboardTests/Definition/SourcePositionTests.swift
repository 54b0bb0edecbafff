import Testing

@testable import Dashboard

@Suite struct SourcePositionTests {
  @Test func `a byte of the query has its place in the file`() throws {
    let text = "-- name: a\r\n  SELECT 'é日' AS x,\r\n    nope\r\nFROM t;"
    let panel = try #require(DashboardParser.parse(text).definition.panels.first)
    #expect(panel.position(ofByteOffset: 0) == SourcePosition(line: 2, column: 3))
    // In the middle of é.
    #expect(panel.position(ofByteOffset: 9) == SourcePosition(line: 2, column: 11))
    // 'é日' takes 7 bytes and 4 characters.
    #expect(panel.position(ofByteOffset: 15) == SourcePosition(line: 2, column: 15))
    let nope = try #require(panel.sql.utf8.firstRange(of: "nope".utf8))
    let offset = panel.sql.utf8.distance(from: panel.sql.startIndex, to: nope.lowerBound)
    #expect(panel.position(ofByteOffset: offset) == SourcePosition(line: 3, column: 5))
  }

  @Test func `a place outside of the query is its nearest end`() {
    let panel = PanelDefinition(name: "a", sql: "x\nyz")
    #expect(panel.position(ofByteOffset: -1) == SourcePosition(line: 1, column: 1))
    #expect(panel.position(ofByteOffset: 99) == SourcePosition(line: 2, column: 3))
  }

  @Test func `an unknown key or rank column is told with a suggestion`() {
    let text = "-- name: a\n-- key: id, plaier\n-- rank: Score\nSELECT 1"
    let panel = DashboardParser.parse(text).definition.panels[0]
    #expect(panel.diagnostics(resultColumns: ["id", "plaier", "score"]) == [])
    #expect(
      panel.diagnostics(resultColumns: ["id", "player", "x"]).map { $0.rendered(file: "f") } == [
        "f:2:13: error: \"key:\" names \"plaier\", which is not a column of the result, "
          + "did you mean \"player\"?",
        "f:3:10: error: \"rank:\" names \"Score\", which is not a column of the result",
      ])
  }

  @Test func `columns without a comma between them are told apart`() {
    let text = "-- name: a\n-- key: id player\nSELECT 1"
    let panel = DashboardParser.parse(text).definition.panels[0]
    #expect(
      panel.diagnostics(resultColumns: ["id", "player"]).map { $0.rendered(file: "f") } == [
        "f:2:9: error: \"key:\" names \"id player\", which is not a column of the result; write id, player"
      ])
  }
}
