package import ObservationEngine

/// The formats of an exported file, by the file's extension.
package enum ExportFormat: String, Sendable, CaseIterable {
  case csv
  case json
  case markdown = "md"
  case ndjson

  /// The format for a file name; nil when its extension is unknown.
  package init?(path: String) {
    let name = path.lastPathPart
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    self.init(rawValue: name[name.index(after: dot)...].lowercased())
  }

  /// `.csv, .json, .md or .ndjson`
  static var extensions: String {
    let all = allCases.map { "." + $0.rawValue }
    return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
  }
}

/// Rows to be written to a file.
package struct Export: Sendable, Equatable {
  /// The path as typed.
  package let path: String
  package let format: ExportFormat
  /// The rows as shown: filtered and sorted.
  package let rows: RowSet

  package init(path: String, format: ExportFormat, rows: RowSet) {
    self.path = path
    self.format = format
    self.rows = rows
  }

  /// Writes the rows in the export's format, piece by piece.
  ///
  /// - Complexity: O(rows · columns).
  package func write(to output: (String) -> Void) {
    var writer = RowWriter(format, columns: rows.columns)
    if writer.measures { for row in rows.rows { writer.measure(row) } }
    output(writer.head)
    for row in rows.rows { output(writer.line(row)) }
    output(writer.tail)
  }
}

/// The outcome of an export.
package enum ExportOutcome: Sendable, Equatable {
  case written(path: String, rows: Int, bytes: Int)
  /// Nothing was written; with the reason, for another try.
  case refused(String)
}
