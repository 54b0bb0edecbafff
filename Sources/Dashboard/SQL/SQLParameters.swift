package import ObservationEngine

/// The parameters of a statement, numbered as SQLite numbers them.
///
///     SQLParameters("SELECT :a, ?, ?5, $a").places    // :a, ?2, unused 3 and 4, ?5, $a
package struct SQLParameters: Sendable, Equatable {
  /// By number from 1: its name, `?2` for a nameless one; nil for an unused number.
  package private(set) var places: [String?] = []
  /// The byte range of each, and its number.
  private var uses: [(range: Range<Int>, number: Int)] = []
  /// By SQLite's names: a number may have a name and be written as `?2` too.
  private var numbers: [String: Int] = [:]
  private let sql: String
  private let dialect: SQLDialect

  package init(_ sql: String, dialect: SQLDialect = .sqlite) {
    (self.sql, self.dialect) = (sql, dialect)
    for token in SQLTokenizer.tokens(of: sql, dialect: dialect) where token.kind == .parameter {
      uses.append((token.range, number(of: token.text)))
    }
  }

  /// The parameters that need a value, in order.
  package var names: [String] { places.compactMap(\.self) }

  package var isEmpty: Bool { places.isEmpty }

  /// A value for every number, from the values of ``names``.
  package func arguments(_ values: [Value]) -> QueryArguments {
    var rest = values[...]
    return QueryArguments(values: places.map { $0 == nil ? .null : rest.popFirst() ?? .null })
  }

  /// The statement with the values of ``names`` written in place of the parameters.
  package func filled(_ values: [Value]) -> String {
    let arguments = arguments(values).positional
    var result = ""
    let bytes = Array(sql.utf8)
    var position = 0
    for use in uses {
      result += String(decoding: bytes[position..<use.range.lowerBound], as: UTF8.self)
      result += Self.replacement(use.range, arguments[use.number - 1], in: bytes).text
      position = use.range.upperBound
    }
    return result + String(decoding: bytes[position...], as: UTF8.self)
  }

  /// The statement with values written in place of the parameters of these names; the others stay.
  ///
  /// To a server each value is a text without a type, as that of a parameter is: so a boolean
  /// column can be compared with it.
  package func filled(named values: [String: Value]) -> String {
    var result = ""
    let bytes = Array(sql.utf8)
    var position = 0
    for use in uses {
      let text = String(decoding: bytes[use.range], as: UTF8.self)
      result += String(decoding: bytes[position..<use.range.lowerBound], as: UTF8.self)
      let value = text.first == "?" ? nil : values[String(text.dropFirst())]
      result += value.map { Self.replacement(use.range, written($0), in: bytes).text } ?? text
      position = use.range.upperBound
    }
    return result + String(decoding: bytes[position...], as: UTF8.self)
  }

  private func written(_ value: Value) -> Value {
    guard dialect == .postgres else { return value }
    return switch value {
    case .real(let number) where number.isInfinite: .text(number < 0 ? "-Infinity" : "Infinity")
    case .integer, .real: .text(SQLLiteral.text(value))
    default: value
    }
  }

  /// The position, in the result of ``filled(_:)``, of a byte of the statement.
  package func filledOffset(_ offset: Int, _ values: [Value]) -> Int {
    let arguments = arguments(values).positional
    let bytes = Array(sql.utf8)
    return uses.prefix { $0.range.lowerBound <= offset }.reduce(offset) { moved, use in
      let (text, start) = Self.replacement(use.range, arguments[use.number - 1], in: bytes)
      return moved
        + (use.range.upperBound <= offset ? text.utf8.count - use.range.count : start)
    }
  }

  /// The replacement of a parameter: the value, with blanks where it would merge with adjacent
  /// text, as `SELECT:a` would, or become a comment, as `1-?` would with -2.
  ///
  /// - Returns: The text, and where the value starts in it.
  private static func replacement(
    _ range: Range<Int>, _ value: Value, in bytes: [UInt8]
  ) -> (text: String, start: Int) {
    let literal = SQLLiteral.text(value)
    var before = ""
    if range.lowerBound > 0 {
      let byte = bytes[range.lowerBound - 1]
      if isSticky(byte) || (byte == UInt8(ascii: "-") && literal.hasPrefix("-")) { before = " " }
    }
    let isStuck = range.upperBound < bytes.count && isSticky(bytes[range.upperBound])
    return (before + literal + (isStuck ? " " : ""), before.utf8.count)
  }

  /// Whether a byte would merge with an adjacent name, number, string or parameter.
  private static func isSticky(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"),
      UInt8(ascii: "'"), UInt8(ascii: "?"), 0x80...:
      true
    default: false
    }
  }

  private mutating func number(of name: String) -> Int {
    // Up to SQLite's limit; SQLite refuses greater numbers.
    if name.hasPrefix("?"), let number = Int(name.dropFirst()), (1...32_766).contains(number) {
      while places.count < number { places.append(nil) }
      places[number - 1] = places[number - 1] ?? name
      return number
    }
    if let number = numbers[name] { return number }
    places.append(name == "?" ? "?\(places.count + 1)" : name)
    if name != "?" { numbers[name] = places.count }
    return places.count
  }

  package static func == (left: SQLParameters, right: SQLParameters) -> Bool {
    left.sql.isExactly(right.sql)
  }
}
