import ObservationEngine

/// What a row must have to be shown: a text anywhere, or in one column.
///
///     germany             in any column, whatever its case
///     Country:ger         in this column
///     Country:=Germany    this column is exactly that
struct RowFilter {
  private enum Test {
    case anywhere(TextSearch)
    case within(Int, TextSearch)
    case equal(Int, String)
  }

  private let test: Test

  /// - Parameter columns: The names of the row's columns: what precedes the colon is one of them,
  ///   or else part of the text.
  init(_ text: String, columns: [String]) {
    // Of two names that fit, such as `a` and `a:b`, the longer one.
    let named = columns.indices
      .filter { text.count > columns[$0].count && Self.names(text, columns[$0]) }
      .max { columns[$0].count < columns[$1].count }
    guard let column = named else {
      test = .anywhere(TextSearch(text))
      return
    }
    let value = text.dropFirst(columns[column].count + 1)
    test =
      value.first == "="
      ? .equal(column, String(value.dropFirst())) : .within(column, TextSearch(String(value)))
  }

  /// The filter for rows with this value in a column; nil for a BLOB, which no text equals.
  static func text(_ value: Value, in column: String) -> String? {
    TextSearch.text(of: value).map { "\(column):=\($0)" }
  }

  /// The name before `:=` that no column has.
  static func unknownColumn(in text: String, columns: [String]) -> String? {
    guard let sign = text.place(of: ":=")?.lowerBound, sign > text.startIndex,
      !columns.contains(where: { names(text, $0) })
    else { return nil }
    return String(text[..<sign])
  }

  func matches(_ row: [Value]) -> Bool {
    switch test {
    case .anywhere(let search): search.matches(row)
    case .within(let column, let search):
      row.indices.contains(column) && search.matches([row[column]])
    case .equal(let column, let text):
      row.indices.contains(column) && TextSearch.text(of: row[column]) == text
    }
  }

  private static func names(_ text: String, _ column: String) -> Bool {
    let start = text.prefix(column.count + 1)
    return start.last == ":" && start.dropLast().lowercased() == column.lowercased()
  }
}
