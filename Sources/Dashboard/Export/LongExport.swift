internal import DatabaseConsole
package import ObservationEngine

/// All rows of a long result, to be written to a file: they are read again one by one, and none is
/// retained.
package struct LongExport: Sendable, Equatable {
  /// The path as typed.
  package let path: String
  package let format: ExportFormat
  /// The panel's query.
  package let panel: PanelDefinition
  /// The columns as the panel shows them.
  package let columns: [String]
  let look: RowRequest.Look

  /// The query, in the order that the user chose.
  package func sql(_ arguments: QueryArguments) -> String {
    guard let sort = look.sort else { return panel.sql }
    return RowWindow.Sort(column: sort.column, isDescending: sort.isDescending)
      .allRows(of: panel.sql, arguments, columnCount: columns.count)
  }

  /// Decides which rows are written; nil when all are.
  package var filter: ((_ row: [Value]) -> Bool)? {
    guard !look.filter.isEmpty else { return nil }
    let filter = RowFilter(look.filter, columns: columns)
    return { filter.matches($0) }
  }
}

/// Writes rows in the format of an export, one after another.
package struct RowWriter {
  private let format: ExportFormat
  private let columns: [String]
  private let names: [String]
  private var layout: MarkdownFormat.Layout
  /// How many rows were written.
  package private(set) var count = 0

  package init(_ format: ExportFormat, columns: [String]) {
    self.format = format
    self.columns = columns
    names = ColumnNames.unique(columns)
    layout = MarkdownFormat.Layout(columns)
  }

  /// Whether all rows must be measured before the first is written.
  package var measures: Bool { format == .markdown }

  package mutating func measure(_ row: [Value]) { layout.measure(row) }

  /// The text before the rows.
  package var head: String {
    switch format {
    case .csv: columns.isEmpty ? "" : CSVFormat().header(columns)
    case .json: "["
    case .markdown: columns.isEmpty ? "" : layout.head
    case .ndjson: ""
    }
  }

  package mutating func line(_ row: [Value]) -> String {
    defer { count += 1 }
    return switch format {
    case .csv: CSVFormat().line(row)
    case .json: JSONFormat().element(row, names: names, isFirst: count == 0)
    case .markdown: layout.line(row)
    case .ndjson: NDJSONFormat().line(row, names: names)
    }
  }

  /// The text after them.
  package var tail: String { format == .json ? "]\n" : "" }
}
