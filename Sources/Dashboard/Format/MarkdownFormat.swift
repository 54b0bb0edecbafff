import ObservationEngine

/// A result as a table of GitHub-flavoured Markdown, its columns aligned in the source too.
///
/// Numbers are right-aligned. Markdown syntax is escaped, a newline is `<br>`, and NULL is an empty
/// cell.
enum MarkdownFormat {
  /// The widths and alignments of the columns, known once all rows are measured.
  struct Layout {
    private let plain = PlainText()
    private let names: [String]
    private var widths: [Int]
    private var isNumeric: [Bool]
    private var isEmpty = true

    init(_ columns: [String]) {
      names = columns.map(MarkdownFormat.escaped)
      widths = names.map { max(3, DisplayText.width($0)) }
      isNumeric = names.map { _ in true }
    }

    /// Makes room for a row.
    mutating func measure(_ row: [Value]) {
      isEmpty = false
      for column in names.indices {
        widths[column] = max(widths[column], DisplayText.width(text(row[column])))
        if !MarkdownFormat.isNumberOrNull(row[column]) { isNumeric[column] = false }
      }
    }

    /// The names of the columns, and the rule below them.
    var head: String {
      let rules = widths.indices.map { column in
        String(repeating: "-", count: widths[column] - (isTrailing(column) ? 1 : 0))
          + (isTrailing(column) ? ":" : "")
      }
      return line(names) + "| " + rules.joined(separator: " | ") + " |\n"
    }

    /// The line of a row.
    func line(_ row: [Value]) -> String { line(row.map(text)) }

    private func text(_ value: Value) -> String {
      MarkdownFormat.escaped(plain.text(value))
    }

    private func isTrailing(_ column: Int) -> Bool { isNumeric[column] && !isEmpty }

    private func line(_ fields: [String]) -> String {
      let padded = fields.indices.map { column in
        let space = String(
          repeating: " ", count: max(0, widths[column] - DisplayText.width(fields[column])))
        return isTrailing(column) ? space + fields[column] : fields[column] + space
      }
      return "| " + padded.joined(separator: " | ") + " |\n"
    }
  }

  fileprivate static func isNumberOrNull(_ value: Value) -> Bool {
    switch value {
    case .integer, .real, .null: true
    case .text, .blob, .date: false
    }
  }

  fileprivate static func escaped(_ text: String) -> String {
    var result = ""
    var wasReturn = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\r": result += "<br>"
      case "\n": if !wasReturn { result += "<br>" }
      case "|", "\\", "`", "*", "_", "[", "]", "~", "&":
        result += "\\"
        result.unicodeScalars.append(scalar)
      case "<": result += "&lt;"
      default: result.unicodeScalars.append(scalar)
      }
      wasReturn = scalar == "\r"
    }
    return result
  }
}
