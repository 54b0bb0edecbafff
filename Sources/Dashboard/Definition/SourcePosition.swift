/// A position in a dashboard file, as editors count: lines and columns from 1, columns in
/// characters.
package struct SourcePosition: Sendable, Hashable, Comparable {
  package var line: Int
  package var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// The first character of a file.
  package static let start = SourcePosition(line: 1, column: 1)

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }

  /// The position after `text`, when `text` starts here.
  package func advanced(over text: Substring) -> SourcePosition {
    // Bytes, not characters: "\r\n" is one Character, and this way no newline is missed.
    guard let lastBreak = text.utf8.lastIndex(of: UInt8(ascii: "\n")) else {
      return SourcePosition(line: line, column: column + text.count)
    }
    let breaks = text.utf8.count { $0 == UInt8(ascii: "\n") }
    let rest = text[text.utf8.index(after: lastBreak)...]
    return SourcePosition(line: line + breaks, column: 1 + rest.count)
  }
}
