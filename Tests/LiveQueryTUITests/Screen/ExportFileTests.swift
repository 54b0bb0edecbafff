import Glibc
import ObservationEngine
import Synchronization
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

  private func export(_ sql: String, columns: [String], of db: TemporaryDatabase) -> LongExport {
    LongExport(
      path: db.folder.path("t.csv"), format: .csv, panel: PanelDefinition(name: "t", sql: sql),
      columns: columns, look: .init())
  }

  @Test func `a query that fails on its way leaves nothing`() async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    let before = db.folder.names
    let sql = "SELECT abs(CASE b WHEN 4 THEN -9223372036854775807 - 1 ELSE b END) AS n FROM t"
    let export = export(sql, columns: ["n"], of: db)
    let outcome = await ExportFile.write(export, [], of: db.database, home: nil) { _ in }
    #expect(outcome == .refused("integer overflow"))
    #expect(db.folder.names == before)
  }

  @Test func `until it is whole there is no file of its name`() async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    let before = db.folder.names
    let sql =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) SELECT i FROM n"
    let export = export(sql, columns: ["i"], of: db)
    let outcome = await ExportFile.write(export, [], of: db.database, home: nil) { _ in
      #expect(!db.folder.names.contains("t.csv"))
      #expect(db.folder.names.contains { $0.hasPrefix(".livequery-") })
    }
    guard case .written(_, rows: 60_000, _) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(db.folder.names == (before + ["t.csv"]).sorted())
    var status = stat()
    #expect(stat(db.folder.path("t.csv"), &status) == 0)
    #expect(status.st_mode & 0o444 == 0o444, "others may read it")
  }

  @Test func `an export that is cancelled leaves nothing`() async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    let before = db.folder.names
    let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    let export = export(sql, columns: ["i"], of: db)
    let task = Mutex<Task<ExportOutcome, Never>?>(nil)
    let running = Task {
      await ExportFile.write(export, [], of: db.database, home: nil) { _ in
        task.withLock { $0?.cancel() }
      }
    }
    task.withLock { $0 = running }
    #expect(await running.value == .refused("given up, and nothing is written"))
    #expect(db.folder.names == before)
  }

  @Test func `a file that came meanwhile is not touched`() async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    let sql =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT i FROM n"
    let export = export(sql, columns: ["i"], of: db)
    let outcome = await ExportFile.write(export, [], of: db.database, home: nil) { _ in
      _ = try? db.folder.write("precious", to: "t.csv")
    }
    #expect(outcome == .refused("\(export.path) exists; choose another name"))
    #expect(try db.folder.text("t.csv") == "precious")
    #expect(!db.folder.names.contains { $0.hasPrefix(".livequery-") })
  }

  @Test func `equal rows keep the order of the query`() async throws {
    let db = try await TemporaryDatabase(schema: Self.schema)
    let look = RowRequest.Look(sort: RowSort(column: 0))
    _ = await write(.csv, columns: ["a", "b"], look: look, of: db)
    let text = try TextFile.read(db.folder.path("t.csv"))
    #expect(text == "a,b\r\n0,4\r\n1,3\r\n1,2\r\n")
  }
}
