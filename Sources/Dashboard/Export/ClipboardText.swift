import ObservationEngine

/// Text on its way to the clipboard of the person's terminal, by its OSC 52 sequence.
///
/// The terminal does not answer: one that has no clipboard, or refuses programs the access to it, says
/// nothing.
package struct ClipboardText: Sendable, Equatable {
  /// The longest text, in bytes: 100,000 bytes of sequence are what terminals take at least.
  package static let limit = 74_994

  package let text: String
  /// What it is, for the message: `row 3`, `12 rows`.
  package let subject: String

  /// The sequence that sets the clipboard; nil when the text is too long for it.
  ///
  /// - Complexity: O(length).
  package var sequence: String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.limit else { return nil }
    return "\u{1b}]52;c;\(Base64.text(bytes))\u{7}"
  }

  /// What to say when ``sequence`` is nil.
  package var refusal: String {
    let size = QuantityText.bytes(Int64(text.utf8.count))
    let limit = QuantityText.bytes(Int64(Self.limit))
    return "\(subject): \(size) are too much for a clipboard (\(limit)); x exports to a file"
  }

  /// What to say when the terminal was told.
  package var confirmation: String {
    "\(subject) to the terminal's clipboard (\(QuantityText.bytes(Int64(text.utf8.count))))"
  }

  /// Rows separated by tabs, as spreadsheets take them.
  ///
  /// - Parameter hasHeader: Whether the names of the columns stand above.
  init(_ rows: [[Value]], columns: [String], hasHeader: Bool, subject: String) {
    let plain = PlainText()
    var lines = rows.map { $0.map { Self.field(plain.text($0)) } }
    if hasHeader { lines.insert(columns.map(Self.field), at: 0) }
    text = lines.map { $0.joined(separator: "\t") }.joined(separator: "\n")
    self.subject = subject
  }

  /// A field that holds a tab or a line end stands in quotes.
  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 }) else { return text }
    return "\""
      + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
