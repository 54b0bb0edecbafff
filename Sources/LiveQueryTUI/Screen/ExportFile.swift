import Dashboard
import Glibc
import ObservationEngine

/// Writes a panel's rows to a new file, which gets its name once all rows are in it.
enum ExportFile {
  /// The number of rows between two progress reports of a long export.
  private static let progressStep = 20_000

  /// Writes an export; an existing file is never touched.
  ///
  /// Blocks as long as the disk takes: never call it on the screen's thread.
  static func write(_ export: Export, home: String?) -> ExportOutcome {
    var file: NewFile
    do throws(NewFile.Refusal) { file = try NewFile(export.path, home: home) } catch {
      return .refused(error.reason)
    }
    export.write { file.append($0) }
    return file.finish(rows: export.rows.rows.count)
  }

  /// Reads all rows of a panel from one snapshot and writes them as they arrive; none is retained.
  ///
  /// - Parameter progress: Receives the number of written rows, on any thread.
  /// - Returns: That nothing was written, if the task was cancelled.
  static func write(
    _ export: LongExport, _ arguments: QueryArguments, of database: Database, home: String?,
    progress: @escaping @Sendable (Int) -> Void
  ) async -> ExportOutcome {
    do {
      return try await database.read { connection in
        guard try connection.prepare(export.panel.sql).columnNames == export.columns else {
          return .refused("the columns have changed; export what is shown then")
        }
        let sql = export.sql(arguments)
        var file: NewFile
        do throws(NewFile.Refusal) { file = try NewFile(export.path, home: home) } catch {
          return .refused(error.reason)
        }
        do {
          var writer = RowWriter(export.format, columns: export.columns)
          let filter = export.filter
          func forEachRow(_ body: ([Value]) throws -> Void) throws {
            try connection.forEachRow(SQL(raw: sql), arguments) { row in
              let values = try row.copy().values
              if filter?(values) ?? true { try body(values) }
            }
          }
          if writer.measures { try forEachRow { writer.measure($0) } }
          file.append(writer.head)
          try forEachRow { row in
            file.append(writer.line(row))
            guard file.error == 0 else { throw NewFile.Refusal(reason: "") }
            if writer.count % progressStep == 0 { progress(writer.count) }
          }
          file.append(writer.tail)
          return file.finish(rows: writer.count)
        } catch is NewFile.Refusal {
          return file.finish(rows: 0)
        } catch {
          file.discard()
          throw error
        }
      }
    } catch let error as DatabaseError where error.code != .interrupted {
      return .refused(error.message)
    } catch  where error is CancellationError || error is DatabaseError {
      return .refused("given up, and nothing is written")
    } catch {
      return .refused("\(error)")
    }
  }
}
