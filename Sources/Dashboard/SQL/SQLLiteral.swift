package import ObservationEngine

/// Values as SQL literals.
package enum SQLLiteral {
  package static func text(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): number.sqliteLiteral
    case .text(let text): text.quoted(by: "'")
    case .blob(let bytes): "x'" + bytes.map(hexadecimal).joined() + "'"
    case .date(let date): "'\(date)'"
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return byte < 16 ? "0" + digits : digits
  }

  /// The value for `text` that a user types as a parameter: NULL, a number if it is written like
  /// one, `'text'`, `x'00ff'`, and otherwise the text itself.
  package static func value(typed text: String) -> Value {
    let tokens = SQLTokenizer.tokens(of: text)
    if tokens.count == 1, let token = tokens.first, token.range == 0..<text.utf8.count {
      switch token.kind {
      case .word where token.isWord("null"): return .null
      case .string: return .text(token.text)
      case .blob: return .blob(bytes(ofHexadecimal: token.text))
      default: break
      }
    }
    // 007 is a name made of digits.
    let digits = text.drop { $0 == "-" || $0 == "+" }
    let isNumber =
      digits.first?.isASCII == true && (digits.first?.isNumber == true || digits.first == ".")
      && !(digits.count > 1 && digits.first == "0" && digits.dropFirst().first?.isNumber == true)
    guard isNumber, text.utf8.allSatisfy({ $0 > 0x20 }) else { return .text(text) }
    if let number = Int64(text) { return .integer(number) }
    if text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let number = Double(text),
      number.isFinite
    {
      return .real(number)
    }
    return .text(text)
  }

  private static func bytes(ofHexadecimal digits: String) -> [UInt8] {
    let digits = Array(digits)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(digits[$0...$0 + 1]), radix: 16)
    }
  }
}
