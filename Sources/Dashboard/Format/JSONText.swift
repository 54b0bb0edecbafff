import ObservationEngine

/// Writes values, names and rows as JSON, escaped as `sqlite3 -json` escapes them.
struct JSONText: Sendable {
  /// Whether to escape everything that a terminal would not show as it is; the meaning is
  /// unchanged.
  var isForTerminal: Bool

  init(isForTerminal: Bool = false) {
    self.isForTerminal = isForTerminal
  }

  /// Appends a value: integers and reals exact, BLOBs as `{"$blob":"<base64>"}`.
  func append(_ value: Value, to output: inout String) {
    switch value {
    case .null: output += "null"
    case .integer(let number): output += String(number)
    case .real(let number): output += number.sqliteLiteral
    case .text(let text): append(text, to: &output)
    case .date(let date): append("\(date)", to: &output)
    case .blob(let bytes):
      output += "{\"$blob\":\""
      output += Base64.text(bytes)
      output += "\"}"
    }
  }

  /// Appends a string with its quotes.
  ///
  /// - Complexity: O(length).
  func append(_ text: String, to output: inout String) {
    output += "\""
    if text.utf8.allSatisfy(Self.isPlain) {
      output += text
    } else {
      for scalar in text.unicodeScalars { append(scalar, to: &output) }
    }
    output += "\""
  }

  /// Appends an array of values.
  func append(_ values: [Value], to output: inout String) {
    output += "["
    for (index, value) in values.enumerated() {
      if index > 0 { output += "," }
      append(value, to: &output)
    }
    output += "]"
  }

  /// Appends a row as an object.
  ///
  /// - Parameter names: One name per value; see ``ColumnNames``.
  func append(_ row: [Value], names: [String], to output: inout String) {
    output += "{"
    for (index, (name, value)) in zip(names, row).enumerated() {
      if index > 0 { output += "," }
      append(name, to: &output)
      output += ":"
      append(value, to: &output)
    }
    output += "}"
  }

  private func append(_ scalar: Unicode.Scalar, to output: inout String) {
    switch scalar {
    case "\"": output += "\\\""
    case "\\": output += "\\\\"
    case "\u{8}": output += "\\b"
    case "\u{C}": output += "\\f"
    case "\n": output += "\\n"
    case "\r": output += "\\r"
    case "\t": output += "\\t"
    case "\0"..<" ": appendEscape(UInt16(scalar.value), to: &output)
    case _ where isForTerminal && Self.isInvisible(scalar):
      for unit in String(scalar).utf16 { appendEscape(unit, to: &output) }
    default: output.unicodeScalars.append(scalar)
    }
  }

  private func appendEscape(_ unit: UInt16, to output: inout String) {
    let digits = String(unit, radix: 16)
    output += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Control characters, and format characters, which reverse or hide the text around them.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: true
    default: false
    }
  }
}
