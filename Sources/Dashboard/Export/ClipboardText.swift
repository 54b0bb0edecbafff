import ObservationEngine

/// Text for the clipboard of the user's terminal, by its OSC 52 sequence.
///
/// The terminal does not answer: one that has no clipboard, or refuses programs access to it, stays
/// silent.
package struct ClipboardText: Sendable, Equatable {
  /// The longest text, in bytes: terminals accept at least 100,000 bytes of sequence.
  package static let limit = 74_994

  package let text: String
  /// Its name for the message: `row 3`, `12 rows`.
  package let subject: String

  /// The sequence that sets the clipboard; nil when the text is too long for it.
  ///
  /// - Complexity: O(length).
  package var sequence: String? {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.limit else { return nil }
    return "\u{1b}]52;c;\(Base64.text(bytes))\u{7}"
  }

  /// The message when ``sequence`` is nil.
  package var refusal: String {
    let size = QuantityText.bytes(Int64(text.utf8.count))
    let limit = QuantityText.bytes(Int64(Self.limit))
    return "\(subject): \(size) are too much for a clipboard (\(limit)); :export writes a file"
  }

  /// The message when the sequence was sent.
  package var confirmation: String {
    "Copied \(subject) (\(QuantityText.bytes(Int64(text.utf8.count))))"
  }

  /// Rows separated by tabs, as spreadsheets accept them.
  ///
  /// - Parameter hasHeader: Whether to put the names of the columns first.
  init(_ rows: [[Value]], columns: [String], hasHeader: Bool, subject: String) {
    let plain = PlainText()
    var lines = rows.map { $0.map { Self.field(plain.text($0)) } }
    if hasHeader { lines.insert(columns.map(Self.field), at: 0) }
    text = lines.map { $0.joined(separator: "\t") }.joined(separator: "\n")
    self.subject = subject
  }

  /// One value as it is.
  init(_ value: Value, subject: String) {
    text = PlainText().text(value)
    self.subject = subject
  }

  /// A field that contains a tab or a newline is quoted.
  private static func field(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 }) else { return text }
    return text.quoted(by: "\"")
  }
}
