package import ObservationEngine

/// The forms in which a panel's rows go to a file, by the file's extension.
package enum ExportFormat: String, Sendable, CaseIterable {
  case csv
  case json
  case markdown = "md"
  case ndjson

  /// The format that a file name asks for; nil when its extension means none.
  package init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    self.init(rawValue: name[name.index(after: dot)...].lowercased())
  }

  /// `.csv, .json, .md or .ndjson`
  static var extensions: String {
    let all = allCases.map { "." + $0.rawValue }
    return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
  }
}

/// Rows on their way to a file.
package struct Export: Sendable, Equatable {
  /// As it was typed.
  package let path: String
  package let format: ExportFormat
  /// As they were shown: filtered and sorted.
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

/// What became of an export.
package enum ExportOutcome: Sendable, Equatable {
  case written(path: String, rows: Int, bytes: Int)
  /// Nothing was written; the reason, for another try.
  case refused(String)
}

/// The name of a file to export to, while it is typed.
package struct ExportInput: Sendable, Equatable {
  /// The panel's name in the dashboard.
  let panel: String
  /// Whether it is the result of the console that is looked through, and no panel.
  let isResult: Bool
  var name: TextBuffer
  /// Why the name did not do.
  var problem: String?
  /// How many rows of how many are written, while a long result is.
  var progress: Progress?

  struct Progress: Sendable, Equatable {
    var rows = 0
    var total: Int
  }

  init(panel: String, isResult: Bool = false) {
    self.panel = panel
    self.isResult = isResult
    // A panel may be called anything, and a file may not.
    let safe = panel.map { $0 == "/" || $0.isNewline ? "_" : String($0) }.joined()
    name = TextBuffer((safe.hasPrefix(".") ? "_" + safe : safe) + ".csv")
  }

  /// Goes from one format to the next by changing the extension.
  mutating func nextFormat() {
    let formats = ExportFormat.allCases
    guard let format = ExportFormat(path: name.text), let index = formats.firstIndex(of: format)
    else {
      name = TextBuffer(name.text + ".csv")
      return
    }
    let stem = name.text.dropLast(name.text.split(separator: ".").last?.count ?? 0)
    name = TextBuffer(stem + formats[(index + 1) % formats.count].rawValue)
  }
}
