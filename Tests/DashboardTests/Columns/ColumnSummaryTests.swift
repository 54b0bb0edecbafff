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

  @Test func `small numbers keep three digits, so that different ones look different`() {
    let numbers = [0.0006, 0.0014, 0.00149, 0.25]
    let rows = RowSet(columns: ["rate"], rows: numbers.map { [.real($0)] })
    let summary = ColumnSummary.summaries(of: rows, key: [])[0]
    let texts = rows.rows.map { ValueText($0[0], column: summary).text }
    #expect(texts == ["0.00060", "0.00140", "0.00149", "0.25000"])
  }

  @Test func `what is left of a sum gives the other numbers no decimals`() {
    let rows = RowSet(columns: ["n"], rows: [[.real(0.1 + 0.2 - 0.3)], [.real(12.5)]])
    let summary = ColumnSummary.summaries(of: rows, key: [])[0]
    #expect(ValueText(rows.rows[1][0], column: summary).text == "12.5")
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
