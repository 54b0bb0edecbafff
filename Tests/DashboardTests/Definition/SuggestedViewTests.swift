import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct SuggestedViewTests {
  @Test(
    arguments: [
      (RowSet(columns: ["n"], rows: [[42]]), .number),
      (RowSet(columns: ["n"], rows: [["text"]]), .number),
      (RowSet(columns: ["n"], rows: []), .table),
      (RowSet(columns: ["n"], rows: [[1], [2]]), .table),
      (RowSet(columns: ["map", "n"], rows: [["dust", 412], ["mill", 0.5]]), .bar),
      (RowSet(columns: ["map", "n"], rows: [["dust", 412], ["mill", -1]]), .bar),
      (RowSet(columns: ["map", "n"], rows: [["dust", 412], ["mill", nil]]), .bar),
      (RowSet(columns: ["map", "n"], rows: [[nil, 1], ["mill", 2]]), .bar),
      (RowSet(columns: ["map", "n"], rows: [[nil, 1]]), .table),
      (RowSet(columns: ["map", "n"], rows: [["mill", nil]]), .table),
      (RowSet(columns: ["map", "n"], rows: [["mill", 2], ["dust", "many"]]), .table),
      (RowSet(columns: ["id", "n"], rows: [[1, 2]]), .table),
      (RowSet(columns: ["map", "n"], rows: []), .table),
      (RowSet(columns: ["a", "b", "c"], rows: [["a", 1, 2]]), .table),
      (RowSet(columns: ["day", "n"], rows: [["2026-11-20", 1], ["2026-11-21", nil]]), .line),
      (RowSet(columns: ["x", "a", "b"], rows: [["2026-11-20 12:04", 1, 2.5]]), .line),
      (RowSet(columns: ["at", "n"], rows: [[1_795_176_240, 1]]), .line),
      (RowSet(columns: ["id", "n"], rows: [[1_795_176_240, 1]]), .table),
      (RowSet(columns: ["day", "n"], rows: [["2026-11-20", nil]]), .table),
      (RowSet(columns: ["day", "word"], rows: [["2026-11-20", "x"]]), .table),
      (RowSet(columns: ["day", "match_id"], rows: [["2026-11-20", 3]]), .bar),
      (RowSet.empty, .table),
    ] as [(RowSet, ViewKind)])
  func `the shape of a result decides how it is shown`(_ result: RowSet, _ expected: ViewKind) {
    let panel = PanelDefinition(name: "a", sql: "")
    #expect(SuggestedView.kind(of: result, definition: panel) == expected)
  }

  @Test(arguments: ViewKind.allCases)
  func `the panel's own wish comes first`(_ view: ViewKind) {
    let panel = PanelDefinition(name: "a", sql: "", view: view)
    let result = RowSet(columns: ["n"], rows: [[1]])
    #expect(SuggestedView.kind(of: result, definition: panel) == view)
  }
}
