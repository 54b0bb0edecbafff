import ObservationEngine
import Testing

@testable import Dashboard

/// Exports of results that are not held.
@Suite struct LongExportTests {
  private let rows = RowSet(
    columns: ["n", "n", "a|b"],
    rows: [[1, "x,\"y\"", nil], [-2.5, "line\nend", .blob([1, 2])], [nil, "", "*"]])

  @Test(arguments: [ExportFormat.csv, .json, .ndjson])
  func `rows written one by one make the file that the format makes of all`(
    _ format: ExportFormat
  ) {
    for rows in [rows, RowSet(columns: rows.columns, rows: []), .empty] {
      var whole = ""
      switch format {
      case .csv: CSVFormat().write(rows) { whole += $0 }
      case .json: JSONFormat().write([(name: "", result: rows)]) { whole += $0 }
      case .ndjson: NDJSONFormat().write([(name: "", result: rows)]) { whole += $0 }
      case .markdown: Issue.record("Markdown is made by the writer alone")
      }
      var writer = RowWriter(format, columns: rows.columns)
      if writer.measures { for row in rows.rows { writer.measure(row) } }
      var text = writer.head
      for row in rows.rows { text += writer.line(row) }
      #expect(text + writer.tail == whole)
      #expect(writer.count == rows.rows.count)
    }
  }

  @Test func `all rows are read again as the panel shows them, and Escape gives up`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("/login<Enter>sS", &state)
    guard case .export(.all(let export))? = try state.press("x<Enter>").last else {
      Issue.record("no export")
      return
    }
    #expect(export.path == "t.csv")
    #expect(export.sql([]) == "", "what is no query stays as it is")
    #expect(export.filter?([1, "Login"]) == true)
    #expect(export.filter?([1, "view"]) == false)
    _ = reduce(&state, .exporting(rows: 1_000))
    #expect(state.screen().text.contains("1 000 of 1 666 rows  Esc gives up"))
    #expect(try state.press("j") == [])
    #expect(try state.press("<Esc>") == [.export(.cancel)])
    _ = reduce(&state, .exported(.refused("given up, and nothing is written")))
    #expect(state.screen().text.contains("! given up"))
    try state.press("<Esc>")
    #expect(state.modes.export == nil)
  }

  @Test func `few rows that are all at hand are exported as they are`() throws {
    var result = LongResult(count: 5_000)
    var state = DashboardState.showing(&result)
    try result.press("/4999<Enter>", &state)
    guard case .export(.rows(let export))? = try state.press("x<Enter>").last else {
      Issue.record("no export")
      return
    }
    #expect(export.rows.rows.count == 1)
  }
}
