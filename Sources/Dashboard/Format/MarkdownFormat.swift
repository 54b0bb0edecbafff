package import ObservationEngine

/// A result as a table of GitHub-flavoured Markdown, its columns aligned in the source too.
///
/// Numbers stand to the right. What Markdown would act upon is escaped, a line end is `<br>`, and NULL
/// is an empty cell.
package struct MarkdownFormat: Sendable {
  package init() {}

  /// Writes one result; one without columns is nothing.
  ///
  /// - Complexity: O(rows · columns).
  package func write(_ result: RowSet, to output: (String) -> Void) {
    guard !result.columns.isEmpty else { return }
    let plain = PlainText()
    let cells = result.rows.map { $0.map { Self.escaped(plain.text($0, exactReals: true)) } }
    let names = result.columns.map(Self.escaped)
    let isNumeric = result.columns.indices.map { column in
      !result.rows.isEmpty && result.rows.allSatisfy { Self.isNumberOrNull($0[column]) }
    }
    let widths = names.indices.map { column in
      cells.reduce(max(3, DisplayText.width(names[column]))) {
        max($0, DisplayText.width($1[column]))
      }
    }
    func line(_ fields: [String]) -> String {
      let padded = fields.indices.map { column in
        let space = String(
          repeating: " ", count: max(0, widths[column] - DisplayText.width(fields[column])))
        return isNumeric[column] ? space + fields[column] : fields[column] + space
      }
      return "| " + padded.joined(separator: " | ") + " |\n"
    }
    output(line(names))
    let rules = widths.indices.map { column in
      String(repeating: "-", count: widths[column] - (isNumeric[column] ? 1 : 0))
        + (isNumeric[column] ? ":" : "")
    }
    output("| " + rules.joined(separator: " | ") + " |\n")
    for row in cells { output(line(row)) }
  }

  private static func isNumberOrNull(_ value: Value) -> Bool {
    switch value {
    case .integer, .real, .null: true
    case .text, .blob: false
    }
  }

  private static func escaped(_ text: String) -> String {
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
