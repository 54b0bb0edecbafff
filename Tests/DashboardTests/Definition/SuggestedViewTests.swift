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
      (RowSet(columns: ["map", "n"], rows: [["dust", 412], ["mill", -1]]), .table),
      (RowSet(columns: ["map", "n"], rows: [["dust", 412], ["mill", nil]]), .table),
      (RowSet(columns: ["id", "n"], rows: [[1, 2]]), .table),
      (RowSet(columns: ["map", "n"], rows: []), .table),
      (RowSet(columns: ["a", "b", "c"], rows: [["a", 1, 2]]), .table),
      (RowSet.empty, .table),
    ] as [(RowSet, ViewKind)])
  func `the shape of a result decides how it is shown`(_ result: RowSet, _ expected: ViewKind) {
    let panel = PanelDefinition(name: "a", sql: "")
    #expect(SuggestedView.kind(of: result, definition: panel) == expected)
  }

  @Test(arguments: ViewKind.allCases)
  func `the panel's own wish comes first, as far as it can be drawn`(_ view: ViewKind) {
    let panel = PanelDefinition(name: "a", sql: "", view: view)
    let result = RowSet(columns: ["n"], rows: [[1]])
    let drawn: [ViewKind] = [.table, .number, .bar]
    #expect(
      SuggestedView.kind(of: result, definition: panel) == (drawn.contains(view) ? view : .table))
  }
}
