import ObservationEngine
import Testing

@testable import Dashboard

@Suite struct ColumnSummaryTests {
  @Test func `a number keeps its digits, however many rows are before it`() {
    let rows = RowSet(
      columns: ["price"], rows: (1...350).map { [.real(Double($0) + ($0 > 300 ? 0.95 : 0))] })
    let summary = ColumnSummary.summaries(of: rows, key: [])[0]
    #expect(ValueText(rows.rows[349][0], column: summary).text == "350.95")
  }

  @Test func `a column is as wide as the widest of its first rows and of those in view`() {
    let rows = RowSet(
      columns: ["name"], rows: (1...400).map { [.text($0 == 400 ? "a long name" : "short")] })
    let summary = ColumnSummary.summaries(of: rows, key: [])[0]
    #expect(summary.width == 5)
    #expect(summary.width(withThoseInView: [rows.rows[399][0]]) == 11)
    #expect(summary.width(withThoseInView: ["x"]) == 5)
  }
}
