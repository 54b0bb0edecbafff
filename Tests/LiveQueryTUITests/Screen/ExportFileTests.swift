import ObservationEngine
import TestSupport
import Testing

@testable import Dashboard
@testable import LiveQueryTUI

/// Files of all rows of a long result, which are read again for it.
@Suite struct ExportFileTests {
  private static let schema = "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2), (1, 3), (0, 4);"

  private func write(
    _ format: ExportFormat, columns: [String], look: RowRequest.Look = .init(),
    of db: TemporaryDatabase
  ) async -> ExportOutcome {
    let panel = PanelDefinition(name: "t", sql: "SELECT a, b FROM t ORDER BY b DESC; -- all")
    let export = LongExport(
      path: db.folder.path("t.\(format.rawValue)"), format: format, panel: panel, columns: columns,
      look: look)
    return await ExportFile.write(export, [], of: db.database, home: nil) { _ in }
  }

  @Test(arguments: ExportFormat.allCases)
  func `columns that are others than those shown are refused`(_ format: ExportFormat) async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    for columns in [["a"], ["a", "b", "c"], ["b", "a"]] {
      guard case .refused(let reason) = await write(format, columns: columns, of: db) else {
        Issue.record("\(columns) were written")
        return
      }
      #expect(reason.contains("the columns have changed"))
    }
    #expect(!db.folder.names.contains("t.\(format.rawValue)"))
    guard case .written(_, rows: 3, _) = await write(format, columns: ["a", "b"], of: db) else {
      Issue.record("nothing was written")
      return
    }
  }

  @Test func `equal rows keep the order of the query`() async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    let look = RowRequest.Look(sort: PanelState.Sort(column: 0))
    _ = await write(.csv, columns: ["a", "b"], look: look, of: db)
    let text = try TextFile.read(db.folder.path("t.csv"))
    #expect(text == "a,b\r\n0,4\r\n1,3\r\n1,2\r\n")
  }
}
