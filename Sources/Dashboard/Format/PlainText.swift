import ObservationEngine

/// Values as text outside JSON: in tables and CSV.
struct PlainText: Sendable {
  /// The text for NULL.
  var nullText: String
  /// If the text goes to a terminal, which must not receive control characters: the symbols that
  /// may replace them.
  var terminal: GlyphSet?

  init(nullText: String = "", terminal: GlyphSet? = nil) {
    self.nullText = nullText
    self.terminal = terminal
  }

  /// A value as the `sqlite3` shell shows it, except that a BLOB is its literal, `X'00FF'`, and
  /// that a real number has as many digits as necessary to read the same number again.
  func text(_ value: Value) -> String {
    switch value {
    case .null: safe(nullText)
    case .integer(let number): String(number)
    case .real(let number): number.sqliteText
    case .text(let text): safe(text)
    case .blob(let bytes): Self.literal(bytes)
    case .date(let date): "\(date)"
    }
  }

  /// A name or text from the database, sanitized if it goes to a terminal.
  func safe(_ text: String) -> String {
    terminal.map { DisplayText.sanitize(text, glyphs: $0) } ?? text
  }

  private static func literal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let hex = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "X'" + String(decoding: hex, as: UTF8.self) + "'"
  }
}
