package import ObservationEngine

/// Results as comma-separated values, after RFC 4180: a header, fields quoted where necessary,
/// lines that end in CR LF.
///
/// NULL is `nullText` without quotes; an identical text is quoted, and so is an empty one. Column
/// names are as SQLite gives them, including repeated ones.
package struct CSVFormat: Sendable {
  private let plain: PlainText

  package init(nullText: String = "", terminal: GlyphSet? = nil) {
    plain = PlainText(nullText: nullText, terminal: terminal)
  }

  /// Writes one result; nothing for one without columns.
  package func write(_ result: RowSet, to output: (String) -> Void) {
    guard !result.columns.isEmpty else { return }
    output(header(result.columns))
    for row in result.rows { output(line(row)) }
  }

  /// The line of the columns' names.
  func header(_ columns: [String]) -> String {
    columns.map { field(plain.safe($0)) }.joined(separator: ",") + "\r\n"
  }

  /// The line of a row.
  func line(_ row: [Value]) -> String { row.map(field).joined(separator: ",") + "\r\n" }

  private func field(_ value: Value) -> String {
    let text = plain.text(value)
    if value == .null { return needsQuotes(text) ? text.quoted(by: "\"") : text }
    return field(text)
  }

  private func field(_ text: String) -> String {
    text.isEmpty || text == plain.safe(plain.nullText) || needsQuotes(text)
      ? text.quoted(by: "\"") : text
  }

  private func needsQuotes(_ text: String) -> Bool {
    // Some readers drop blanks around a field.
    text.utf8.first == UInt8(ascii: " ") || text.utf8.last == UInt8(ascii: " ")
      || text.utf8.contains { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
  }
}
