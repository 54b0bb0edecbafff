/// Reads one JSON text, strictly by RFC 8259.
///
/// - Complexity: O(length); arrays and objects within others to a fixed depth.
struct JSONReader {
  struct Failure: Error, Equatable {
    let message: String
    /// In bytes from the start of the text.
    let offset: Int
  }

  private static let maximumDepth = 64

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  /// Reads a text that has exactly one value.
  static func read(_ bytes: [UInt8]) throws(Failure) -> JSONValue {
    var reader = JSONReader(bytes: bytes)
    let value = try reader.value()
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw reader.failure("more than one value") }
    return value
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func failure(_ message: String) -> Failure { Failure(message: message, offset: index) }

  private mutating func skipBlanks() {
    while let byte = current, [0x20, 0x09, 0x0a, 0x0d].contains(byte) { index += 1 }
  }

  private mutating func value() throws(Failure) -> JSONValue {
    skipBlanks()
    switch current {
    case nil: throw failure("the text ends too early")
    case UInt8(ascii: "{"): return try nested { (reader) throws(Failure) in try reader.object() }
    case UInt8(ascii: "["): return try nested { (reader) throws(Failure) in try reader.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func nested(
    _ body: (inout JSONReader) throws(Failure) -> JSONValue
  ) throws(Failure) -> JSONValue {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw failure("nested too deeply") }
    index += 1
    return try body(&self)
  }

  private mutating func object() throws(Failure) -> JSONValue {
    var members: [JSONValue.Member] = []
    skipBlanks()
    if take("}") { return .object([]) }
    repeat {
      skipBlanks()
      guard current == UInt8(ascii: "\"") else { throw failure("expected a name in quotes") }
      let name = try string()
      skipBlanks()
      guard take(":") else { throw failure("expected \":\"") }
      members.append(JSONValue.Member(name: name, value: try value()))
      skipBlanks()
    } while take(",")
    guard take("}") else { throw failure("expected \",\" or \"}\"") }
    return .object(members)
  }

  private mutating func array() throws(Failure) -> JSONValue {
    var elements: [JSONValue] = []
    skipBlanks()
    if take("]") { return .array([]) }
    repeat {
      elements.append(try value())
      skipBlanks()
    } while take(",")
    guard take("]") else { throw failure("expected \",\" or \"]\"") }
    return .array(elements)
  }

  private mutating func take(_ sign: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: sign) else { return false }
    index += 1
    return true
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(Failure) -> JSONValue {
    guard bytes[index...].starts(with: word.utf8) else { throw failure("expected a value") }
    index += word.utf8.count
    return value
  }

  private mutating func number() throws(Failure) -> JSONValue {
    let start = index
    while let byte = current, "+-.0123456789eE".utf8.contains(byte) { index += 1 }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    // Infinity is 1e999, as SQLite writes it; text that isn't a number is refused here.
    guard !text.isEmpty, Double(text) != nil, text.first != "+", text.first != "." else {
      index = start
      throw failure("expected a value")
    }
    return .number(text)
  }

  private mutating func string() throws(Failure) -> String {
    index += 1
    var content: [UInt8] = []
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        guard let text = String(validating: content, as: UTF8.self) else {
          throw failure("this text is not valid UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): content += try escape()
      case 0..<0x20: throw failure("a control character within a text")
      default:
        content.append(byte)
        index += 1
      }
    }
    throw failure("this text has no end")
  }

  private mutating func escape() throws(Failure) -> [UInt8] {
    index += 1
    guard let byte = current else { throw failure("this text has no end") }
    index += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]), bytes[index...].starts(with: "\\u".utf8) {
        index += 2
        units.append(try unit())
      }
      return Array(String(decoding: units, as: UTF16.self).utf8)
    default: throw failure("an escape that JSON does not have")
    }
  }

  private mutating func unit() throws(Failure) -> UInt16 {
    let digits = bytes[index..<min(index + 4, bytes.count)]
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, let unit = UInt16(text, radix: 16) else {
      throw failure("four hexadecimal digits must follow \\u")
    }
    index += 4
    return unit
  }
}
