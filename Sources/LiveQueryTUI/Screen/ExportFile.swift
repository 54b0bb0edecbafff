import Dashboard
import Glibc
import ObservationEngine

/// Writes a panel's rows to a new file.
enum ExportFile {
  /// After how many rows it is told how far a long export has come.
  private static let progressStep = 20_000

  /// Writes an export; an existing file is never touched.
  ///
  /// Blocks for as long as the disk takes: not for the thread of the screen.
  static func write(_ export: Export, home: String?) -> ExportOutcome {
    var file: NewFile
    do throws(Refusal) { file = try NewFile(export.path, home: home) } catch {
      return .refused(error.reason)
    }
    export.write { file.append($0) }
    return file.finish(rows: export.rows.rows.count)
  }

  /// Reads all rows of a panel and writes them as they come, from one snapshot; none is held.
  ///
  /// - Parameter progress: Is told how many rows are written, on any thread.
  /// - Returns: That nothing was written when the task was cancelled.
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
        do throws(Refusal) { file = try NewFile(export.path, home: home) } catch {
          return .refused(error.reason)
        }
        do {
          var writer = RowWriter(export.format, columns: export.columns)
          let filter = export.filter
          func forEachRow(_ body: ([Value]) throws -> Void) throws {
            try connection.forEachRow(sql, arguments) { row in
              let values = try row.copy().values
              if filter?(values) ?? true { try body(values) }
            }
          }
          if writer.measures { try forEachRow { writer.measure($0) } }
          file.append(writer.head)
          try forEachRow { row in
            file.append(writer.line(row))
            guard file.error == 0 else { throw Refusal(reason: "") }
            if writer.count % progressStep == 0 { progress(writer.count) }
          }
          file.append(writer.tail)
          return file.finish(rows: writer.count)
        } catch is Refusal {
          return file.finish(rows: 0)
        } catch {
          file.discard()
          throw error
        }
      }
    } catch is CancellationError {
      return .refused("given up, and nothing is written")
    } catch let error as DatabaseError where error.code == .interrupted {
      return .refused("given up, and nothing is written")
    } catch let error as DatabaseError {
      return .refused(error.message)
    } catch {
      return .refused("\(error)")
    }
  }
}

/// Why a file is not written.
private struct Refusal: Error {
  let reason: String
}

/// A file that did not exist, written in large pieces.
private struct NewFile: ~Copyable {
  private let shownPath: String
  private let path: String
  private let descriptor: Int32
  private var gathered: [UInt8] = []
  private var bytes = 0
  /// What went wrong; 0 for nothing.
  private(set) var error: Int32 = 0

  init(_ shownPath: String, home: String?) throws(Refusal) {
    self.shownPath = shownPath
    path = Self.expanded(shownPath, home: home)
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw Refusal(
        reason: errno == EEXIST
          ? "\(shownPath) exists; choose another name"
          : "\(shownPath): \(String(cString: strerror(errno)))")
    }
  }

  mutating func append(_ text: String) {
    gathered += text.utf8
    if gathered.count >= 1 << 16 { flush() }
  }

  /// Closes the file and says what became of it.
  consuming func finish(rows: Int) -> ExportOutcome {
    flush()
    if close(descriptor) != 0, error == 0 { error = errno }
    guard error == 0 else {
      // Half a file would pass for a whole one.
      unlink(path)
      return .refused("\(shownPath): \(String(cString: strerror(error)))")
    }
    return .written(path: shownPath, rows: rows, bytes: bytes)
  }

  /// Removes the file.
  consuming func discard() {
    close(descriptor)
    unlink(path)
  }

  private mutating func flush() {
    if error == 0 { error = TextFile.write(gathered, to: descriptor) }
    bytes += gathered.count
    gathered.removeAll(keepingCapacity: true)
  }

  /// `~/` is the home, as a shell has it.
  private static func expanded(_ path: String, home: String?) -> String {
    guard path.hasPrefix("~/"), let home, !home.isEmpty else { return path }
    return home + path.dropFirst(1)
  }
}
