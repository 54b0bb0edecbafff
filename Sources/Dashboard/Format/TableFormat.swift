package import ObservationEngine

/// Results as aligned text, for users: names, a line below them, numbers right-aligned.
///
///     player   score
///     ------  ------
///     ada      98410
///     grace    97003
///
/// Text with newlines takes as many lines as it has, in its column.
package struct TableFormat: Sendable {
  private let plain: PlainText

  package init(nullText: String = "", terminal: GlyphSet? = nil) {
    plain = PlainText(nullText: nullText, terminal: terminal)
  }

  /// Writes results one below the other, each below its name when there are several.
  ///
  /// - Parameter isNamed: Whether to write the name of a single one, too.
  package func write(
    _ panels: [(name: String, result: RowSet)], isNamed: Bool = false, to output: (String) -> Void
  ) {
    for (index, panel) in panels.enumerated() {
      if index > 0 { output("\n") }
      if isNamed || panels.count > 1 { output("\(plain.safe(panel.name)):\n") }
      write(panel.result, to: output)
    }
  }

  /// Writes one result; nothing for one without columns.
  ///
  /// - Complexity: O(size), all of it in memory as text, since the widths are known only at the
  ///   end.
  package func write(_ result: RowSet, to output: (String) -> Void) {
    guard !result.columns.isEmpty else { return }
    let header = result.columns.map { lines(plain.safe($0)) }
    let rows = result.rows.map { $0.map { lines(plain.text($0)) } }
    var widths = Array(repeating: 1, count: result.columns.count)
    for cells in [header] + rows {
      for (column, cell) in cells.enumerated() {
        for line in cell { widths[column] = max(widths[column], DisplayText.width(line)) }
      }
    }
    let isNumeric = result.columns.indices.map { column in
      result.rows.contains { $0[column].isNumber }
        && result.rows.allSatisfy { $0[column].isNumber || $0[column] == .null }
    }
    write(header, widths, isNumeric, to: output)
    write(widths.map { [String(repeating: "-", count: $0)] }, widths, isNumeric, to: output)
    for row in rows { write(row, widths, isNumeric, to: output) }
  }

  private func write(
    _ cells: [[String]], _ widths: [Int], _ isNumeric: [Bool], to output: (String) -> Void
  ) {
    let height = cells.lazy.map(\.count).max() ?? 1
    for line in 0..<height {
      var text = ""
      // Padding is written only when text follows, so that no line ends in our blanks.
      var padding = 0
      for (column, cell) in cells.enumerated() {
        let part = line < cell.count ? cell[line] : ""
        let missing = widths[column] - DisplayText.width(part)
        if !part.isEmpty {
          text += String(repeating: " ", count: padding + (isNumeric[column] ? missing : 0)) + part
          padding = isNumeric[column] ? 0 : missing
        } else {
          padding += missing
        }
        padding += 2
      }
      output(text + "\n")
    }
  }

  private func lines(_ text: String) -> [String] {
    text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
  }
}

extension Value {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .real: true
    case .null, .text, .blob, .date: false
    }
  }
}
